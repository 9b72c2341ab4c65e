package catalog

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

//go:embed data/*.csv
var files embed.FS

const (
	sourcesFile = "sources.csv"
	modelsFile  = "gpu_models.csv"

	typesSuffix  = "_instance_types.csv"
	zonesSuffix  = "_zones.csv"
	pricesSuffix = "_prices.csv"
)

// loader builds a catalog from one set of files.
type loader struct {
	fsys      fs.FS
	citations map[string]string // by source name
	catalog   *Catalog
}

// Load parses and checks every embedded row. It reads the files anew at each
// call; the rows fail this package's tests before they could fail a user.
func Load() (*Catalog, error) {
	fsys, err := fs.Sub(files, "data")
	if err != nil {
		return nil, fmt.Errorf("load catalog: %w", err)
	}
	c, err := load(fsys)
	if err != nil {
		return nil, fmt.Errorf("load catalog: %w", err)
	}
	return c, nil
}

func load(fsys fs.FS) (*Catalog, error) {
	l := &loader{
		fsys:      fsys,
		citations: make(map[string]string),
		catalog:   &Catalog{models: make(map[gpu.Model]GPUModel), clouds: make(map[string]*offers)},
	}
	if err := l.each(sourcesFile, []string{"source", "citation"}, l.source); err != nil {
		return nil, err
	}
	if err := l.each(modelsFile, withProvenance("gpu_model", "vendor", "name", "memory_gb"), l.model); err != nil {
		return nil, err
	}
	// Types come first: prices and zones refer to them.
	for _, table := range []struct {
		suffix string
		read   func(o *offers, cloud, file string) error
	}{{typesSuffix, l.types}, {zonesSuffix, l.zones}, {pricesSuffix, l.prices}} {
		if err := l.byCloud(table.suffix, table.read); err != nil {
			return nil, err
		}
	}
	return l.catalog, nil
}

// byCloud hands every file of a suffix to read, with the cloud it is named for.
// Only a file of types makes a cloud.
func (l *loader) byCloud(suffix string, read func(o *offers, cloud, file string) error) error {
	names, err := fs.Glob(l.fsys, "*"+suffix)
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	for _, file := range names {
		cloud := strings.TrimSuffix(file, suffix)
		if suffix == typesSuffix {
			l.catalog.clouds[cloud] = newOffers()
		}
		o, ok := l.catalog.clouds[cloud]
		if !ok {
			return fmt.Errorf("%s: %w: there is no %s", file, errTable, cloud+typesSuffix)
		}
		if err := read(o, cloud, file); err != nil {
			return err
		}
	}
	return nil
}

// each hands every row of a table to read and stops at the first bad one.
func (l *loader) each(file string, columns []string, read func(*row)) error {
	rows, err := readTable(l.fsys, file, columns)
	if err != nil {
		return err
	}
	for _, r := range rows {
		read(r)
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

func (l *loader) source(r *row) {
	add(r, l.citations, "source", r.text("source"), r.text("citation"))
}

func (l *loader) model(r *row) {
	m := GPUModel{
		ID:         gpu.Model(r.text("gpu_model")),
		Vendor:     r.text("vendor"),
		Name:       r.text("name"),
		MemoryGB:   r.count("memory_gb"),
		Provenance: r.provenance(l.citations),
	}
	add(r, l.catalog.models, "gpu_model", m.ID, m)
}

func (l *loader) types(o *offers, cloud, file string) error {
	columns := []string{
		"instance_type", "gpu_model", "gpus_per_instance", "gpu_memory_mib", "vcpus", "memory_mib", "quota_class", "quota", "note",
	}
	return l.each(file, withProvenance(columns...), func(r *row) {
		t := InstanceType{
			Cloud:        cloud,
			Name:         r.text("instance_type"),
			GPUModel:     gpu.Model(r.text("gpu_model")),
			GPUs:         r.gpus("gpus_per_instance"),
			GPUMemoryMiB: r.count("gpu_memory_mib"),
			VCPUs:        r.count("vcpus"),
			MemoryMiB:    r.count("memory_mib"),
			QuotaClass:   r.optional("quota_class"),
			Quota:        r.optional("quota"),
			Note:         r.optional("note"),
			Provenance:   r.provenance(l.citations),
		}
		if (t.QuotaClass == "") != (t.Quota == "") {
			r.fail("quota", fmt.Errorf("%q with class %q: %w: give both or neither", t.Quota, t.QuotaClass, errUnknown))
		}
		refer(r, l.catalog.models, "gpu_model", t.GPUModel)
		add(r, o.types, "instance_type", t.Name, t)
	})
}

func (l *loader) zones(o *offers, _, file string) error {
	columns := withProvenance("region", "zone", "zone_id", "naming", "instance_types")
	return l.each(file, columns, func(r *row) {
		z := zone{
			Zone: Zone{
				Region:     r.text("region"),
				Name:       r.text("zone"),
				ID:         r.text("zone_id"),
				PerAccount: r.oneOf("naming", "uniform", "account") == "account",
				Provenance: r.provenance(l.citations),
			},
			types: strings.Fields(r.optional("instance_types")),
		}
		for _, t := range z.types {
			refer(r, o.types, "instance_types", t)
			o.zoned[t] = true
		}
		before := o.zones[z.Region]
		o.zones[z.Region] = append(before, z)
		o.name(r, z)
		if z.ID != z.Name {
			add(r, o.places, "zone_id", z.ID, place{z, true})
		}
		if len(before) > 0 && before[len(before)-1].Name >= z.Name {
			r.fail("zone", fmt.Errorf("%q: %w: out of order", z.Name, errTable))
		}
	})
}

// name files a zone under its name. Where zones are only numbered, the same name
// stands in every region and leads nowhere.
func (o *offers) name(r *row, z zone) {
	if other, ok := o.places[z.Name]; ok && z.PerAccount && other.zone.Region != z.Region {
		o.places[z.Name] = place{}
		return
	}
	add(r, o.places, "zone", z.Name, place{z, !z.PerAccount})
}

func (l *loader) prices(o *offers, _, file string) error {
	columns := withProvenance("region", "instance_type", "kind", "micros_per_hour", "currency")
	return l.each(file, columns, func(r *row) {
		key := priceKey{r.text("region"), r.text("instance_type"), r.oneOf("kind", OnDemand)}
		p := Price{
			PerHour:    money.Money{Micros: r.count("micros_per_hour"), Currency: r.text("currency")},
			Provenance: r.provenance(l.citations),
		}
		if !money.IsCurrency(p.PerHour.Currency) {
			r.fail("currency", fmt.Errorf("%q: %w", p.PerHour.Currency, errUnknown))
		}
		refer(r, o.zones, "region", key.region)
		refer(r, o.types, "instance_type", key.instanceType)
		add(r, o.prices, "instance_type", key, p)
	})
}

// add files a value under its key, which must be new.
func add[K comparable, V any](r *row, to map[K]V, column string, key K, value V) {
	if _, taken := to[key]; taken {
		r.fail(column, fmt.Errorf("%v: %w", key, errDuplicate))
		return
	}
	to[key] = value
}

// refer checks that a key names a row read before.
func refer[K comparable, V any](r *row, in map[K]V, column string, key K) {
	if _, ok := in[key]; !ok {
		r.fail(column, fmt.Errorf("%v: %w", key, errReference))
	}
}
