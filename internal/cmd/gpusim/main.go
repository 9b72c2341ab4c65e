// Command gpusim serves the simulated clouds for programs that are not Go
// tests: one listener for each cloud, one for the control API. It knows flags
// and printing only; the world is internal/sim's and a cloud is its own
// simulator's. It must not import a driver.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// settings are the flags.
type settings struct {
	listen   string
	tls      string
	state    string
	scenario string
	clock    string
}

// Exit codes: flag's own for wrong use, 1 for what went wrong after.
const (
	exitFailed = 1
	exitUsage  = 2
)

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return exitUsage
	}
	if err := serve(ctx, s, stdout); err != nil {
		complain(stderr, err)
		return exitFailed
	}
	return 0
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("gpusim", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0",
		"`HOST:PORT` of the first endpoint, the others take the next ports; port 0 makes all ephemeral")
	flags.StringVar(&s.tls, "tls", "", "serve TLS too, and write its certificate authority into `DIR`")
	flags.StringVar(&s.state, "state", "", "keep the world in `FILE`, shared with other processes")
	flags.StringVar(&s.scenario, "scenario", "", "set a new world up from `FILE`; a world in -state is set up once")
	flags.StringVar(&s.clock, "clock", "", "set the clouds' clock to an `RFC3339` instant")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		complain(stderr, err)
		return s, err
	}
	return s, nil
}

// complain says what is wrong; where that cannot be written, the exit code
// remains.
func complain(stderr io.Writer, err error) {
	_, _ = fmt.Fprintln(stderr, "gpusim:", err)
}

func serve(ctx context.Context, s settings, stdout io.Writer) error {
	world, err := sim.New(sim.Options{StatePath: s.state})
	if err != nil {
		return err
	}
	defer world.Close()
	endpoints := append(clouds(world), sim.Named{Name: "control", Handler: world.Control()})
	if err := prepare(world, s); err != nil {
		return err
	}
	server, err := sim.Serve(sim.ServeOptions{Listen: s.listen, TLSDir: s.tls}, endpoints...)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, announcement(server)); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case <-ctx.Done():
		return server.Close()
	case err := <-server.Failed():
		return errors.Join(err, server.Close())
	}
}

// prepare sets the world up; the flag's clock comes after the scenario's.
func prepare(world *sim.World, s settings) error {
	if s.scenario != "" {
		data, err := os.ReadFile(s.scenario)
		if err != nil {
			return fmt.Errorf("read the scenario: %w", err)
		}
		if err := world.LoadOnce(data); err != nil {
			return fmt.Errorf("%s: %w", s.scenario, err)
		}
	}
	if s.clock == "" {
		return nil
	}
	instant, err := time.Parse(time.RFC3339, s.clock)
	if err != nil {
		return fmt.Errorf("-clock: %q is not an RFC 3339 instant", s.clock)
	}
	return world.SetClock(instant)
}

// announcement says where everything is, in a fixed order, and "ready" last.
func announcement(server *sim.Server) string {
	var lines strings.Builder
	for _, e := range server.Endpoints() {
		fmt.Fprintf(&lines, "%s=%s\n", e.Name, e.URL)
	}
	for _, e := range server.Endpoints() {
		if e.TLSURL != "" {
			fmt.Fprintf(&lines, "%s_tls=%s\n", e.Name, e.TLSURL)
		}
	}
	if file := server.CAFile(); file != "" {
		fmt.Fprintf(&lines, "ca=%s\n", file)
	}
	lines.WriteString("ready\n")
	return lines.String()
}
