package google

import (
	"net/http"
	"net/url"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/endpoint"
	"github.com/gpulock/terraform-provider-gpu/internal/httpdate"
)

// Config is what the driver is told. The zero value means Application Default
// Credentials and the project that the environment or they name.
type Config struct {
	// Project is used where a wish or a scope names none: an id or a number.
	Project string
	// ImpersonateServiceAccount is the email of a service account to act as.
	ImpersonateServiceAccount string
	// Endpoint replaces the endpoints of Compute Engine and Resource Manager: a
	// URL, plain HTTP on loopback only.
	Endpoint string
	// Anonymous sends requests without credentials and reads none, as a simulated
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

	// gate holds one token: whoever has it may build the clients.
	gate  chan struct{}
	built *clients

	mu sync.Mutex
	// projects are ids and numbers by each other, as Resource Manager told them.
	projects map[string]project
	// untold are the numbers that Resource Manager does not tell the id of.
	untold map[string]bool
	// attempts is the next attempt number of a token whose earlier ones failed.
	attempts map[string]int
}

var (
	_ cloud.Cloud         = (*Cloud)(nil)
	_ cloud.Updater       = (*Cloud)(nil)
	_ cloud.UserLister    = (*Cloud)(nil)
	_ cloud.Importer      = (*Cloud)(nil)
	_ cloud.TypeDescriber = (*Cloud)(nil)
	_ cloud.QuotaReader   = (*Cloud)(nil)
	_ cloud.Timekeeper    = (*Cloud)(nil)
	_ cloud.MarketReader  = (*Cloud)(nil)
)

// New makes a driver. It does no I/O.
func New(cfg Config) *Cloud {
	c := &Cloud{
		cfg:      cfg,
		clock:    cfg.Clock,
		gate:     make(chan struct{}, 1),
		projects: map[string]project{},
		untold:   map[string]bool{},
		attempts: map[string]int{},
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
	if err := endpoint.Check(text, "https://compute-psc.example.com"); err != nil {
		return &cloud.Error{Code: cloud.Invalid, Message: "google.endpoint: " + err.Error()}
	}
	return nil
}

// anonymous tells whether requests go without credentials.
func (c *Cloud) anonymous() bool {
	u, err := url.Parse(c.cfg.Endpoint)
	return c.cfg.Anonymous || (err == nil && u.Scheme == "http")
}
