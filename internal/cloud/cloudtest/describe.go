package cloudtest

import (
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func userChecks() []check {
	return []check{
		{name: "listed", run: func(b *bench) {
			lister := optional[cloud.UserLister](b, "UserLister")
			b.needs(b.SetUsers != nil, "SetUsers")
			r := b.running("used")
			for _, n := range []int{0, 1} {
				b.SetUsers(r.Ref, n)
				users, err := lister.Users(b.ctx, r.Ref)
				if err != nil || len(users) != n || slices.Contains(users, "") {
					b.Errorf("Users = %q, %v; want %d", users, err, n)
				}
				b.same("Reservation.InUse", b.get(r.Ref).InUse, n)
			}
			b.SetUsers(r.Ref, 0)
		}},
		{name: "unknown", run: func(b *bench) {
			lister := optional[cloud.UserLister](b, "UserLister")
			b.needs(b.Forget != nil, "Forget")
			r := b.create("forgotten")
			b.Forget(r.Ref)
			_, err := lister.Users(b.ctx, r.Ref)
			b.wantCode("Users of a forgotten reservation", err, cloud.NotFound)
		}},
	}
}

func importChecks() []check {
	return []check{
		{name: "native-id", run: func(b *bench) {
			importer := optional[cloud.Importer](b, "Importer")
			r := b.create("imported")
			ref, err := importer.ParseID(b.ctx, r.Ref.Account, r.Ref.NativeID)
			if err != nil {
				b.Fatalf("ParseID(%q): %v", r.Ref.NativeID, err)
			}
			b.same("ref", ref, r.Ref)
		}},
		{name: "unknown-object", run: func(b *bench) {
			importer := optional[cloud.Importer](b, "Importer")
			b.needs(b.Forget != nil, "Forget")
			r := b.create("forgotten")
			b.Forget(r.Ref)
			if _, err := importer.ParseID(b.ctx, r.Ref.Account, r.Ref.NativeID); err != nil {
				b.Errorf("ParseID looks for the object: %v", err)
			}
		}},
		{name: "malformed", once: true, run: func(b *bench) {
			importer := optional[cloud.Importer](b, "Importer")
			for _, id := range []string{"", "no such form!", "////", "aws:aws:aws"} {
				_, err := importer.ParseID(b.ctx, b.Wishes[b.kind].Account, id)
				b.wantCode("ParseID("+id+")", err, cloud.Invalid)
			}
		}},
	}
}

func typeChecks() []check {
	return []check{
		{name: "named", once: true, run: func(b *bench) {
			describer := optional[cloud.TypeDescriber](b, "TypeDescriber")
			s := b.wish()
			got, err := describer.InstanceTypes(b.ctx, s.Account, s.Region, s.InstanceType, "x9.nosuchtype")
			if err != nil || len(got) != 1 || got[0].Name != s.InstanceType {
				b.Fatalf("InstanceTypes(%s, x9.nosuchtype) = %+v, %v", s.InstanceType, got, err)
			}
			if got[0].VCPUs < 1 || got[0].GPUs == "" || got[0].GPUModel == "" {
				b.Errorf("a type without vCPUs or GPUs: %+v", got[0])
			}
		}},
		{name: "all", once: true, run: func(b *bench) {
			describer := optional[cloud.TypeDescriber](b, "TypeDescriber")
			s := b.wish()
			all, err := describer.InstanceTypes(b.ctx, s.Account, s.Region)
			if err != nil {
				b.Fatalf("InstanceTypes: %v", err)
			}
			if !slices.ContainsFunc(all, func(t cloud.InstanceType) bool { return t.Name == s.InstanceType }) {
				b.Errorf("%s is not among all %d types", s.InstanceType, len(all))
			}
		}},
	}
}

func quotaChecks() []check {
	return []check{
		{name: "drawn-on", of: traits{metered}, run: func(b *bench) {
			b.needs(b.SetQuota != nil, "SetQuota")
			s := b.wish()
			b.SetQuota(s, 1)
			if q := b.quota(s); !fits(q, 1) || fits(q, 2) {
				b.Errorf("with room for one instance the quota is %+v", q)
			}
		}},
		{name: "same-scope", of: traits{metered}, run: func(b *bench) {
			b.needs(b.SetQuota != nil, "SetQuota")
			s := b.wish()
			b.SetQuota(s, 0)
			q := b.quota(s)
			e := b.refusal(b.request("refused", s), cloud.QuotaExceeded)
			if e.Quota == nil || *e.Quota != q.Scope {
				b.Errorf("refused by %+v, but Quotas names %+v", e.Quota, q.Scope)
			}
		}},
	}
}

// quota is the one limit that a wish draws on.
func (b *bench) quota(s cloud.Spec) cloud.Quota {
	b.Helper()
	reader := optional[cloud.QuotaReader](b, "QuotaReader")
	quotas, err := reader.Quotas(b.ctx, s)
	if cloud.CodeOf(err) == cloud.NotFound {
		b.Skipf("not applicable: the cloud does not tell this quota: %v", err)
	}
	if err != nil {
		b.Fatalf("Quotas: %v", err)
	}
	if len(quotas) == 0 || quotas[0].Need <= 0 || quotas[0].Unit == "" || quotas[0].Scope.Quota == "" {
		b.Fatalf("Quotas = %+v", quotas)
	}
	return quotas[0]
}

// fits tells whether n instances of the wish that q is about still fit; a quota
// of unknown use is taken as unused.
func fits(q cloud.Quota, n int) bool {
	used := 0.0
	if q.Used != nil {
		used = *q.Used
	}
	return used+float64(n)*q.Need <= q.Limit
}
