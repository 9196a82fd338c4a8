package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// web is the backend of HTTP servers. A name is a URL.
type web struct {
	*client
	mu     sync.Mutex
	hidden map[string]string // URLs by their public names
	names  map[string]string // public names by URL
}

func newWeb(c *client) *web {
	return &web{client: c, hidden: map[string]string{}, names: map[string]string{}}
}

func (w *web) lists() bool { return false }

func (w *web) split(name string) (address, error) {
	u, err := url.Parse(w.full(name))
	switch {
	case err != nil || u.Host == "":
		return address{}, nameError("not a URL")
	case strings.Contains(name, "#"): // requests have no fragment, so the whole file would be read
		return address{}, nameError("write # in a URL as %23")
	}
	return address{name: name, key: u.Path}, nil
}

// full returns the URL of a public name.
func (w *web) full(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if full := w.hidden[name]; full != "" {
		return full
	}
	return name
}

// public returns the URL without user and query. URLs that differ only in user or query have different public names.
func (w *web) public(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hidden[name] != "" {
		return name
	}
	if public := w.names[name]; public != "" {
		return public
	}
	u, err := url.Parse(name)
	switch {
	case err != nil: // the name cannot be opened either
		name, _, _ = strings.Cut(name, "?")
		scheme, rest, _ := strings.Cut(name, "://")
		return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
	case u.User == nil && u.RawQuery == "":
		return name
	}
	full := *u
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	public := u.String()
	for n := 2; w.hidden[public] != ""; n++ {
		public = u.String() + "?" + strconv.Itoa(n)
	}
	w.hidden[public], w.names[name] = full.String(), public
	return public
}

func (w *web) get(ctx context.Context, method string, at address, version string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.full(at.name), nil)
	if err != nil {
		return nil, withoutURL(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	if strings.HasPrefix(version, `"`) { // a strong ETag
		req.Header.Set("If-Match", version)
	}
	return req, nil
}

func (w *web) fetch(ctx context.Context, a *attempts, _ address, make func() (*http.Request, error)) (*http.Response, error) {
	return w.send(ctx, a, make)
}

// fail implements backend. It reads the error from a body in the format of a store, for example if a signature has expired, and ignores other bodies.
func (w *web) fail(resp *http.Response) error { return newStatusError(resp) }

// version returns the ETag, or the time of the last change.
func (w *web) version(h http.Header) string {
	if tag := h.Get("ETag"); tag != "" {
		return tag
	}
	return h.Get("Last-Modified")
}

func (w *web) stat(ctx context.Context, at address) (attributes, error) {
	return statByHead(ctx, w, at)
}

func (w *web) list(context.Context, address, int, string) (listPage, error) {
	return listPage{}, fmt.Errorf("HTTP servers cannot list files: %w", errors.ErrUnsupported)
}

var errReadOnly = errors.New("cannot write files by HTTP; use gs:// or s3://")

func (w *web) upload(address) (upload, error)        { return nil, errReadOnly }
func (w *web) remove(context.Context, address) error { return errReadOnly }
