package cloud

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Mark says on the native object who holds it.
type Mark struct {
	// Owner is unique per Terraform state.
	Owner string
	// Name is unique per owner.
	Name string
	// Type is the resource type that manages the object; adoption stays within it.
	Type string
	// Lock is the name of the lock the object belongs to, if any.
	Lock string
	// Claim is the fencing token, renewed at each creation or adoption.
	Claim string
}

// Tag keys of the mark on clouds whose objects carry tags. The prefix is
// reserved: a user's tag may not start with it.
const (
	TagPrefix    = "gpulock:"
	TagOwner     = TagPrefix + "owner"
	TagName      = TagPrefix + "name"
	TagClaim     = TagPrefix + "claim"
	TagManagedBy = TagPrefix + "managed-by"
	TagLock      = TagPrefix + "lock"
)

// Empty tells whether the object carries no mark at all.
func (m Mark) Empty() bool { return m == Mark{} }

// Identifies tells whether two marks name the same reservation; the claim is
// not part of the name.
func (m Mark) Identifies(o Mark) bool {
	return m.Owner == o.Owner && m.Name == o.Name && m.Type == o.Type
}

// Tags is the mark as tags; empty parts are left out.
func (m Mark) Tags() map[string]string {
	tags := map[string]string{}
	for key, value := range map[string]string{
		TagOwner: m.Owner, TagName: m.Name, TagClaim: m.Claim, TagManagedBy: m.Type, TagLock: m.Lock,
	} {
		if value != "" {
			tags[key] = value
		}
	}
	return tags
}

// MarkFromTags reads the mark back.
func MarkFromTags(tags map[string]string) Mark {
	return Mark{
		Owner: tags[TagOwner], Name: tags[TagName], Type: tags[TagManagedBy],
		Lock: tags[TagLock], Claim: tags[TagClaim],
	}
}

// Token is the idempotency token of a create: the same wish of the same owner
// gives the same token in every process, a later generation another one. It is
// 64 hexadecimal digits of a SHA-256.
func Token(mark Mark, spec Spec, generation int) (string, error) {
	mark.Claim = ""
	raw, err := json.Marshal(struct {
		Mark       Mark
		Spec       Spec
		Start, End string
		Generation int
	}{mark, stripped(spec), instant(spec.StartAt), instant(spec.EndAt), generation})
	if err != nil {
		return "", fmt.Errorf("token of %s: %w", mark.Name, err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// stripped leaves the times out, which are written in one form instead.
func stripped(s Spec) Spec {
	s.StartAt, s.EndAt = time.Time{}, time.Time{}
	return s
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
