package awssim

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	stsVersion        = "2011-06-15"
	stsNamespace      = "https://sts.amazonaws.com/doc/2011-06-15/"
	webIdentityAction = "AssumeRoleWithWebIdentity"
)

// sts is the Security Token Service. Every well-formed role exists and trusts
// every caller; a fault makes one that does not.
type sts struct{}

type stsOperation struct {
	params  []string
	refused []string
	run     func(q *query) ([]node, *apiError)
}

func stsOperations() map[string]stsOperation {
	return map[string]stsOperation{
		"GetCallerIdentity": {run: callerIdentity},
		"AssumeRole": {
			params: []string{"RoleArn", "RoleSessionName", "ExternalId", "DurationSeconds", "SourceIdentity"},
			refused: []string{
				"Policy", "PolicyArns", "Tags", "TransitiveTagKeys", "SerialNumber", "TokenCode", "ProvidedContexts",
			},
			run: assumeRole,
		},
		webIdentityAction: {
			params:  []string{"RoleArn", "RoleSessionName", "WebIdentityToken", "DurationSeconds"},
			refused: []string{"Policy", "PolicyArns", "ProviderId"},
			run:     assumeRoleWithWebIdentity,
		},
	}
}

func (sts) read(_ *Simulator, _ *sim.Tx, in *sim.Inbound, c *call, req *sim.Request) *apiError {
	f, err := parseForm(in.Body)
	if err != nil {
		return err
	}
	c.form, c.action = f, f["Action"]
	if _, known := stsOperations()[c.action]; !known {
		return unknownAction(f)
	}
	req.Operation = c.action
	return nil
}

func (sts) run(q *query) (sim.Answer, *apiError) {
	op := stsOperations()[q.action]
	for name := range q.form {
		head, _, _ := strings.Cut(name, ".")
		switch {
		case name == "Action" || name == "Version" || slices.Contains(op.params, name):
		case slices.Contains(op.refused, head):
			return sim.Answer{}, fail(codeUnsupportedOperation, "The parameter %s is not offered by this simulation", name)
		default:
			return sim.Answer{}, fail(codeUnknownParameter, "The parameter %s is not recognized", printable(name))
		}
	}
	if q.form["Version"] != stsVersion {
		return sim.Answer{}, fail(codeInvalidAction, "Could not find operation %s for version %s", q.action, printable(q.form["Version"]))
	}
	kids, err := op.run(q)
	if err != nil {
		return sim.Answer{}, err
	}
	root := el(q.action+"Response", el(q.action+"Result", kids...),
		el("ResponseMetadata", text("RequestId", q.requestID)))
	return q.answer(root.document(stsNamespace)), nil
}

func (sts) refuse(c *call, e *apiError) sim.Answer {
	kind := "Sender"
	if e.status >= http.StatusInternalServerError {
		kind = "Receiver"
	}
	root := el("ErrorResponse",
		el("Error", text("Type", kind), text("Code", e.code), text("Message", e.message)),
		text("RequestId", c.requestID))
	return sim.Answer{
		Status: e.status, Code: e.code, Body: root.document(stsNamespace),
		Header: http.Header{"Content-Type": {"text/xml"}, "X-Amzn-Requestid": {c.requestID}},
	}
}

func callerIdentity(q *query) ([]node, *apiError) {
	return []node{text("Arn", q.who.ARN), text("UserId", q.who.UserID), text("Account", q.who.Account)}, nil
}

var (
	roleForm       = regexp.MustCompile(`^arn:aws[a-z-]*:iam::(\d{12}):role/((?:[\w+=,.@-]+/)*)([\w+=,.@-]{1,64})$`)
	nameForm       = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
	externalIDForm = regexp.MustCompile(`^[\w+=,.@:/-]{2,}$`)
)

func validation(name, value, why string) *apiError {
	return fail(codeValidation, "1 validation error detected: Value %s at '%s' failed to satisfy constraint: %s",
		printable(value), name, why)
}

func assumeRole(q *query) ([]node, *apiError) {
	if id, given := q.form["ExternalId"]; given && (len(id) > 1224 || !externalIDForm.MatchString(id)) {
		return nil, validation("externalId", id, "Member must be 2 to 1224 word characters or one of +=,.@:/-")
	}
	if name, given := q.form["SourceIdentity"]; given && !nameForm.MatchString(name) {
		return nil, validation("sourceIdentity", name, "Member must be 2 to 64 word characters or one of +=,.@-")
	}
	return q.assume()
}

func assumeRoleWithWebIdentity(q *query) ([]node, *apiError) {
	token := q.form["WebIdentityToken"]
	if len(token) < 4 || len(token) > 20000 {
		return nil, validation("webIdentityToken", token, "Member must have length between 4 and 20000")
	}
	kids, err := q.assume()
	if err != nil {
		return nil, err
	}
	return append(kids, text("SubjectFromWebIdentityToken", "simulated"),
		text("Audience", "sts.amazonaws.com"), text("Provider", "simulated")), nil
}

// assume mints the keys of a role.
func (q *query) assume() ([]node, *apiError) {
	m := roleForm.FindStringSubmatch(q.form["RoleArn"])
	if m == nil {
		return nil, validation("roleArn", q.form["RoleArn"], "Member must be the ARN of a role")
	}
	name := q.form["RoleSessionName"]
	if !nameForm.MatchString(name) {
		return nil, validation("roleSessionName", name, "Member must be 2 to 64 word characters or one of +=,.@-")
	}
	seconds, given, err := q.form.whole("DurationSeconds")
	if err != nil || (given && (seconds < 900 || seconds > 43200)) {
		return nil, validation("durationSeconds", q.form["DurationSeconds"], "Member must be between 900 and 43200")
	}
	if !given {
		seconds = 3600
	}
	roleID := "AROA" + strings.ToUpper(hexHash([]byte(m[0]))[:17])
	who := identity{
		Account: m[1], UserID: roleID + ":" + name,
		ARN: "arn:aws:sts::" + m[1] + ":assumed-role/" + m[3] + "/" + name,
	}
	keyID, s, failed := mint(q.tx, who, q.region, time.Duration(seconds)*time.Second)
	if failed != nil {
		return nil, refusal(failed)
	}
	return []node{
		el("Credentials", text("AccessKeyId", keyID), text("SecretAccessKey", s.Secret),
			text("SessionToken", s.Token), instant("Expiration", s.Expires)),
		el("AssumedRoleUser", text("AssumedRoleId", who.UserID), text("Arn", who.ARN)),
		text("PackedPolicySize", strconv.Itoa(0)),
	}, nil
}
