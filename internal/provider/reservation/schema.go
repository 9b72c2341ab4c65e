package reservation

import (
	"context"
	"maps"
	"regexp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// typeName is the resource type, which also marks what it manages.
const typeName = "gpu_reservation"

var validName = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)

// Schema implements resource.Resource.
func (*Resource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{}
	for _, group := range []map[string]schema.Attribute{
		placeAttributes(), wishAttributes(), windowAttributes(), termAttributes(), moneyAttributes(), endAttributes(),
		idAttributes(), stateAttributes(), factAttributes(), cloudAttributes(),
	} {
		maps.Copy(attributes, group)
	}
	attributes["timeouts"] = timeoutsAttribute(ctx)
	resp.Schema = schema.Schema{
		MarkdownDescription: "One native reservation of GPU capacity in one cloud.",
		Attributes:          attributes,
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	a := timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, Update: true, Delete: true,
		CreateDescription: "How long a create may take, every retry and wait included. Go syntax. Default `20m` plus `wait_for_capacity`.",
		UpdateDescription: "How long an update may take. Go syntax. Default `20m` plus `wait_for_capacity`.",
		DeleteDescription: "How long a delete may take, the wait for users to go included. Go syntax. Default `20m`.",
	})
	if nested, ok := a.(schema.SingleNestedAttribute); ok {
		nested.MarkdownDescription = "How long each operation may take, every retry and wait included."
		return nested
	}
	return a
}

// IdentitySchema implements resource.ResourceWithIdentity.
func (*Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"cloud":     identityschema.StringAttribute{RequiredForImport: true, Description: "The cloud, as in the attribute `cloud`."},
		"native_id": identityschema.StringAttribute{RequiredForImport: true, Description: "The cloud's own id, as in the attribute `native_id`."},
	}}
}

func placeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required: true,
			MarkdownDescription: Noted("name", "Name of the reservation, unique per owner: lower-case letters, digits and hyphens, at most "+
				"63, starting with a letter and not ending with a hyphen. It is written on the object together with the owner, "+
				"so that an interrupted create is found again."),
			Validators: []validator.String{stringvalidator.RegexMatches(validName,
				"must be 1 to 63 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen")},
		},
		"cloud": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "The cloud: " + CloudNames() + ". A change replaces the reservation.",
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"account": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: Noted("account", "Which configured account to use. Default: the provider's own. A change that leads to "+
				"another account replaces the reservation."),
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"region": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: Noted("region", "Region, such as `us-east-1`. Default: the region of `zone`. A change replaces the reservation."),
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"zone": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: Noted("zone", "Zone, such as `us-east-1a`. A change replaces the reservation."),
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
	}
}

func wishAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"instance_type": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "Instance type to reserve, such as `p5.48xlarge`. A change replaces the reservation.",
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"instance_count": schema.Int64Attribute{
			Optional: true, Computed: true, Default: int64default.StaticInt64(1),
			MarkdownDescription: Noted("instance_count", "Number of instances, at least 1. Default `1`. Grows and shrinks in place; a "+
				"refused growth leaves what is held."),
			Validators: []validator.Int64{int64validator.AtLeast(1)},
		},
		"kind": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(string(cloud.OnDemand)),
			MarkdownDescription: Noted("kind", "How the capacity is promised: `on_demand` (default), from now on until released or until "+
				"`window.end_at`; `scheduled`, from `window.start_at` on, once the cloud has agreed; `block`, a fixed window; "+
				"`dedicated_host`, a whole host from now on until released; `term`, a dedicated host with a `term` bought for it. What "+
				"is not paid at purchase is paid by the hour whether used or not. A change replaces the reservation, but that a "+
				"`dedicated_host` becomes one of a `term` in place."),
			Validators: []validator.String{stringvalidator.OneOf(string(cloud.OnDemand), string(cloud.Scheduled),
				string(cloud.Block), string(cloud.DedicatedHost), string(cloud.Term))},
		},
		"match_criteria": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(string(cloud.Targeted)),
			MarkdownDescription: Noted("match_criteria", "Which launches consume the reservation: `targeted` (default), only those that "+
				"name it, or `open`, every launch that fits."),
			Validators: []validator.String{stringvalidator.OneOf(string(cloud.Targeted), string(cloud.Open))},
		},
		"offer_id": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: Noted("offer_id", "Offer to buy, for kinds that are bought by offer. Default: the cheapest offer of exactly "+
				"the length asked for inside the window, then the earliest. It counts at purchase only: a later change buys and "+
				"replaces nothing."),
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"share_with": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: Noted("share_with", "Accounts or projects that may consume the reservation, besides its own. Another name "+
				"of the same account is no change."),
			Validators: []validator.Set{
				setvalidator.NoNullValues(), setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
			},
		},
		"tags": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: Noted("tags", "Tags of the reservation, on top of the provider's `default_tags`. Keys that start with "+
				"`gpulock:` are reserved, and so are the cloud's own. Tags that others wrote are left alone. Changes in place."),
			Validators: []validator.Map{mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1))},
		},
		"wait_for_capacity": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "How long a full place is asked again, such as `30m` or `2h`. Default: not at all, the first " +
				"refusal is the result. `timeouts.create` still bounds the whole.",
			Validators: []validator.String{attribute.Duration{Min: time.Second}},
		},
	}
}

func windowAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"window": schema.SingleNestedAttribute{
			Optional: true,
			MarkdownDescription: Noted("window", "When the promise holds. Kind `on_demand` takes `end_at` or `duration`, and its end moves in "+
				"place; without a window it holds until released. Kinds `scheduled` and `block` take `start_at`, and `end_at` or "+
				"`duration`. Kinds `dedicated_host` and `term` have no window. Passing start or end is no change."),
			Attributes: map[string]schema.Attribute{
				"start_at": schema.StringAttribute{
					Optional: true,
					MarkdownDescription: Noted("window.start_at", "Start, RFC 3339 with an offset. Not for `on_demand`. Compared as an "+
						"instant: another way to write the same time is no change."),
					Validators: []validator.String{attribute.Instant{}},
				},
				"end_at": schema.StringAttribute{
					Optional: true,
					MarkdownDescription: Noted("window.end_at", "End, RFC 3339 with an offset. Compared as an instant: another way to "+
						"write the same time is no change."),
					Validators: []validator.String{attribute.Instant{}},
				},
				"duration": schema.StringAttribute{
					Optional: true,
					MarkdownDescription: Noted("window.duration", "Length, such as `36h` or `14d`, from the creation on or from "+
						"`start_at`, instead of `end_at`."),
					Validators: []validator.String{lengthRule()},
				},
			},
		},
	}
}

func moneyAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"max_usd_per_hour": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: "Ceiling for the price of all instances together, in USD per hour. Checked at plan and again " +
				"before a create or a growth; a price that is not known is refused. A lower ceiling gives nothing up that is held.",
			Validators: []validator.Number{attribute.Amount{}},
		},
		"max_upfront_usd": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: "Ceiling for what is paid at purchase, in USD, by kinds `block` and `term`; each extension is held " +
				"to it by itself. Default: none. A price that is above it, not known or in another currency is not paid, by the " +
				"offer at the moment of purchase. `on_demand`, `scheduled` and `dedicated_host` pay nothing at purchase.",
			Validators: []validator.Number{attribute.Amount{}},
		},
		"max_cancellation_usd": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: "Ceiling for the cancellation charge with `on_destroy = \"cancel_with_charge\"`, which needs it, in " +
				"USD. Giving up `on_demand` and `dedicated_host` is free.",
			Validators: []validator.Number{attribute.Amount{}},
		},
	}
}

func endAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"on_destroy": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(capacity.OnDestroyRelease),
			MarkdownDescription: Noted("on_destroy", "What a destroy does with a live reservation: `release` (default) gives it back if that "+
				"is free at that moment and is refused otherwise; `prevent` is refused; `abandon` leaves it as it is and "+
				"forgets it; `cancel_with_charge` also pays a cancellation charge up to `max_cancellation_usd`. What has ended is "+
				"forgotten without a question. Read from the state, so a change must be applied before it counts."),
			Validators: []validator.String{stringvalidator.OneOf(capacity.OnDestroyRelease, capacity.OnDestroyPrevent,
				capacity.OnDestroyAbandon, capacity.OnDestroyCharge)},
		},
		"on_release_in_use": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(onReleaseRefuse),
			MarkdownDescription: Noted("on_release_in_use", "What to do when instances still run in what is to be given up: `refuse` (default): "+
				"a destroy waits for them to go until `timeouts.delete` and then fails listing them, and shrinking below what "+
				"is in use is refused; `release`: at once, where the cloud allows it."),
			Validators: []validator.String{stringvalidator.OneOf(onReleaseRefuse, onReleaseRelease)},
		},
		"allow_replacement": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether a change that the cloud cannot make in place may replace a live reservation. Default " +
				"`false`: such a change is an error at plan. Terraform releases the old one first, unless " +
				"`create_before_destroy` is set and the name is a new one.",
		},
	}
}

// The values of on_release_in_use.
const (
	onReleaseRefuse  = "refuse"
	onReleaseRelease = "release"
)

func idAttributes() map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"id":         text("`<cloud>:<native_id>`."),
		"native_id":  text(Noted("native_id", "The cloud's own id.")),
		"account_id": text(Noted("account_id", "The cloud's id of the account that holds the reservation.")),
		"owner":      text("Owner written on the reservation: the provider's `owner` at its creation."),
		"claim_id":   text(Noted("claim_id", "Fencing token: renewed when the reservation is created or adopted. Only the state with the claim that the object carries may change or release it. Null on clouds where no claim can be written.")),
		"simulated":  schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it was made in the simulated cloud."},
	}
}

func stateAttributes() map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"status": text("`pending` (accepted, not yet promised: a review, or a payment, is under way), `held`, `degraded` (promised, a late step is missing, or " +
			"a refused growth left it unusable: the next apply finishes it) or `refused` (never promised, or given up only in part: the next " +
			"plan replaces it, and a destroy removes what is left)."),
		"starts_at":    text("When the promise starts, RFC 3339 in UTC."),
		"ends_at":      text("When the promise ends, RFC 3339 in UTC; null without an end."),
		"usable_until": text(Noted("usable_until", "When work really stops, RFC 3339 in UTC; null without an end.")),
		"paid_upfront": schema.NumberAttribute{Computed: true, MarkdownDescription: "What was paid at purchase, extensions apart, in " +
			"`currency`; frozen then. Null where nothing was, or where the cloud does not tell of what another tool bought."},
		"currency": text("Currency of `paid_upfront`, ISO 4217."),
		"tags_all": schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "The tags this provider wrote: `default_tags` and `tags`, without the mark.",
		},
	}
}

func factAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"gpu_model": schema.StringAttribute{Computed: true, MarkdownDescription: "GPU model, such as `H100-SXM5-80GB`; " +
			"from the catalog, else the cloud's own word; null where neither knows the instance type."},
		"gpus_per_instance": schema.StringAttribute{Computed: true, MarkdownDescription: "GPUs of one instance as an exact number: `8`, `1/8`."},
		"gpu_count":         schema.StringAttribute{Computed: true, MarkdownDescription: "GPUs of all instances as an exact number: `16`, `3/8`."},
		"estimated_usd_per_hour": schema.NumberAttribute{
			Computed: true,
			MarkdownDescription: Noted("estimated_usd_per_hour", "Price of all instances, USD per hour, whether used or not. `on_demand` "+
				"and `scheduled`: the on-demand list price for this region and Linux from the catalog, null where it has none. "+
				"`block` and `term`: that of the offer, what is paid upfront spread over its length. `dedicated_host`: null."),
		},
		"binding": bindingAttribute(),
	}
}
