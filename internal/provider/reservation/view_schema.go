package reservation

import (
	"maps"

	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ViewAttributes are the attributes of a View, all computed. What the resource
// only computes is described there.
func ViewAttributes() map[string]dataschema.Attribute {
	attributes := placeViewAttributes()
	maps.Copy(attributes, useViewAttributes())
	for _, group := range []map[string]schema.Attribute{idAttributes(), stateAttributes(), factAttributes()} {
		for name, a := range group {
			attributes[name] = computed(a)
		}
	}
	// What this provider wrote is the resource's to know; all tags are in tags.
	delete(attributes, "tags_all")
	attributes["term"] = termShownAttribute()
	attributes["name"] = viewText("Name in the mark; null on a reservation without a mark.")
	attributes["owner"] = viewText("Owner in the mark; null on a reservation without a mark.")
	attributes["status"] = viewText("`pending` (accepted, not yet promised), `held`, `refused` (never promised), `ended` (came to its " +
		"end) or `cancelled` (given up before its end; clouds show it for a while).")
	for _, p := range parts() {
		attributes[p.cloud] = p.shownAttribute()
	}
	return attributes
}

func viewText(description string) dataschema.StringAttribute {
	return dataschema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func viewCount(description string) dataschema.Int64Attribute {
	return dataschema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

func placeViewAttributes() map[string]dataschema.Attribute {
	return map[string]dataschema.Attribute{
		"cloud":          viewText("The cloud."),
		"region":         viewText("Region, such as `us-east-1`."),
		"zone":           viewText("Zone, such as `us-east-1a`; null where the reservation is for a whole region."),
		"instance_type":  viewText("Instance type that is reserved."),
		"kind":           viewText("How the capacity is promised: `on_demand`, `scheduled`, `block`, `dedicated_host` or `term`."),
		"match_criteria": viewText("Which launches consume the reservation: `targeted`, only those that name it, or `open`, every launch that fits."),
	}
}

func useViewAttributes() map[string]dataschema.Attribute {
	return map[string]dataschema.Attribute{
		"instance_count": viewCount("Number of instances that are reserved."),
		"in_use_count":   viewCount("Number of instances that run in the reservation now."),
		"available_count": viewCount("Number of instances that can still be launched into the reservation; 0 unless it is `held`. " +
			"Before `starts_at` nothing can be launched yet."),
		"native_status": viewText("The cloud's own word for its state, such as `active`."),
		"share_with": dataschema.SetAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: Noted("view.share_with", "Accounts or projects that may consume the reservation, besides its own."),
		},
		"tags": dataschema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "All tags but the mark and the cloud's own.",
		},
	}
}

// computed is a computed attribute of the resource as one of a data source.
func computed(a schema.Attribute) dataschema.Attribute {
	description := a.GetMarkdownDescription()
	switch a := a.(type) {
	case schema.BoolAttribute:
		return dataschema.BoolAttribute{Computed: true, MarkdownDescription: description}
	case schema.NumberAttribute:
		return dataschema.NumberAttribute{Computed: true, MarkdownDescription: description}
	case schema.MapAttribute:
		return dataschema.MapAttribute{Computed: true, MarkdownDescription: description, ElementType: a.ElementType}
	case schema.ListAttribute:
		return dataschema.ListAttribute{Computed: true, MarkdownDescription: description, ElementType: a.ElementType}
	case schema.SingleNestedAttribute:
		nested := map[string]dataschema.Attribute{}
		for name, inner := range a.Attributes {
			nested[name] = computed(inner)
		}
		return dataschema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, Attributes: nested}
	}
	return viewText(description)
}
