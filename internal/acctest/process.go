package acctest

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// pipeGrace is how long output pipes may stay open once the command line is
// gone, as when a killed run leaves a child that holds them.
const pipeGrace = 5 * time.Second

// Process is a command that runs. It leads a process group of its own, which
// its provider binary joins.
type Process struct {
	cli   *CLI
	args  []string
	cmd   *exec.Cmd
	out   bytes.Buffer
	err   bytes.Buffer
	began time.Time
	// servers are what this process serves for the command.
	servers []*served
}

// Start begins a command. Wait must be called to end it.
func (c *CLI) Start(args ...string) *Process {
	c.tb.Helper()
	p := &Process{cli: c, args: args, began: time.Now()}
	reattach := p.serve()
	// The command is ended by signals to its group, never by a context: a
	// context would kill the command line alone and leave its provider.
	p.cmd = exec.Command(c.path, args...)
	p.cmd.Dir = c.Dir()
	p.cmd.Env = c.environment(reattach)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = pipeGrace
	if err := p.cmd.Start(); err != nil {
		c.tb.Fatalf("acctest: start %s: %v", c.path, err)
	}
	return p
}

// serve starts every provider that this process serves, and returns the value of
// TF_REATTACH_PROVIDERS; empty without any.
func (p *Process) serve() string {
	c := p.cli
	c.tb.Helper()
	all := map[string]any{}
	for address, factory := range c.factories() {
		server, err := serve(c.tb, address, factory, c.logs)
		if err != nil {
			c.tb.Fatalf("acctest: serve %s: %v", address, err)
		}
		p.servers = append(p.servers, server)
		maps.Copy(all, server.reattach)
	}
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all)
	if err != nil {
		c.tb.Fatalf("acctest: %v", err)
	}
	return string(text)
}

// SignalCLI sends a signal to the command line alone.
func (p *Process) SignalCLI(signal os.Signal) {
	p.cli.tb.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.cli.tb.Fatalf("acctest: signal %v: %v", signal, err)
	}
}

// SignalGroup sends a signal to the command line and its provider binary, as a
// terminal does with Ctrl-C. A group that is gone is not an error.
func (p *Process) SignalGroup(signal syscall.Signal) {
	p.cli.tb.Helper()
	if err := syscall.Kill(-p.cmd.Process.Pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		p.cli.tb.Fatalf("acctest: signal %v to the group: %v", signal, err)
	}
}

// KillGroup kills the command line and its provider binary at once. It may be
// called after Wait, to end a provider that outlived its command line.
func (p *Process) KillGroup() {
	p.cli.tb.Helper()
	p.SignalGroup(syscall.SIGKILL)
}

// Wait returns when the command line ended and every provider that is served
// here returned from every request.
func (p *Process) Wait() Result {
	p.cli.tb.Helper()
	err := p.cmd.Wait()
	exit := new(exec.ExitError)
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		p.cli.tb.Fatalf("acctest: %v: %v", p.args, err)
	}
	for _, server := range p.servers {
		if err := server.stop(); err != nil {
			p.cli.tb.Fatalf("acctest: %v: %v", p.args, err)
		}
	}
	p.cli.collectLog()
	return Result{
		Args:        p.args,
		ExitCode:    p.cmd.ProcessState.ExitCode(),
		Stdout:      p.out.String(),
		Stderr:      p.err.String(),
		Duration:    time.Since(p.began),
		CPU:         p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime(),
		Diagnostics: diagnostics(p.out.String(), p.err.String()),
	}
}

// collectLog moves what a provider binary logged into the workspace's log.
func (c *CLI) collectLog() {
	c.tb.Helper()
	text, err := os.ReadFile(c.logFile())
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		err = os.Truncate(c.logFile(), 0)
	}
	if err != nil {
		c.tb.Fatalf("acctest: %v", err)
	}
	c.logs.addText(string(text))
}
