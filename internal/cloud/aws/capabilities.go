package aws

import "github.com/gpulock/terraform-provider-gpu/internal/cloud"

const shareHint = "AWS shares a capacity reservation through Resource Access Manager: put its ARN into an " +
	"aws_ram_resource_share of the AWS provider"

const credentialsHint = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_PROFILE) in the environment, " +
	"or aws.profile or aws.assume_role in the provider block"

// Capabilities implements cloud.Cloud.
func (c *Cloud) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{
		Cloud:           "aws",
		Title:           "AWS",
		Kinds:           kinds(),
		ListedBy:        cloud.ByRegion,
		Claims:          true,
		ShareHint:       shareHint,
		CredentialsHint: credentialsHint,
	}
}

// kinds are what this driver makes, each with what can be done with it.
func kinds() map[cloud.Kind]cloud.KindCapabilities {
	return map[cloud.Kind]cloud.KindCapabilities{
		cloud.OnDemand:      onDemand(),
		cloud.Scheduled:     scheduled(),
		cloud.Block:         block(),
		cloud.DedicatedHost: hostKind(cloud.DedicatedHost),
		cloud.Term:          hostKind(cloud.Term),
	}
}

func onDemand() cloud.KindCapabilities {
	return cloud.KindCapabilities{
		Idempotent: true,
		// EC2 User Guide, "Modify a Capacity Reservation"; everything else is
		// fixed at creation. The name is a tag.
		InPlace: []cloud.Attribute{
			cloud.AttrCount, cloud.AttrMatch, cloud.AttrEnd, cloud.AttrTags, cloud.AttrName,
		},
		ReleasedFree: true,
		// EC2 User Guide, "Cancel a Capacity Reservation": running instances
		// go on as plain On-Demand.
		ReleasedInUse: []cloud.MatchCriteria{cloud.Targeted, cloud.Open},
	}
}

// scheduled is a future-dated reservation (EC2 User Guide, "Future-dated
// Capacity Reservations").
func scheduled() cloud.KindCapabilities {
	return cloud.KindCapabilities{
		Cancellable: true,
		Idempotent:  true,
		// What the state lets change is less; EC2 decides.
		InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrEnd, cloud.AttrTags, cloud.AttrName},
		// Past its commitment it is cancelled like one of kind on_demand.
		ReleasedInUse: []cloud.MatchCriteria{cloud.Targeted, cloud.Open},
		// EC2 assesses the request for days before it approves it.
		Decided: true,
		MinLead: minLead, MaxLead: maxLead,
	}
}

// block is a capacity block, paid at purchase and never given back (EC2 User
// Guide, "Capacity Blocks for ML").
func block() cloud.KindCapabilities {
	return cloud.KindCapabilities{
		ByOffer: true,
		InPlace: []cloud.Attribute{cloud.AttrTags, cloud.AttrName, cloud.AttrDuration},
		// The payment decides, within twelve hours.
		Decided: true,
		// The start bounds the search, so that it has no least lead.
		MaxLead: blockLead,
	}
}
