package chaostest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/provider"
)

// process is one life of the provider: a server with its own memory and its own
// road to the cloud, so that its death can cut it off.
type process struct {
	ctx    context.Context
	end    context.CancelFunc
	server tfprotov6.ProviderServer
	road   *http.Server
	schema *tfprotov6.GetProviderSchemaResponse
}

// startProcess starts and configures a provider whose cloud is the handler.
func startProcess(ctx context.Context, c clock.Clock, t target, cloud http.Handler, owner string) (*process, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("road to the cloud: %w", err)
	}
	p := &process{road: &http.Server{Handler: cloud}}
	p.ctx, p.end = context.WithCancel(ctx)
	go func() { _ = p.road.Serve(listener) }() // It ends when the road is closed.
	if err := p.configure(c, t, "http://"+listener.Addr().String(), owner); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *process) configure(c clock.Clock, t target, endpoint, owner string) error {
	var err error
	p.server, err = providerserver.NewProtocol6WithError(provider.NewWith("chaos", provider.Options{Clock: c})())()
	if err != nil {
		return fmt.Errorf("make the provider: %w", err)
	}
	if p.schema, err = p.server.GetProviderSchema(p.ctx, &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	form := p.schema.Provider.ValueType()
	block := map[string]tftypes.Value{"endpoint": text(endpoint)}
	for name, value := range t.block {
		block[name] = text(value)
	}
	config, err := encode(form, blank(form, map[string]tftypes.Value{
		"owner": text(owner), t.name: blank(field(form, t.name), block),
	}))
	if err != nil {
		return err
	}
	resp, err := p.server.ConfigureProvider(p.ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.11.4", Config: config})
	if err != nil {
		return fmt.Errorf("configure: %w", err)
	}
	return refusal(resp.Diagnostics)
}

// interrupt asks the provider to stop, as a command line does on SIGINT.
func (p *process) interrupt() {
	// The framework's answer carries nothing, and there is nobody to tell.
	_, _ = p.server.StopProvider(p.ctx, &tfprotov6.StopProviderRequest{})
}

// orphan is the death of the command line alone: its request ends, the road to
// the cloud stays open for whatever the provider still does.
func (p *process) orphan() { p.end() }

// kill is the death of the provider: nothing of it reaches the cloud any more.
func (p *process) kill() {
	_ = p.road.Close()
	p.end()
}

// close ends the process when its work is done.
func (p *process) close() error {
	p.end()
	return p.road.Close()
}

// refusal is an error that holds the error diagnostics, or nil.
func refusal(diags []*tfprotov6.Diagnostic) error {
	var texts []string
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			texts = append(texts, d.Summary+": "+d.Detail)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, "\n"))
}
