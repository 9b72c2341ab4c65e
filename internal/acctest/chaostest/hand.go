package chaostest

// Hand works with one state, as a person at a command line does. Each method is
// one command. A fault that is nil never strikes.
type Hand interface {
	// Apply plans and applies the wish.
	Apply(w Wish, fault *Fault) Outcome
	// Destroy destroys what is in state.
	Destroy(w Wish, fault *Fault) Outcome
	// Plan tells why a plan of the wish would not be empty, or "".
	Plan(w Wish) string
}

// Outcome is how a command ended.
type Outcome struct {
	// OK tells that it exited with 0.
	OK bool
	// Requests is how many requests it made, and Struck whether the fault hit
	// one of them: Operation is which.
	Requests  int
	Struck    bool
	Operation string
	// Text is the diagnostics, for a person.
	Text string
}
