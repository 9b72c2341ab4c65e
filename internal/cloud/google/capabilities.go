package google

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const credentialsHint = "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a credentials file, " +
	"or run where Google Cloud gives an identity"

const (
	// minLead is how far ahead a future reservation has to start (Compute Engine,
	// "Troubleshoot future reservation requests").
	minLead = time.Hour
	// maxLead is the year that they can lie ahead (Compute Engine, "About future
	// reservation requests"), the longest one: how a year is counted is not said.
	maxLead = 366 * day
	// blockLead is how far ahead a calendar reservation can be asked for (Compute
	// Engine, "Future reservation requests in calendar mode").
	blockLead = 60 * day
)

// Capabilities implements cloud.Cloud.
func (c *Cloud) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{
		Cloud: "google",
		Title: "Google Cloud",
		Kinds: map[cloud.Kind]cloud.KindCapabilities{
			cloud.OnDemand:  onDemand(),
			cloud.Scheduled: future(maxLead),
			cloud.Block:     future(blockLead),
		},
		ListedBy:        cloud.ByAccount,
		NativeName:      true,
		CredentialsHint: credentialsHint,
	}
}

func onDemand() cloud.KindCapabilities {
	return cloud.KindCapabilities{
		Idempotent: true,
		// Compute Engine, "Modify reservations"; everything else is fixed at
		// creation.
		InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrEnd, cloud.AttrShare, attrVertex},
		// Google's own Terraform provider replaces a reservation to change its share
		// type, and the mock of Config Connector refuses it. gcloud has it in beta
		// (compute reservations update, --share-setting): UNVERIFIED for v1.
		SharedAtCreation: true,
		ReleasedFree:     true,
		// Compute Engine, "Delete reservations": the instances of an automatically
		// consumed reservation keep running, a specific one cannot be deleted while
		// it is in use.
		ReleasedInUse: []cloud.MatchCriteria{cloud.Open},
	}
}

// future is a future reservation; the mode sets how far ahead it may lie.
func future(furthest time.Duration) cloud.KindCapabilities {
	return cloud.KindCapabilities{
		Idempotent: true,
		// Compute Engine, "Modify future reservation requests": until they lock.
		InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrStart, cloud.AttrEnd, cloud.AttrShare},
		Decided: true,
		Bounded: true,
		MinLead: minLead,
		MaxLead: furthest,
	}
}
