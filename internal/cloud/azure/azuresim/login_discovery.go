package azuresim

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Hosts of Azure's public cloud (azcore v1.24, cloud.AzurePublic).
const (
	hostManagement = "management.azure.com"
	hostLogin      = "login.microsoftonline.com"
)

// loginHosts are names of the login host of the public cloud, as instance
// discovery lists them (microsoft-authentication-library-for-go v1.10, its table
// of known hosts).
func loginHosts() []string {
	return []string{hostLogin, "login.windows.net", "login.microsoft.com", "sts.windows.net"}
}

func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// host is where the request came to.
func (c *call) host() string {
	_, host, _ := strings.Cut(c.base, "://")
	return host
}

// loginBase is the URL of the login host: under Azure's own names another one,
// else the same.
func (c *call) loginBase() string {
	if strings.EqualFold(hostOnly(c.host()), hostManagement) {
		return "https://" + hostLogin
	}
	return c.base
}

// managementBase is the URL of Azure Resource Manager, in the same way.
func (c *call) managementBase() string {
	if slices.Contains(loginHosts(), strings.ToLower(hostOnly(c.host()))) {
		return "https://" + hostManagement
	}
	return c.base
}

type openIDWire struct {
	Token         string   `json:"token_endpoint"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	Keys          string   `json:"jwks_uri"`
	ResponseModes []string `json:"response_modes_supported"`
	SubjectTypes  []string `json:"subject_types_supported"`
	Signatures    []string `json:"id_token_signing_alg_values_supported"`
	ResponseTypes []string `json:"response_types_supported"`
	Scopes        []string `json:"scopes_supported"`
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	DeviceCode    string   `json:"device_authorization_endpoint,omitempty"`
	LogoutSession string   `json:"end_session_endpoint"`
	Region        *string  `json:"tenant_region_scope"`
	CloudInstance string   `json:"cloud_instance_name"`
	GraphHost     string   `json:"cloud_graph_host_name"`
	MSGraphHost   string   `json:"msgraph_host"`
	RBAC          string   `json:"rbac_url"`
}

// openIDV2 is the OpenID configuration of version 2. The documents that it names
// beside the token endpoint are not offered.
func openIDV2(q *query) (result, *apiError) { return q.openID("/oauth2/v2.0", "/v2.0") }

// openIDV1 is that of version 1.
func openIDV1(q *query) (result, *apiError) { return q.openID("/oauth2", "/") }

func (q *query) openID(oauth, issuer string) (result, *apiError) {
	if err := q.checkTenant(); err != nil {
		return result{}, err
	}
	// The path keeps a name of no directory: "common" is a template there.
	tenant, issued := q.vars[varTenant], q.tenantID()
	if slices.Contains(sharedTenants(), tenant) {
		issued = "{tenantid}"
	}
	base := q.base + "/" + tenant
	who := q.base + "/" + issued + issuer
	if issuer == "/" {
		who = "https://sts.windows.net/" + issued + "/"
	}
	w := openIDWire{
		Token: base + oauth + "/token", TokenAuth: []string{"client_secret_post", "private_key_jwt", "client_secret_basic"},
		Keys: base + "/discovery/keys", ResponseModes: []string{"query", "fragment", "form_post"}, SubjectTypes: []string{"pairwise"},
		Signatures: []string{"RS256"}, ResponseTypes: []string{"code", "id_token", "code id_token", "id_token token"},
		Scopes: []string{"openid", "profile", "email", "offline_access"}, Issuer: who, Authorization: base + oauth + "/authorize",
		LogoutSession: base + oauth + "/logout", CloudInstance: "microsoftonline.com", GraphHost: "graph.windows.net",
		MSGraphHost: "graph.microsoft.com", RBAC: "https://pas.windows.net",
	}
	if issuer != "/" {
		w.Keys, w.DeviceCode = base+"/discovery/v2.0/keys", base+oauth+"/devicecode"
	}
	return result{body: w}, nil
}

type instanceWire struct {
	TenantDiscovery string         `json:"tenant_discovery_endpoint"`
	APIVersion      string         `json:"api-version"`
	Metadata        []instanceHost `json:"metadata"`
}

type instanceHost struct {
	Network string   `json:"preferred_network"`
	Cache   string   `json:"preferred_cache"`
	Aliases []string `json:"aliases"`
}

// discoverInstance tells whether a login host is one of Azure's (fact
// azure-1-instance). The host that was asked counts as one.
func discoverInstance(q *query) (result, *apiError) {
	version := q.version
	if version == "" {
		version = "1.0"
	}
	text := q.params.Get("authorization_endpoint")
	if text == "" {
		return result{}, q.withoutParameter("authorization_endpoint")
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains(append(loginHosts(), strings.ToLower(q.host())), strings.ToLower(u.Host)) {
		return result{}, q.refused(http.StatusBadRequest, "invalid_instance", "50049", "Unknown or invalid instance.")
	}
	tenant := segments(u.Path)[0]
	if tenant == "" {
		tenant = "common"
	}
	w := instanceWire{
		TenantDiscovery: u.Scheme + "://" + u.Host + "/" + tenant + "/v2.0/.well-known/openid-configuration", APIVersion: version,
		Metadata: []instanceHost{{hostLogin, "login.windows.net", loginHosts()}},
	}
	if version == "1.0" {
		w.TenantDiscovery = strings.Replace(w.TenantDiscovery, "/v2.0/", "/", 1)
	}
	if !slices.Contains(loginHosts(), strings.ToLower(u.Host)) {
		w.Metadata = append(w.Metadata, instanceHost{u.Host, u.Host, []string{u.Host}})
	}
	return result{body: w}, nil
}

type metadataWire struct {
	Portal           string            `json:"portal"`
	Authentication   metadataLogin     `json:"authentication"`
	Media            string            `json:"media"`
	GraphAudience    string            `json:"graphAudience"`
	Graph            string            `json:"graph"`
	Name             string            `json:"name"`
	Suffixes         map[string]string `json:"suffixes"`
	Batch            string            `json:"batch"`
	ResourceManager  string            `json:"resourceManager"`
	ImageAliases     string            `json:"vmImageAliasDoc"`
	DataLake         string            `json:"activeDirectoryDataLake"`
	SQLManagement    string            `json:"sqlManagement"`
	MicrosoftGraph   string            `json:"microsoftGraphResourceId"`
	AppInsights      string            `json:"appInsightsResourceId"`
	AppTelemetry     string            `json:"appInsightsTelemetryChannelResourceId"`
	Attestation      string            `json:"attestationResourceId"`
	SynapseAnalytics string            `json:"synapseAnalyticsResourceId"`
	LogAnalytics     string            `json:"logAnalyticsResourceId"`
	OpenSourceRDBMS  string            `json:"ossrDbmsResourceId"`
	Gallery          string            `json:"gallery,omitempty"`
}

type metadataLogin struct {
	LoginEndpoint    string   `json:"loginEndpoint"`
	Audiences        []string `json:"audiences"`
	Tenant           string   `json:"tenant"`
	IdentityProvider string   `json:"identityProvider"`
}

// oldMetadataWire is the form of 2015-01-01, which az cloud register reads.
type oldMetadataWire struct {
	Gallery        string        `json:"galleryEndpoint"`
	Graph          string        `json:"graphEndpoint"`
	Portal         string        `json:"portalEndpoint"`
	Authentication metadataLogin `json:"authentication"`
}

// metadataEndpoints describes this cloud. The names are those that
// go-azure-sdk, sdk/internal/metadata reads of 2022-09-01, where the answer is
// one object; from 2019-05-01 on it was a list of clouds, in 2015-01-01 another
// object (azure-cli, azure/cli/core/cloud.py).
func metadataEndpoints(q *query) (result, *apiError) {
	if err := q.checkVersion(); err != nil {
		return result{}, err
	}
	login, management := q.loginBase(), q.managementBase()
	authentication := metadataLogin{
		LoginEndpoint: login, Audiences: []string{"https://management.core.windows.net/", "https://management.azure.com/"},
		Tenant: "common", IdentityProvider: "AAD",
	}
	if !q.since("2019-05-01") {
		return result{body: oldMetadataWire{
			"https://gallery.azure.com/", "https://graph.windows.net/", "https://portal.azure.com/", authentication,
		}}, nil
	}
	w := metadataWire{
		Portal: "https://portal.azure.com", Authentication: authentication, Media: "https://rest.media.azure.net",
		GraphAudience: "https://graph.windows.net/", Graph: "https://graph.windows.net/", Name: "AzureCloud", Suffixes: metadataSuffixes(),
		Batch: "https://batch.core.windows.net/", ResourceManager: strings.TrimSuffix(management, "/") + "/",
		ImageAliases: "https://raw.githubusercontent.com/Azure/azure-rest-api-specs/main/arm-compute/quickstart-templates/aliases.json",
		DataLake:     "https://datalake.azure.net/", SQLManagement: "https://management.core.windows.net:8443/",
		MicrosoftGraph: "https://graph.microsoft.com/", AppInsights: "https://api.applicationinsights.io",
		AppTelemetry: "https://dc.applicationinsights.azure.com/v2/track", Attestation: "https://attest.azure.net",
		SynapseAnalytics: "https://dev.azuresynapse.net", LogAnalytics: "https://api.loganalytics.io",
		OpenSourceRDBMS: "https://ossrdbms-aad.database.windows.net", Gallery: "https://gallery.azure.com/",
	}
	if q.since("2022-09-01") {
		return result{body: w}, nil
	}
	return result{body: []metadataWire{w}}, nil
}

func metadataSuffixes() map[string]string {
	return map[string]string{
		"azureDataLakeStoreFileSystem": "azuredatalakestore.net", "acrLoginServer": "azurecr.io", "sqlServerHostname": "database.windows.net",
		"azureDataLakeAnalyticsCatalogAndJob": "azuredatalakeanalytics.net", "keyVaultDns": "vault.azure.net", "storage": "core.windows.net",
		"azureFrontDoorEndpointSuffix": "azurefd.net", "storageSyncEndpointSuffix": "afs.azure.net", "mhsmDns": "managedhsm.azure.net",
		"mysqlServerEndpoint": "mysql.database.azure.com", "postgresqlServerEndpoint": "postgres.database.azure.com",
		"mariadbServerEndpoint": "mariadb.database.azure.com", "synapseAnalytics": "dev.azuresynapse.net", "attestationEndpoint": "attest.azure.net",
	}
}
