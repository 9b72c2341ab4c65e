package chaostest

import "fmt"

// Act is what a fault does when it strikes.
type Act string

// The acts. The first three are done to the processes, and the request that was
// struck is never answered; the others are done to the answer.
const (
	// Interrupt asks the command line to stop, as Ctrl-C or a run that is called off does.
	Interrupt Act = "SIGINT"
	// KillCLI kills the command line alone; the provider may live on.
	KillCLI Act = "SIGKILL to the command line"
	// KillGroup kills the command line and the provider.
	KillGroup Act = "SIGKILL to the group"
	// Drop closes the connection without an answer.
	Drop Act = "lost answer"
	// InternalError, BadGateway, Throttle and Hollow put another answer in the
	// place of the cloud's.
	InternalError Act = "the cloud's 500"
	BadGateway    Act = "a proxy's 502"
	Throttle      Act = "the cloud's throttling"
	Hollow        Act = "empty 200"
)

// Signals are the acts on processes.
func Signals() []Act { return []Act{Interrupt, KillCLI, KillGroup} }

// Answers are the acts on an answer.
func Answers() []Act { return []Act{Drop, InternalError, BadGateway, Throttle, Hollow} }

// onProcess tells whether the act ends a process.
func (a Act) onProcess() bool { return a == Interrupt || a.kills() }

// kills tells whether the act loses the command line's memory.
func (a Act) kills() bool { return a == KillCLI || a == KillGroup }

// Fault is one interruption of one command.
type Fault struct {
	// K counts the command's requests from 1; the K-th is struck.
	K int
	// Operation, if set, has the first request of that operation struck instead.
	Operation string
	// Committed tells that the cloud does what the request says before the
	// fault strikes.
	Committed bool
	// Act is what happens.
	Act Act
	// Times is how many requests from the K-th on are struck; 0 counts as 1.
	// Only the first one can strike a process.
	Times int
}

func (f Fault) String() string {
	when := "before"
	if f.Committed {
		when = "after"
	}
	at := fmt.Sprintf("request %d", f.K)
	if f.Operation != "" {
		at = f.Operation
	}
	text := fmt.Sprintf("%s at %s, %s the cloud acted", f.Act, at, when)
	if f.Times > 1 {
		text += fmt.Sprintf(", %d times", f.Times)
	}
	return text
}

// hits tells whether the n-th request is struck. The first one of the operation
// that is aimed at makes K known.
func (f *Fault) hits(n int, operation string) bool {
	if f.Operation != "" && f.K == 0 && operation == f.Operation {
		f.K = n
	}
	return f.K > 0 && n >= f.K && n < f.K+max(1, f.Times)
}

// Faults are all single faults of a command that makes so many requests, and the
// lost answers that its retries meet as well.
func Faults(requests int, acts ...Act) []Fault {
	if len(acts) == 0 {
		acts = append(Signals(), Answers()...)
	}
	var all []Fault
	for k := 1; k <= requests; k++ {
		for _, act := range acts {
			for _, committed := range []bool{false, true} {
				all = append(all, Fault{K: k, Committed: committed, Act: act})
			}
		}
	}
	return all
}
