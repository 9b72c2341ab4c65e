package googlesim

import (
	"maps"
	"slices"
	"strings"
)

// regions are the regions with the letters of their zones, as the regions and
// zones page has them.
func regions() map[string]string {
	all := map[string]string{"us-central1": "abcf", "us-east1": "bcd", "europe-west1": "bcd"}
	for _, name := range []string{
		"africa-south1", "asia-east1", "asia-east2", "asia-northeast1", "asia-northeast2", "asia-northeast3",
		"asia-south1", "asia-south2", "asia-southeast1", "asia-southeast2", "australia-southeast1", "australia-southeast2",
		"europe-central2", "europe-north1", "europe-north2", "europe-southwest1", "europe-west10", "europe-west12",
		"europe-west2", "europe-west3", "europe-west4", "europe-west6", "europe-west8", "europe-west9",
		"me-central1", "me-central2", "me-west1", "northamerica-northeast1", "northamerica-northeast2",
		"northamerica-south1", "southamerica-east1", "southamerica-west1",
		"us-east4", "us-east5", "us-south1", "us-west1", "us-west2", "us-west3", "us-west4",
	} {
		all[name] = "abc"
	}
	return all
}

// zones lists every zone, sorted.
func zones() []string {
	var all []string
	for region, letters := range regions() {
		for _, letter := range letters {
			all = append(all, region+"-"+string(letter))
		}
	}
	slices.Sort(all)
	return all
}

// regionOf is the region of a zone's name, and whether the zone exists.
func regionOf(zone string) (string, bool) {
	at := strings.LastIndexByte(zone, '-')
	if at < 0 || len(zone)-at != 2 {
		return "", false
	}
	letters, ok := regions()[zone[:at]]
	return zone[:at], ok && strings.Contains(letters, zone[at+1:])
}

// acceleratorZones says where each accelerator is: regions with the letters of
// zones. It follows the GPU regions and zones page in the main; single zones
// are UNVERIFIED, they change every month.
func acceleratorZones() map[string]string {
	return map[string]string{
		"nvidia-tesla-a100": "us-central1:abcf us-east1:b us-west1:b us-west3:b us-west4:b europe-west4:ab " +
			"asia-northeast1:ac asia-northeast3:ab asia-southeast1:bc me-west1:ac",
		"nvidia-a100-80gb": "us-central1:ac us-east4:c us-east5:ab europe-west4:a asia-southeast1:c",
		"nvidia-h100-80gb": "us-central1:abc us-east4:abc us-east5:a us-west1:ab us-west4:a europe-west1:bc europe-west2:b " +
			"europe-west3:a europe-west4:bc europe-west9:c asia-northeast1:b asia-south1:bc asia-southeast1:bc australia-southeast1:c",
		"nvidia-h100-mega-80gb": "us-central1:abc us-east4:bc us-east5:a us-west1:ab us-west4:a europe-west1:b europe-west4:b " +
			"asia-northeast1:b asia-southeast1:bc",
		"nvidia-h200-141gb": "us-central1:b us-east1:bd us-east4:b us-east5:a us-south1:b us-west1:c europe-west1:b europe-west4:a " +
			"asia-south1:b asia-south2:c",
		"nvidia-b200": "us-central1:b us-east1:b us-east4:b us-south1:b us-west2:c us-west3:bc europe-west4:b " +
			"asia-northeast1:b asia-southeast1:b",
		"nvidia-gb200": "us-central1:a us-east4:a europe-west4:b",
		"nvidia-gb300": "us-central1:b us-east4:a",
		"nvidia-l4": "us-central1:abc us-east1:bcd us-east4:ac us-west1:abc us-west4:ac northamerica-northeast2:ab " +
			"europe-west1:bc europe-west2:ab europe-west3:ab europe-west4:abc europe-west6:bc asia-east1:abc " +
			"asia-northeast1:abc asia-northeast3:ab asia-south1:abc asia-southeast1:abc me-central2:ac",
		"nvidia-rtx-pro-6000": "us-central1:bf us-east4:b us-east5:abc us-south1:ab us-west1:b europe-west4:b asia-southeast1:b",
		"nvidia-tesla-t4": "us-central1:abcf us-east1:cd us-east4:abc us-west1:ab us-west2:bc us-west4:ab " +
			"northamerica-northeast1:c southamerica-east1:ac europe-west1:bcd europe-west2:ab europe-west3:b europe-west4:abc " +
			"europe-central2:bc asia-east1:ac asia-east2:ac asia-northeast1:ac asia-northeast3:bc asia-south1:ab " +
			"asia-southeast1:abc asia-southeast2:ab australia-southeast1:ac me-west1:bc",
		"nvidia-tesla-v100": "us-central1:abcf us-east1:c us-west1:ab europe-west4:abc asia-east1:c",
		"nvidia-tesla-p100": "us-central1:cf us-east1:bc us-west1:ab europe-west1:bd europe-west4:a asia-east1:ac australia-southeast1:c",
		"nvidia-tesla-p4": "us-central1:ac us-east4:abc us-west2:bc europe-west4:bc asia-southeast1:bc australia-southeast1:ab " +
			"northamerica-northeast1:abc",
	}
}

// offered tells whether a zone has an accelerator.
func offered(zone, accelerator string) bool {
	for entry := range strings.FieldsSeq(acceleratorZones()[accelerator]) {
		region, letters, _ := strings.Cut(entry, ":")
		letter, in := strings.CutPrefix(zone, region+"-")
		if in && len(letter) == 1 && strings.Contains(letters, letter) {
			return true
		}
	}
	return false
}

// typesOf lists the machine types of a zone, sorted by name. N1 is everywhere.
func typesOf(zone string) []machineType {
	all := machineTypes()
	var found []machineType
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if m := all[name]; m.accelerator == "" || offered(zone, m.accelerator) {
			found = append(found, m)
		}
	}
	return found
}
