package azure

import (
	"context"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// maxPages bounds a listing. A page holds a hundred entries and more.
const maxPages = 1000

// pager is a listing of the client library.
type pager[P any] interface {
	More() bool
	NextPage(context.Context) (P, error)
}

// listing says how a list is read.
type listing[P any] struct {
	op string
	// begin starts at the first page. A pager of the client library that failed
	// once gives the same error ever after (azcore, runtime.Pager).
	begin func() pager[P]
	// next is the link to the page that follows, nil or empty after the last;
	// complete tells whether a page has its entries at all.
	next     func(P) *string
	complete func(P) bool
}

// pages reads a list to its end: all of it, or an error.
func pages[P any](ctx context.Context, cl *clients, l listing[P]) ([]P, error) {
	return repeated(ctx, cl, l.op, func() ([]P, error) { return l.walk(ctx, cl) })
}

// walk reads a list once. A link that comes a second time would go round for ever.
func (l listing[P]) walk(ctx context.Context, cl *clients) ([]P, error) {
	var all []P
	seen := map[string]bool{}
	for of := l.begin(); of.More(); {
		page, _, err := once(ctx, cl, l.op, of.NextPage)
		switch {
		case err != nil:
			return nil, err
		case !l.complete(page):
			return nil, hollow(l.op, "value")
		}
		all = append(all, page)
		link := l.next(page)
		if link == nil || *link == "" {
			break
		}
		if seen[*link] || len(all) >= maxPages {
			return nil, &cloud.Error{Code: cloud.Internal, Op: l.op, HTTPStatus: 200, Message: "the pages of the answer repeat themselves"}
		}
		seen[*link] = true
	}
	return all, nil
}
