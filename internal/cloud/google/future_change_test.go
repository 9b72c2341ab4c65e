package google_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// TestUpdateFuture: one request with all that differs, and the description.
func TestUpdateFuture(t *testing.T) {
	t.Parallel()
	const shared = `,"shareSettings":{"shareType":"SPECIFIC_PROJECTS","projectMap":{"proj-beta":{"projectId":"proj-beta"}}}`
	tests := map[string]struct {
		change cloud.Change
		mask   string
		has    []string
		hasNot []string
	}{
		"count": {
			cloud.Change{Count: ptr(5)},
			"specific_sku_properties.total_count,description",
			[]string{`"totalCount":"5"`, `"description":"` + ours + `"`, `"endTime":"2031-03-13T00:00:00Z"`, `"autoDeleteAutoCreatedReservations":true`, `"proj-beta"`},
			nil,
		},
		"window": {
			cloud.Change{StartAt: ptr(startAt.Add(time.Hour)), EndAt: ptr(endAt.Add(time.Second))},
			"time_window.start_time,time_window.end_time,description",
			[]string{`"startTime":"2031-03-11T01:00:00Z"`, `"endTime":"2031-03-13T00:00:01Z"`},
			[]string{`"duration"`},
		},
		"end alone": {
			cloud.Change{StartAt: ptr(startAt), EndAt: ptr(endAt.Add(time.Hour)), Count: ptr(2)},
			"time_window.end_time,description",
			[]string{`"endTime":"2031-03-13T01:00:00Z"`},
			nil,
		},
		"shares": {
			cloud.Change{ShareWith: &[]string{"proj-gamma", "proj-delta"}},
			"share_settings,description",
			[]string{`"proj-gamma"`, `"proj-delta"`, `"SPECIFIC_PROJECTS"`},
			[]string{`"proj-beta"`},
		},
		"no shares":    {cloud.Change{ShareWith: &[]string{}}, "share_settings,description", nil, []string{`"shareSettings"`}},
		"nothing":      {cloud.Change{Count: ptr(2), StartAt: ptr(startAt), EndAt: ptr(endAt), ShareWith: &[]string{"proj-beta"}}, "", nil, nil},
		"nothing told": {cloud.Change{}, "", nil, nil},
	}
	for name, tt := range tests {
		s := newStub(t, map[string][]answer{
			getFuture: {planned(shared + status("APPROVED", locksAt))}, patchFuture: {done()},
		})
		if _, err := s.driver().Update(t.Context(), futureRef(), tt.change); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sent := s.all(patchFuture)
		if tt.mask == "" {
			if len(sent) > 0 {
				t.Errorf("%s: sent %+v", name, sent)
			}
			continue
		}
		if len(sent) != 1 || sent[0].query.Get("updateMask") != tt.mask || sent[0].query.Get("requestId") == "" {
			t.Errorf("%s: sent %+v, want the mask %s", name, sent, tt.mask)
			continue
		}
		holds(t, name, sent[0].body, tt.has, tt.hasNot)
	}
}

// holds looks for parts of a body, which the client library spaces as it likes.
func holds(t *testing.T, name, body string, has, hasNot []string) {
	t.Helper()
	body = strings.ReplaceAll(body, `": `, `":`)
	for _, part := range has {
		if !strings.Contains(body, part) {
			t.Errorf("%s: %s is not in %s", name, part, body)
		}
	}
	for _, part := range hasNot {
		if strings.Contains(body, part) {
			t.Errorf("%s: %s is in %s", name, part, body)
		}
	}
}

// TestUpdateFutureRefused: nothing is sent that cannot be changed, and the text
// says when it locks.
func TestUpdateFutureRefused(t *testing.T) {
	t.Parallel()
	const block = `,"reservationMode":"CALENDAR"`
	count := cloud.Change{Count: ptr(5)}
	approved := status("APPROVED", locksAt)
	tests := map[string]struct {
		shows  string
		change cloud.Change
		at     time.Time
		code   cloud.Code
		says   string
	}{
		"pending":        {status("PENDING_APPROVAL", ""), count, time.Time{}, cloud.Conflict, "PENDING_APPROVAL"},
		"amending":       {status("PENDING_AMENDMENT_APPROVAL", locksAt), count, time.Time{}, cloud.Conflict, "2031-03-04T00:00:00Z"},
		"locked":         {approved, count, lockAt, cloud.Conflict, "locked since 2031-03-04T00:00:00Z"},
		"procuring":      {status("PROCURING", ""), count, time.Time{}, cloud.Conflict, "PROCURING"},
		"fulfilled":      {status("FULFILLED", locksAt), count, time.Time{}, cloud.Conflict, "locked"},
		"cancelled":      {status("CANCELLED", ""), count, time.Time{}, cloud.Conflict, "CANCELLED"},
		"declined":       {status("DECLINED", ""), count, time.Time{}, cloud.Conflict, "DECLINED"},
		"over":           {approved, count, endAt, cloud.Conflict, "APPROVED"},
		"match":          {approved, cloud.Change{Match: ptr(cloud.Open)}, time.Time{}, cloud.Unsupported, "match_criteria"},
		"tags":           {approved, cloud.Change{SetTags: map[string]string{"a": "b"}}, time.Time{}, cloud.Unsupported, "tags"},
		"option":         {approved, cloud.Change{Native: map[string]string{"deployment_type": "dense"}}, time.Time{}, cloud.Unsupported, "google.deployment_type"},
		"count":          {approved, cloud.Change{Count: ptr(0)}, time.Time{}, cloud.Invalid, "instance_count"},
		"no end":         {approved, cloud.Change{EndAt: &time.Time{}}, time.Time{}, cloud.Invalid, "window."},
		"end at start":   {approved, cloud.Change{EndAt: ptr(startAt)}, time.Time{}, cloud.Invalid, "window.end_at"},
		"short":          {approved, cloud.Change{EndAt: ptr(startAt.Add(23 * time.Hour))}, time.Time{}, cloud.Invalid, "24 hours and more"},
		"large block":    {block + approved, cloud.Change{Count: ptr(81)}, time.Time{}, cloud.Invalid, "1 to 80"},
		"long block":     {block + approved, cloud.Change{EndAt: ptr(startAt.Add(91 * 24 * time.Hour))}, time.Time{}, cloud.Invalid, "90 days"},
		"share with one": {approved, cloud.Change{ShareWith: &[]string{home}}, time.Time{}, cloud.Invalid, "share_with"},
	}
	for name, tt := range tests {
		s := newStub(t, map[string][]answer{getFuture: {planned(tt.shows)}})
		if !tt.at.IsZero() {
			s.jump.Advance(tt.at.Sub(s.jump.Now()))
		}
		_, err := s.driver().Update(t.Context(), futureRef(), tt.change)
		if cloud.CodeOf(err) != tt.code || err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v; want %s that says %q", name, err, tt.code, tt.says)
		}
	}
}

// TestUpdateFutureKeepsText: a description that is no mark is sent again too.
func TestUpdateFutureKeepsText(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		getFuture: {planned(`,"description":"nightly","reservationName":"made"` + status("APPROVED", locksAt))}, patchFuture: {done()},
	})
	if _, err := s.driver().Update(t.Context(), futureRef(), cloud.Change{Count: ptr(3)}); err != nil {
		t.Fatal(err)
	}
	if sent := s.all(patchFuture); len(sent) != 1 || !strings.Contains(sent[0].body, `"nightly"`) || !strings.Contains(sent[0].body, `"made"`) {
		t.Errorf("sent %+v", sent)
	}
}

// TestUpdateFutureLocksMeanwhile: a refusal is explained by the state after it.
func TestUpdateFutureLocksMeanwhile(t *testing.T) {
	t.Parallel()
	approved := planned(status("APPROVED", locksAt))
	s := newStub(t, map[string][]answer{
		getFuture: {approved, approved, planned(status("PROCURING", locksAt))}, patchFuture: {refusal(400, "invalid", "It cannot be updated.")},
	})
	_, err := s.driver().Update(t.Context(), futureRef(), cloud.Change{Count: ptr(3)})
	if cloud.CodeOf(err) != cloud.Conflict || !strings.Contains(err.Error(), "PROCURING") || !strings.Contains(err.Error(), "cannot be updated") {
		t.Errorf("Update: %v", err)
	}
	s = newStub(t, map[string][]answer{
		getFuture: {approved}, patchFuture: {operation("op-1", "DONE", failing("QUOTA_EXCEEDED"))},
	})
	_, err = s.driver().Update(t.Context(), futureRef(), cloud.Change{Count: ptr(3)})
	e, ok := err.(*cloud.Error) //nolint:errorlint // The driver returns it bare.
	if !ok || e.Code != cloud.QuotaExceeded || e.Quota == nil || e.Quota.AccountID != home || e.Quota.Region != "us-central1" {
		t.Errorf("Update: %+v", err)
	}
}

func TestReleaseFuture(t *testing.T) {
	t.Parallel()
	refused := refusal(400, "invalid", "The request cannot be cancelled.")
	tests := map[string]struct {
		script map[string][]answer
		at     time.Time
		code   cloud.Code
		// writes are the requests that change something, in order.
		writes []string
	}{
		"pending": {
			map[string][]answer{getFuture: {planned(status("PENDING_APPROVAL", ""))}}, time.Time{}, "", []string{cancelFuture, deleteFuture},
		},
		"approved": {
			map[string][]answer{getFuture: {planned(status("APPROVED", locksAt))}}, time.Time{}, "", []string{cancelFuture, deleteFuture},
		},
		"draft":     {map[string][]answer{getFuture: {planned(status("DRAFTING", ""))}}, time.Time{}, "", []string{deleteFuture}},
		"declined":  {map[string][]answer{getFuture: {planned(status("DECLINED", ""))}}, time.Time{}, "", []string{deleteFuture}},
		"failed":    {map[string][]answer{getFuture: {planned(status("FAILED", ""))}}, time.Time{}, "", []string{deleteFuture}},
		"cancelled": {map[string][]answer{getFuture: {planned(status("CANCELLED", locksAt))}}, lockAt, "", []string{deleteFuture}},
		"gone":      {map[string][]answer{getFuture: {notFound()}}, time.Time{}, "", nil},
		"locked":    {map[string][]answer{getFuture: {planned(status("APPROVED", locksAt))}}, lockAt, cloud.Unsupported, nil},
		"running": {
			map[string][]answer{getFuture: {planned(status("FULFILLED", deliveredTo))}}, startAt.Add(time.Hour), cloud.Unsupported, nil,
		},
		"over": {
			map[string][]answer{getFuture: {planned(status("FULFILLED", deliveredTo))}, deleteMade: {done()}},
			endAt, "",
			[]string{deleteMade, deleteFuture},
		},
		"over and deleted by itself": {
			map[string][]answer{getFuture: {planned(status("FULFILLED", deliveredTo))}, deleteMade: {notFound()}},
			endAt, "",
			[]string{deleteMade, deleteFuture},
		},
		"over and in use": {
			map[string][]answer{
				getFuture:  {planned(status("FULFILLED", deliveredTo))},
				deleteMade: {refusal(400, "resourceInUseByAnotherResource", "The reservation is already being used by 'vm'")},
				getMade:    {object("")},
			}, endAt, cloud.InUse, []string{deleteMade},
		},
		"over and partly fulfilled": {
			map[string][]answer{
				getFuture: {planned(status("FAILED_PARTIALLY_FULFILLED", `,"fulfilledCount":"1"`+deliveredTo))}, deleteMade: {done()},
			}, endAt, "", []string{deleteMade, deleteFuture},
		},
		"locks meanwhile": {
			map[string][]answer{
				getFuture:    {planned(status("APPROVED", locksAt)), planned(status("PROCURING", locksAt))},
				cancelFuture: {refused},
			}, time.Time{}, cloud.Unsupported, []string{cancelFuture},
		},
		"cancelled meanwhile": {
			map[string][]answer{
				getFuture:    {planned(status("APPROVED", locksAt)), planned(status("CANCELLED", locksAt))},
				cancelFuture: {refused},
			}, time.Time{}, "", []string{cancelFuture, deleteFuture},
		},
		"gone meanwhile": {
			map[string][]answer{getFuture: {planned(status("APPROVED", locksAt)), notFound()}, cancelFuture: {refused}},
			time.Time{},
			"",
			[]string{cancelFuture},
		},
		"not cancelled": {
			map[string][]answer{getFuture: {planned(status("APPROVED", locksAt))}, cancelFuture: {refused}},
			time.Time{},
			cloud.Unsupported,
			[]string{cancelFuture},
		},
		"forbidden": {
			map[string][]answer{getFuture: {planned(status("APPROVED", locksAt))}, cancelFuture: {refusal(403, "forbidden", "no")}},
			time.Time{},
			cloud.PermissionDenied,
			[]string{cancelFuture},
		},
		"deleted meanwhile": {
			map[string][]answer{getFuture: {planned(status("DECLINED", ""))}, deleteFuture: {notFound()}}, time.Time{}, "", []string{deleteFuture},
		},
	}
	for name, tt := range tests {
		for _, key := range []string{cancelFuture, deleteFuture} {
			if tt.script[key] == nil {
				tt.script[key] = []answer{done()}
			}
		}
		s := newStub(t, tt.script)
		if !tt.at.IsZero() {
			s.jump.Advance(tt.at.Sub(s.jump.Now()))
		}
		err := s.driver().Release(t.Context(), futureRef())
		writes := slices.DeleteFunc(s.keys(), func(key string) bool { return strings.HasPrefix(key, "GET ") })
		if cloud.CodeOf(err) != tt.code || !slices.Equal(writes, tt.writes) {
			t.Errorf("%s: %v after %v; want %q after %v", name, err, writes, tt.code, tt.writes)
		}
	}
}

// TestReleaseFutureSays: what is not given back says until when.
func TestReleaseFutureSays(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{getFuture: {planned(status("PROCURING", locksAt))}})
	err := s.driver().Release(t.Context(), futureRef())
	for _, part := range []string{"2031-03-04T00:00:00Z", "2031-03-13T00:00:00Z", "PROCURING"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}
}
