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

// authorize adds a token. Credentials are looked for when the first request is made. A request is anonymous only if none are
// configured: where those that are fail, another identity would read other objects.
func (g *gcs) authorize(req *http.Request) error {
	g.once.Do(func() {
		// The context outlives the request: tokens are renewed by it.
		ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: g.http.Transport, Timeout: 30 * time.Second})
		creds, err := google.FindDefaultCredentials(ctx, scopeReadWrite)
		switch {
		case err == nil:
			g.tokens = creds.TokenSource
		// The package has no error value for this. If its text changes, the error is shown, and no request is anonymous.
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

// statusCode ends what an error of package google says before the body of a response.
var statusCode = regexp.MustCompile(`status code:? \d+`)

// tokenError leaves out the body of a response, which may repeat the request.
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

// fail makes a response an error.
func (g *gcs) fail(resp *http.Response) error { return newStatusError(resp).because(g.anonymous) }
