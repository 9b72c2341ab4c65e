package googlesim

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// catalogTime is when everything that Google provides was created, as machine
// types in recorded answers have it (google-cloud-sdk's machineTypes list).
func catalogTime() time.Time { return time.Unix(0, 0) }

// catalogID is the number of something that Google provides; it follows from
// its path.
func catalogID(path string) string {
	sum := sha256.Sum256([]byte("catalog " + path))
	return strconv.FormatUint(binary.BigEndian.Uint64(sum[:8])%9_000_000+1_000_000, 10)
}

// provided is what an answer says of anything that Google provides.
type provided struct {
	Kind              string `json:"kind"`
	ID                string `json:"id"`
	CreationTimestamp string `json:"creationTimestamp"`
	Name              string `json:"name"`
	Description       string `json:"description"`
	SelfLink          string `json:"selfLink"`
}

func newProvided(kind, path, description string) provided {
	return provided{
		Kind: kind, ID: catalogID(path), CreationTimestamp: stamp(catalogTime()), Name: lastSegment(path),
		Description: description, SelfLink: link(path),
	}
}

// shelf collects rows of things that are not in the world: each stands for an
// object that is numbered by its place.
type shelf []row

func (s *shelf) add(path, zone string, wire any) {
	obj := &sim.Object{NativeID: path, Zone: zone, Serial: int64(len(*s)) + 1}
	*s = append(*s, row{obj, wire})
}
