package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// act is one step: what it says, what happens in the world before it, the
// command and how that must end, and what must be true after it.
type act struct {
	says    string
	before  func(*stage) error
	command []string
	exit    int
	after   func(*stage) error
}

func acts() []act {
	return []act{
		{
			says:    "The clouds are simulated: they speak the real APIs on this machine. Terraform finds the built provider in a mirror.",
			command: []string{"init", "-no-color"},
		},
		{
			says: "Three reservations, one each on AWS, Google Cloud and Azure. AWS us-east-1a has no p5.48xlarge left: apply asks once, and shows " +
				"the refusal with its code and place. The other two are held all the same:",
			before: func(s *stage) error {
				return s.capacity("us-east-1a", "p5.48xlarge", 0)
			},
			command: []string{"apply", "-no-color", "-auto-approve"}, exit: 1,
			after: func(s *stage) error { return s.holds(map[string]int{"google": 1, "azure": 1}) },
		},
		{
			says: "Nothing was left behind on AWS. Two instances come free there, and the next apply holds them:",
			before: func(s *stage) error {
				return s.capacity("us-east-1a", "p5.48xlarge", 2)
			},
			command: []string{"apply", "-no-color", "-auto-approve"},
			after:   func(s *stage) error { return s.holds(map[string]int{"aws": 1, "google": 1, "azure": 1}) },
		},
		{
			says:    "A second plan is empty (exit code 0):",
			command: []string{"plan", "-no-color", "-detailed-exitcode"},
		},
		{
			says:    "Destroy gives the capacity back:",
			command: []string{"destroy", "-no-color", "-auto-approve"},
			after:   func(s *stage) error { return s.holds(map[string]int{}) },
		},
		{says: "Done: one refusal, one reservation on each cloud, one empty plan, nothing left. What the clouds were asked:", before: (*stage).printCalls},
	}
}

// capacity sets what is left of a type in a zone.
func (s *stage) capacity(zone, instanceType string, available int) error {
	return s.world.SetCapacity(sim.Capacity{
		Cloud: "aws", Region: zone[:len(zone)-1], Zone: zone, InstanceType: instanceType, Available: &available,
	})
}

// holds checks how many reservations are live in each of the simulated clouds.
func (s *stage) holds(want map[string]int) error {
	objects, err := s.world.Objects()
	if err != nil {
		return err
	}
	live := map[string]int{}
	for _, o := range objects {
		// EC2's word for it, Compute Engine's and Azure's; groups have no type.
		if o.InstanceType != "" && slices.Contains([]string{"active", "READY", "Succeeded"}, o.Status) {
			live[o.Cloud]++
		}
	}
	if !maps.Equal(live, want) {
		return fmt.Errorf("live reservations in the simulated clouds: %v, and there should be %v", live, want)
	}
	say("(live reservations in the simulated clouds: %d on aws, %d on google, %d on azure)", live["aws"], live["google"], live["azure"])
	return nil
}

// printCalls prints the calls that the clouds saw, counted.
func (s *stage) printCalls() error {
	calls, err := s.world.Calls(0)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	var order []string
	for _, c := range calls {
		row := fmt.Sprintf("%-7s %-45s %-12s %s", c.Cloud, c.Operation, c.Region, c.Code)
		if counts[row]++; counts[row] == 1 {
			order = append(order, row)
		}
	}
	for _, row := range order {
		fmt.Printf("  %2d × %s\n", counts[row], row)
	}
	return nil
}
