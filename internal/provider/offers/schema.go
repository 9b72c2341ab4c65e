package offers

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation"
)

// maxTypes bounds the calls of one read: a cloud is asked for the offers and the
// quota of each type by itself.
const maxTypes = 20

// Schema implements datasource.DataSource.
func (*DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := placeAttributes()
	attributes["instance_count"] = schema.Int64Attribute{
		Optional:            true,
		MarkdownDescription: "Number of instances that are meant to be had together, at least 1. Default `1`.",
		Validators:          []validator.Int64{int64validator.AtLeast(1)},
	}
	attributes["kinds"] = schema.SetAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Kinds to look for: `on_demand`, `block`. Default: both.",
		Validators:          []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(stringvalidator.OneOf(kinds()...))},
	}
	attributes["window"] = windowAttribute()
	attributes["offers"] = list(reservation.Noted("offers.offers", "What could be reserved now, the cheapest by `usd_per_hour` first, then the earliest; "+
		"what has no known price is last. A block is sold when it is bought and an on-demand reservation may still be refused: an offer holds "+
		"nothing."), offerAttributes())
	attributes["signals"] = list("What each zone charges for one instance and how likely it is to have capacity, by type, then by zone.",
		signalAttributes())
	attributes["quotas"] = list("The limits that an `on_demand` reservation of `instance_count` draws on, by type; none where "+
		"`kinds` leaves `on_demand` out.", quotaAttributes())
	attributes["unsearched"] = list("What `offers` cannot tell of, and why. Empty if everything that was asked for was looked for; "+
		"`offers` may have nothing of it all the same.", map[string]schema.Attribute{
		"kind":          text("Kind that was not looked for."),
		"instance_type": text("Instance type that it was not looked for; null for all."),
		"reason":        text("Why not."),
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "What could be reserved now in one region, as far as the cloud tells: which zones offer a type, on-demand prices, " +
			"capacity blocks on sale, spot prices and placement scores as signals of how scarce a type is, and quotas. Read from the " +
			"cloud in each run. What cannot be known is null, and the reason stands in `unknown` under the attribute's name; a part that cannot be read is no error.",
		Attributes: attributes,
	}
}

func placeAttributes() map[string]schema.Attribute {
	name := []validator.String{stringvalidator.LengthAtLeast(1)}
	return map[string]schema.Attribute{
		"cloud": schema.StringAttribute{
			Required: true, MarkdownDescription: "The cloud: " + reservation.CloudNames() + ".", Validators: name,
		},
		"account": schema.StringAttribute{
			Optional: true, Validators: name,
			MarkdownDescription: reservation.Noted("account", "Which configured account to ask with. Default: the provider's own."),
		},
		"region": schema.StringAttribute{
			Optional: true, Validators: name,
			MarkdownDescription: reservation.Noted("offers.region", "Region to look in. Default: that of `zones`, else the provider's for that cloud."),
		},
		"zones": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Only these zones of the region, such as `us-east-1a`. Default: all that have the type.",
			Validators:          []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(name...)},
		},
		"instance_types": schema.SetAttribute{
			Required: true, ElementType: types.StringType,
			MarkdownDescription: "Instance types to look for, such as `p5.48xlarge`; 1 to 20.",
			Validators:          []validator.Set{setvalidator.SizeBetween(1, maxTypes), setvalidator.ValueStringsAre(name...)},
		},
	}
}

func windowAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What kind `block` is looked for with: `start_at` and `end_at` bound the search, `duration` is the length. " +
			"Without it blocks are not looked for. On-demand capacity is told of as it is now, whatever the window.",
		Attributes: map[string]schema.Attribute{
			"start_at": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Earliest start of a block, RFC 3339 with an offset. Default: as soon as there is one.",
				Validators: []validator.String{attribute.Instant{}},
			},
			"end_at": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Latest end of a block, RFC 3339 with an offset.",
				Validators: []validator.String{attribute.Instant{}},
			},
			"duration": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: reservation.Noted("offers.window.duration",
					"Length of a block, such as `24h` or `14d`. Default: from `start_at` to `end_at`."),
				Validators: []validator.String{attribute.Duration{Min: time.Minute}},
			},
		},
	}
}

func offerAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"cloud":          text("The cloud."),
		"region":         text("Region, such as `us-east-1`."),
		"zone":           text("Zone, such as `us-east-1a`; null where the cloud did not tell which zones have the type."),
		"instance_type":  text("Instance type."),
		"instance_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of instances that the offer is for."},
		"kind":           text("`on_demand`: at the list price, if there is capacity. `block`: on sale as it stands here."),
		"offer_id":       text("What `offer_id` of `gpu_reservation` takes, for kind `block`; null for `on_demand`. Offers expire."),
		"starts_at":      text("When it starts, RFC 3339 in UTC; null for `on_demand`, which starts at once."),
		"ends_at":        text("When it ends, RFC 3339 in UTC; null for `on_demand`, which lasts until released."),
		"upfront":        schema.NumberAttribute{Computed: true, MarkdownDescription: "What is paid at purchase for all of it, in `currency`; null for `on_demand`."},
		"currency":       text("Currency of the price, ISO 4217."),
		"usd_per_hour": schema.NumberAttribute{Computed: true, MarkdownDescription: "Price of all instances, USD per hour. `on_demand`: the list price " +
			"for Linux, from where `price_source` of the zone's signal says. `block`: what was asked at this moment, spread over its length."},
		"gpu_model": text("GPU model, such as `H100-SXM5-80GB`; from the catalog, else the cloud's own word."),
		"gpu_count": text("GPUs of all instances as an exact number: `16`, `3/8`."),
		"unknown":   unknownAttribute(),
	}
}

func signalAttributes() map[string]schema.Attribute {
	usd := func(description string) schema.Attribute {
		return schema.NumberAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"region":        text("Region, such as `us-east-1`."),
		"zone":          text("Zone, such as `us-east-1a`; null where the cloud did not tell which zones have the type."),
		"instance_type": text("Instance type."),
		"offered": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the zone has the type at all, as the cloud says now. " +
			"It says nothing of free capacity."},
		"on_demand_usd_per_hour": usd("List price of one on-demand instance with Linux, USD per hour."),
		"price_source": text(reservation.Noted("offers.price_source", "Where that price is from: `price_list`, the cloud's own, read now, or `catalog`, "+
			"the one this version of the provider came with, where the price list told nothing. Null without a price.")),
		"spot_usd_per_hour": usd(reservation.Noted("offers.spot", "Last spot price of one instance with Linux, USD per hour.")),
		"spot_priced_at":    text("Since when that is the spot price, RFC 3339 in UTC."),
		"spot_placement_score": schema.Int64Attribute{Computed: true, MarkdownDescription: reservation.Noted("offers.spot_placement_score",
			"The cloud's estimate now, from 1 to 10, of getting `instance_count` instances as spot.")},
		"unknown": unknownAttribute(),
	}
}

func quotaAttributes() map[string]schema.Attribute {
	amount := func(description string) schema.Attribute {
		return schema.Float64Attribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"instance_type": text("Instance type."),
		"quota":         text(reservation.Noted("offers.quota", "The cloud's code of the limit.")),
		"unit":          text(reservation.Noted("offers.unit", "What the limit counts.")),
		"limit":         amount("The limit now, in `unit`."),
		"used":          amount(reservation.Noted("offers.used", "What counts against it now, in `unit`.")),
		"needed":        amount("What `instance_count` instances of this type count, in `unit`."),
		"unknown":       unknownAttribute(),
	}
}

func unknownAttribute() schema.Attribute {
	return schema.MapAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "Why an attribute is null, by its name; without those that do not apply.",
	}
}

func text(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func list(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: attributes},
	}
}

// kinds are the values of the attribute of that name.
func kinds() []string { return []string{string(cloud.OnDemand), string(cloud.Block)} }
