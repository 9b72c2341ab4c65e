package awssim

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// serviceQuotas is the Service Quotas API in JSON 1.1 (facts/aws.md section
// 11), for the service ec2.
type serviceQuotas struct{}

const quotasTarget = "ServiceQuotasV20190624."

// quotaInput holds the members of all its operations here.
type quotaInput struct {
	ServiceCode string
	QuotaCode   string
	ContextId   string
	MaxResults  int
	NextToken   string
	// QuotaAppliedAtLevel is ACCOUNT, RESOURCE or ALL.
	QuotaAppliedAtLevel string
}

// quotaOutput is a ServiceQuota.
type quotaOutput struct {
	ServiceCode  string
	ServiceName  string
	QuotaArn     string
	QuotaCode    string
	QuotaName    string
	Value        float64
	Unit         string
	Adjustable   bool
	GlobalQuota  bool
	AppliedLevel string `json:"QuotaAppliedAtLevel"`
}

func quotaOperations() map[string]func(*query, quotaInput) (any, *apiError) {
	return map[string]func(*query, quotaInput) (any, *apiError){
		"GetServiceQuota":           getServiceQuota,
		"GetAWSDefaultServiceQuota": getDefaultQuota,
		"ListServiceQuotas":         listServiceQuotas,
	}
}

func (serviceQuotas) read(_ *Simulator, _ *sim.Tx, in *sim.Inbound, c *call, req *sim.Request) *apiError {
	action, err := target(in, quotasTarget, quotaOperations())
	if err != nil {
		return err
	}
	c.action, req.Operation = action, action
	return nil
}

func (serviceQuotas) run(q *query) (sim.Answer, *apiError) {
	var input quotaInput
	if err := q.decodeJSON(&input); err != nil {
		return sim.Answer{}, err
	}
	if input.ServiceCode == "" {
		return sim.Answer{}, fail("IllegalArgumentException", "ServiceCode is required")
	}
	if input.ServiceCode != "ec2" {
		return sim.Answer{}, noSuchQuota()
	}
	output, err := quotaOperations()[q.action](q, input)
	if err != nil {
		return sim.Answer{}, err
	}
	return q.answerJSON(output)
}

func (serviceQuotas) refuse(c *call, e *apiError) sim.Answer { return refuseJSON(c, e) }

func noSuchQuota() *apiError {
	return fail("NoSuchResourceException", "The request failed because the specified resource does not exist.")
}

func (q *query) quota(code string) (quota, *apiError) {
	for _, known := range quotas() {
		if known.code == code {
			return known, nil
		}
	}
	return quota{}, noSuchQuota()
}

func (q *query) quotaOutput(of quota, value float64) quotaOutput {
	return quotaOutput{
		ServiceCode: "ec2", ServiceName: "Amazon Elastic Compute Cloud (Amazon EC2)",
		QuotaArn:  "arn:aws:servicequotas:" + q.region + ":" + q.who.Account + ":ec2/" + of.code,
		QuotaCode: of.code, QuotaName: of.name, Value: value, Unit: "None", Adjustable: true, AppliedLevel: "ACCOUNT",
	}
}

func getServiceQuota(q *query, input quotaInput) (any, *apiError) {
	of, err := q.quota(input.QuotaCode)
	if err != nil {
		return nil, err
	}
	limit, _ := of.limit(q.tx, q.who.Account, q.region)
	return map[string]quotaOutput{"Quota": q.quotaOutput(of, limit)}, nil
}

func getDefaultQuota(q *query, input quotaInput) (any, *apiError) {
	of, err := q.quota(input.QuotaCode)
	if err != nil {
		return nil, err
	}
	return map[string]quotaOutput{"Quota": q.quotaOutput(of, float64(of.standard))}, nil
}

// listServiceQuotas pages by the position in the list of quotas.
func listServiceQuotas(q *query, input quotaInput) (any, *apiError) {
	size, err := q.quotaPage(input.MaxResults)
	if err != nil {
		return nil, err
	}
	from, err := quotaCursor(input.NextToken)
	if err != nil {
		return nil, err
	}
	output := struct {
		NextToken string `json:",omitempty"`
		Quotas    []quotaOutput
	}{Quotas: []quotaOutput{}}
	for i, of := range quotas() {
		if i < from || q.req.Effects.Empty || (input.QuotaCode != "" && input.QuotaCode != of.code) {
			continue
		}
		if len(output.Quotas) == size {
			output.NextToken = base64.RawURLEncoding.EncodeToString([]byte("quota " + strconv.Itoa(i)))
			break
		}
		limit, _ := of.limit(q.tx, q.who.Account, q.region)
		output.Quotas = append(output.Quotas, q.quotaOutput(of, limit))
	}
	return output, nil
}

func (q *query) quotaPage(size int) (int, *apiError) {
	if size < 0 || size > 100 {
		return 0, fail("IllegalArgumentException", "MaxResults must be between 1 and 100")
	}
	if size == 0 {
		size = 100
	}
	if smaller := q.tx.PageMax(cloudName); smaller > 0 {
		size = min(size, smaller)
	}
	return size, nil
}

func quotaCursor(token string) (int, *apiError) {
	if token == "" {
		return 0, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		var from int
		if from, err = strconv.Atoi(strings.TrimPrefix(string(data), "quota ")); err == nil {
			return from, nil
		}
	}
	return 0, fail("InvalidPaginationTokenException", "Invalid input was provided.")
}
