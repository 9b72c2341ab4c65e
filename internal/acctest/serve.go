package acctest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// stopGrace is how long a served provider may take to return from the requests
// in hand once the command line is gone and their contexts have ended.
const stopGrace = 30 * time.Second

// served is a provider that this process serves for one command.
type served struct {
	reattach map[string]any
	cancel   context.CancelFunc
	done     <-chan error
	closed   <-chan struct{}
	inFlight *sync.WaitGroup
}

// sink is the test that the protocol library's own log belongs to: without one
// it prints every step to stderr, with one only what TF_LOG asks for.
type sink struct{ testing.TB }

// Parallel completes the interface that the library takes; it is never called.
func (sink) Parallel() {}

// serve starts a server for the provider at address and logs its provider's
// lines to log.
func serve(tb testing.TB, address string, factory func() (tfprotov6.ProviderServer, error), log io.Writer) (*served, error) {
	tb.Helper()
	inner, err := factory()
	if err != nil {
		return nil, fmt.Errorf("make the provider: %w", err)
	}
	provider, ok := inner.(fullServer)
	if !ok {
		return nil, fmt.Errorf("%T serves neither list resources nor actions", inner)
	}
	observed := &observedServer{fullServer: provider, log: log}

	ctx, cancel := context.WithCancel(context.Background())
	configs := make(chan *plugin.ReattachConfig)
	closed := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- tf6server.Serve(address, func() tfprotov6.ProviderServer { return observed },
			tf6server.WithDebug(ctx, configs, closed),
			tf6server.WithLoggingSink(sink{tb}),
			tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	s := &served{cancel: cancel, done: done, closed: closed, inFlight: &observed.inFlight}
	select {
	case config := <-configs:
		s.reattach, err = reattach(address, config)
	case err = <-done:
		err = errors.Join(errors.New("the server ended before it was ready"), err)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return s, nil
}

// stop ends the server and waits until it and every request in hand returned,
// so that nothing is written to a cloud behind the test's back.
func (s *served) stop() error {
	s.cancel()
	idle := make(chan struct{})
	go func() {
		<-s.closed
		s.inFlight.Wait()
		close(idle)
	}()
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-idle:
		return nil
	case <-timer.C:
		return fmt.Errorf("the provider still works %s after its command ended: a request ignores its context", stopGrace)
	}
}

// reattach is one provider's part of TF_REATTACH_PROVIDERS: go-plugin's reattach
// configuration, with the address written out.
func reattach(address string, config *plugin.ReattachConfig) (map[string]any, error) {
	if config == nil {
		return nil, errors.New("the server gave no reattach configuration")
	}
	return map[string]any{
		address: map[string]any{
			"Protocol":        string(config.Protocol),
			"ProtocolVersion": config.ProtocolVersion,
			"Pid":             config.Pid,
			"Test":            config.Test,
			"Addr":            map[string]string{"Network": config.Addr.Network(), "String": config.Addr.String()},
		},
	}, nil
}
