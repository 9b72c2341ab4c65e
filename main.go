// Command terraform-provider-gpu serves the provider to Terraform and OpenTofu.
package main

import (
	"flag"
	"log"
	"os"
	rdebug "runtime/debug"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/gpulock/terraform-provider-gpu/internal/provider"
)

// version is set when a release is built.
var version = "dev"

// gcPercent trades memory for time: a refresh of many reservations decodes and
// drops many small values, and the live heap is small (make bench shows both).
const gcPercent = 400

func main() {
	tune(os.Environ(), os.Setenv)
	debug := flag.Bool("debug", false, "serve for a debugger: print how to attach and wait")
	flag.Parse()
	server, err := provider.Server(provider.New(version)())
	if err != nil {
		log.Fatal(err)
	}
	var opts []tf6server.ServeOpt
	if *debug {
		opts = append(opts, tf6server.WithManagedDebug())
	}
	if err := tf6server.Serve(provider.Address, func() tfprotov6.ProviderServer { return server }, opts...); err != nil {
		log.Fatal(err)
	}
}

// tune sets what the environment leaves open. Without a wish for logs the plugin
// SDK would still write a trace of every request for the command line to throw
// away, which costs more than the requests.
func tune(environ []string, setenv func(name, value string) error) {
	set := func(prefix string) bool {
		return slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, prefix) })
	}
	if !set("GOGC=") {
		rdebug.SetGCPercent(gcPercent)
	}
	if !set("TF_LOG") {
		if err := setenv("TF_LOG_SDK", "OFF"); err != nil {
			log.Fatal(err)
		}
	}
}
