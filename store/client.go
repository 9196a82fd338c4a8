package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A client sends requests, and again if they fail for a time.
type client struct {
	http     *http.Client
	attempts int
	backoff  time.Duration
	stall    time.Duration
	partSize int           // of uploads
	ahead    *atomic.Int64 // blocks that may still be read ahead, of all files
}

const longestBackoff = 30 * time.Second

func newClient(opts *Options) *client {
	var o Options
	if opts != nil {
		o = *opts
	}
	c := &client{
		ahead:    new(atomic.Int64),
		attempts: cmp.Or(o.Attempts, 8),
		backoff:  cmp.Or(o.Backoff, 250*time.Millisecond),
		partSize: partSize,
		stall:    cmp.Or(o.Stall, 30*time.Second),
	}
	c.ahead.Store(cmp.Or(o.ReadAhead, 16<<20) / blockSize)
	transport := o.Transport
	if transport == nil {
		transport = &http.Transport{
			Proxy:       http.ProxyFromEnvironment,
			DialContext: (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			// A connection for each file: streams of HTTP/2 would share one, and its window.
			ForceAttemptHTTP2:     false,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: c.stall,
			ExpectContinueTimeout: time.Second,
			// Otherwise it asks for gzip, and decompresses what is stored so.
			DisableCompression: true,
			ReadBufferSize:     64 << 10,
			WriteBufferSize:    64 << 10,
		}
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: checkRedirect}
	return c
}

// checkRedirect follows addresses, but not from https to http. A signed request is not good for another address.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case via[0].Header.Get("Authorization") != "":
		return http.ErrUseLastResponse
	case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
		return errors.New("redirected from https to http")
	case len(via) >= 10:
		return errors.New("redirected 10 times")
	}
	return nil
}

// attempts counts those of one request, or those of reading without progress.
type attempts struct {
	made  int
	after time.Duration // the least that the server wants
}

// again waits before the next attempt. It returns err if there is none.
func (c *client) again(ctx context.Context, a *attempts, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	a.made++
	if a.made >= c.attempts {
		return fmt.Errorf("%w, after %d attempts", err, a.made)
	}
	longest := min(c.backoff<<(a.made-1), longestBackoff)
	wait := max(time.Duration(rand.Int64N(int64(longest)+1)), a.after)
	a.after = 0
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// send sends a request that make makes, anew for each attempt. It returns the first response that is no passing
// failure, whatever its status.
func (c *client) send(ctx context.Context, a *attempts, make func() (*http.Request, error)) (*http.Response, error) {
	for {
		req, err := make()
		if err != nil {
			return nil, err
		}
		resp, err := c.http.Do(req)
		switch {
		case err != nil:
			err = plain(err)
		case passing(resp.StatusCode):
			a.after = retryAfter(resp.Header.Get("Retry-After"))
			err = newStatusError(resp)
		default:
			return resp, nil
		}
		if err = c.again(ctx, a, err); err != nil {
			return nil, err
		}
	}
}

// passing reports whether a status is that of a failure that may be over soon.
func passing(status int) bool {
	switch status {
	case 408, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// mostRetryAfter bounds what a server may ask for.
const mostRetryAfter = 2 * time.Minute

// retryAfter reads the header: seconds, or a date.
func retryAfter(text string) time.Duration {
	var d time.Duration
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), mostRetryAfter)
}

// plain drops the address from an error of package net/http: a query may be a signature.
func plain(err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		return ue.Err
	}
	return err
}

// A statusError is a response that refuses a request.
type statusError struct {
	status        int
	code, message string // of the body; may be empty
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
	for _, s := range []string{e.code, e.message} {
		if s = strings.TrimSpace(s); s != "" && !strings.EqualFold(s, http.StatusText(e.status)) {
			text += ": " + s
		}
	}
	return text
}

// Is makes it the error of package io/fs that means the same.
func (e *statusError) Is(target error) bool {
	switch e.status {
	case http.StatusNotFound, http.StatusGone:
		return target == fs.ErrNotExist
	case http.StatusUnauthorized, http.StatusForbidden:
		return target == fs.ErrPermission
	}
	return false
}

// mostErrorBody bounds what is read of the body of an error.
const mostErrorBody = 64 << 10

// newStatusError takes the code and the message from a body in the form of a store, and nothing else: the rest of it may
// repeat parts of the request. It closes the body.
func newStatusError(resp *http.Response) *statusError {
	defer resp.Body.Close()
	e := &statusError{status: resp.StatusCode}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, mostErrorBody))
	e.code, e.message = errorText(body)
	return e
}
