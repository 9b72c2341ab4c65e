package catalog

import (
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// good is the smallest set of files that uses every column.
func good() map[string]string {
	return map[string]string{
		"sources.csv":    "source,citation\ndocs,the manual of 2026\npage,a page\n",
		"gpu_models.csv": "gpu_model,vendor,name,memory_gb,as_of,verification,source\nL4,NVIDIA,L4,24,2026-05,read,docs\n",
		"x_instance_types.csv": "instance_type,gpu_model,gpus_per_instance,gpu_memory_mib,vcpus,memory_mib,quota_class,quota,note,as_of,verification,source\n" +
			"one.large,L4,1/8,2861,2,8192,G,L-1,,2026-05-20,recalled,docs page\n",
		"x_zones.csv":  "region,zone,zone_id,naming,instance_types,as_of,verification,source\nr1,r1-a,id1,account,one.large,2026-05,read,docs\n",
		"x_prices.csv": "region,instance_type,kind,micros_per_hour,currency,as_of,verification,source\nr1,one.large,on_demand,202000,USD,2026-05,read,docs\n",
	}
}

func fsOf(files map[string]string) fs.FS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestLoadReadsEveryColumn(t *testing.T) {
	t.Parallel()
	c, err := load(fsOf(good()))
	if err != nil {
		t.Fatal(err)
	}
	eighth, err := gpu.NewFraction(1, 8)
	if err != nil {
		t.Fatal(err)
	}
	wantType := InstanceType{
		Cloud: "x", Name: "one.large", GPUModel: "L4", GPUs: eighth, GPUMemoryMiB: 2861, VCPUs: 2, MemoryMiB: 8192,
		QuotaClass: "G", Quota: "L-1",
		Provenance: Provenance{AsOf: "2026-05-20", Verification: Recalled, Source: "the manual of 2026; a page"},
	}
	if got, ok := c.InstanceType("x", "one.large"); !ok || got != wantType {
		t.Errorf("InstanceType = %+v, %t, want %+v", got, ok, wantType)
	}
	read := Provenance{AsOf: "2026-05", Verification: Read, Source: "the manual of 2026"}
	wantModel := GPUModel{ID: "L4", Vendor: "NVIDIA", Name: "L4", MemoryGB: 24, Provenance: read}
	if got, ok := c.GPUModel("L4"); !ok || got != wantModel {
		t.Errorf("GPUModel = %+v, %t, want %+v", got, ok, wantModel)
	}
	wantPrice := Price{PerHour: money.Money{Micros: 202_000, Currency: "USD"}, Provenance: read}
	if got, ok := c.Price("x", "r1", "one.large", OnDemand); !ok || got != wantPrice {
		t.Errorf("Price = %+v, %t, want %+v", got, ok, wantPrice)
	}
	wantZone := Zone{Region: "r1", Name: "r1-a", ID: "id1", PerAccount: true, Provenance: read}
	if got := c.Zones("x", "r1"); len(got) != 1 || got[0] != wantZone {
		t.Errorf("Zones = %+v, want %+v", got, wantZone)
	}
}

func TestLoadRefusesCell(t *testing.T) {
	t.Parallel()
	const (
		types  = "x_instance_types.csv"
		zones  = "x_zones.csv"
		prices = "x_prices.csv"
		models = "gpu_models.csv"
	)
	for _, c := range []struct {
		file, old, new string
		column         string
		want           error
	}{
		{"sources.csv", "page,a page", "docs,again", "source", errDuplicate},
		{"sources.csv", "the manual of 2026", "", "citation", errEmpty},
		{models, "L4,NVIDIA", ",NVIDIA", "gpu_model", errEmpty},
		{models, "NVIDIA", " NVIDIA", "vendor", errEmpty},
		{models, ",24,", ",24.5,", "memory_gb", errPositive},
		{models, "2026-05", "May 2026", "as_of", errDate},
		{models, "2026-05", "2026-13", "as_of", errDate},
		{models, "2026-05", "2026-02-30", "as_of", errDate},
		{models, ",read,", ",sure,", "verification", errUnknown},
		{models, ",docs", ",hearsay", "source", errReference},
		{models, ",docs", ",", "source", errEmpty},
		{types, "large,L4", "large,L5", "gpu_model", errReference},
		{types, "1/8", "0", "gpus_per_instance", errZero},
		{types, "1/8", "0.125", "gpus_per_instance", errUnknown},
		{types, "1/8", "2/16", "gpus_per_instance", errUnknown},
		{types, "1/8", "-1", "gpus_per_instance", gpu.ErrFraction},
		{types, "2861", "0", "gpu_memory_mib", errPositive},
		{types, ",2,", ",-2,", "vcpus", errPositive},
		{types, "8192", "8 GiB", "memory_mib", errPositive},
		{types, "L-1", "", "quota", errUnknown},
		{types, ",G,", ",,", "quota", errUnknown},
		{types, "docs page", "docs  page", "source", errReference},
		{zones, "account", "random", "naming", errUnknown},
		{zones, "one.large", "two.large", "instance_types", errReference},
		{zones, "id1", "", "zone_id", errEmpty},
		{prices, "r1,", "r2,", "region", errReference},
		{prices, "one.large", "two.large", "instance_type", errReference},
		{prices, "on_demand", "spot", "kind", errUnknown},
		{prices, "202000", "0.202", "micros_per_hour", errPositive},
		{prices, "USD", "usd", "currency", errUnknown},
	} {
		files := good()
		head, body, _ := strings.Cut(files[c.file], "\n")
		if !strings.Contains(body, c.old) {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		files[c.file] = head + "\n" + strings.Replace(body, c.old, c.new, 1)
		_, err := load(fsOf(files))
		var cell *cellError
		if !errors.Is(err, c.want) || !errors.As(err, &cell) || cell.file != c.file || cell.column != c.column || cell.line < 2 {
			t.Errorf("%s with %q for %q: %v, want %v in column %s", c.file, c.new, c.old, err, c.want, c.column)
		}
	}
}

// A quota that is not known is left out, with its class.
func TestLoadWithoutQuota(t *testing.T) {
	t.Parallel()
	files := good()
	files["x_instance_types.csv"] = strings.Replace(files["x_instance_types.csv"], ",G,L-1,", ",,,", 1)
	c, err := load(fsOf(files))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := c.InstanceType("x", "one.large"); !ok || got.QuotaClass != "" || got.Quota != "" {
		t.Errorf("InstanceType = %+v, %t, want no quota", got, ok)
	}
}

func TestLoadRefusesSecondRow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, row string
		column    string
		want      error
	}{
		{"gpu_models.csv", "L4,NVIDIA,L4 again,24,2026-05,read,docs", "gpu_model", errDuplicate},
		{"x_instance_types.csv", "one.large,L4,1,22888,4,8192,G,L-1,,2026-05,read,docs", "instance_type", errDuplicate},
		{"x_zones.csv", "r1,r1-a,id2,uniform,,2026-05,read,docs", "zone", errDuplicate},
		{"x_zones.csv", "r1,r1-b,id1,uniform,,2026-05,read,docs", "zone_id", errDuplicate},
		{"x_zones.csv", "r1,r1-0,id0,uniform,,2026-05,read,docs", "zone", errTable},
		{"x_zones.csv", "r1,r1-a,id2,account,,2026-05,read,docs", "zone", errDuplicate},
		{"x_zones.csv", "r2,r1-a,id2,uniform,,2026-05,read,docs", "zone", errDuplicate},
		{"x_prices.csv", "r1,one.large,on_demand,1,USD,2026-05,read,docs", "instance_type", errDuplicate},
	} {
		files := good()
		files[c.file] += c.row + "\n"
		_, err := load(fsOf(files))
		var cell *cellError
		if !errors.Is(err, c.want) || !errors.As(err, &cell) || cell.column != c.column || cell.line != 3 {
			t.Errorf("%s with %q: %v, want %v in line 3, column %s", c.file, c.row, err, c.want, c.column)
		}
	}
}

// A name that stands in several regions leads to no zone, its id does.
func TestLoadNumberedZones(t *testing.T) {
	t.Parallel()
	files := good()
	for _, row := range []string{"r2,r1-a,id2,account,one.large", "r3,r1-a,id3,account,"} {
		files["x_zones.csv"] += row + ",2026-05,read,docs\n"
	}
	c, err := load(fsOf(files))
	if err != nil {
		t.Fatal(err)
	}
	for zone, want := range map[string][2]bool{"r1-a": {}, "id1": {true, true}, "id2": {true, true}, "id3": {true, false}} {
		if known, offered := c.Offered("x", zone, "one.large"); known != want[0] || offered != want[1] {
			t.Errorf("Offered(%s) = %t, %t, want %v", zone, known, offered, want)
		}
	}
	if zones := c.Zones("x", "r2"); len(zones) != 1 || zones[0].Name != "r1-a" {
		t.Errorf("zones of r2: %+v", zones)
	}
	files["x_zones.csv"] += "r3,r1-a,id4,account,,2026-05,read,docs\n"
	if _, err := load(fsOf(files)); !errors.Is(err, errTable) {
		t.Errorf("the same name twice in a region: %v", err)
	}
}

func TestLoadRefusesTable(t *testing.T) {
	t.Parallel()
	for file := range maps.Keys(good()) {
		files := good()
		files[file], _, _ = strings.Cut(files[file], "\n")
		if _, err := load(fsOf(files)); !errors.Is(err, errTable) {
			t.Errorf("%s without rows: %v, want errTable", file, err)
		}
		files = good()
		files[file] = strings.Replace(files[file], "source", "origin", 1)
		if _, err := load(fsOf(files)); !errors.Is(err, errTable) {
			t.Errorf("%s with a column renamed: %v, want errTable", file, err)
		}
		files = good()
		files[file] += "only one cell\n"
		if _, err := load(fsOf(files)); err == nil {
			t.Errorf("%s with a short row was accepted", file)
		}
	}
	files := good()
	delete(files, "x_instance_types.csv")
	if _, err := load(fsOf(files)); !errors.Is(err, errTable) {
		t.Errorf("zones and prices of a cloud without types: %v, want errTable", err)
	}
	files = good()
	delete(files, "sources.csv")
	if _, err := load(fsOf(files)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no sources: %v, want ErrNotExist", err)
	}
}

// TestEveryFileIsRead keeps a file whose name fits no table from being shipped
// unread.
func TestEveryFileIsRead(t *testing.T) {
	t.Parallel()
	entries, err := fs.ReadDir(files, "data")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{sourcesFile: true, modelsFile: true}
	for cloud := range c.clouds {
		for _, suffix := range []string{typesSuffix, zonesSuffix, pricesSuffix} {
			want[cloud+suffix] = true
		}
	}
	for _, e := range entries {
		if !want[e.Name()] {
			t.Errorf("data/%s belongs to no table", e.Name())
		}
	}
}

// TestEverySourceIsCited keeps sources.csv free of left-overs.
func TestEverySourceIsCited(t *testing.T) {
	t.Parallel()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var cited strings.Builder
	for _, m := range c.models {
		cited.WriteString(m.Source + "\n")
	}
	for _, o := range c.clouds {
		for _, it := range o.types {
			cited.WriteString(it.Source + "\n")
		}
		for _, p := range o.prices {
			cited.WriteString(p.Source + "\n")
		}
		for _, p := range o.places {
			cited.WriteString(p.zone.Source + "\n")
		}
	}
	rows, err := readTable(files, "data/"+sourcesFile, []string{"source", "citation"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !strings.Contains(cited.String(), r.text("citation")) {
			t.Errorf("no row cites %s", r.text("source"))
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEveryModelIsSold keeps the models to those that some type holds.
func TestEveryModelIsSold(t *testing.T) {
	t.Parallel()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	sold := make(map[gpu.Model]bool)
	for _, o := range c.clouds {
		for _, it := range o.types {
			sold[it.GPUModel] = true
		}
	}
	for id, m := range c.models {
		if !sold[id] {
			t.Errorf("no type has a %s", id)
		}
		vendor := "NVIDIA"
		if strings.HasPrefix(string(id), "Radeon") || strings.HasPrefix(string(id), "MI") {
			vendor = "AMD"
		}
		if m.Vendor != vendor {
			t.Errorf("%s is made by %q, want %s", id, m.Vendor, vendor)
		}
		if m.MemoryGB < 8 || m.MemoryGB > 288 {
			t.Errorf("%s has %d GB", id, m.MemoryGB)
		}
	}
}
