package azuresim

// Sources of lists that are named more than once.
const (
	karpenter = "Azure/karpenter-provider-azure, zz_generated.sku.southcentralus.go"
	nodeSizes = "aspire.dev, AksNodeVmSizes"
	retail    = "Azure documentation, azure-retail-prices"
	measured  = "measured at the service by users of it, 2026"
	entra     = "Entra documentation, v2-oauth2-client-creds-grant-flow"
	entraLogs = "public logs of Entra's token endpoint"
	msal      = "microsoft-authentication-library-for-go v1.10"
)

func catalogFacts() []Fact {
	return []Fact{
		{"azure-7-skus", "Sizes are listed for each location, with family, zones and capabilities as texts.", "armcompute v8.4, ResourceSKU; " + karpenter},
		{"azure-7-filter", "The only filter is on location.", "armcompute v8.4, ResourceSKUsClientListOptions; that others are refused UNVERIFIED"},
		{"azure-7-gpus", "GPUs counts 1 for a part of a GPU, and is not there for V710.", nodeSizes},
		{"azure-7-reservable", "CapacityReservationSupported and SupportedCapacityReservationTypes tell what can be reserved and how.", "armcompute v8.4, CapacityReservation.SKU; SKU lists recorded in public tests, 2026"},
		{"azure-7-restrictions", "Restrictions of a location or of zones say why a subscription cannot have a size.", "armcompute v8.4, ResourceSKURestrictions; which sizes have some is a choice"},
		{"azure-7-hosts", "The list has types of dedicated hosts too.", "azure-compute-docs, dedicated-host-gpu-optimized-skus"},
		{"azure-7-extended", "includeExtendedLocations is true or false.", "armcompute v8.4, ResourceSKUsClientListOptions; that others are refused UNVERIFIED"},
		{"azure-7-usages", "Quotas are in vCPUs by family, beside cores and those that count otherwise.", "armcompute v8.4, Usage; Azure/ARO-RP, quota tests"},
		{"azure-7-usage-location", "Usages of a location that there is not are refused.", "error texts of Azure Resource Manager in public logs"},
	}
}

func loginFacts() []Fact {
	return []Fact{
		{"azure-1-client-secret", "An application gets a token for its id and secret; the id of a secret is none.", entra + "; " + entraLogs},
		{"azure-1-client-assertion", "Or for its id and a JWT that is not too old.", entra + "; " + entraLogs},
		{"azure-1-token-v1", "The older endpoint takes a resource and answers numbers as texts.", "Entra documentation, v1-oauth2-client-creds-grant-flow; " + entraLogs},
		{"azure-1-scope", "The scope of an application's token ends in /.default; those of OpenID are passed over.", entra + "; " + msal + " sends them"},
		{"azure-1-tenant", "A directory is a GUID or a domain.", entraLogs},
		{"azure-1-grant", "Other grants are not offered: unsupported_grant_type.", entraLogs + "; for some grants Entra would go on"},
		{"azure-1-claims", "A token is a JWT with the claims of an application.", "Entra documentation, access-token-claims-reference; terraform-provider-azurerm reads oid"},
		{"azure-1-openid", "The OpenID configuration names token endpoint and issuer.", msal + ", authority.go"},
		{"azure-1-instance", "Instance discovery knows the login hosts of Azure, and the host that is asked.", msal + ", authority.go; the latter is a choice"},
		{"azure-1-metadata", "Metadata of the cloud is one object since 2022-09-01, a list before.", "hashicorp/go-azure-sdk, sdk/internal/metadata; azure-cli, cloud.py"},
		{"azure-1-login-error", "Errors of the login host have error, error_description and error_codes.", "Entra documentation, reference-error-codes; " + entraLogs},
	}
}

func priceFacts() []Fact {
	return []Fact{
		{"azure-10-prices", "The price list needs no token and answers Items, Count and NextPageLink.", retail},
		{"azure-10-rows", "A size has rows of Linux, Windows, Spot, Low Priority, dev/test and reservations, whose price is for the term at a unit of an hour.", retail + "; public samples"},
		{"azure-10-filter", "A filter compares by eq and contains(), with and, or and parentheses; names and values have one casing.", retail + "; " + measured + " (in and not are refused)"},
		{"azure-10-comparisons", "A filter has at most 20 comparisons.", measured},
		{"azure-10-length", "A filter of more than 2048 characters is 404.", measured},
		{"azure-10-currency", "currencyCode may be in quotes.", retail + "; that others are refused UNVERIFIED"},
		{"azure-10-page", "Pages are counted by $skip, and NextPageLink is absolute.", retail},
	}
}
