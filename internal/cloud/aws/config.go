package aws

import (
	"net/http"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/endpoint"
)

// Config is what the driver is told. The zero value means AWS's standard chain
// of credentials and no default region.
type Config struct {
	// Region is used where a wish, a scope or an id names none.
	Region string
	// Profile is a profile of the shared configuration files; empty follows the
	// standard chain.
	Profile string
	// AssumeRole is the role of the default account.
	AssumeRole AssumeRole
	// Endpoint replaces the endpoints of EC2, STS, Service Quotas and the price list: a URL, plain
	// HTTP on loopback only.
	Endpoint string
	// Accounts are the accounts that a wish can name.
	Accounts map[string]Account
	// Credentials are used instead of everything the environment, the shared
	// files and the metadata service would give: none of them is read.
	Credentials *Credentials
	// HTTPClient replaces the SDK's own.
	HTTPClient HTTPClient
	// Clock measures the pauses between tries; nil is the wall clock.
	Clock clock.Clock
}

// AssumeRole is a role to take on; without RoleARN there is none.
type AssumeRole struct {
	RoleARN    string
	ExternalID string
}

// Account is a further account. What is empty is as for the default account; a
// role here replaces the default one and is assumed with the credentials below
// it, so that roles are not chained.
type Account struct {
	Profile    string
	AssumeRole AssumeRole
}

// Credentials are static keys, as a simulated world has them.
type Credentials struct {
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string
}

// HTTPClient sends one request.
type HTTPClient interface {
	Do(*http.Request) (*http.Response, error)
}

// Cloud is the driver; use New. It is safe for concurrent use.
type Cloud struct {
	cfg   Config
	clock clock.Clock

	mu         sync.Mutex
	identities map[string]*identity
	places     map[placeKey]*place
	// fresh holds the ids made by this process and when: EC2 may deny for a
	// moment that they exist.
	fresh map[string]time.Time
	vcpus map[typeKey]int
}

var (
	_ cloud.Cloud         = (*Cloud)(nil)
	_ cloud.Updater       = (*Cloud)(nil)
	_ cloud.UserLister    = (*Cloud)(nil)
	_ cloud.Importer      = (*Cloud)(nil)
	_ cloud.TypeDescriber = (*Cloud)(nil)
	_ cloud.QuotaReader   = (*Cloud)(nil)
	_ cloud.Timekeeper    = (*Cloud)(nil)
	_ cloud.Offerer       = (*Cloud)(nil)
	_ cloud.MarketReader  = (*Cloud)(nil)
)

// New makes a driver. It does no I/O.
func New(cfg Config) *Cloud {
	c := &Cloud{
		cfg:        cfg,
		clock:      cfg.Clock,
		identities: map[string]*identity{},
		places:     map[placeKey]*place{},
		fresh:      map[string]time.Time{},
		vcpus:      map[typeKey]int{},
	}
	if c.clock == nil {
		c.clock = clock.Wall{}
	}
	return c
}

// checkEndpoint refuses what would send signed requests in the clear.
func checkEndpoint(text string) error {
	if text == "" {
		return nil
	}
	if err := endpoint.Check(text, "https://vpce.example.com"); err != nil {
		return &cloud.Error{Code: cloud.Invalid, Message: "aws.endpoint: " + err.Error()}
	}
	return nil
}
