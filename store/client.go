package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A client sends requests, and retries them after transient errors.
type client struct {
	http     *http.Client
	attempts int
	backoff  time.Duration
	stall    time.Duration
	quiet    time.Duration // of waiting, before a notice says why
	partSize int           // of uploads
	ahead    *atomic.Int64 // blocks that may still be read ahead, of all files
	outputs  *atomic.Int64 // open
	answered *sync.Map     // hosts that have answered
	noticed  *atomic.Int64 // when the last notice was, in Unix milliseconds
}

func newClient(opts *Options) *client {
	var o Options
	if opts != nil {
		o = *opts
	}
	c := &client{
		ahead:    new(atomic.Int64),
		outputs:  new(atomic.Int64),
		answered: new(sync.Map),
		noticed:  new(atomic.Int64),
		attempts: cmp.Or(o.Attempts, 8),
		backoff:  cmp.Or(o.Backoff, 250*time.Millisecond),
		partSize: partSize,
		stall:    cmp.Or(o.Stall, 30*time.Second),
		quiet:    quietFor,
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

// endpoint checks the address of a server that a variable configures.
func endpoint(address, variable string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%s is not the address of a server: want https://HOST or http://HOST", variable)
	}
	return strings.TrimRight(address, "/"), nil
}

// checkRedirect follows addresses, but not from https to http. A signed request is not good for another address.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch scheme := req.URL.Scheme; {
	case via[0].Header.Get("Authorization") != "":
		return http.ErrUseLastResponse
	case via[0].URL.Scheme == "https" && scheme != "https":
		return fmt.Errorf("%w from https to %s", errRedirect, oneLine(scheme))
	case scheme != "https" && scheme != "http":
		return fmt.Errorf("%w to %s", errRedirect, oneLine(scheme))
	case len(via) >= 10:
		return fmt.Errorf("%w 10 times", errRedirect)
	}
	return nil
}

// do sends a request once. Its errors have no address in them.
func (c *client) do(a *attempts, req *http.Request) (*http.Response, error) {
	host := req.URL.Host
	a.host = host
	if a.began.IsZero() {
		a.began = time.Now()
	}
	ctx, cancel := context.WithCancel(req.Context())
	quiet := c.quiet + time.Duration(max(req.ContentLength, 0))*time.Second/progressBytes // it is sent first
	waiting := time.AfterFunc(quiet, func() { c.notify("waiting for %s: no answer for %.0f s", host, quiet.Seconds()) })
	resp, err := c.http.Do(req.WithContext(ctx))
	waiting.Stop()
	if err != nil {
		cancel()
		return nil, withoutURL(err)
	}
	c.answered.Store(host, true)
	resp.Body = &body{ReadCloser: resp.Body, c: c, host: host, ctx: req.Context(), cancel: cancel}
	return resp, nil
}

// A body is that of a response. Reading fails where the server is too slow.
type body struct {
	io.ReadCloser
	c      *client
	host   string
	ctx    context.Context    // of the caller, whose end is not the fault of the server
	cancel context.CancelFunc // ends the request

	// How fast bytes arrive: the time that Read waited, and how many came, since there were progressBytes.
	waited time.Duration
	bytes  int
}

// progressBytes is how many bytes are progress, and what a server is to send in client.stall.
const progressBytes = 64 << 10

var errSlow = errors.New("the server sends nothing, or too little")

// Read ends the request if it takes too long.
func (b *body) Read(p []byte) (int, error) {
	stall := b.c.stall
	began := time.Now()
	notice := time.AfterFunc(max(b.c.quiet-b.waited, 0), func() { b.c.notify("waiting for %s: %v", b.host, errSlow) })
	watch := time.AfterFunc(max(stall-b.waited, stall/2), b.cancel)
	n, err := b.ReadCloser.Read(p)
	notice.Stop()
	ended := !watch.Stop()
	b.waited += time.Since(began)
	b.bytes += n
	if ended && err != nil && b.ctx.Err() == nil {
		err = errSlow
	}
	if b.bytes >= progressBytes {
		b.waited, b.bytes = 0, 0
	} else if b.waited >= stall && err == nil {
		err = errSlow
	}
	return n, err
}

// Close ends the request.
func (b *body) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}

// send sends a request that make makes, anew for each attempt. It returns the first response that is no transient error, whatever its
// status.
func (c *client) send(ctx context.Context, a *attempts, make func() (*http.Request, error)) (*http.Response, error) {
	for {
		req, err := make()
		if err != nil {
			return nil, err
		}
		resp, err := c.do(a, req)
		switch {
		case err != nil:
		case transientStatus(resp.StatusCode):
			a.after = retryAfter(resp.Header.Get("Retry-After"))
			err = newStatusError(resp)
		default:
			return resp, nil
		}
		if err = c.retry(ctx, a, err); err != nil {
			return nil, err
		}
	}
}

// withoutURL drops the address from an error of package net/http: a query may be a signature.
func withoutURL(err error) error {
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

// because adds why a request that was refused had no credentials.
func (e *statusError) because(anonymous string) error {
	if anonymous != "" && errors.Is(e, fs.ErrPermission) {
		return fmt.Errorf("%w (%s)", e, anonymous)
	}
	return e
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
