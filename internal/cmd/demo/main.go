// Command demo shows the provider's main job to a newcomer: it starts the
// simulated clouds, then drives a real command line through a refusal, a
// reservation, an empty plan and a destroy, and says what happened.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	stage, err := newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.close()) }()
	for _, act := range acts() {
		say("%s", act.says)
		if act.before != nil {
			if err := act.before(stage); err != nil {
				return err
			}
		}
		if len(act.command) == 0 {
			continue
		}
		if code, err := stage.cli(ctx, act.command...); err != nil || code != act.exit {
			return errors.Join(err, fmt.Errorf("%v ended with %d, not with %d", act.command, code, act.exit))
		}
		if act.after != nil {
			if err := act.after(stage); err != nil {
				return err
			}
		}
	}
	return nil
}

// say prints a line of the demo's own, set apart from the command line's.
func say(format string, args ...any) {
	line := "# " + fmt.Sprintf(format, args...)
	if bold() {
		line = "\033[1m" + line + "\033[0m"
	}
	fmt.Printf("\n%s\n", line)
}

// bold tells whether a reader sees bold, and not its codes.
func bold() bool {
	out, err := os.Stdout.Stat()
	return err == nil && out.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}
