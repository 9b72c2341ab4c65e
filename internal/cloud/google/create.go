package google

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opInsert = "compute.reservations.insert"

// Values of serviceShareType.
const (
	shareAll  = "ALLOW_ALL"
	shareNone = "DISALLOW_ALL"
)

// diskGB is the size of every local disk that can be chosen (Compute Engine,
// "About Local SSD disks").
const diskGB = 375

// wish is a request that Check found nothing wrong with, and what it is sent as.
type wish struct {
	req    cloud.CreateRequest
	target target
	// policy is the placement policy as it was given.
	policy string
	// op is the method, body what it sends.
	op     string
	body   proto.Message
	insert starter
}

// maker prepares the wish of one kind.
type maker func(*Cloud, context.Context, *wish) error

func makers() map[cloud.Kind]maker {
	return map[cloud.Kind]maker{
		cloud.OnDemand:  (*Cloud).prepareReservation,
		cloud.Scheduled: (*Cloud).prepareFuture,
		cloud.Block:     (*Cloud).prepareFuture,
	}
}

// Create implements cloud.Cloud.
func (c *Cloud) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	spec, wrong := c.Check(req.Spec)
	if spec.Kind == cloud.OnDemand && spec.Duration > 0 && spec.EndAt.IsZero() {
		// A second try must send the same instant.
		wrong = append(wrong, cloud.Problem{Attribute: cloud.AttrDuration, Detail: "must come with the instant it leads to"})
	}
	if len(wrong) > 0 {
		return cloud.Reservation{}, refuse(opInsert, wrong)
	}
	if err := checkMark(opInsert, req.Mark); err != nil {
		return cloud.Reservation{}, err
	}
	given := req.Spec.Native[optPlacement]
	req.Spec = spec
	w := &wish{req: req, policy: given}
	if err := c.prepare(ctx, w); err != nil {
		return cloud.Reservation{}, err
	}
	return c.make(ctx, w)
}

func (c *Cloud) prepare(ctx context.Context, w *wish) error {
	spec := w.req.Spec
	project, err := c.project(ctx, spec.Account)
	if err != nil {
		return err
	}
	cl, err := c.clients(ctx)
	if err != nil {
		return err
	}
	of := reservations
	if spec.Kind != cloud.OnDemand {
		of = futures
	}
	w.target = target{
		account: spec.Account, clients: cl, api: c.api(of),
		name: name{project: project, zone: spec.Zone, collection: of, id: w.req.Mark.Name},
	}
	if w.req.Spec.ShareWith, err = c.shareList(ctx, spec.ShareWith); err != nil {
		return err
	}
	prepare, ok := makers()[spec.Kind]
	if !ok {
		return &cloud.Error{Code: cloud.Unsupported, Message: "kind " + string(spec.Kind) + " is not made here"}
	}
	return prepare(c, ctx, w)
}

// prepareReservation is what starts at once.
func (c *Cloud) prepareReservation(ctx context.Context, w *wish) error {
	spec, t := w.req.Spec, w.target
	if err := c.ownPolicy(ctx, t.name, w.policy); err != nil {
		return err
	}
	body := &computepb.Reservation{
		Name:        proto.String(t.name.id),
		Description: proto.String(describe(w.req.Mark)),
		SpecificReservation: &computepb.AllocationSpecificSKUReservation{
			Count: proto.Int64(int64(spec.Count)), InstanceProperties: propertiesOf(spec),
		},
		SpecificReservationRequired: proto.Bool(spec.Match == cloud.Targeted),
		ShareSettings:               shareSettings(spec.ShareWith),
		ReservationSharingPolicy:    sharingPolicy(spec.Native[optVertex]),
		ResourcePolicies:            policiesOf(t.name, spec.Native[optPlacement]),
	}
	if !spec.EndAt.IsZero() {
		body.DeleteAtTime = proto.String(instant(spec.EndAt))
	}
	w.op, w.body = opInsert, body
	w.insert = func(ctx context.Context, id *string) (*compute.Operation, error) {
		return t.clients.reservations.Insert(ctx, &computepb.InsertReservationRequest{
			Project: t.name.project, Zone: t.name.zone, RequestId: id, ReservationResource: body,
		}, once)
	}
	return nil
}

// propertiesOf are those of an instance. The GPUs and disks that a machine type
// brings along are left out: the service adds them.
func propertiesOf(spec cloud.Spec) *computepb.AllocationSpecificSKUAllocationReservedInstanceProperties {
	p := &computepb.AllocationSpecificSKUAllocationReservedInstanceProperties{MachineType: proto.String(spec.InstanceType)}
	if platform := spec.Native[optCPUPlatform]; platform != "" {
		p.MinCpuPlatform = proto.String(platform)
	}
	if gpu := spec.Native[optAcceleratorType]; gpu != "" {
		p.GuestAccelerators = []*computepb.AcceleratorConfig{{
			AcceleratorType: proto.String(gpu), AcceleratorCount: proto.Int32(int32(number(spec.Native[optAcceleratorCount]))), // Check holds it to 1..8.
		}}
	}
	for range number(spec.Native[optSSDCount]) {
		p.LocalSsds = append(p.LocalSsds, &computepb.AllocationSpecificSKUAllocationAllocatedInstancePropertiesReservedDisk{
			DiskSizeGb: proto.Int64(diskGB), Interface: proto.String(strings.ToUpper(spec.Native[optSSDInterface])),
		})
	}
	return p
}

// number reads an option that Check found to be one, or that is not given.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

func sharingPolicy(vertex string) *computepb.AllocationReservationSharingPolicy {
	share := shareNone
	if vertex == vertexAllow {
		share = shareAll
	}
	return &computepb.AllocationReservationSharingPolicy{ServiceShareType: proto.String(share)}
}

// policiesOf is the placement policy under a key of our own; it is of the
// reservation's project and region.
func policiesOf(n name, policy string) map[string]string {
	if policy == "" {
		return nil
	}
	return map[string]string{"policy": "projects/" + n.project + "/regions/" + n.region() + "/resourcePolicies/" + policy}
}

// ownPolicy refuses the link of a policy of another project, which Check cannot
// tell where no project is configured.
func (c *Cloud) ownPolicy(ctx context.Context, n name, policy string) error {
	match := policyForm.FindStringSubmatch(policy)
	if match == nil {
		return nil
	}
	project, err := c.known(ctx, match[1])
	if err != nil || project == n.project {
		return err
	}
	var p problems
	p.add(attrOption(optPlacement), "the resource policy is in project %s, the reservation in %s", match[1], n.project)
	return refuse(opInsert, p)
}

// maxReplays bounds the request ids that one create goes through. With doubled
// steps this reaches any number of earlier failures.
const maxReplays = 24

// make sends a wish until an answer is about this try, and returns what there is
// of it.
func (c *Cloud) make(ctx context.Context, w *wish) (cloud.Reservation, error) {
	unproved := false
	for range maxReplays {
		attempt := c.attempt(w.req.Token)
		id, err := requestID(w.req.Token, attempt, w.body)
		if err != nil {
			return cloud.Reservation{}, &cloud.Error{Code: cloud.Internal, Op: w.op, Message: cloud.Clean(err.Error())}
		}
		began := c.clock.Now()
		o, err := c.start(ctx, w.op, id, w.insert)
		if err == nil {
			stale := c.stale(o, began, &unproved)
			if err = c.await(ctx, w.target, w.op, o); err == nil {
				return c.made(ctx, w, o)
			}
			if stale {
				c.failed(w.req.Token, max(attempt+1, 2*attempt))
				continue
			}
			if !cloud.MaybeAccepted(err) {
				c.failed(w.req.Token, attempt+1)
			}
		}
		if !exists(err) {
			return cloud.Reservation{}, c.explain(w, err)
		}
		found, again, err := c.taken(ctx, w, err)
		if !again {
			return found, err
		}
	}
	return cloud.Reservation{}, &cloud.Error{
		Code: cloud.Conflict, Op: w.op, Message: "every answer for " + w.target.name.String() + " was of an earlier request",
	}
}

// slack is how far Google's clocks may be apart, on top of a Date header's second.
const slack = 2 * time.Second

// stale tells an operation of an earlier request under the same id: one that was
// done when it was answered and that began before this try, by the cloud's clock.
// What began with it is its answer, however soon it is done. One that tells no
// time is taken for an earlier one once, and unproved tells whether that was.
func (c *Cloud) stale(o *computepb.Operation, began time.Time, unproved *bool) bool {
	if o.GetStatus() != computepb.Operation_DONE {
		return false
	}
	inserted := parseTime(o.GetInsertTime())
	now, told := c.dates.Now()
	if inserted.IsZero() || !told {
		before := *unproved
		*unproved = true
		return !before
	}
	return inserted.Before(now.Add(-c.clock.Now().Sub(began) - slack))
}

// made reads what an operation made. What is gone again was of an earlier life.
func (c *Cloud) made(ctx context.Context, w *wish, o *computepb.Operation) (cloud.Reservation, error) {
	r, err := w.target.api.get(ctx, w.target)
	switch {
	case cloud.CodeOf(err) == cloud.NotFound:
		return w.gone(o), nil
	case err != nil:
		return r, cloud.AfterWrite(err)
	case !r.Mark.Identifies(w.req.Mark):
		return cloud.Reservation{}, w.conflict(r)
	}
	return r, nil
}

// gone is what was made once and is no more.
func (w *wish) gone(o *computepb.Operation) cloud.Reservation {
	spec, n := w.req.Spec, w.target.name
	mark := w.req.Mark
	mark.Claim = ""
	return cloud.Reservation{
		Ref: w.target.ref(), AccountID: n.project, Region: n.region(), Zone: n.zone, Kind: spec.Kind,
		InstanceType: spec.InstanceType, Count: spec.Count, Match: spec.Match,
		State: cloud.Gone, NativeState: "deleted", CreatedAt: parseTime(o.GetInsertTime()),
		Mark: mark, NativeName: n.id, ShareWith: spec.ShareWith, Native: spec.Native,
	}
}

// exists tells the refusal of a name that is taken.
func exists(err error) bool {
	var e *cloud.Error
	return errors.As(err, &e) && e.Code == cloud.Conflict && (e.Native == "alreadyExists" || e.Native == "RESOURCE_ALREADY_EXISTS")
}

// taken finds out who has the name. Ours with the same inputs is the answer, in
// whatever way an earlier try made it. What is not there may still be under way,
// or have gone meanwhile: then it is worth another try. What cannot be read may be
// ours.
func (c *Cloud) taken(ctx context.Context, w *wish, refusal error) (found cloud.Reservation, again bool, err error) {
	r, err := w.target.api.get(ctx, w.target)
	if cloud.CodeOf(err) == cloud.NotFound || (err == nil && !settled(r)) {
		joined, joinErr := c.join(ctx, w.target)
		if joinErr != nil {
			return cloud.Reservation{}, false, cloud.AfterWrite(joinErr)
		}
		if r, err = w.target.api.get(ctx, w.target); cloud.CodeOf(err) == cloud.NotFound {
			if joined {
				return cloud.Reservation{}, true, nil
			}
			return cloud.Reservation{}, c.nextTry(ctx), refusal
		}
	}
	switch {
	case err != nil:
		return cloud.Reservation{}, false, cloud.AfterWrite(err)
	case !r.Mark.Identifies(w.req.Mark):
		return cloud.Reservation{}, false, w.conflict(r)
	case w.differs(r) != "":
		return cloud.Reservation{}, false, &cloud.Error{
			Code: cloud.Conflict, Op: w.op, TokenMismatch: true,
			Message: cloud.Clean(r.Ref.NativeID + " carries the same mark and has another " + string(w.differs(r))),
		}
	}
	return r, false, nil
}

// settled tells whether an object is past the operation that made it, and before
// the one that removes it.
func settled(r cloud.Reservation) bool {
	return r.State != cloud.Pending && r.State != cloud.Gone && r.NativeState != stateDeleting
}

// nextTry waits a moment before a name is tried again that is taken by nothing.
func (c *Cloud) nextTry(ctx context.Context) bool { return clock.Pause(ctx, c.clock, pollEvery) == nil }

// conflict is the error of a name that another's object has.
func (w *wish) conflict(r cloud.Reservation) *cloud.Error {
	whose := "no mark of ours"
	if !r.Mark.Empty() {
		whose = "the mark of owner " + r.Mark.Owner + ", name " + r.Mark.Name + ", type " + r.Mark.Type
	}
	return &cloud.Error{
		Code: cloud.Conflict, Op: w.op, Native: "alreadyExists", HTTPStatus: 409,
		Message: cloud.Clean("the name is taken: " + r.Ref.NativeID + " carries " + whose),
	}
}

// differs names what an object has otherwise than the wish, "" where nothing.
func (w *wish) differs(r cloud.Reservation) cloud.Attribute {
	spec := w.req.Spec
	for _, part := range []struct {
		same bool
		of   cloud.Attribute
	}{
		{r.Kind == spec.Kind, cloud.AttrKind},
		{r.InstanceType == spec.InstanceType, cloud.AttrInstanceType},
		{r.Count == spec.Count, cloud.AttrCount},
		{r.Match == spec.Match, cloud.AttrMatch},
		{spec.StartAt.IsZero() || r.StartsAt.Equal(sendable(spec.StartAt)), cloud.AttrStart},
		{r.EndsAt.Equal(endOf(spec)), cloud.AttrEnd},
		{sameProjects(spec.ShareWith, r), cloud.AttrShare},
	} {
		if !part.same {
			return part.of
		}
	}
	for option, value := range spec.Native {
		if shown, ok := r.Native[option]; ok && shown != value {
			return attrOption(option)
		}
	}
	return ""
}

// endOf is the end that a wish leads to, zero for none.
func endOf(s cloud.Spec) time.Time {
	if s.EndAt.IsZero() && s.Duration > 0 {
		return sendable(s.StartAt.Add(s.Duration))
	}
	return sendable(s.EndAt)
}

// explain adds to a refusal what only the wish tells: whose limit it was.
func (c *Cloud) explain(w *wish, err error) error {
	var e *cloud.Error
	if errors.As(err, &e) && e.Code == cloud.QuotaExceeded {
		e.Quota = completed(e, w.target.name)
	}
	return cloud.Misnamed(err)
}

// completed is the quota of a refusal with what it does not say itself. A limit
// that names no region is one of the region too, unless its name says otherwise.
func completed(e *cloud.Error, n name) *cloud.QuotaScope {
	scope := cloud.QuotaScope{Region: n.region(), Quota: e.Native}
	if e.Quota != nil {
		scope = *e.Quota
		if scope.Quota == "" {
			scope.Quota = e.Native
		}
	}
	scope.AccountID = n.project
	return &scope
}
