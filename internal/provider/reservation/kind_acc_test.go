package reservation_test

import (
	"testing"
	"time"
)

// A kind that is known only at apply is not taken for the default one before.
func TestAccReservation_kindLater(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	later := "resource \"terraform_data\" \"later\" {\n  input = \"block\"\n}\n"
	use(b, later, block("a", "kind = terraform_data.later.output", `instance_type = "p5.48xlarge"`, "zone =", `region = "us-east-1"`,
		`window = { duration = "24h" }`))
	unknown(t, b.Plan(), "kind", "id", "native_id", "status", "starts_at", "ends_at", "usable_until", "claim_id", "paid_upfront",
		"currency", "estimated_usd_per_hour", "gpu_model", "gpu_count", "gpus_per_instance", "binding")
	b.Apply().Success(t)
	state(t, b, map[string]any{"kind": "block", "currency": "USD"})
	b.PlanEmpty()
}

// A block of one length is searched for in a window that is longer.
func TestAccReservation_blockInWindow(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	now := b.Clock.Now()
	end := now.Add(10 * 24 * time.Hour).Format(time.RFC3339)
	use(b, block("a", `kind = "block"`, `instance_type = "p5.48xlarge"`, "zone =", `region = "us-east-1"`,
		`window = { start_at = "`+now.Format(time.RFC3339)+`", end_at = "`+end+`", duration = "3d" }`))
	b.Apply().Success(t)
	b.PlanEmpty()
}
