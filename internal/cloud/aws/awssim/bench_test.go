package awssim_test

import (
	"net/http"
	"strconv"
	"testing"
)

// BenchmarkDescribeThousand is a page of 1,000 reservations, the unit of the
// refresh figures: the simulator must not be what is measured there.
func BenchmarkDescribeThousand(b *testing.B) {
	handler := unthrottled(b)
	for n := range 1000 {
		got := direct(b, handler, "Version=2016-11-15&"+createBody("ClientToken="+strconv.Itoa(n)))
		if got.status != http.StatusOK {
			b.Fatal(got.body)
		}
	}
	for b.Loop() {
		if got := direct(b, handler, "Version=2016-11-15&Action=DescribeCapacityReservations"); got.status != http.StatusOK {
			b.Fatal(got.body)
		}
	}
}
