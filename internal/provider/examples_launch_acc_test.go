package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// arguments are optional texts of a type or block that stands in for another
// provider's.
func arguments(names ...string) map[string]schema.Attribute {
	all := map[string]schema.Attribute{}
	for _, name := range names {
		all[name] = schema.StringAttribute{Optional: true}
	}
	return all
}

// with adds attributes to others.
func with(all map[string]schema.Attribute, more map[string]schema.Attribute) map[string]schema.Attribute {
	for name, a := range more {
		all[name] = a
	}
	return all
}

func nested(attributes map[string]schema.Attribute, blocks map[string]schema.Block) schema.Block {
	return schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes, Blocks: blocks}}
}

// launchBlocks are the blocks that say where to launch, by their names in
// hashicorp/aws (website/docs/r/instance.html.markdown, launch_template.html.markdown).
func launchBlocks() map[string]schema.Block {
	return map[string]schema.Block{
		"instance_market_options": nested(arguments("market_type"), nil),
		"capacity_reservation_specification": nested(arguments("capacity_reservation_preference"), map[string]schema.Block{
			"capacity_reservation_target": nested(arguments("capacity_reservation_id", "capacity_reservation_resource_group_arn"), nil),
		}),
	}
}

// consumers stand in for the providers whose resources launch into a reservation.
func consumers() map[string]func() (tfprotov6.ProviderServer, error) {
	computed := map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true}}
	counts := map[string]schema.Attribute{}
	for _, name := range []string{"min_size", "desired_capacity", "desired_size", "max_size"} {
		counts[name] = schema.Int64Attribute{Optional: true}
	}
	texts := schema.ListAttribute{Optional: true, ElementType: types.StringType}
	template := launchBlocks()
	template["placement"] = nested(arguments("availability_zone", "tenancy", "host_id"), nil)
	launched := nested(arguments("id", "version"), nil)
	aws := acctest.Stub{
		Name:  "aws",
		Block: providerschema.Schema{Attributes: map[string]providerschema.Attribute{"region": providerschema.StringAttribute{Optional: true}}},
		Resources: map[string]acctest.StubResource{
			"aws_instance": {Schema: schema.Schema{
				Attributes: with(arguments("ami", "subnet_id", "instance_type", "availability_zone", "tenancy", "host_id"), computed),
				Blocks:     launchBlocks(),
			}},
			"aws_launch_template": {Schema: schema.Schema{
				Attributes: with(with(arguments("name_prefix", "image_id", "instance_type"), computed),
					map[string]schema.Attribute{"latest_version": schema.Int64Attribute{Computed: true}}),
				Blocks: template,
			}, Made: map[string]string{"id": "lt-0123456789abcdef0"}},
			"aws_autoscaling_group": {Schema: schema.Schema{
				Attributes: with(with(arguments("name_prefix"), counts), map[string]schema.Attribute{"vpc_zone_identifier": texts}),
				Blocks:     map[string]schema.Block{"launch_template": launched},
			}},
			"aws_eks_node_group": {Schema: schema.Schema{
				Attributes: with(arguments("cluster_name", "node_group_name", "node_role_arn", "ami_type", "capacity_type"),
					map[string]schema.Attribute{"subnet_ids": texts}),
				Blocks: map[string]schema.Block{"launch_template": launched, "scaling_config": nested(counts, nil)},
			}},
		},
	}
	kubernetes := acctest.Stub{
		Name: "kubernetes",
		Block: providerschema.Schema{Attributes: map[string]providerschema.Attribute{
			"config_path": providerschema.StringAttribute{Optional: true},
		}},
		Resources: map[string]acctest.StubResource{"kubernetes_manifest": {Schema: schema.Schema{
			Attributes: map[string]schema.Attribute{"manifest": schema.DynamicAttribute{Required: true}},
		}}},
	}
	return map[string]func() (tfprotov6.ProviderServer, error){"hashicorp/aws": aws.Server, "hashicorp/kubernetes": kubernetes.Server}
}

// launching is a workspace with a scenario whose consumers are stood in for;
// edit changes the text first.
func launching(t *testing.T, name, variables string, edit *strings.Replacer) *acctest.Bench {
	t.Helper()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: simulated, Beside: consumers()})
	b.Write("main.tf", edit.Replace(withEndpoint(t, b, example(t, name))))
	b.Write("terraform.tfvars", variables)
	return b
}

// planned is the planned value of a resource.
func planned(t *testing.T, plan acctest.Plan, address string) map[string]any {
	t.Helper()
	change := plan.Change(address)
	if change == nil || !change.Actions.Create() {
		t.Fatalf("%s is not planned to be created: %s", address, plan.Text())
	}
	after, ok := change.After.(map[string]any)
	if !ok {
		t.Fatalf("%s is planned to be %v", address, change.After)
	}
	return after
}

// applied applies, wants nothing more to do, and returns the resource.
func applied(t *testing.T, b *acctest.Bench, address string) map[string]any {
	t.Helper()
	b.Apply().Success(t)
	b.PlanEmpty()
	r := b.Resource(address)
	if r == nil {
		t.Fatalf("%s is not in the state", address)
	}
	return r.AttributeValues
}

// reserved is the short id of the one reservation.
func reserved(t *testing.T, b *acctest.Bench) string {
	t.Helper()
	objects := b.Objects("active")
	if len(objects) != 1 {
		t.Fatalf("%d reservations, want 1", len(objects))
	}
	id := objects[0].NativeID
	return id[strings.LastIndex(id, "/")+1:]
}

// compare wants just these values of some attributes.
func compare(t *testing.T, got map[string]any, want map[string]any) {
	t.Helper()
	for name, w := range want {
		if diff := cmp.Diff(w, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// targeted is the block that names a reservation by id.
func targeted(id string) []any {
	return []any{map[string]any{
		"capacity_reservation_preference": nil,
		"capacity_reservation_target": []any{map[string]any{
			"capacity_reservation_id": id, "capacity_reservation_resource_group_arn": nil,
		}},
	}}
}

const launchVariables = "ami = \"ami-0123456789abcdef0\"\nsubnet_id = \"subnet-0123456789abcdef0\"\n"

func TestAccExamples_instance(t *testing.T) {
	t.Parallel()
	opened := []any{map[string]any{"capacity_reservation_preference": "open", "capacity_reservation_target": []any{}}}
	for name, tc := range map[string]struct {
		edit *strings.Replacer
		// into is the specification for a reservation of that id.
		into func(id string) []any
	}{
		"targeted": {strings.NewReplacer(), targeted},
		"open": {
			strings.NewReplacer(`kind          = "on_demand"`, `match_criteria = "open"`), func(string) []any { return opened },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := launching(t, "scenarios/instance/main.tf", launchVariables, tc.edit)
			compare(t, planned(t, b.Plan(), "aws_instance.train"), map[string]any{
				"instance_type": "g6.48xlarge", "availability_zone": "us-east-1a", "tenancy": "default", "host_id": nil,
				"instance_market_options": []any{},
			})
			instance := applied(t, b, "aws_instance.train")
			compare(t, instance, map[string]any{"capacity_reservation_specification": tc.into(reserved(t, b))})
			b.Destroy().Success(t)
		})
	}
}

func TestAccExamples_autoscalingGroup(t *testing.T) {
	t.Parallel()
	b := launching(t, "scenarios/autoscaling-group/main.tf", launchVariables, strings.NewReplacer())
	plan := b.Plan()
	compare(t, planned(t, plan, "aws_autoscaling_group.train"), map[string]any{"desired_capacity": 4.0, "max_size": 4.0})
	compare(t, planned(t, plan, "aws_launch_template.train"), map[string]any{
		"instance_type": "p5.48xlarge", "instance_market_options": []any{},
		"placement": []any{map[string]any{"availability_zone": "us-east-1a", "tenancy": "default", "host_id": nil}},
	})
	template := applied(t, b, "aws_launch_template.train")
	compare(t, template, map[string]any{"capacity_reservation_specification": targeted(reserved(t, b))})
	b.Destroy().Success(t)
}

func TestAccExamples_eksNodeGroup(t *testing.T) {
	t.Parallel()
	b := launching(t, "scenarios/eks-node-group/main.tf", `
cluster_name  = "ml"
node_role_arn = "arn:aws:iam::111122223333:role/nodes"
subnet_id     = "subnet-0123456789abcdef0"
`, strings.NewReplacer())
	plan := b.Plan()
	compare(t, planned(t, plan, "aws_eks_node_group.train"), map[string]any{"capacity_type": "ON_DEMAND"})
	compare(t, planned(t, plan, "aws_launch_template.train"), map[string]any{"instance_type": "p5.48xlarge", "instance_market_options": []any{}})
	template := applied(t, b, "aws_launch_template.train")
	compare(t, template, map[string]any{"capacity_reservation_specification": targeted(reserved(t, b))})
	b.Destroy().Success(t)
}

func TestAccExamples_karpenter(t *testing.T) {
	t.Parallel()
	b := launching(t, "scenarios/karpenter/main.tf", "cluster_name = \"ml\"\nnode_role = \"nodes\"\n", strings.NewReplacer())
	if plan := b.Plan(); plan.ExitCode != 2 {
		t.Fatal(plan.Text())
	}
	class := applied(t, b, "kubernetes_manifest.node_class")
	compare(t, spec(class), map[string]any{"capacityReservationSelectorTerms": []any{map[string]any{"id": reserved(t, b)}}})
	pool, ok := spec(b.Resource("kubernetes_manifest.node_pool").AttributeValues)["template"].(map[string]any)
	if !ok {
		t.Fatal("the node pool has no template")
	}
	in := func(key string, value string) map[string]any {
		return map[string]any{"key": key, "operator": "In", "values": []any{value}}
	}
	compare(t, spec(map[string]any{"manifest": pool}), map[string]any{"requirements": []any{
		in("karpenter.sh/capacity-type", "reserved"), in("node.kubernetes.io/instance-type", "p5.48xlarge"),
		in("topology.kubernetes.io/zone", "us-east-1a"),
	}})
	b.Destroy().Success(t)
}

// spec is that part of a manifest.
func spec(attributes map[string]any) map[string]any {
	manifest, _ := attributes["manifest"].(map[string]any)
	found, _ := manifest["spec"].(map[string]any)
	return found
}
