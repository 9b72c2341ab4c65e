package mem

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// AccountID implements cloud.Cloud.
func (c *Cloud) AccountID(ctx context.Context, account string) (string, error) {
	call := cloud.Call{Method: "AccountID", Account: account, Repeatable: true}
	return do(ctx, c, call, func() (string, error) { return c.accountID(account) })
}

// Get implements cloud.Cloud.
func (c *Cloud) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	call := cloud.Call{Method: "Get", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return do(ctx, c, call, func() (cloud.Reservation, error) {
		o, err := c.reach("Get", ref)
		if err != nil {
			return cloud.Reservation{}, err
		}
		return c.show(o, ref.Account), nil
	})
}

// List implements cloud.Cloud. What ended is shown until a test forgets it.
func (c *Cloud) List(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
	call := cloud.Call{Method: "List", Account: scope.Account, Region: scope.Region, Repeatable: true}
	return do(ctx, c, call, func() ([]cloud.Reservation, error) {
		id, err := c.accountID(scope.Account)
		if err != nil {
			return nil, err
		}
		if !c.grouped && regions()[scope.Region] == 0 {
			return nil, invalid("List", []cloud.Problem{{
				Attribute: cloud.AttrRegion, Detail: fmt.Sprintf("%q is not a region", scope.Region),
			}})
		}
		var all []cloud.Reservation
		for _, o := range c.objects {
			if o.r.AccountID == id && c.within(scope, o) && c.begunAs(scope.Kind, o) {
				all = append(all, c.show(o, scope.Account))
			}
		}
		return all, nil
	})
}

// within tells whether a scope covers an object of its account.
func (c *Cloud) within(scope cloud.Scope, o *object) bool {
	if c.grouped {
		return (scope.Group == "" || scope.Group == c.GroupOf(o.r.Ref)) && (scope.Name == "" || scope.Name == o.r.NativeName)
	}
	return o.r.Region == scope.Region
}

// begunAs tells whether an object is of a kind, or may become it; "" is any.
func (c *Cloud) begunAs(kind cloud.Kind, o *object) bool {
	return kind == "" || c.root(kind) == c.root(o.r.Kind)
}

// Users implements cloud.UserLister.
func (c *Cloud) Users(ctx context.Context, ref cloud.Ref) ([]string, error) {
	call := cloud.Call{Method: "Users", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return do(ctx, c, call, func() ([]string, error) {
		o, err := c.reach("Users", ref)
		if err != nil {
			return nil, err
		}
		return slices.Clone(o.users), nil
	})
}

// idForm are the forms of an id: the native one and, without the account, a short
// one.
type idForm struct {
	long, short *regexp.Regexp
	example     string
}

var (
	serialForm = idForm{
		regexp.MustCompile(`^([0-9]{12})/(mem-[a-z]+-[0-9])/r-[0-9]{6}$`),
		regexp.MustCompile(`^mem-[a-z]+-[0-9]/r-[0-9]{6}$`), "mem-east-1/r-000001",
	}
	nativeForm = idForm{
		regexp.MustCompile(`^([0-9]{12})/(mem-[a-z]+-[0-9])[a-z]/` + nativeName + `$`),
		regexp.MustCompile(`^mem-[a-z]+-[0-9][a-z]/` + nativeName + `$`), "mem-east-1a/train",
	}
	groupedForm = idForm{
		regexp.MustCompile(`^([0-9]{12})/` + nativeName + `/` + nativeName + `$`),
		regexp.MustCompile(`^` + nativeName + `/` + nativeName + `$`), "team/train",
	}
)

// form is the form of the cloud's ids.
func (c *Cloud) form() idForm {
	switch {
	case c.native:
		return nativeForm
	case c.grouped:
		return groupedForm
	}
	return serialForm
}

// ParseID implements cloud.Importer. It accepts "ACCOUNT/REGION/r-000001" and
// "REGION/r-000001", of a native cloud "ACCOUNT/ZONE/NAME" and "ZONE/NAME", of a
// grouped one "ACCOUNT/GROUP/NAME" and "GROUP/NAME".
func (c *Cloud) ParseID(ctx context.Context, account, id string) (cloud.Ref, error) {
	call := cloud.Call{Method: "ParseID", Account: account, Repeatable: true}
	return do(ctx, c, call, func() (cloud.Ref, error) {
		accountID, err := c.accountID(account)
		if err != nil {
			return cloud.Ref{}, err
		}
		form := c.form()
		if form.short.MatchString(id) {
			id = accountID + "/" + id
		}
		parts := form.long.FindStringSubmatch(id)
		switch {
		case parts == nil || len(parts) > 2 && regions()[parts[2]] == 0:
			err = malformed(id, "an id looks like "+form.example)
		case parts[1] != accountID:
			err = malformed(id, "it is of account "+parts[1]+", not of "+accountID)
		}
		if err != nil {
			return cloud.Ref{}, err
		}
		return cloud.Ref{Account: account, NativeID: id}, nil
	})
}

func malformed(id, why string) error {
	return &cloud.Error{
		Code: cloud.Invalid, Op: "ParseID", Native: "MalformedID", Message: fmt.Sprintf("%q cannot be used: %s", id, why),
	}
}

// InstanceTypes implements cloud.TypeDescriber.
func (c *Cloud) InstanceTypes(ctx context.Context, account, region string, names ...string) ([]cloud.InstanceType, error) {
	call := cloud.Call{Method: "InstanceTypes", Account: account, Region: region, Repeatable: true}
	return do(ctx, c, call, func() ([]cloud.InstanceType, error) {
		if _, err := c.accountID(account); err != nil {
			return nil, err
		}
		var found []cloud.InstanceType
		for _, shape := range shapes() {
			if len(names) == 0 || slices.Contains(names, shape.Name) {
				found = append(found, shape)
			}
		}
		return found, nil
	})
}

// Quotas implements cloud.QuotaReader. Blocks draw on none.
func (c *Cloud) Quotas(ctx context.Context, s cloud.Spec) ([]cloud.Quota, error) {
	call := cloud.Call{
		Method: "Quotas", Account: s.Account, Region: s.Region, InstanceType: s.InstanceType, Repeatable: true,
	}
	return do(ctx, c, call, func() ([]cloud.Quota, error) {
		id, err := c.accountID(s.Account)
		if err != nil || c.kinds()[s.Kind].ByOffer {
			return nil, err
		}
		shape, err := shapeOf("Quotas", s.InstanceType)
		if err != nil {
			return nil, err
		}
		scope := QuotaOf(id, s.Region, s.InstanceType)
		used := c.used(scope)
		return []cloud.Quota{{
			Scope: scope, Unit: "vCPU", Limit: c.limit(scope), Used: &used, Need: float64(shape.VCPUs * s.Count),
		}}, nil
	})
}
