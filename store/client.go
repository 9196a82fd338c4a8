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

// client sends requests, and retries them after transient errors.
type client struct {
	http     *http.Client  // sends one attempt; see checkRedirect
	attempts int           // maximum number of attempts per request
	backoff  time.Duration // maximum time before the second attempt
	stall    time.Duration // maximum time in which the server may send too little
	quiet    time.Duration // waiting time before a notice
	partSize int           // size of the parts of an upload
	ahead    *atomic.Int64 // number of blocks that may still be read ahead, over all files
	outputs  *atomic.Int64 // number of open outputs
	answered *sync.Map     // set of hosts that have answered
	noticed  *atomic.Int64 // time of the last notice, in Unix milliseconds; limits notices
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
			// A connection for each file: streams of HTTP/2 would share one connection and its flow-control window.
			ForceAttemptHTTP2:     false,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: c.stall,
			ExpectContinueTimeout: time.Second,
			// Otherwise the transport asks for gzip, and decompresses objects that are stored as gzip.
			DisableCompression: true,
			ReadBufferSize:     64 << 10,
			WriteBufferSize:    64 << 10,
		}
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: checkRedirect}
	return c
}

// endpoint checks the address of a server in an environment variable.
func endpoint(address, variable string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%s is not the address of a server: want https://HOST or http://HOST", variable)
	}
	return strings.TrimRight(address, "/"), nil
}

// checkRedirect allows redirects, except from https to http. It does not redirect signed requests: the signature covers the address.
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

// do sends a request once. Its errors do not contain the URL.
func (c *client) do(a *attempts, req *http.Request) (*http.Response, error) {
	host := req.URL.Host
	a.host = host
	if a.began.IsZero() {
		a.began = time.Now()
	}
	ctx, cancel := context.WithCancel(req.Context())
	quiet := c.quiet + time.Duration(max(req.ContentLength, 0))*time.Second/progressBytes // first the body must be sent
	waiting := time.AfterFunc(quiet, func() { c.notify("waiting for %s: no answer for %.0f s", host, quiet.Seconds()) })
	resp, err := c.http.Do(req.WithContext(ctx))
	waiting.Stop()
	if err != nil {
		cancel()
		return nil, withoutURL(err)
	}
	c.answered.Store(host, true)
	resp.Body = &body{ReadCloser: resp.Body, client: c, host: host, ctx: req.Context(), cancel: cancel}
	return resp, nil
}

// body is the body of a response. Read fails if the server is too slow.
type body struct {
	io.ReadCloser
	client *client            // has the limits of time, and notices
	host   string             // of the request, for notices
	ctx    context.Context    // context of the caller; if it ends, the server is not at fault
	cancel context.CancelFunc // ends the request

	waited time.Duration // time in Read since the last progressBytes arrived
	bytes  int           // bytes read in that time, less than progressBytes
}

// progressBytes is the number of bytes that count as progress. A server must send them within client.stall.
const progressBytes = 64 << 10

var errSlow = errors.New("the server sends nothing or too slowly")

// Read reads from the body. It ends the request if that takes too long.
func (b *body) Read(p []byte) (int, error) {
	stall := b.client.stall
	began := time.Now()
	notice := time.AfterFunc(max(b.client.quiet-b.waited, 0), func() { b.client.notify("waiting for %s: %v", b.host, errSlow) })
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

// send sends the request that make returns and retries it; make is called for every attempt. It returns the first response whose status
// is not a transient error.
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

// withoutURL removes the URL from an error of package net/http, because a query may contain a signature.
func withoutURL(err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		return ue.Err
	}
	return err
}

// statusError is the error of a response with an error status.
type statusError struct {
	status        int
	code, message string // from the body of the response; may be empty
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

// because adds the reason why a refused request was anonymous.
func (e *statusError) because(anonymous string) error {
	if anonymous != "" && errors.Is(e, fs.ErrPermission) {
		return fmt.Errorf("%w (%s)", e, anonymous)
	}
	return e
}

// Is matches the corresponding error of package io/fs.
func (e *statusError) Is(target error) bool {
	switch e.status {
	case http.StatusNotFound, http.StatusGone:
		return target == fs.ErrNotExist
	case http.StatusUnauthorized, http.StatusForbidden:
		return target == fs.ErrPermission
	}
	return false
}

// maxErrorBody is the maximum size of the body of an error that is read.
const maxErrorBody = 64 << 10

// newStatusError takes only the code and the message from a body in the format of a store: other parts may repeat the request. It
// closes the body.
func newStatusError(resp *http.Response) *statusError {
	defer resp.Body.Close()
	e := &statusError{status: resp.StatusCode}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	e.code, e.message = errorText(body)
	return e
}
