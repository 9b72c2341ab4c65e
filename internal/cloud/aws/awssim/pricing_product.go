package awssim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	priceRegion   = "us-east-1"
	priceLocation = "US East (N. Virginia)"
	// Offer and rate codes are the price list's own constants, as every
	// public copy of it shows: one for on-demand, one per kind of reserved
	// term and per price within it.
	codeOnDemand  = "JRTCKXETXF"
	codeHours     = "6YS6EN2CT7"
	codeUpfront   = "2TG2D8R56U"
	priceDate     = "2026-07-20T00:00:00Z"
	priceVersion  = "20260720000000"
	instanceHours = "Compute Instance"
)

// product is one row of the price list.
type product struct {
	sku        string
	family     string
	attributes map[string]string
	// micros is the on-demand price per hour; 0 is a real price, of what is
	// billed elsewhere.
	micros int64
	// reserved adds terms of Reserved Instances.
	reserved bool
}

// attribute is a filter's field.
func (p product) attribute(name string) string {
	switch name {
	case "sku":
		return p.sku
	case "productFamily":
		return p.family
	}
	return p.attributes[name]
}

// priceAttributes lists the names to filter by.
func priceAttributes() []string {
	return []string{
		"availabilityzone", "capacitystatus", "currentGeneration", "gpu", "instanceFamily", "instanceType", "licenseModel",
		"location", "locationType", "marketoption", "memory", "operatingSystem", "operation", "preInstalledSw",
		"productFamily", "regionCode", "servicecode", "servicename", "sku", "tenancy", "usagetype", "vcpu",
	}
}

// variant is a way in which an instance type is sold, with its part of the
// plain price in thousandths. Dedicated tenancy and licenses are invented;
// that an allocated reservation and an instance on a host are for nothing,
// and an unused reservation costs what an instance does, is UNVERIFIED.
type variant struct {
	system, software, tenancy, status, license string
	// usage and operation are the codes of the bill.
	usage, operation string
	rate             int64
}

func variants() []variant {
	const none, included = "No License required", "License Included"
	return []variant{
		{"Linux", "NA", "Shared", "AllocatedCapacityReservation", none, "Reservation", "RunInstances", 0},
		{"Linux", "NA", "Shared", "UnusedCapacityReservation", none, "UnusedBox", "RunInstances", 1000},
		{"Linux", "NA", "Shared", "Used", none, "BoxUsage", "RunInstances", 1000},
		{"Linux", "NA", "Dedicated", "Used", none, "DedicatedUsage", "RunInstances", 1060},
		{"Linux", "NA", "Host", "AllocatedHost", none, "HostBoxUsage", "RunInstances", 0},
		{"Linux", "SQL Web", "Shared", "Used", none, "BoxUsage", "RunInstances:0200", 1120},
		{"RHEL", "NA", "Shared", "Used", none, "BoxUsage", "RunInstances:0010", 1090},
		{"Windows", "NA", "Shared", "Used", included, "BoxUsage", "RunInstances:0002", 1350},
		{"Windows", "NA", "Shared", "Used", "Bring your own license", "BoxUsage", "RunInstances:0800", 1000},
	}
}

// products lists all rows, in the order of their codes, which says nothing.
func (s *Simulator) products() []product {
	var all []product
	for name, micros := range s.prices {
		if s.catalog.Types[name] == nil {
			continue
		}
		for _, v := range variants() {
			all = append(all, s.product(name, v, share(micros, v.rate)))
		}
	}
	slices.SortFunc(all, func(a, b product) int { return strings.Compare(a.sku, b.sku) })
	return all
}

func (s *Simulator) product(name string, v variant, micros int64) product {
	generation := "No"
	if slices.Contains(s.catalog.lookup(name, "currentGeneration"), "true") {
		generation = "Yes"
	}
	p := product{
		sku: priceCode(name, v), family: instanceHours, micros: micros,
		reserved: v.usage == "BoxUsage" && v.operation == "RunInstances",
		attributes: map[string]string{
			"availabilityzone": "NA", "capacitystatus": v.status, "currentGeneration": generation,
			"gpu": strconv.Itoa(s.catalog.whole(name, "gpuInfo", "gpus", "count")), "instanceFamily": "GPU instance",
			"instanceType": name, "licenseModel": v.license, "location": priceLocation, "locationType": "AWS Region",
			"marketoption": "OnDemand", "memory": strconv.Itoa(s.catalog.whole(name, "memoryInfo", "sizeInMiB")/1024) + " GiB",
			"operatingSystem": v.system, "operation": v.operation, "preInstalledSw": v.software, "regionCode": priceRegion,
			"servicecode": priceService, "servicename": "Amazon Elastic Compute Cloud", "tenancy": v.tenancy,
			"usagetype": v.usage + ":" + name, "vcpu": strconv.Itoa(s.catalog.vcpus(name)),
		},
	}
	if strings.HasSuffix(name, ".metal") {
		p.family = "Compute Instance (bare metal)"
	}
	return p
}

// priceCode makes a product's code, of sixteen capitals and digits.
func priceCode(parts ...any) string {
	return strings.ToUpper(hexHash([]byte(fmt.Sprint(parts...)))[:16])
}

// rate is a price within a term.
type rate struct {
	code, unit, description string
	micros                  int64
}

// term renders an offer term.
func (p product) term(code string, attributes map[string]string, rates ...rate) map[string]any {
	dimensions := map[string]any{}
	for _, r := range rates {
		key := p.sku + "." + code + "." + r.code
		d := map[string]any{
			"unit": r.unit, "description": r.description, "appliesTo": []string{}, "rateCode": key,
			"pricePerUnit": map[string]string{"USD": dollars(r.micros, 10)},
		}
		if r.unit == "Hrs" {
			d["beginRange"], d["endRange"] = "0", "Inf"
		}
		dimensions[key] = d
	}
	return map[string]any{
		"sku": p.sku, "offerTermCode": code, "effectiveDate": priceDate, "termAttributes": attributes,
		"priceDimensions": dimensions,
	}
}

// reservedTerms are terms of Reserved Instances, which a careless reader takes
// for prices. Their discounts are those of host reservations (invented).
func (p product) reservedTerms() map[string]any {
	terms := map[string]any{}
	for _, plan := range hostPlans() {
		o := plan.offer(priceRegion, p.attributes["instanceType"], p.micros)
		code := priceCode("reserved", plan)[:10]
		rates := []rate{{codeHours, "Hrs", p.attributes["instanceType"] + " reserved instance applied", o.Hourly}}
		if o.Upfront > 0 {
			rates = append(rates, rate{codeUpfront, "Quantity", "Upfront Fee", o.Upfront})
		}
		option := strings.Replace(plan.payment, "Upfront", " Upfront", 1)
		terms[p.sku+"."+code] = p.term(code, map[string]string{
			"LeaseContractLength": strconv.Itoa(plan.seconds/oneYear) + "yr", "OfferingClass": "standard", "PurchaseOption": option,
		}, rates...)
	}
	return terms
}

// offer renders the product as the price list's own document.
func (p product) offer() (string, error) {
	description := fmt.Sprintf("$%s per %s %s %s Instance Hour",
		dollars(p.micros, 6), p.attributes["capacitystatus"], p.attributes["operatingSystem"], p.attributes["instanceType"])
	terms := map[string]any{"OnDemand": map[string]any{
		p.sku + "." + codeOnDemand: p.term(codeOnDemand, map[string]string{}, rate{codeHours, "Hrs", description, p.micros}),
	}}
	if p.reserved {
		terms["Reserved"] = p.reservedTerms()
	}
	attributes := maps.Clone(p.attributes)
	// The market option is a filter; the document has the terms for it.
	delete(attributes, "marketoption")
	data, err := json.Marshal(map[string]any{
		"product":         map[string]any{"productFamily": p.family, "sku": p.sku, "attributes": attributes},
		"serviceCode":     priceService,
		"terms":           terms,
		"version":         priceVersion,
		"publicationDate": priceDate,
	})
	return string(data), err
}
