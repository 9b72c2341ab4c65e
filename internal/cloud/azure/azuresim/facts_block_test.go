package azuresim_test

import (
	"net/http"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	kindH100   = "Standard_ND96isr_H100_v5"
	familyH100 = "standardNDSH100v5Family"
	startField = "properties.scheduleProfile.start"
	endField   = "properties.scheduleProfile.end"
	daysField  = "properties.scheduleProfile.minimumCommitmentDays"
	day        = 24 * time.Hour
)

// blockGroup makes the group of blocks.
func (s *stage) blockGroup() {
	s.t.Helper()
	s.done(s.putGroup("properties.reservationType", "Block"))
}

// blockBody is one machine from 10 to 12 March.
func blockBody(pairs ...any) []any {
	return append([]any{"sku.name", kindH100, "sku.capacity", 1, startField, "2027-03-10", endField, "2027-03-12"}, pairs...)
}

func (s *stage) putBlock(pairs ...any) reply {
	s.t.Helper()
	return s.put(blockBody(pairs...)...)
}

// block makes group and block.
func (s *stage) block(pairs ...any) {
	s.t.Helper()
	s.blockGroup()
	s.done(s.putBlock(pairs...))
}

// invalid demands a refusal for a field.
func (s *stage) invalid(got reply, target string) {
	s.t.Helper()
	s.says(s.refused(got, http.StatusBadRequest, "InvalidParameter"), target, "error", "target")
}

// blocks accepts blocks with each list of changes.
func blocks(all ...[]any) func(s *stage) {
	return func(s *stage) {
		for _, pairs := range all {
			own := newStage(s.t)
			own.block(pairs...)
		}
		s.block(all[0]...)
		s.shown()
	}
}

// noBlocks refuses them for a field, and makes nothing.
func noBlocks(target string, all ...[]any) func(s *stage) {
	return func(s *stage) {
		s.blockGroup()
		for _, pairs := range all {
			s.invalid(s.putBlock(pairs...), target)
		}
		s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
	}
}

func days(start, end string) []any { return []any{startField, start, endField, end} }

func (s *stage) blockStock(n int) {
	s.t.Helper()
	s.ok(s.world.SetCapacity(sim.Capacity{Cloud: "azure", Region: "eastus", Zone: "1", InstanceType: kindH100, Available: &n}))
}

func (s *stage) blocksLeft(want int) {
	s.t.Helper()
	s.ok(s.world.Do(func(tx *sim.Tx) error {
		got, _ := tx.Available(sim.Place{Cloud: "azure", Region: "eastus", Zone: "1", InstanceType: kindH100})
		if got != want {
			s.t.Errorf("%d in stock, want %d", got, want)
		}
		return nil
	}))
}

func blockProofs() map[string]proof {
	return map[string]proof{
		"azure-4.2-block-form": {
			accepted: func(s *stage) {
				s.blockGroup()
				got := s.accepted(s.putBlock(), http.StatusCreated)
				s.says(s.says(got, "2027-03-10", "properties", "scheduleProfile", "start"), "2027-03-12", "properties", "scheduleProfile", "end")
				s.done(got)
				got = s.accepted(s.get(one), http.StatusOK)
				s.says(got, "2027-03-10T12:00:00Z", "properties", "scheduleProfile", "start")
				s.says(got, "2027-03-12T11:30:00Z", "properties", "scheduleProfile", "end")
				s.done(s.putBlock(days("2027-03-10T12:00:00Z", "2027-03-12T11:30:00Z")...))
				s.says(s.shown(), "Succeeded", "properties", "provisioningState")
			},
			rejected: noBlocks("scheduleProfile.start", days("2027-03-10T11:00:00Z", "2027-03-12"), days("10 March", "2027-03-12"),
				[]any{startField, nil}, []any{"properties", nil}),
		},
		"azure-4.2-block-start": {
			accepted: blocks(days("2027-03-02", "2027-03-03"), days("2027-04-26", "2027-04-27")),
			rejected: noBlocks("scheduleProfile.start", days("2027-03-01", "2027-03-02"), days("2027-02-28", "2027-03-02"),
				days("2027-04-27", "2027-04-28")),
		},
		"azure-4.2-block-length": {
			accepted: blocks(days("2027-03-10", "2027-03-24"), days("2027-03-10", "2027-03-31"), days("2027-03-10", "2027-09-08")),
			rejected: noBlocks("scheduleProfile.end", days("2027-03-10", "2027-03-10"), days("2027-03-10", "2027-03-25"),
				days("2027-03-10", "2027-04-01"), days("2027-03-10", "2027-09-15"), []any{endField, nil}),
		},
		"azure-4.2-block-count": {
			accepted: blocks([]any{"sku.capacity", 64}, []any{"sku.capacity", 2}),
			rejected: noBlocks("sku.capacity", []any{"sku.capacity", 3}, []any{"sku.capacity", 0}, []any{"sku.capacity", 128}),
		},
		"azure-4.2-block-size": {
			accepted: blocks(nil),
			rejected: func(s *stage) {
				s.blockGroup()
				s.refused(s.putBlock("sku.name", kindA100), http.StatusConflict, "NotSupported")
				demand := newStage(s.t)
				demand.done(demand.putGroup())
				demand.refused(demand.put("sku.name", kindH100), http.StatusConflict, "NotSupported")
				s.refused(s.putBlock("sku.name", "Standard_NC40ads_H100_v5"), http.StatusConflict, "NotSupported")
			},
		},
		"azure-4.2-block-fixed": {
			accepted: func(s *stage) {
				s.block()
				s.done(s.patch("tags.a", "b"))
				s.done(s.patch("tags.a", "c", "sku.capacity", 1, startField, "2027-03-10"))
				s.says(s.shown(), "c", "tags", "a")
			},
			rejected: func(s *stage) {
				s.block()
				s.refused(s.patch("sku.capacity", 2), http.StatusConflict, "PropertyChangeNotAllowed")
				s.refused(s.patch(startField, "2027-03-11"), http.StatusConflict, "PropertyChangeNotAllowed")
				s.refused(s.putBlock(endField, "2027-03-13"), http.StatusConflict, "PropertyChangeNotAllowed")
			},
		},
		"azure-4.2-block-version": {
			accepted: func(s *stage) {
				s.version = "2025-04-01"
				s.block()
				s.says(s.shown(), "2027-03-10T12:00:00Z", "properties", "scheduleProfile", "start")
				s.version = "2024-11-01"
				s.says(s.accepted(s.get(one), http.StatusOK), nil, "properties", "scheduleProfile")
			},
			rejected: func(s *stage) {
				s.blockGroup()
				s.version = "2024-11-01"
				s.refused(s.putBlock(), http.StatusBadRequest, "BadRequest")
			},
		},
	}
}

func blockLifeProofs() map[string]proof {
	return map[string]proof{
		"azure-4.2-block-delete": {
			accepted: func(s *stage) {
				s.block()
				s.ok(s.world.SetClock(time.Date(2027, 3, 12, 11, 30, 0, 0, time.UTC)))
				s.done(s.remove())
				s.says(s.accepted(s.get(own), http.StatusOK), nil, "properties", "capacityReservations", 0)
			},
			rejected: func(s *stage) {
				s.block()
				s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
				s.ok(s.world.SetClock(time.Date(2027, 3, 12, 11, 29, 59, 0, time.UTC)))
				s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-4.2-block-stock": {
			accepted: func(s *stage) {
				s.blockStock(2)
				s.quota(familyH100, 192, 0)
				s.blockGroup()
				made := s.putBlock("sku.capacity", 2)
				s.says(s.usage(familyH100), 192, "currentValue")
				s.done(made)
				s.says(s.usage(familyH100), 192, "currentValue")
				s.blocksLeft(0)
				s.capacities(2, 2, "Succeeded")
			},
			rejected: func(s *stage) {
				s.blockStock(1)
				s.blockGroup()
				s.failed(s.putBlock("sku.capacity", 2), "ZonalAllocationFailed")
				s.blocksLeft(1)
				s.capacities(2, 0, "Failed")
				s.done(s.remove())
				s.quota(familyH100, 95, 0)
				s.refused(s.putBlock(), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-4.2-block-end": {
			accepted: func(s *stage) {
				s.blockStock(1)
				s.block()
				s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 1}})
				s.blocksLeft(0)
				s.ok(s.world.SetClock(time.Date(2027, 3, 12, 11, 30, 0, 0, time.UTC)))
				s.blocksLeft(1)
				got := s.capacities(1, 0, "Succeeded")
				s.says(got, nil, "properties", "virtualMachinesAssociated")
			},
			rejected: func(s *stage) {
				s.block()
				s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 1}})
				s.ok(s.world.SetClock(time.Date(2027, 3, 12, 11, 29, 0, 0, time.UTC)))
				s.capacities(1, 1, "Succeeded")
				s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
			},
		},
	}
}
