package cloudtest

import (
	"fmt"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func capabilityChecks() []check {
	return []check{
		{name: "pure", once: true, run: func(b *bench) {
			b.same("Capabilities, asked twice", b.Cloud.Capabilities(), b.Cloud.Capabilities())
		}},
		{name: "named", once: true, run: namedCapabilities},
		{name: "wished", once: true, run: func(b *bench) {
			for _, name := range b.Cloud.Capabilities().KindNames() {
				if _, ok := b.Wishes[cloud.Kind(name)]; !ok {
					b.Errorf("kind %s is not checked: the harness has no wish of it", name)
				}
			}
		}},
		{name: "backed", run: backedCapabilities},
	}
}

func namedCapabilities(b *bench) {
	caps := b.Cloud.Capabilities()
	for what, text := range map[string]string{
		"Cloud": caps.Cloud, "Title": caps.Title, "CredentialsHint": caps.CredentialsHint,
	} {
		if text == "" {
			b.Errorf("Capabilities.%s is empty", what)
		}
	}
	if len(caps.Kinds) == 0 {
		b.Errorf("the cloud has no kind")
	}
}

// backedCapabilities: what is promised as data exists as an interface.
func backedCapabilities(b *bench) {
	if _, ok := b.Cloud.Capabilities().Kinds[b.kind]; !ok {
		b.Errorf("the harness wishes for kind %s, which the cloud does not have", b.kind)
	}
	if _, ok := cloud.As[cloud.Updater](b.Cloud); !ok && (len(b.can.InPlace) > 0 || b.Cloud.Capabilities().Claims) {
		b.Errorf("%v can change in place or claims can be written, but the cloud is no Updater", b.can.InPlace)
	}
	if _, ok := cloud.As[cloud.Offerer](b.Cloud); !ok && (b.can.ByOffer || b.can.Base != "") {
		b.Errorf("kind %s is bought by offer, but the cloud is no Offerer", b.kind)
	}
	if _, ok := cloud.As[cloud.Extender](b.Cloud); !ok && b.can.CanChange(cloud.AttrDuration) {
		b.Errorf("kind %s can grow longer, but the cloud is no Extender", b.kind)
	}
	if _, ok := b.Cloud.Capabilities().Kinds[b.root()]; !ok {
		b.Errorf("kind %s begins as kind %s, which the cloud does not have", b.kind, b.root())
	}
}

func accountChecks() []check {
	return []check{
		{name: "resolved", once: true, run: func(b *bench) {
			account := b.Wishes[b.kind].Account
			first, err := b.Cloud.AccountID(b.ctx, account)
			if err != nil || first == "" {
				b.Fatalf("AccountID(%q) = %q, %v", account, first, err)
			}
			again, err := b.Cloud.AccountID(b.ctx, account)
			b.same("AccountID, asked twice", fmt.Sprint(again, err), fmt.Sprint(first, nil))
			b.same("Reservation.AccountID", b.create("account").AccountID, first)
		}},
	}
}
