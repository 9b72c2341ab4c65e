package aws_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

// services are the botocore names of the services that the actions belong to.
// The cancellation quotes, and what a cancel says of one, are younger than
// botocore's model and are not among them.
func services() map[string]string {
	return map[string]string{
		create: "ec2", describe: "ec2", modify: "ec2", cancel: "ec2", "CreateTags": "ec2", "DeleteTags": "ec2",
		offers: "ec2", purchase: "ec2", extensionOffers: "ec2", extensionsOf: "ec2", extend: "ec2",
		allocate: "ec2", describeHosts: "ec2", modifyHosts: "ec2", releaseHosts: "ec2", describeTerms: "ec2",
		describeOfferings: "ec2", preview: "ec2", purchaseTerm: "ec2", typeOfferings: "ec2", zonesAction: "ec2", spotHistory: "ec2", spotScores: "ec2",
		products:            "pricing",
		"DescribeInstances": "ec2", describeTypes: "ec2", "GetCallerIdentity": "sts", "AssumeRole": "sts", getQuota: "service-quotas",
	}
}

// recorded is a request as the script reads it.
type recorded struct {
	Service string            `json:"service"`
	Action  string            `json:"action"`
	Form    map[string]string `json:"form,omitempty"`
	JSON    json.RawMessage   `json:"json,omitempty"`
}

// TestRequestsFitBotocore holds every request of the driver to a model of the
// API that is not the one it was made from.
func TestRequestsFitBotocore(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("not checked: no python3: %v", err)
	}
	requests := everyRequest(t)
	output, code := validate(t, python, requests)
	if code == 77 {
		t.Skipf("not checked: %s", output)
	}
	if code != 0 {
		t.Errorf("exit status %d:\n%s", code, output)
	}
	output, code = validate(t, python, spoil(requests))
	for _, fault := range []string{"TagSpecification.9.ResourceType", "InstanceCount = 'two'", "Tenancy = 'shared'"} {
		if code != 1 || !strings.Contains(output, fault) {
			t.Errorf("exit status %d, fault %s not found:\n%s", code, fault, output)
		}
	}
}

// validate runs the script.
func validate(t *testing.T, python string, requests []recorded) (output string, code int) {
	t.Helper()
	input, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/inputs.py")
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return string(out), 0
	case errors.As(err, &exit):
		return string(out), exit.ExitCode()
	}
	t.Fatal(err)
	return "", 0
}

// spoil makes one wrong request of each of the first: the tag parameter by its
// other spelling, a number that is none, an enumeration's unknown word.
func spoil(requests []recorded) []recorded {
	first := requests[slices.IndexFunc(requests, func(r recorded) bool { return r.Action == create })]
	wrong := func(change func(map[string]string)) recorded {
		r := first
		r.Form = maps.Clone(first.Form)
		change(r.Form)
		return r
	}
	return []recorded{
		wrong(func(f map[string]string) { f["TagSpecification.9.ResourceType"] = "capacity-reservation" }),
		wrong(func(f map[string]string) { f["InstanceCount"] = "two" }),
		wrong(func(f map[string]string) { f["Tenancy"] = "shared" }),
	}
}

// everyRequest drives each action with each parameter that the driver can send.
func everyRequest(t *testing.T) []recorded {
	t.Helper()
	s := newStub(t)
	full := object("active", counts(2, 2), `<endDateType>limited</endDateType><endDate>2031-05-01T07:00:00.500Z</endDate>`)
	s.on("AssumeRole", answer{body: assumed})
	s.on(create, created(full))
	s.on(describe, described("next", full), described("", full))
	for _, action := range []string{modify, cancel, "CreateTags", "DeleteTags"} {
		s.on(action, returned(action))
	}
	s.on("DescribeInstances", answer{body: `<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>`})
	s.on(describeTypes, typesAnswer("next"), typesAnswer(""), typesAnswer("", typeItem("p5.48xlarge", 192, "")))
	s.hostAnd(hostObject("available"), booked("active"))
	s.on(getQuota, answer{body: `{"Quota":{"Value":384.0}}`})
	c := s.cloud(func(c *aws.Config) {
		c.AssumeRole = aws.AssumeRole{RoleARN: "arn:aws:iam::111122223333:role/base", ExternalID: "ext-1"}
	})
	drive(t, s, c)
	driveFuture(t, s, c)
	driveHosts(t, s, c)
	s.sold()
	if _, err := c.Market(t.Context(), query()); err != nil {
		t.Fatal(err)
	}
	return s.recorded()
}

// drive calls every method; what the stub's fixed answers lead to is checked
// elsewhere.
func drive(t *testing.T, s *stub, c *aws.Cloud) {
	t.Helper()
	ctx := t.Context()
	w := wish()
	w.EndAt = time.Date(2031, 5, 1, 7, 0, 0, 500_000_000, time.UTC)
	w.Tags = map[string]string{"team": "ml"}
	w.Native = map[string]string{"platform": "Ubuntu Pro", "placement_group_arn": "arn:aws:ec2:us-east-1:111122223333:placement-group/near"}
	_, createErr := c.Create(ctx, cloud.CreateRequest{Spec: w, Mark: cloud.Mark{Owner: "o", Name: "n"}, Token: strings.Repeat("0", 64)})
	_, listErr := c.List(ctx, cloud.Scope{})
	_, typesErr := c.InstanceTypes(ctx, "", region)
	_, namedErr := c.InstanceTypes(ctx, "", region, "p5.48xlarge")
	_, quotaErr := c.Quotas(ctx, w)
	_, usersErr := c.Users(ctx, ref())
	_, accountErr := c.AccountID(ctx, "")
	if err := errors.Join(createErr, listErr, typesErr, namedErr, quotaErr, usersErr, accountErr); err != nil {
		t.Fatal(err)
	}
	old := described("", object("active", counts(1, 1), tagSet("gone", "1")))
	now := described("", objectMatching("open", counts(2, 2)+tagSet("team", "sre")+
		`<endDateType>limited</endDateType><endDate>2031-05-01T07:00:00.500Z</endDate>`))
	s.on(describe, old, now)
	_, err := c.Update(ctx, ref(), cloud.Change{
		Count: ptr(2), Match: ptr(cloud.Open), EndAt: &w.EndAt, SetTags: map[string]string{"team": "sre"}, RemoveTags: []string{"gone"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.on(describe, described("", object("cancelled")))
	if err := c.Release(ctx, ref()); err != nil {
		t.Fatal(err)
	}
}

// driveFuture calls what only reservations of the future and blocks have.
func driveFuture(t *testing.T, s *stub, c *aws.Cloud) {
	t.Helper()
	ctx := t.Context()
	s.on(create, created(futureObject("assessing")))
	s.on(offers, offered("next", offerXML("cb-0", "2")), offered("", offerXML("cb-1", "98.32")), offered(""))
	s.on(purchase, purchased(blockObject("payment-pending")), refused(412, "DryRunOperation", "no"))
	s.on(extensionOffers, extensionOffered("next", extensionOfferXML("cbe-1", "20", "48")), extensionOffered(""))
	s.on(extensionsOf, extended(extensionsOf, "next"), extended(extensionsOf, ""))
	s.on(extend, extended(extend, "", extensionXML("cbe-1", "payment-pending", "2031-03-02T00:00:00Z")))
	w := later()
	w.Duration = 30 * day
	_, createErr := c.Create(ctx, cloud.CreateRequest{Spec: w, Token: "t"})
	buy := bought()
	buy.Offer, buy.Spec.StartAt, buy.Spec.EndAt, buy.Spec.Tags = nil, blockStart, blockEnd, map[string]string{"team": "ml"}
	_, purchaseErr := c.Create(ctx, buy)
	_, listErr := c.ExtensionOffers(ctx, ref(), 2*day)
	s.on(describe, described("", blockObject("active")))
	_, historyErr := c.Extensions(ctx, ref())
	_, extendErr := c.Extend(ctx, ref(), cloud.Offer{ID: "cbe-1"})
	if err := errors.Join(createErr, purchaseErr, listErr, historyErr, extendErr); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Offers(ctx, buy.Spec); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("an offer that is not listed: %v", err)
	}
}

// driveHosts calls every method for a host and its term.
func driveHosts(t *testing.T, s *stub, c *aws.Cloud) {
	t.Helper()
	ctx := t.Context()
	w := termWish()
	w.Tags, w.Native = map[string]string{"team": "ml"}, map[string]string{"host_maintenance": "off"}
	s.on(allocate, allocated(host))
	s.hostAnd(hostObject("available", tagSet("gone", "1")))
	_, createErr := c.Create(ctx, cloud.CreateRequest{Spec: w, Mark: cloud.Mark{Owner: "o"}, Token: strings.Repeat("0", 64)})
	_, usersErr := c.Users(ctx, hostRef())
	if err := errors.Join(createErr, usersErr); err != nil {
		t.Fatal(err)
	}
	s.sells(offering("hro-1", "85700.000", "9.783"))
	none, one := bookings(), bookings(booked("active"))
	s.on(describeTerms, none, none, one)
	s.on(modifyHosts, outcomes(modifyHosts, "", ""))
	before, after := hostList("", hostObject("available", tagSet("gone", "1"))), hostList("", openHost(tagSet("team", "sre")))
	s.on(describeHosts, before, after)
	_, err := c.Update(ctx, hostRef(), cloud.Change{
		Match: ptr(cloud.Open), Native: map[string]string{"host_recovery": "on", "host_maintenance": "off"},
		SetTags: map[string]string{"team": "sre"}, RemoveTags: []string{"gone"}, Term: termPurchase(),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.hostAnd("")
	s.on(describeHosts, hostList("", hostObject("available")), hostList("", hostObject("released")))
	s.on(releaseHosts, outcomes(releaseHosts, "", ""))
	if err := c.Release(ctx, hostRef()); err != nil {
		t.Fatal(err)
	}
}

// recorded are the requests as the script reads them.
func (s *stub) recorded() []recorded {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]recorded, 0, len(s.seen))
	covered := map[string]bool{}
	for _, r := range s.seen {
		covered[r.action] = true
		one := recorded{Service: services()[r.action], Action: r.action}
		if slices.Contains([]string{"service-quotas", "pricing"}, one.Service) {
			one.JSON = json.RawMessage(r.body)
		} else {
			one.Form = map[string]string{}
			for key := range r.form {
				one.Form[key] = r.form.Get(key)
			}
		}
		all = append(all, one)
	}
	for action := range services() {
		if !covered[action] {
			s.t.Errorf("no request of %s was recorded", action)
		}
	}
	return all
}
