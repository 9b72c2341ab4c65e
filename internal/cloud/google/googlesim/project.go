package googlesim

import (
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strconv"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// projectType is the type of the hidden objects that remember projects.
const projectType = "projects"

// projectForm is the pattern of the discovery document: an id, perhaps with a
// domain, or a number.
var projectForm = regexp.MustCompile(`^(?:(?:[-a-z0-9]{1,63}\.)*(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?):)?(?:[0-9]{1,19}|(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?))$`)

var digits = regexp.MustCompile(`^[0-9]+$`)

// projectNumber is the number of a project: 12 digits that follow from its id,
// so that they are the same in every world.
func projectNumber(id string) string {
	sum := sha256.Sum256([]byte("project " + id))
	return strconv.FormatUint(100_000_000_000+binary.BigEndian.Uint64(sum[:8])%900_000_000_000, 10)
}

// rememberProject makes a project known, so that its number can be told back.
// Every project with a well-formed id exists.
func rememberProject(tx *sim.Tx, id string) {
	if _, known := tx.Object(cloudName, "projects/"+id); known {
		return
	}
	tx.Insert(&sim.Object{
		Cloud: cloudName, Type: projectType, NativeID: "projects/" + id,
		Aliases: []string{"projects/" + projectNumber(id)}, Account: id, Hidden: true,
	})
}

// projectID is the id of a project that is given by id or number; false is a
// number that belongs to no project known here.
func projectID(tx *sim.Tx, idOrNumber string) (string, bool) {
	if !digits.MatchString(idOrNumber) {
		rememberProject(tx, idOrNumber)
		return idOrNumber, true
	}
	obj, known := tx.Object(cloudName, "projects/"+idOrNumber)
	if !known {
		return "", false
	}
	return obj.Account, true
}
