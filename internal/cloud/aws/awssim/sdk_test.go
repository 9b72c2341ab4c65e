package awssim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The real client, with the virtual clock years away from the machine's: it
// corrects its signing clock by the Date header.

func (s *stage) config() aws.Config {
	return aws.Config{
		Region:       s.region,
		BaseEndpoint: aws.String(s.url),
		Credentials:  credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", ""),
	}
}

func apiCode(err error) string {
	var apiErr smithy.APIError
	if errors.As(err, &apiErr) {
		return apiErr.ErrorCode()
	}
	return ""
}

func TestSDKLifeOfAReservation(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	client := ec2.NewFromConfig(s.config())
	made, err := client.CreateCapacityReservation(ctx, &ec2.CreateCapacityReservationInput{
		InstanceType: aws.String("p4d.24xlarge"), InstancePlatform: types.CapacityReservationInstancePlatformLinuxUnix,
		InstanceCount: aws.Int32(2), AvailabilityZone: aws.String("us-east-1b"), ClientToken: aws.String("t1"),
		EndDateType: types.EndDateTypeLimited, EndDate: aws.Time(now().Add(48*time.Hour + 678*time.Millisecond)),
		InstanceMatchCriteria: types.InstanceMatchCriteriaTargeted,
		TagSpecifications: []types.TagSpecification{{
			ResourceType: types.ResourceTypeCapacityReservation,
			Tags:         []types.Tag{{Key: aws.String("k"), Value: aws.String("v & <w>")}, {Key: aws.String("e"), Value: aws.String("")}},
		}},
	})
	s.ok(err)
	id := aws.ToString(made.CapacityReservation.CapacityReservationId)
	_, err = client.ModifyCapacityReservation(ctx, &ec2.ModifyCapacityReservationInput{
		CapacityReservationId: aws.String(id), InstanceCount: aws.Int32(5), EndDateType: types.EndDateTypeUnlimited,
	})
	s.ok(err)
	_, err = client.CreateTags(ctx, &ec2.CreateTagsInput{
		Resources: []string{id}, Tags: []types.Tag{{Key: aws.String("n"), Value: aws.String("1")}},
	})
	s.ok(err)
	_, err = client.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: []types.Tag{{Key: aws.String("e")}}})
	s.ok(err)
	seen, err := client.DescribeCapacityReservations(ctx, &ec2.DescribeCapacityReservationsInput{
		Filters: []types.Filter{{Name: aws.String("tag:k"), Values: []string{"v*"}}},
	})
	s.ok(err)
	got := seen.CapacityReservations[0]
	if aws.ToInt32(got.TotalInstanceCount) != 5 || got.State != types.CapacityReservationStateActive || got.EndDate != nil ||
		got.EndDateType != types.EndDateTypeUnlimited || len(got.Tags) != 2 ||
		aws.ToString(got.CapacityReservationArn) != "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/"+id {
		t.Errorf("reservation %+v", got)
	}
	_, err = client.CancelCapacityReservation(ctx, &ec2.CancelCapacityReservationInput{CapacityReservationId: aws.String(id)})
	s.ok(err)
	_, err = client.CancelCapacityReservation(ctx, &ec2.CancelCapacityReservationInput{CapacityReservationId: aws.String(id)})
	if apiCode(err) != "IncorrectState" {
		t.Errorf("cancelled twice: %v", err)
	}
}

func TestSDKSignsOnAfterAJumpOfTheClock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	client := ec2.NewFromConfig(s.config(), func(o *ec2.Options) { o.RetryMaxAttempts = 1 })
	for range 3 {
		if _, err := client.DescribeRegions(t.Context(), &ec2.DescribeRegionsInput{}); err != nil {
			t.Fatal(err)
		}
		s.ok(s.world.Advance(31 * time.Hour))
	}
}

func TestSDKPagesAndSurvivesThrottling(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for range 7 {
		s.create()
	}
	s.ok(s.world.SetPaging(sim.Paging{Cloud: "aws", Max: 3}))
	s.ok(s.world.AddFaults(sim.Fault{
		Cloud: "aws", Operation: "DescribeCapacityReservations", Times: 1, Status: 503, Code: "RequestLimitExceeded",
	}))
	pages := ec2.NewDescribeCapacityReservationsPaginator(ec2.NewFromConfig(s.config()), &ec2.DescribeCapacityReservationsInput{})
	ids := map[string]bool{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		s.ok(err)
		for _, r := range page.CapacityReservations {
			ids[aws.ToString(r.CapacityReservationId)] = true
		}
	}
	if len(ids) != 7 {
		t.Errorf("%d of 7 listed", len(ids))
	}
	calls, err := s.world.Calls(7)
	s.ok(err)
	attempts := []int{}
	for _, c := range calls {
		attempts = append(attempts, int(c.Attempt))
	}
	if len(attempts) != 4 || attempts[0] != 1 || attempts[1] != 2 || attempts[2] != 1 {
		t.Errorf("attempts %v", attempts)
	}
}

func TestSDKErrors(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(0)
	client := ec2.NewFromConfig(s.config(), func(o *ec2.Options) { o.RetryMaxAttempts = 1 })
	input := &ec2.CreateCapacityReservationInput{
		InstanceType: aws.String("p4d.24xlarge"), InstancePlatform: "Linux/UNIX", InstanceCount: aws.Int32(1),
		AvailabilityZone: aws.String("us-east-1a"),
	}
	if _, err := client.CreateCapacityReservation(t.Context(), input); apiCode(err) != "InsufficientInstanceCapacity" {
		t.Errorf("no stock: %v", err)
	}
	input.DryRun = aws.Bool(true)
	if _, err := client.CreateCapacityReservation(t.Context(), input); apiCode(err) != "DryRunOperation" {
		t.Errorf("dry run: %v", err)
	}
	s.ok(s.world.AddFaults(
		sim.Fault{Cloud: "aws", Operation: "DescribeRegions", Times: 1, Status: 502, Message: "<html><body>Bad Gateway</body></html>"},
		sim.Fault{Cloud: "aws", Operation: "DescribeRegions", Times: 1, Status: 200},
		sim.Fault{Cloud: "aws", Operation: "DescribeRegions", Times: 1, Drop: sim.DropBefore},
	))
	if _, err := client.DescribeRegions(t.Context(), &ec2.DescribeRegionsInput{}); apiCode(err) != "UnknownError" {
		t.Errorf("a proxy's page: %v", err)
	}
	if out, err := client.DescribeRegions(t.Context(), &ec2.DescribeRegionsInput{}); err != nil || out.Regions != nil {
		t.Errorf("an empty 200: %v, %v", out, err)
	}
	if _, err := client.DescribeRegions(t.Context(), &ec2.DescribeRegionsInput{}); err == nil || apiCode(err) != "" {
		t.Errorf("a lost answer: %v", err)
	}
}

func TestSDKTypesAndPlaces(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	client := ec2.NewFromConfig(s.config())
	seen, err := client.DescribeInstanceTypes(ctx, &ec2.DescribeInstanceTypesInput{
		InstanceTypes: []types.InstanceType{"g6f.large", "p5.48xlarge"},
	})
	s.ok(err)
	byName := map[types.InstanceType]types.InstanceTypeInfo{}
	for _, info := range seen.InstanceTypes {
		byName[info.InstanceType] = info
	}
	slice := byName["g6f.large"].GpuInfo.Gpus[0]
	if aws.ToInt32(slice.Count) != 0 || aws.ToInt32(slice.LogicalGpuCount) != 1 || aws.ToFloat64(slice.GpuPartitionSize) != 0.125 ||
		aws.ToInt32(slice.MemoryInfo.SizeInMiB) != 2861 {
		t.Errorf("g6f.large: %+v", slice)
	}
	if p5 := byName["p5.48xlarge"]; aws.ToInt32(p5.VCpuInfo.DefaultVCpus) != 192 || aws.ToInt32(p5.GpuInfo.Gpus[0].Count) != 8 {
		t.Errorf("p5.48xlarge: %+v", p5)
	}
	if offers := offersOf(s, client, "p4d.24xlarge"); len(offers) != 4 {
		t.Errorf("offers %+v", offers)
	}
	zones, err := client.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{})
	s.ok(err)
	if len(zones.AvailabilityZones) != 6 || aws.ToString(zones.AvailabilityZones[0].ZoneName) != "us-east-1a" {
		t.Errorf("zones %+v", zones.AvailabilityZones)
	}
}

func offersOf(s *stage, client *ec2.Client, instanceType string) []types.InstanceTypeOffering {
	s.t.Helper()
	offers, err := client.DescribeInstanceTypeOfferings(s.t.Context(), &ec2.DescribeInstanceTypeOfferingsInput{
		LocationType: types.LocationTypeAvailabilityZone,
		Filters:      []types.Filter{{Name: aws.String("instance-type"), Values: []string{instanceType}}},
	})
	s.ok(err)
	return offers.InstanceTypeOfferings
}

func TestSDKRolesHaveTheirOwnAccount(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	cfg := s.config()
	cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(s.config()),
		"arn:aws:iam::444455556666:role/path/reader", func(o *stscreds.AssumeRoleOptions) { o.ExternalID = aws.String("ext/1") }))
	who, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	s.ok(err)
	if aws.ToString(who.Account) != "444455556666" {
		t.Errorf("identity %+v", who)
	}
	own := s.create()
	client := ec2.NewFromConfig(cfg)
	if _, err := client.DescribeCapacityReservations(ctx, &ec2.DescribeCapacityReservationsInput{
		CapacityReservationIds: []string{own},
	}); apiCode(err) != "InvalidCapacityReservationId.NotFound" {
		t.Errorf("another account's reservation: %v", err)
	}
	value, err := cfg.Credentials.Retrieve(ctx)
	s.ok(err)
	for name, forged := range map[string]aws.CredentialsProvider{
		"wrong secret": credentials.NewStaticCredentialsProvider(value.AccessKeyID, "guess", value.SessionToken),
		"wrong token":  credentials.NewStaticCredentialsProvider(value.AccessKeyID, value.SecretAccessKey, "guess"),
		"other world":  credentials.NewStaticCredentialsProvider("ASIANOTHERE", value.SecretAccessKey, value.SessionToken),
	} {
		cfg.Credentials = forged
		if _, err := ec2.NewFromConfig(cfg).DescribeRegions(ctx, &ec2.DescribeRegionsInput{}); apiCode(err) != "AuthFailure" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSDKWebIdentityIsNotSigned(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	cfg := s.config()
	cfg.Credentials = aws.NewCredentialsCache(stscreds.NewWebIdentityRoleProvider(sts.NewFromConfig(s.config()),
		"arn:aws:iam::444455556666:role/ci", tokenText("header.claims.signature")))
	who, err := sts.NewFromConfig(cfg).GetCallerIdentity(context.Background(), &sts.GetCallerIdentityInput{})
	s.ok(err)
	if aws.ToString(who.Account) != "444455556666" {
		t.Errorf("identity %+v", who)
	}
}

type tokenText string

func (t tokenText) GetIdentityToken() ([]byte, error) { return []byte(t), nil }

func TestSDKQuotas(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	s.quota(96)
	client := servicequotas.NewFromConfig(s.config())
	code := &servicequotas.GetServiceQuotaInput{ServiceCode: aws.String("ec2"), QuotaCode: aws.String("L-417A185B")}
	got, err := client.GetServiceQuota(ctx, code)
	s.ok(err)
	if aws.ToFloat64(got.Quota.Value) != 96 {
		t.Errorf("quota %+v", got.Quota)
	}
	standard, err := client.GetAWSDefaultServiceQuota(ctx, &servicequotas.GetAWSDefaultServiceQuotaInput{
		ServiceCode: code.ServiceCode, QuotaCode: code.QuotaCode,
	})
	s.ok(err)
	if aws.ToFloat64(standard.Quota.Value) != 0 {
		t.Errorf("default %+v", standard.Quota)
	}
	s.ok(s.world.SetPaging(sim.Paging{Cloud: "aws", Max: 2}))
	pages := servicequotas.NewListServiceQuotasPaginator(client, &servicequotas.ListServiceQuotasInput{ServiceCode: code.ServiceCode})
	n := 0
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		s.ok(err)
		n += len(page.Quotas)
	}
	if n != 23 {
		t.Errorf("%d quotas listed", n)
	}
	code.QuotaCode = aws.String("L-00000000")
	if _, err := client.GetServiceQuota(ctx, code); apiCode(err) != "NoSuchResourceException" {
		t.Errorf("unknown quota: %v", err)
	}
	s.create()
	s.refused(s.ec2(createBody()), "InstanceLimitExceeded")
}
