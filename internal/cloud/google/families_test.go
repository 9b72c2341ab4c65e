package google

import (
	"math/big"
	"slices"
	"testing"
)

func TestGPUsOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		machineType, attached, count string
		want                         shape
		model                        string
	}{
		{"a3-highgpu-8g", "", "", shape{"nvidia-h100-80gb", "8"}, "H100"},
		{"a2-ultragpu-2g", "", "", shape{"nvidia-a100-80gb", "2"}, "A100"},
		{"g4-standard-6", "", "", shape{"nvidia-rtx-pro-6000", "1/8"}, "RTX PRO 6000"},
		{"g4-standard-12", "", "", shape{"nvidia-rtx-pro-6000", "1/4"}, "RTX PRO 6000"},
		{"g4-standard-24", "", "", shape{"nvidia-rtx-pro-6000", "1/2"}, "RTX PRO 6000"},
		{"g4-standard-48", "", "", shape{"nvidia-rtx-pro-6000", "1"}, "RTX PRO 6000"},
		{"n1-standard-8", "nvidia-tesla-t4", "2", shape{"nvidia-tesla-t4", "2"}, "T4"},
		{"custom-4-8192", "nvidia-tesla-v100", "1", shape{"nvidia-tesla-v100", "1"}, "V100"},
		{"n1-standard-8", "", "", shape{}, ""},
		{"n2-standard-8", "nvidia-tesla-t4", "1", shape{}, ""},
		{"a9-highgpu-8g", "", "", shape{}, ""},
	}
	for _, tt := range tests {
		got, ok := gpusOf(tt.machineType, tt.attached, tt.count)
		if got != tt.want || ok != (tt.want != shape{}) || accelerators[got.accelerator].model != tt.model {
			t.Errorf("gpusOf(%s, %s, %s) = %+v, %v (%q); want %+v (%q)",
				tt.machineType, tt.attached, tt.count, got, ok, accelerators[got.accelerator].model, tt.want, tt.model)
		}
	}
}

// TestTables: what one table names the others know.
func TestTables(t *testing.T) {
	t.Parallel()
	for machineType, of := range shapes {
		if n, ok := new(big.Rat).SetString(of.gpus); !ok || n.Sign() <= 0 || n.RatString() != of.gpus {
			t.Errorf("%s has %q GPUs, which is no exact number", machineType, of.gpus)
		}
		if known := accelerators[of.accelerator]; known.model == "" || known.memoryMiB == 0 {
			t.Errorf("%s has an unknown accelerator %s", machineType, of.accelerator)
		}
		if !slices.Contains(bundled, familyOf(machineType)) {
			t.Errorf("%s is of no family with GPUs", machineType)
		}
	}
	for accelerator, counts := range attachable {
		if accelerators[accelerator].model == "" || len(counts) == 0 {
			t.Errorf("%s can be attached and is not known", accelerator)
		}
	}
}

func TestLacksGPU(t *testing.T) {
	t.Parallel()
	for machineType, want := range map[string]bool{
		"n2-standard-8": true, "e2-micro": true, "n2-custom-4-8192": true, "ct5lp-hightpu-4t": true,
		"n1-standard-8": false, "custom-4-8192": false, "a3-highgpu-8g": false, "a9-highgpu-8g": false,
	} {
		if got := lacksGPU(machineType); got != want {
			t.Errorf("lacksGPU(%s) = %v", machineType, got)
		}
	}
	for _, family := range slices.Concat(bundled, []string{familyN1}) {
		if lacksGPU(family + "-standard-8") {
			t.Errorf("family %s has GPUs and has none", family)
		}
	}
}
