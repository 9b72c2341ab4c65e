package aws_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	describeTypes = "DescribeInstanceTypes"
	getQuota      = "GetServiceQuota"
)

func typeItem(name string, vcpus int, more string) string {
	return fmt.Sprintf(`<item><instanceType>%s</instanceType><vCpuInfo><defaultVCpus>%d</defaultVCpus></vCpuInfo>`+
		`<memoryInfo><sizeInMiB>1024</sizeInMiB></memoryInfo>%s</item>`, name, vcpus, more)
}

func gpuInfo(model string, count, logical int, size string, total int) string {
	return fmt.Sprintf(`<gpuInfo><gpus><item><name>%s</name><count>%d</count><logicalGpuCount>%d</logicalGpuCount>`+
		`<gpuPartitionSize>%s</gpuPartitionSize></item></gpus><totalGpuMemoryInMiB>%d</totalGpuMemoryInMiB></gpuInfo>`,
		model, count, logical, size, total)
}

func typesAnswer(next string, items ...string) answer {
	return answer{body: `<DescribeInstanceTypesResponse><instanceTypeSet>` + strings.Join(items, "") + `</instanceTypeSet><nextToken>` +
		next + `</nextToken></DescribeInstanceTypesResponse>`}
}

func TestInstanceTypes(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(describeTypes,
		typesAnswer("more", typeItem("g6f.large", 2, gpuInfo("L4", 0, 1, "0.125", 2861)), typeItem("m7i.large", 2, "")),
		typesAnswer("", typeItem("p5.48xlarge", 192, gpuInfo("H100", 8, 8, "1.0", 655360)),
			typeItem("g5.xlarge", 4, `<gpuInfo><gpus><item><name>A10G</name><count>1</count></item></gpus></gpuInfo>`),
			typeItem("trn1.2xlarge", 8, `<neuronInfo><neuronDevices><item><name>Trainium</name><count>1</count></item></neuronDevices>`+
				`<totalNeuronDeviceMemoryInMiB>32768</totalNeuronDeviceMemoryInMiB></neuronInfo>`)))
	got, err := s.cloud().InstanceTypes(t.Context(), "", region)
	if err != nil {
		t.Fatal(err)
	}
	want := []cloud.InstanceType{
		{Name: "g6f.large", VCPUs: 2, GPUModel: "L4", GPUs: "1/8", GPUMemoryMiB: 2861, MemoryMiB: 1024},
		{Name: "p5.48xlarge", VCPUs: 192, GPUModel: "H100", GPUs: "8", GPUMemoryMiB: 655360, MemoryMiB: 1024},
		{Name: "g5.xlarge", VCPUs: 4, GPUModel: "A10G", GPUs: "1", MemoryMiB: 1024},
		{Name: "trn1.2xlarge", VCPUs: 8, GPUModel: "Trainium", GPUs: "1", GPUMemoryMiB: 32768, MemoryMiB: 1024},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantForm(t, s.sent(describeTypes, 0).form, map[string]string{"MaxResults": "100"})
	wantForm(t, s.sent(describeTypes, 1).form, map[string]string{"MaxResults": "100", "NextToken": "more"})
}

func TestInstanceTypesByName(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(describeTypes, typesAnswer("", typeItem("m7i.large", 2, "")))
	c := s.cloud()
	got, err := c.InstanceTypes(t.Context(), "", region, "m7i.large", "x9.nosuchtype", "p*")
	if err != nil || len(got) != 1 || got[0].Name != "m7i.large" {
		t.Errorf("got %+v, %v", got, err)
	}
	wantForm(t, s.sent(describeTypes, 0).form, map[string]string{
		"MaxResults": "100", "Filter.1.Name": "instance-type", "Filter.1.Value.1": "m7i.large", "Filter.1.Value.2": "x9.nosuchtype",
	})
	if got, err := c.InstanceTypes(t.Context(), "", region, "*"); err != nil || len(got) != 0 {
		t.Errorf("a wildcard gives %v, %v", got, err)
	}
	names := make([]string, 201)
	for i := range names {
		names[i] = fmt.Sprintf("t%d.nano", i)
	}
	if _, err := c.InstanceTypes(t.Context(), "", region, names...); err != nil {
		t.Fatal(err)
	}
	if n := len(s.sent(describeTypes, 1).form); n != 200+4 {
		t.Errorf("%d parameters in the first of two calls", n)
	}
	wantForm(t, s.sent(describeTypes, 2).form, map[string]string{
		"MaxResults": "100", "Filter.1.Name": "instance-type", "Filter.1.Value.1": "t200.nano",
	})
}

func TestInstanceTypesFail(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	c := s.cloud()
	for code, a := range map[cloud.Code]answer{
		cloud.Internal: {}, cloud.PermissionDenied: refused(403, "UnauthorizedOperation", "no"),
	} {
		s.on(describeTypes, a)
		if got, err := c.InstanceTypes(t.Context(), "", region); cloud.CodeOf(err) != code || got != nil {
			t.Errorf("got %v, %v; want %s", got, err, code)
		}
	}
}

func TestBlockDrawsOnNoQuota(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	if got, err := s.cloud().Quotas(t.Context(), week()); err != nil || got == nil || len(got) > 0 {
		t.Errorf("got %v, %v", got, err)
	}
	s.wantActions()
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(getQuota, answer{body: `{"Quota":{"QuotaCode":"L-417A185B","Value":384.0}}`})
	s.on(describeTypes, typesAnswer("", typeItem("p5.48xlarge", 192, "")))
	c := s.cloud()
	want := []cloud.Quota{{
		Scope: cloud.QuotaScope{AccountID: account, Region: region, Quota: "L-417A185B"}, Unit: "vCPU", Limit: 384, Need: 384,
	}}
	for range 2 {
		got, err := c.Quotas(t.Context(), wish())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	if body := s.sent(getQuota, 0).body; body != `{"QuotaCode":"L-417A185B","ServiceCode":"ec2"}` {
		t.Errorf("sent %s", body)
	}
	if n := len(slices.DeleteFunc(s.actions(), func(a string) bool { return a != describeTypes })); n != 1 {
		t.Errorf("the type was described %d times", n)
	}
}

func TestQuotasOfHostsAreNotKnown(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	if _, err := s.cloud().Quotas(t.Context(), hostWish()); cloud.CodeOf(err) != cloud.NotFound {
		t.Error(err)
	}
	s.wantActions()
}

func TestQuotasNotKnown(t *testing.T) {
	t.Parallel()
	jsonError := func(status int, name string) answer {
		return answer{status: status, body: `{"__type":"` + name + `","message":"m"}`, header: map[string]string{"X-Amzn-Errortype": name}}
	}
	tests := map[string]struct {
		instanceType string
		quota, types answer
		code         cloud.Code
	}{
		"denied":          {"p5.48xlarge", jsonError(400, "AccessDeniedException"), answer{}, cloud.PermissionDenied},
		"no such quota":   {"p5.48xlarge", jsonError(400, "NoSuchResourceException"), answer{}, cloud.NotFound},
		"throttled":       {"p5.48xlarge", jsonError(400, "TooManyRequestsException"), answer{}, cloud.Throttled},
		"empty answer":    {"p5.48xlarge", answer{body: "{}"}, answer{}, cloud.Internal},
		"unknown family":  {"trn1.2xlarge", answer{}, answer{}, cloud.NotFound},
		"unknown type":    {"p9.large", answer{body: `{"Quota":{"Value":1}}`}, typesAnswer(""), cloud.NotFound},
		"types forbidden": {"p9.large", answer{body: `{"Quota":{"Value":1}}`}, refused(403, "UnauthorizedOperation", ""), cloud.PermissionDenied},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(getQuota, test.quota)
			s.on(describeTypes, test.types)
			w := wish()
			w.InstanceType = test.instanceType
			if _, err := s.cloud().Quotas(t.Context(), w); cloud.CodeOf(err) != test.code {
				t.Errorf("got %v (%s), want %s", err, cloud.CodeOf(err), test.code)
			}
		})
	}
}

func TestNow(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.date = start.Add(40 * 24 * time.Hour)
	s.on(describe, described(""))
	c := s.cloud()
	wantNow := func(want time.Time, actions ...string) {
		t.Helper()
		got, err := c.Now(t.Context(), "", region)
		if err != nil || !got.Equal(want) {
			t.Errorf("now is %v, %v; want %v", got, err, want)
		}
		s.wantActions(actions...)
	}
	wantNow(s.date, "GetCallerIdentity")
	s.clock.Advance(30*time.Second + 7) // an answer tells no parts of a second
	wantNow(s.date.Add(30*time.Second), "GetCallerIdentity")
	if _, err := c.List(t.Context(), cloud.Scope{Region: region, Kind: cloud.OnDemand}); err != nil {
		t.Fatal(err)
	}
	wantNow(s.date, "GetCallerIdentity", describe)
	s.clock.Advance(2 * time.Minute)
	wantNow(s.date, "GetCallerIdentity", describe, "GetCallerIdentity")
}
