package cloud

import (
	"context"
	"time"
)

// Call describes one use of a cloud, for what wraps it.
type Call struct {
	Cloud  string
	Method string
	// Scope and Ref tell where; what is not known is empty.
	Account, Region, Zone, InstanceType, NativeID string
	// Repeatable tells that a second try after an error that may have been
	// accepted does no harm.
	Repeatable bool
	// Writes tells that the call changes something.
	Writes bool
}

// Interceptor stands around every call of a cloud. It may call next more than
// once only if it knows that to be harmless.
type Interceptor func(ctx context.Context, call Call, next func(context.Context) error) error

// Intercept wraps a cloud; the first interceptor is the outermost. Optional
// interfaces are kept: look them up with As.
func Intercept(inner Cloud, around ...Interceptor) Cloud {
	wrapped := inner
	for i := len(around) - 1; i >= 0; i-- {
		wrapped = &intercepted{inner: wrapped, around: around[i]}
	}
	return wrapped
}

type intercepted struct {
	inner  Cloud
	around Interceptor
}

// Inner is the cloud inside.
func (c *intercepted) Inner() Cloud { return c.inner }

// Capabilities implements Cloud.
func (c *intercepted) Capabilities() Capabilities { return c.inner.Capabilities() }

// Check implements Cloud.
func (c *intercepted) Check(s Spec) (Spec, []Problem) { return c.inner.Check(s) }

// through runs one call with a result.
func through[T any](ctx context.Context, c *intercepted, call Call, do func(context.Context) (T, error)) (T, error) {
	call.Cloud = c.inner.Capabilities().Cloud
	var result T
	err := c.around(ctx, call, func(ctx context.Context) error {
		var err error
		result, err = do(ctx)
		return err
	})
	return result, err
}

// AccountID implements Cloud.
func (c *intercepted) AccountID(ctx context.Context, account string) (string, error) {
	call := Call{Method: "AccountID", Account: account, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) (string, error) { return c.inner.AccountID(ctx, account) })
}

// Create implements Cloud.
func (c *intercepted) Create(ctx context.Context, req CreateRequest) (Reservation, error) {
	s := req.Spec
	call := Call{
		Method: "Create", Account: s.Account, Region: s.Region, Zone: s.Zone, InstanceType: s.InstanceType,
		Writes: true, Repeatable: c.inner.Capabilities().Kinds[s.Kind].Idempotent && req.Token != "",
	}
	return through(ctx, c, call, func(ctx context.Context) (Reservation, error) { return c.inner.Create(ctx, req) })
}

// Get implements Cloud.
func (c *intercepted) Get(ctx context.Context, ref Ref) (Reservation, error) {
	call := Call{Method: "Get", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) (Reservation, error) { return c.inner.Get(ctx, ref) })
}

// List implements Cloud.
func (c *intercepted) List(ctx context.Context, scope Scope) ([]Reservation, error) {
	call := Call{Method: "List", Account: scope.Account, Region: scope.Region, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) ([]Reservation, error) { return c.inner.List(ctx, scope) })
}

// Release implements Cloud.
func (c *intercepted) Release(ctx context.Context, ref Ref) error {
	call := Call{Method: "Release", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true, Writes: true}
	_, err := through(ctx, c, call, func(ctx context.Context) (struct{}, error) { return struct{}{}, c.inner.Release(ctx, ref) })
	return err
}

// Update implements Updater.
func (c *intercepted) Update(ctx context.Context, ref Ref, change Change) (Reservation, error) {
	inner, ok := As[Updater](c.inner)
	if !ok {
		return Reservation{}, c.lacks("Update")
	}
	call := Call{Method: "Update", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true, Writes: true}
	return through(ctx, c, call, func(ctx context.Context) (Reservation, error) { return inner.Update(ctx, ref, change) })
}

// Group implements Grouper. It makes no call, so that nothing stands around it.
func (c *intercepted) Group(spec Spec, name string) string {
	if inner, ok := As[Grouper](c.inner); ok {
		return inner.Group(spec, name)
	}
	return ""
}

// GroupOf implements Grouper.
func (c *intercepted) GroupOf(ref Ref) string {
	if inner, ok := As[Grouper](c.inner); ok {
		return inner.GroupOf(ref)
	}
	return ""
}

// Preflight implements Preflighter.
func (c *intercepted) Preflight(ctx context.Context, spec Spec, name string) ([]Problem, error) {
	inner, ok := As[Preflighter](c.inner)
	if !ok {
		return nil, c.lacks("Preflight")
	}
	call := Call{
		Method: "Preflight", Account: spec.Account, Region: spec.Region, Zone: spec.Zone, InstanceType: spec.InstanceType, Repeatable: true,
	}
	return through(ctx, c, call, func(ctx context.Context) ([]Problem, error) { return inner.Preflight(ctx, spec, name) })
}

// Users implements UserLister.
func (c *intercepted) Users(ctx context.Context, ref Ref) ([]string, error) {
	inner, ok := As[UserLister](c.inner)
	if !ok {
		return nil, c.lacks("Users")
	}
	call := Call{Method: "Users", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) ([]string, error) { return inner.Users(ctx, ref) })
}

// ParseID implements Importer.
func (c *intercepted) ParseID(ctx context.Context, account, id string) (Ref, error) {
	inner, ok := As[Importer](c.inner)
	if !ok {
		return Ref{}, c.lacks("ParseID")
	}
	call := Call{Method: "ParseID", Account: account, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) (Ref, error) { return inner.ParseID(ctx, account, id) })
}

// InstanceTypes implements TypeDescriber.
func (c *intercepted) InstanceTypes(ctx context.Context, account, region string, names ...string) ([]InstanceType, error) {
	inner, ok := As[TypeDescriber](c.inner)
	if !ok {
		return nil, c.lacks("InstanceTypes")
	}
	call := Call{Method: "InstanceTypes", Account: account, Region: region, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) ([]InstanceType, error) {
		return inner.InstanceTypes(ctx, account, region, names...)
	})
}

// Quotas implements QuotaReader.
func (c *intercepted) Quotas(ctx context.Context, spec Spec) ([]Quota, error) {
	inner, ok := As[QuotaReader](c.inner)
	if !ok {
		return nil, c.lacks("Quotas")
	}
	call := Call{Method: "Quotas", Account: spec.Account, Region: spec.Region, InstanceType: spec.InstanceType, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) ([]Quota, error) { return inner.Quotas(ctx, spec) })
}

// Now implements Timekeeper.
func (c *intercepted) Now(ctx context.Context, account, region string) (time.Time, error) {
	inner, ok := As[Timekeeper](c.inner)
	if !ok {
		return time.Time{}, c.lacks("Now")
	}
	call := Call{Method: "Now", Account: account, Region: region, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) (time.Time, error) { return inner.Now(ctx, account, region) })
}

// Offers implements Offerer.
func (c *intercepted) Offers(ctx context.Context, spec Spec) ([]Offer, error) {
	inner, ok := As[Offerer](c.inner)
	if !ok {
		return nil, c.lacks("Offers")
	}
	call := Call{Method: "Offers", Account: spec.Account, Region: spec.Region, InstanceType: spec.InstanceType, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) ([]Offer, error) { return inner.Offers(ctx, spec) })
}

// ExtensionOffers implements Extender.
func (c *intercepted) ExtensionOffers(ctx context.Context, ref Ref, by time.Duration) ([]Offer, error) {
	inner, ok := As[Extender](c.inner)
	if !ok {
		return nil, c.lacks("ExtensionOffers")
	}
	call := Call{Method: "ExtensionOffers", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) ([]Offer, error) { return inner.ExtensionOffers(ctx, ref, by) })
}

// Extensions implements Extender.
func (c *intercepted) Extensions(ctx context.Context, ref Ref) ([]Extension, error) {
	inner, ok := As[Extender](c.inner)
	if !ok {
		return nil, c.lacks("Extensions")
	}
	call := Call{Method: "Extensions", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) ([]Extension, error) { return inner.Extensions(ctx, ref) })
}

// Extend implements Extender.
func (c *intercepted) Extend(ctx context.Context, ref Ref, offer Offer) (Extension, error) {
	inner, ok := As[Extender](c.inner)
	if !ok {
		return Extension{}, c.lacks("Extend")
	}
	call := Call{Method: "Extend", Account: ref.Account, NativeID: ref.NativeID, Writes: true}
	return through(ctx, c, call, func(ctx context.Context) (Extension, error) { return inner.Extend(ctx, ref, offer) })
}

// Quote implements Canceller.
func (c *intercepted) Quote(ctx context.Context, ref Ref) (Quote, error) {
	inner, ok := As[Canceller](c.inner)
	if !ok {
		return Quote{}, c.lacks("Quote")
	}
	call := Call{Method: "Quote", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) (Quote, error) { return inner.Quote(ctx, ref) })
}

// Cancel implements Canceller.
func (c *intercepted) Cancel(ctx context.Context, ref Ref, quote Quote) error {
	inner, ok := As[Canceller](c.inner)
	if !ok {
		return c.lacks("Cancel")
	}
	call := Call{Method: "Cancel", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true, Writes: true}
	_, err := through(ctx, c, call, func(ctx context.Context) (struct{}, error) { return struct{}{}, inner.Cancel(ctx, ref, quote) })
	return err
}

// Market implements MarketReader.
func (c *intercepted) Market(ctx context.Context, query MarketQuery) ([]Signal, error) {
	inner, ok := As[MarketReader](c.inner)
	if !ok {
		return nil, c.lacks("Market")
	}
	call := Call{Method: "Market", Account: query.Account, Region: query.Region, Repeatable: true}
	return through(ctx, c, call, func(ctx context.Context) ([]Signal, error) { return inner.Market(ctx, query) })
}

func (c *intercepted) lacks(method string) error {
	return &Error{Code: Unsupported, Op: method, Message: c.inner.Capabilities().Title + " has no such operation"}
}
