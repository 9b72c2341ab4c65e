package azure_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
)

// TestWritesInTurn: a request replaces all tags, so that two at once would lose those
// of one.
func TestWritesInTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve(azuresim.Options{})
	c := w.driver(nil)
	holdTrain(t, w, c)
	const writers = 12
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			key := fmt.Sprintf("writer-%d", i)
			if _, err := c.Update(t.Context(), trainRef(), cloud.Change{SetTags: map[string]string{key: "here"}}); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		})
	}
	all.Wait()
	r, err := c.Get(t.Context(), trainRef())
	if err != nil || len(r.Tags) != writers+1 {
		t.Errorf("tags are %v, %v", r.Tags, err)
	}
}

// TestWritesInTurnEnd: who waits for a turn does so no longer than its context.
func TestWritesInTurnEnd(t *testing.T) {
	t.Parallel()
	first, cancelFirst := context.WithCancel(t.Context())
	second, cancelSecond := context.WithCancel(t.Context())
	reading := make(chan struct{})
	var once sync.Once
	s := newStub(t, map[string][]answer{getG: {ourGroup()}, getR: {one(ourTags, `"provisioningState":"Updating"`)}})
	s.jump.OnJump(func(_ time.Time) {
		once.Do(func() { close(reading) })
		<-second.Done()
	})
	c := s.driver()
	done := make(chan error)
	go func() {
		_, err := c.Update(first, trainRef(), cloud.Change{Count: ptr(3)})
		done <- err
	}()
	<-reading
	go cancelSecond()
	if err := c.Release(second, trainRef()); !errors.Is(err, context.Canceled) {
		t.Errorf("Release in the meantime: %v", err)
	}
	cancelFirst()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Update: %v", err)
	}
}
