package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	gpu "github.com/gpulock/terraform-provider-gpu/internal/provider"
)

// A null argument is understood in the form of either command line.
func TestServer_nullArgument(t *testing.T) {
	t.Parallel()
	server, err := gpu.Server(gpu.New("test")())
	if err != nil {
		t.Fatal(err)
	}
	at, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, "2031-05-10T09:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, null := range map[string]*tfprotov6.DynamicValue{"Terraform": &encoded, "OpenTofu": {}, "absent": nil} {
		resp, err := server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "phase", Arguments: []*tfprotov6.DynamicValue{null, null, &at},
		})
		if err != nil || resp.Error != nil {
			t.Errorf("%s: %v, %+v", name, err, resp.Error)
			continue
		}
		if got, err := resp.Result.Unmarshal(tftypes.String); err != nil || !got.Equal(tftypes.NewValue(tftypes.String, "active")) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
