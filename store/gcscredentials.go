package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// authorize adds a token. It looks for credentials at the first request. Requests are anonymous only if no credentials are configured:
// with another identity than the configured one, a request might read other objects.
func (g *gcs) authorize(req *http.Request) error {
	g.once.Do(func() {
		// The context outlives the request, because it is used to renew tokens.
		ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: g.http.Transport, Timeout: 30 * time.Second})
		creds, err := google.FindDefaultCredentials(ctx, scopeReadWrite)
		switch {
		case err == nil:
			g.tokens = creds.TokenSource
		// Package google has no error value for missing credentials. If the text changes, the error is returned, and requests are not anonymous.
		case strings.Contains(err.Error(), "could not find default credentials"):
			g.anonymous = "the request was anonymous, because there are no application default credentials"
		default:
			g.broken = tokenError("the application default credentials", err)
		}
	})
	if g.tokens == nil {
		return g.broken
	}
	token, err := g.tokens.Token()
	if err != nil {
		return tokenError("no token for the application default credentials", err)
	}
	token.SetAuthHeader(req)
	return nil
}

// statusCode matches the part of an error of package google that precedes the body of a response.
var statusCode = regexp.MustCompile(`status code:? \d+`)

// tokenError removes the body of a response from an error, because it may repeat the request.
func tokenError(what string, err error) error {
	if re, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		if re.Response != nil {
			what += ": " + re.Response.Status
		}
		return errors.New(oneLine(what + ": " + re.ErrorCode + " " + re.ErrorDescription))
	}
	err = withoutURL(err)
	if at := statusCode.FindStringIndex(err.Error()); at != nil {
		err = errors.New(err.Error()[:at[1]])
	}
	return fmt.Errorf("%s: %w", what, err)
}

// fail implements backend.
func (g *gcs) fail(resp *http.Response) error { return newStatusError(resp).because(g.anonymous) }
