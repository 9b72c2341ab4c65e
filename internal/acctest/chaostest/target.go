package chaostest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// target is what is of one cloud alone: how its requests are read and answered,
// how its objects look, and what can be asked of it.
type target struct {
	// name is the provider's word for the cloud.
	name string
	// block is the cloud's part of the provider block, beside the endpoint.
	block map[string]string
	// operation is what a request asks for, in the words of the control API.
	operation func(r *http.Request, body []byte) string
	// once tells the operations that are never sent twice, so that a lost answer
	// is an error for a person to see and not for the same run to mend.
	once func(operation string) bool
	// answer puts another answer in the place of the cloud's.
	answer func(w http.ResponseWriter, act Act)
	// look reads an object at an instant of the cloud's clock.
	look func(o sim.ObjectRow, now time.Time) sight
	// gives is the id of the object that a request gives up, "" for none; nil where
	// an object is gone as soon as the request is answered.
	gives func(r *http.Request) string
	// lag is how long what was accepted may take until it is there.
	lag time.Duration
	// apart drops the objects that are a part of another one; nil drops none.
	apart func(objects []sim.ObjectRow) []sim.ObjectRow
	// short is how much sooner a window ends than after the length that was asked
	// for.
	short time.Duration
	// partners are the accounts that a life shares with, the first one always.
	partners []string
	// first completes the first wish of a kind: the cheapest that the kind takes.
	first func(w Wish, now time.Time) Wish
	// types and zones are two of each that a life moves between.
	types, zones [2]string
	// lives are the kinds that rounds can be played of.
	lives func() map[string]life
	// operations are the rows of the exhaustive table.
	operations func() []Operation
}

// sight is what an object is to the audit.
type sight struct {
	// owner and name are those of the mark, and claimed tells whether a process
	// has made it its own.
	owner, name string
	claimed     bool
	// live tells whether it holds capacity or may come to, and ended that it
	// came to its own end or never came to be.
	live, ended bool
	// bought tells whether it was paid for at once, or will be; bounded, that it
	// must be no longer than what was asked for.
	bought, bounded bool
	// left tells that it holds nothing and only waits to be removed. A command may
	// remove it at any time, but none that succeeded may leave it behind.
	left bool
	// goes tells that it was given up and is on its way out. Until it is gone it
	// cannot be changed, and nothing of its name be made.
	goes bool
}

func targets() map[string]target {
	return map[string]target{"aws": awsTarget(), "google": googleTarget(), "azure": azureTarget()}
}

func targetOf(cloud string) (target, error) {
	t, ok := targets()[cloud]
	if !ok {
		return target{}, fmt.Errorf("no rounds are known for cloud %q", cloud)
	}
	return t, nil
}

// Clouds are those that rounds can be played of.
func Clouds() []string { return slices.Sorted(maps.Keys(targets())) }

// Kinds are those of a cloud that rounds can be played of.
func Kinds(cloud string) []string {
	t, err := targetOf(cloud)
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(t.lives()))
}

// Operations are the rows of a cloud: a create; a create that finds what a killed
// one left; each change that buys or gives back; a destroy.
func Operations(cloud string) []Operation {
	t, err := targetOf(cloud)
	if err != nil {
		return nil
	}
	rows := t.operations()
	for i := range rows {
		rows[i].Cloud = cloud
	}
	return rows
}
