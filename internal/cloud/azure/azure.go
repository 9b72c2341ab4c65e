package azure

import (
	"net/http"
	"net/url"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/endpoint"
	"github.com/gpulock/terraform-provider-gpu/internal/httpdate"
)

// Config is what the driver is told. The zero value means the default chain of
// Azure credentials, the public cloud, and the subscription of the environment.
type Config struct {
	// SubscriptionID is used where a wish or a scope names none.
	SubscriptionID string
	// TenantID is where credentials sign in; empty leaves it to them.
	TenantID string
	// ResourceGroup is where reservations are made that name none.
	ResourceGroup string
	// Endpoint replaces that of Azure Resource Manager, and that of the price list:
	// a URL, plain HTTP on loopback only.
	Endpoint string
	// Anonymous sends a token that is none and reads no credentials, as a simulated
	// world takes them. Plain HTTP implies it.
	Anonymous bool
	// Transport replaces the connection below the credentials.
	Transport http.RoundTripper
	// Clock measures the pauses between tries and polls; nil is the wall clock.
	Clock clock.Clock
}

// Cloud is the driver; use New. It is safe for concurrent use.
type Cloud struct {
	cfg   Config
	clock clock.Clock
	dates *httpdate.Clock

	// gate holds one token: whoever has it may build the sender.
	gate chan struct{}
	sent *sender

	mu sync.Mutex
	// perSubscription are the clients of each subscription.
	perSubscription map[string]*clients
	// writing are the objects that are being written; the channel is closed after.
	writing map[string]chan struct{}
	// made is what each reservation of this process was made of, by the id of its life.
	made map[string]string
	// indexes are the groups of each resource group, as last listed.
	indexes map[indexKey]*index
	// lists are the sizes of each location, as first listed.
	lists map[listKey]*sizeList
}

var (
	_ cloud.Cloud      = (*Cloud)(nil)
	_ cloud.Updater    = (*Cloud)(nil)
	_ cloud.UserLister = (*Cloud)(nil)
	_ cloud.Timekeeper = (*Cloud)(nil)
	_ cloud.Grouper    = (*Cloud)(nil)
)

// New makes a driver. It does no I/O.
func New(cfg Config) *Cloud {
	c := &Cloud{
		cfg:             cfg,
		clock:           cfg.Clock,
		gate:            make(chan struct{}, 1),
		perSubscription: map[string]*clients{},
		writing:         map[string]chan struct{}{},
		made:            map[string]string{},
		indexes:         map[indexKey]*index{},
		lists:           map[listKey]*sizeList{},
	}
	if c.clock == nil {
		c.clock = clock.Wall{}
	}
	c.dates = httpdate.New(c.clock)
	return c
}

// checkEndpoint refuses what would send requests in the clear.
func checkEndpoint(text string) error {
	if text == "" {
		return nil
	}
	if err := endpoint.Check(text, "https://management.azure.com"); err != nil {
		return &cloud.Error{Code: cloud.Invalid, Message: "azure.endpoint: " + err.Error()}
	}
	return nil
}

// anonymous tells whether requests go without credentials.
func (c *Cloud) anonymous() bool {
	u, err := url.Parse(c.cfg.Endpoint)
	return c.cfg.Anonymous || (err == nil && u.Scheme == "http")
}
