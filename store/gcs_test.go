package store

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/oauth2"
)

// broken is a token source whose server refuses the request, and repeats it in the error.
type broken struct{ err error }

func (b broken) Token() (*oauth2.Token, error) { return nil, b.err }

// TestTokens checks that the error for a token does not contain the body of the response, and that a token is sent in the header only.
func TestTokens(t *testing.T) {
	const secret = "SECRETrefreshTOKEN"
	s := newObjectServer(t)
	for _, err := range []error{
		&oauth2.RetrieveError{Response: &http.Response{Status: "400 Bad Request"}, Body: []byte(secret), ErrorCode: "invalid_grant", ErrorDescription: "expired"},
		errors.New("no network"),
	} {
		g := newGCS(quick())
		g.tokens = broken{err}
		_, err := newCachedStore(g.client, g).Open(context.Background(), "gs://bucket/x")
		if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "no token for the application default credentials") {
			t.Errorf("got %v", err)
		}
	}
	g := newGCS(quick())
	g.tokens = oauth2.StaticTokenSource(&oauth2.Token{AccessToken: secret})
	_, err := newCachedStore(g.client, g).Open(context.Background(), "gs://bucket/x")
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("got %v", err)
	}
	if len(s.headers) == 0 || s.headers[0].Get("Authorization") != "Bearer "+secret {
		t.Errorf("the request has no token")
	}
}
