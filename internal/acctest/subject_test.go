package acctest

import "testing"

// A built provider finds the variables of the account that is allowed, and of no
// other.
func TestEnvironment(t *testing.T) {
	t.Setenv("AWS_PROFILE", "mine")
	t.Setenv("SECRET", "mine")
	for live, want := range map[string]string{"": "", "aws": "mine"} {
		var permission *Live
		if live != "" {
			permission = newLive(live, 1)
		}
		env := environment(permission, map[string]string{"MORE": "x"})
		if env["AWS_PROFILE"] != want || env["MORE"] != "x" {
			t.Errorf("allowed %q: %v", live, env)
		}
		if _, ok := env["SECRET"]; ok {
			t.Errorf("allowed %q: the environment holds what no cloud's client reads", live)
		}
	}
}
