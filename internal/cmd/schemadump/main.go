// Schemadump prints the provider's schema as "terraform providers schema -json"
// would, asked of the provider itself: a command line leaves out what it is too
// old to know (actions, list resources, identities), and the generated pages of
// those would vanish with it. It knows the plugin protocol and that JSON form,
// and nothing of what the schema says.
//
//	go run ./internal/cmd/schemadump > schema.json
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/gpulock/terraform-provider-gpu/internal/provider"
)

// key is what tfplugindocs looks for in a dump: the provider's short name. A
// command line prints the full address there.
const key = "gpu"

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "schemadump:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	server, err := providerserver.NewProtocol6WithError(provider.New("dev")())()
	if err != nil {
		return fmt.Errorf("make the provider's server: %w", err)
	}
	return dump(ctx, server, os.Stdout)
}
