package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// whole is everything that a framework provider serves. The protocol library
// finds the last two by type assertion, so a wrapper has to carry them.
type whole interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// server is the framework's protocol server, made to work with both command
// lines.
type server struct{ whole }

// Server returns the protocol server of a provider.
func Server(p provider.Provider) (tfprotov6.ProviderServer, error) {
	inner, err := providerserver.NewProtocol6WithError(p)()
	if err != nil {
		return nil, fmt.Errorf("make the protocol server: %w", err)
	}
	all, ok := inner.(whole)
	if !ok {
		return nil, fmt.Errorf("make the protocol server: %T serves neither list resources nor actions", inner)
	}
	return server{all}, nil
}

// msgpackNil is null in MessagePack.
const msgpackNil = 0xc0

// CallFunction implements tfprotov6.FunctionServer. OpenTofu sends a null
// argument as a value without content (1.12, internal/plugin6/grpc_provider.go),
// which the framework refuses; Terraform sends an encoded null.
func (s server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	for i, argument := range req.Arguments {
		if argument == nil || len(argument.MsgPack) == 0 && len(argument.JSON) == 0 {
			req.Arguments[i] = &tfprotov6.DynamicValue{MsgPack: []byte{msgpackNil}}
		}
	}
	return s.whole.CallFunction(ctx, req)
}
