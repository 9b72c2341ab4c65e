package awssim

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const jsonContent = "application/x-amz-json-1.1"

// target reads the operation of a JSON 1.1 request out of its header.
func target[T any](in *sim.Inbound, prefix string, operations map[string]T) (string, *apiError) {
	action, ok := strings.CutPrefix(in.HTTP.Header.Get("X-Amz-Target"), prefix)
	if _, known := operations[action]; !ok || !known {
		return "", fail("UnknownOperationException", "The operation %s is not known", printable(action))
	}
	return action, nil
}

// decodeJSON reads a JSON 1.1 body; members that the operation does not have
// are refused.
func (q *query) decodeJSON(input any) *apiError {
	decoder := json.NewDecoder(bytes.NewReader(q.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(input); err != nil && !errors.Is(err, io.EOF) {
		return fail("SerializationException", "%s", printable(err.Error()))
	}
	return nil
}

func (q *query) answerJSON(output any) (sim.Answer, *apiError) {
	body, err := json.Marshal(output)
	if err != nil {
		return sim.Answer{}, refusal(err)
	}
	answer := q.answer(body)
	answer.Header.Set("Content-Type", jsonContent)
	return answer, nil
}

func refuseJSON(c *call, e *apiError) sim.Answer {
	body, err := json.Marshal(map[string]string{"__type": e.code, "Message": e.message})
	if err != nil {
		body = []byte(`{"__type":"ServiceException"}`)
	}
	return sim.Answer{
		Status: e.status, Code: e.code, Body: body,
		Header: http.Header{"Content-Type": {jsonContent}, "X-Amzn-Requestid": {c.requestID}},
	}
}
