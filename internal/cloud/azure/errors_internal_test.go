package azure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// refusal is the client library's error of an answer.
func refusal(status int, body string, header map[string]string) error {
	h := http.Header{"Content-Type": {"application/json"}}
	for name, value := range header {
		h.Set(name, value)
	}
	return runtime.NewResponseError(&http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))})
}

// fails is a body with a code and a text.
func fails(code, message string) string {
	return fmt.Sprintf(`{"error":{"code":%q,"message":%q}}`, code, message)
}

const (
	outOfStock = "Allocation failed. We do not have sufficient capacity for the requested VM size in this region. " +
		"Read more about improving likelihood of allocation success at https://aka.ms/allocation-guidance"
	overFamily = "Operation could not be completed as it results in exceeding approved standardNCADSA100v4Family Cores quota. " +
		"Additional details - Deployment Model: Resource Manager, Location: eastus, Current Limit: 10, Current Usage: 10, " +
		"Additional Required: 24, (Minimum) New Limit Required: 34."
	overRegion = "Operation could not be completed as it results in exceeding approved Total Regional Cores quota. " +
		"Additional details - Deployment Model: Resource Manager, Location: West US 2, Current Limit: 10."
	noCapacityNow = "The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: Standard_NC24ads_A100_v4' " +
		"is currently not available in location 'eastus'. Please try another size or deploy to a different location or different zone."
	hasNested = "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: " +
		"'Microsoft.Compute/capacityReservationGroups/train/capacityReservations/train'. Please delete all nested resources before deleting this resource."
	vm1 = "/subscriptions/" + testSub + "/resourceGroups/gpu/providers/Microsoft.Compute/virtualMachines/vm-1"
	vm2 = "/subscriptions/" + testSub + "/resourceGroups/gpu/providers/Microsoft.Compute/virtualMachineScaleSets/set/virtualMachines/0"
)

func TestTranslate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		body   string
		want   cloud.Error
	}{
		"a failed operation": {
			200, `{"status":"Failed","error":{"code":"AllocationFailed","message":"` + outOfStock + `"}}`,
			cloud.Error{Code: cloud.NoCapacity, Native: "AllocationFailed", Message: outOfStock},
		},
		"a zone that is full": {409, fails("ZonalAllocationFailed", "full"), cloud.Error{Code: cloud.NoCapacity, Native: "ZonalAllocationFailed", Message: "full"}},
		"a shortage under another code": {
			409, fails("SkuNotAvailable", noCapacityNow),
			cloud.Error{Code: cloud.NoCapacity, Native: "SkuNotAvailable", Message: noCapacityNow},
		},
		"a size that is not offered": {
			409, fails("SkuNotAvailable", "The requested size is not available in location 'eastus'"),
			cloud.Error{Code: cloud.Unsupported, Native: "SkuNotAvailable", Message: "The requested size is not available in location 'eastus'"},
		},
		"an unknown code is no capacity": {409, fails("NoSuchCode", outOfStock), cloud.Error{Code: cloud.Invalid, Native: "NoSuchCode", Message: outOfStock}},
		"an unknown code of an operation": {
			200, `{"status":"Failed","error":{"code":"NoSuchCode","message":"m"}}`, cloud.Error{Code: cloud.Internal, Native: "NoSuchCode", Message: "m"},
		},
		"a family's quota": {
			409, fails("OperationNotAllowed", overFamily),
			cloud.Error{
				Code: cloud.QuotaExceeded, Native: "OperationNotAllowed", Message: overFamily,
				Quota: &cloud.QuotaScope{Region: "eastus", Quota: "standardncadsa100v4family"},
			},
		},
		"the region's quota, with 403": {
			403, fails("OperationNotAllowed", overRegion),
			cloud.Error{
				Code: cloud.QuotaExceeded, Native: "OperationNotAllowed", Message: overRegion, Quota: &cloud.QuotaScope{Region: "westus2", Quota: "cores"},
			},
		},
		"a wrapped quota": {
			409, `{"error":{"code":"QuotaExceeded","message":"outer","details":[{"code":"OperationNotAllowed","message":"` + overFamily + `"}]}}`,
			cloud.Error{
				Code: cloud.QuotaExceeded, Native: "OperationNotAllowed", Message: overFamily,
				Quota: &cloud.QuotaScope{Region: "eastus", Quota: "standardncadsa100v4family"},
			},
		},
		"a plain refusal": {409, fails("OperationNotAllowed", "no"), cloud.Error{Code: cloud.Invalid, Native: "OperationNotAllowed", Message: "no"}},
		"a wrapped shortage": {
			200, `{"status":"Failed","error":{"code":"ResourceDeploymentFailure","message":"outer","details":[
				{"code":"OverconstrainedAllocationRequest","message":"inner"}]}}`,
			cloud.Error{Code: cloud.NoCapacity, Native: "OverconstrainedAllocationRequest", Message: "inner"},
		},
		"several causes, of which another place helps with one": {
			409, `{"error":{"code":"DeploymentFailed","message":"outer","details":[
				{"code":"AllocationFailed","message":"full"},{"code":"ResourceGroupNotFound","message":"gone"},{"code":"Odd","message":"odd"}]}}`,
			cloud.Error{Code: cloud.NotFound, Native: "ResourceGroupNotFound", Message: "gone"},
		},
		"a wrapper of something unknown": {
			409, `{"error":{"code":"DeploymentFailed","message":"outer","details":[{"code":"Odd","message":"odd"}]}}`,
			cloud.Error{Code: cloud.Invalid, Native: "DeploymentFailed", Message: "outer"},
		},
		"an inner error": {
			409, `{"error":{"code":"Odd","message":"outer","innererror":{"code":"AllocationFailed","message":"inner"}}}`,
			cloud.Error{Code: cloud.NoCapacity, Native: "AllocationFailed", Message: "inner"},
		},
		"a detail of an exception": {
			500, `{"error":{"code":"InternalExecutionError","innererror":{"exceptiontype":"X","errordetail":"it broke"}}}`,
			cloud.Error{Code: cloud.Internal, Native: "InternalExecutionError", Message: "it broke", Accepted: true},
		},
		"what cannot be reserved": {
			400, fails("NotSupported", "Capacity Reservation is not supported for VM size Standard_A0."),
			cloud.Error{Code: cloud.Unsupported, Native: "NotSupported", Message: "Capacity Reservation is not supported for VM size Standard_A0."},
		},
		"in use": {
			409, fails("OperationNotAllowed", "Capacity reservation 'train' cannot be deleted: virtual machines '"+vm1+"', '"+vm2+"' are associated with it. "+vm1+"."),
			cloud.Error{
				Code: cloud.InUse, Native: "OperationNotAllowed", Users: []string{vm1, vm2},
				Message: "Capacity reservation 'train' cannot be deleted: virtual machines '" + vm1 + "', '" + vm2 + "' are associated with it. " + vm1 + ".",
			},
		},
		"in use, under a code of another class": {
			409, fails("ScopeLocked", "It has\nvirtual machines associated."),
			cloud.Error{Code: cloud.InUse, Native: "ScopeLocked", Message: "It has\nvirtual machines associated."},
		},
		"in use, under an unknown code": {
			409, fails("Odd", "machines associated: '/subscriptions/x/vm-8'"),
			cloud.Error{Code: cloud.InUse, Native: "Odd", Users: []string{"/subscriptions/x/vm-8"}, Message: "machines associated: '/subscriptions/x/vm-8'"},
		},
		"in use, as an operation tells": {
			200, `{"status":"Failed","error":{"code":"Odd","message":"machines associated: vm-8"}}`,
			cloud.Error{Code: cloud.InUse, Native: "Odd", Users: []string{"vm-8"}, Message: "machines associated: vm-8"},
		},
		"a shortage stays one": {
			409, fails("AllocationFailed", "no room for the virtual machines associated"),
			cloud.Error{Code: cloud.NoCapacity, Native: "AllocationFailed", Message: "no room for the virtual machines associated"},
		},
		"a right that is missing stays so": {
			403, fails("AuthorizationFailed", "may not read the virtual machines associated"),
			cloud.Error{Code: cloud.PermissionDenied, Native: "AuthorizationFailed", Message: "may not read the virtual machines associated", Authenticated: true},
		},
		"a wrapper in another casing": {
			200, `{"status":"Failed","error":{"code":"resourceDeploymentFailure","message":"outer","details":[{"code":"AllocationFailed","message":"inner"}]}}`,
			cloud.Error{Code: cloud.NoCapacity, Native: "AllocationFailed", Message: "inner"},
		},
		"a known wrapper in another casing": {
			409, `{"error":{"code":"conflict","message":"outer","details":[{"code":"AllocationFailed","message":"inner"}]}}`,
			cloud.Error{Code: cloud.NoCapacity, Native: "AllocationFailed", Message: "inner"},
		},
		"what could not be allocated is not in use": {
			409, fails("Odd", "The virtual machine could not be allocated."), cloud.Error{Code: cloud.Invalid, Native: "Odd", Message: "The virtual machine could not be allocated."},
		},
		"nested resources": {409, fails("CannotDeleteResource", hasNested), cloud.Error{Code: cloud.Conflict, Native: "CannotDeleteResource", Message: hasNested}},
		"gone":             {404, fails("ResourceNotFound", "m"), cloud.Error{Code: cloud.NotFound, Native: "ResourceNotFound", Message: "m"}},
		"no such subscription": {
			404, fails("SubscriptionNotFound", "m"), cloud.Error{Code: cloud.PermissionDenied, Native: "SubscriptionNotFound", Message: "m", Authenticated: true},
		},
		"forbidden": {
			403, fails("AuthorizationFailed", "m"), cloud.Error{Code: cloud.PermissionDenied, Native: "AuthorizationFailed", Message: "m", Authenticated: true},
		},
		"a bad token": {401, fails("InvalidAuthenticationToken", "m"), cloud.Error{Code: cloud.PermissionDenied, Native: "InvalidAuthenticationToken", Message: "m"}},
		"not registered": {
			409, fails("MissingSubscriptionRegistration", "The subscription is not registered to use namespace 'Microsoft.Compute'."),
			cloud.Error{
				Code: cloud.PermissionDenied, Native: "MissingSubscriptionRegistration", Authenticated: true,
				Message: "The subscription is not registered to use namespace 'Microsoft.Compute'; register it: az provider register --namespace Microsoft.Compute",
			},
		},
		"throttled":                  {429, fails("TooManyRequests", "m"), cloud.Error{Code: cloud.Throttled, Native: "TooManyRequests", Message: "m"}},
		"throttled under any code":   {429, fails("OperationNotAllowed", "too many requests"), cloud.Error{Code: cloud.Throttled, Native: "OperationNotAllowed", Message: "too many requests"}},
		"a limit is no rate":         {429, fails("QuotaExceeded", overRegion), cloud.Error{Code: cloud.QuotaExceeded, Native: "QuotaExceeded", Message: overRegion, Quota: &cloud.QuotaScope{Region: "westus2", Quota: "cores"}}},
		"a server that failed":       {503, fails("ServerTimeout", "m"), cloud.Error{Code: cloud.Internal, Native: "ServerTimeout", Message: "m", Accepted: true}},
		"a code on top":              {400, `{"code":"InvalidParameter","message":"m"}`, cloud.Error{Code: cloud.Invalid, Native: "InvalidParameter", Message: "m"}},
		"a proxy":                    {502, "<html>", cloud.Error{Code: cloud.Internal, Message: "the answer is not one of Azure: 502 Bad Gateway, application/json; a proxy may stand between", Accepted: true}},
		"not found by who knows":     {404, "", cloud.Error{Code: cloud.Invalid, Message: "the answer is not one of Azure: 404 Not Found, application/json; a proxy may stand between"}},
		"the casing of a code":       {404, fails("resourcenotfound", "m"), cloud.Error{Code: cloud.NotFound, Native: "resourcenotfound", Message: "m"}},
		"a property that is fixed":   {409, fails("PropertyChangeNotAllowed", "m"), cloud.Error{Code: cloud.Conflict, Native: "PropertyChangeNotAllowed", Message: "m"}},
		"a subscription of no form":  {400, fails("InvalidSubscriptionId", "m"), cloud.Error{Code: cloud.Invalid, Native: "InvalidSubscriptionId", Message: "m"}},
		"a zone that is not offered": {400, fails("AvailabilityZoneNotSupported", "m"), cloud.Error{Code: cloud.Unsupported, Native: "AvailabilityZoneNotSupported", Message: "m"}},
	} {
		tt.want.Op, tt.want.HTTPStatus = "Op_X", tt.status
		tt.want.Message = cloud.Clean(tt.want.Message)
		got := translate("Op_X", fmt.Errorf("wrapped: %w", refusal(tt.status, tt.body, nil)))
		if diff := cmp.Diff(&tt.want, got, cmpopts.IgnoreFields(cloud.Error{}, "Cause")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got.Cause == nil {
			t.Errorf("%s: the client's error is lost", name)
		}
	}
}

// TestMachinesIn: how a refusal spells the machines is not documented.
func TestMachinesIn(t *testing.T) {
	t.Parallel()
	const self = "/subscriptions/x/resourceGroups/gpu/providers/Microsoft.Compute/capacityReservationGroups/train"
	for message, want := range map[string][]string{
		"machines associated: '/subscriptions/x/vm-8', '/subscriptions/x/vm-9'":                            {"/subscriptions/x/vm-8", "/subscriptions/x/vm-9"},
		`machines associated: ["/subscriptions/x/vm-8","/SUBSCRIPTIONS/X/VM-8"]`:                           {"/subscriptions/x/vm-8"},
		"'" + self + "/capacityReservations/a' has machines associated with it: " + vm1 + ", " + vm2 + ".": {vm1, vm2},
		self + " has machines associated. See https://aka.ms/CapacityReservation/x.":                       nil,
		"Virtual machines associated:/subscriptions/x/vm-8;/subscriptions/x/vm-9.":                         {"/subscriptions/x/vm-8", "/subscriptions/x/vm-9"},
		"Virtual machine(s) '/vms/a' associated":                                                           {"/vms/a"},
		"machines associated: vm-8, vm-9":                                                                  {"vm-8", "vm-9"},
		"machines associated: trainer.":                                                                    {"trainer"},
		"machines associated with it: [vm-8,vm-9] (2).":                                                    {"vm-8", "vm-9"},
		"Capacity reservation 'train' has virtual machines 'a' and 'b' associated with it.":                {"a", "b"},
		"Capacity reservation 'train' is associated with the machines vm-8 and vm_9. Delete them.":         {"vm-8", "vm_9"},
		"Virtual machines vm-8, vm-9 are associated with capacity reservation 'train'.":                    {"vm-8", "vm-9"},
		"Virtual machines are associated with capacity reservation 'train'.":                               nil,
		"Virtual machines are associated with 'train', 'other'.":                                           nil,
		"machines associated: please remove them first":                                                    nil,
		"machines that are associated with it, and must go":                                                nil,
		"machines associated:": nil,
		"":                     nil,
	} {
		if diff := cmp.Diff(want, machinesIn(message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", message, diff)
		}
	}
}

func TestTranslateHeaders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"seconds": {map[string]string{"Retry-After": "120"}, 2 * time.Minute},
		"a date":  {map[string]string{"Retry-After": "Sat, 01 Mar 2031 00:00:30 GMT", "Date": "Sat, 01 Mar 2031 00:00:00 GMT"}, 30 * time.Second},
		"milliseconds first": {
			map[string]string{"Retry-After": "9", "x-ms-retry-after-ms": "700", "retry-after-ms": "250"}, 250 * time.Millisecond,
		},
		"nothing": {nil, 0},
		"rubbish": {map[string]string{"retry-after-ms": "soon", "Retry-After": "later"}, 0},
	} {
		if got := translate("Op_X", refusal(429, fails("TooManyRequests", "m"), tt.header)); got.RetryAfter != tt.want {
			t.Errorf("%s: %s", name, got.RetryAfter)
		}
	}
	got := translate("Op_X", refusal(409, `{}`, map[string]string{"x-ms-error-code": "AllocationFailed", "x-ms-request-id": "r-1"}))
	if got.Code != cloud.NoCapacity || got.RequestID != "r-1" {
		t.Errorf("a code in a header: %+v", got)
	}
}

func TestTranslateWithoutAnswer(t *testing.T) {
	t.Parallel()
	dial := &url.Error{Op: "Get", URL: "https://management.azure.com/x", Err: &net.OpError{Op: "dial", Err: errors.New("refused")}}
	got := translate("Op_X", dial)
	if got.Code != cloud.Internal || got.Accepted || strings.Contains(got.Message, "management.azure.com") {
		t.Errorf("a connection that was refused: %+v", got)
	}
	if got := translate("Op_X", io.ErrUnexpectedEOF); !got.Accepted || got.HTTPStatus != 0 {
		t.Errorf("an answer that was lost: %+v", got)
	}
	if got := translate("Op_X", context.DeadlineExceeded); errors.Is(got, context.DeadlineExceeded) || got.Code != cloud.Internal {
		t.Errorf("a time-out of the client's own passes for the end of the caller's context: %v", got)
	}
	own := &cloud.Error{Code: cloud.PermissionDenied, Message: "no credentials"}
	if diff := cmp.Diff(own, translate("Op_X", fmt.Errorf("auth: %w", own))); diff != "" {
		t.Error(diff)
	}
}

// TestCodesAreUnique: the first row would hide the second.
func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range codes {
		if key := strings.ToLower(r.native); seen[key] || r.source == "" {
			t.Errorf("%s stands there twice, or has no source", r.native)
		} else {
			seen[key] = true
		}
	}
	for _, w := range wrappers {
		if code, ok := lookUp(w); ok && code == cloud.NoCapacity {
			t.Errorf("%s wraps and passes for capacity", w)
		}
	}
}

func TestFailureOf(t *testing.T) {
	t.Parallel()
	status := func(code, message string) *armcompute.InstanceViewStatus {
		return &armcompute.InstanceViewStatus{Code: to.Ptr(code), Message: to.Ptr(message)}
	}
	for name, tt := range map[string]struct {
		statuses []*armcompute.InstanceViewStatus
		want     *cloud.Error
	}{
		"nothing":   {nil, nil},
		"a success": {[]*armcompute.InstanceViewStatus{nil, status("ProvisioningState/succeeded", "")}, nil},
		"bare":      {[]*armcompute.InstanceViewStatus{status("ProvisioningState/failed", "")}, nil},
		"a code": {
			[]*armcompute.InstanceViewStatus{status("ProvisioningState/failed/AllocationFailed", "full")},
			&cloud.Error{Code: cloud.NoCapacity, Op: "Op_X", Native: "AllocationFailed", Message: "full", HTTPStatus: 200},
		},
		"a text": {
			[]*armcompute.InstanceViewStatus{status("ProvisioningState/failed", "why")},
			&cloud.Error{Code: cloud.Internal, Op: "Op_X", Message: "why", HTTPStatus: 200},
		},
	} {
		if diff := cmp.Diff(tt.want, failureOf("Op_X", tt.statuses)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestQuotaName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"standardNCADSA100v4Family Cores": "standardncadsa100v4family", "StandardNCADSA100v4Family": "standardncadsa100v4family",
		"Total Regional Cores": "cores", "cores": "cores", "LowPriorityCores": "lowprioritycores",
	} {
		if got := quotaName(text); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}
