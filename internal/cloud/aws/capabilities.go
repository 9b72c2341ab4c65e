package aws

import "github.com/gpulock/terraform-provider-gpu/internal/cloud"

const shareHint = "AWS shares a capacity reservation through Resource Access Manager: put its ARN into an " +
	"aws_ram_resource_share of the AWS provider"

const credentialsHint = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_PROFILE) in the environment, " +
	"or aws.profile or aws.assume_role in the provider block"

// Capabilities implements cloud.Cloud.
func (c *Cloud) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{
		Cloud: "aws",
		Title: "AWS",
		Kinds: map[cloud.Kind]cloud.KindCapabilities{
			cloud.OnDemand: {
				Idempotent: true,
				// EC2 User Guide, "Modify a Capacity Reservation"; everything else is
				// fixed at creation. The name is a tag.
				InPlace: []cloud.Attribute{
					cloud.AttrCount, cloud.AttrMatch, cloud.AttrEnd, cloud.AttrTags, cloud.AttrName,
				},
				ReleasedFree: true,
				// EC2 User Guide, "Cancel a Capacity Reservation": running instances
				// go on as plain On-Demand.
				ReleasedInUse: true,
			},
		},
		ListedBy:        cloud.ByRegion,
		Claims:          true,
		ShareHint:       shareHint,
		CredentialsHint: credentialsHint,
	}
}
