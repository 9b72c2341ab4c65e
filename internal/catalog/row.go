package catalog

import (
	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// OnDemand is the kind of a price that is paid by the hour and ends at will.
const OnDemand = "on_demand"

// Verification says how far a row's figures can be trusted.
type Verification string

// How a row came to be.
const (
	// Read figures stand in the sources the row names.
	Read Verification = "read"
	// Recalled figures were confirmed by nothing at hand.
	Recalled Verification = "recalled"
)

// Provenance tells where a row comes from.
type Provenance struct {
	// AsOf is the day, or the month, for which the row was true: 2026-07-20 or
	// 2026-05.
	AsOf string
	// Verification tells whether the figures were read or recalled.
	Verification Verification
	// Source cites where they stand; several citations are joined by "; ".
	Source string
}

// GPUModel is an accelerator as its vendor sells it.
type GPUModel struct {
	ID     gpu.Model
	Vendor string
	Name   string
	// MemoryGB is the size in the product's name. What a cloud reports may be
	// anything from that many powers of ten to that many powers of two.
	MemoryGB int64
	Provenance
}

// InstanceType is the shape of one type of instance.
type InstanceType struct {
	Cloud string
	Name  string
	// GPUModel is the accelerator; GPUs is how many of it, exactly: 8, or 1/8 of
	// one.
	GPUModel gpu.Model
	GPUs     gpu.Fraction
	// GPUMemoryMiB is what one device of the instance has: for a fractional type
	// the slice, not the whole card.
	GPUMemoryMiB int64
	VCPUs        int64
	MemoryMiB    int64
	// QuotaClass and Quota name the limit the type draws on in the cloud's own
	// words: on AWS the family letter and the vCPU quota's code. Both are empty
	// where it is not known.
	QuotaClass string
	Quota      string
	// Note holds what a reader of the figures must know, or nothing.
	Note string
	Provenance
}

// Price is a list price of one instance for an hour.
type Price struct {
	PerHour money.Money
	Provenance
}

// Zone is one zone of a region.
type Zone struct {
	Region string
	Name   string
	// ID names the same zone in every account.
	ID string
	// PerAccount means that Name is given per account: there it may mean another
	// zone than ID.
	PerAccount bool
	Provenance
}
