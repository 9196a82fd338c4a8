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

// A web is servers of HTTP, where a name is an address.
type web struct {
	*client
	mu     sync.Mutex
	hidden map[string]string // addresses by their public names
	names  map[string]string // public names by addresses
}

func newWeb(c *client) *web {
	return &web{client: c, hidden: map[string]string{}, names: map[string]string{}}
}

func (w *web) lists() bool { return false }

func (w *web) split(name string) (address, error) {
	u, err := url.Parse(w.full(name))
	switch {
	case err != nil || u.Host == "":
		return address{}, errInName("it is not a URL")
	case strings.Contains(name, "#"): // a fragment, which no request has: all of the file would be read
		return address{}, errInName("write %23 for # in a URL; #N is for cat, get, explain")
	}
	return address{name: name, key: u.Path}, nil
}

// full returns the address that a public name stands for.
func (w *web) full(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if full := w.hidden[name]; full != "" {
		return full
	}
	return name
}

// public leaves out the user and the query. Addresses that differ in these have different names.
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
	case err != nil: // it cannot be opened either
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

func (w *web) request(ctx context.Context, method string, at address) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.full(at.name), nil)
	if err != nil {
		return nil, withoutURL(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	return req, nil
}

func (w *web) get(ctx context.Context, at address, version string) (*http.Request, error) {
	req, err := w.request(ctx, http.MethodGet, at)
	if err == nil && strings.HasPrefix(version, `"`) { // a strong ETag
		req.Header.Set("If-Match", version)
	}
	return req, err
}

func (w *web) fetch(ctx context.Context, a *attempts, _ address, make func() (*http.Request, error)) (*http.Response, error) {
	return w.send(ctx, a, make)
}

// fail leaves out the body, which is whatever a server likes to show.
func (w *web) fail(resp *http.Response) error {
	resp.Body.Close()
	return &statusError{status: resp.StatusCode}
}

// version is the ETag, or what else changes with the content.
func (w *web) version(h http.Header) string {
	if tag := h.Get("ETag"); tag != "" {
		return tag
	}
	return h.Get("Last-Modified")
}

// stat sends a HEAD request, and if that is refused, as for URLs that are signed for GET, a GET whose body is dropped.
func (w *web) stat(ctx context.Context, at address) (attributes, error) {
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := w.send(ctx, &attempts{}, func() (*http.Request, error) { return w.request(ctx, method, at) })
		if err != nil {
			return attributes{}, err
		}
		resp.Body.Close()
		switch resp.StatusCode {
		case http.StatusOK:
			a := attributes{size: resp.ContentLength, version: w.version(resp.Header)}
			a.modTime, _ = http.ParseTime(resp.Header.Get("Last-Modified"))
			return a, nil
		case http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusBadRequest:
			if method == http.MethodHead {
				continue
			}
		}
		return attributes{}, w.fail(resp)
	}
	return attributes{}, nil
}

func (w *web) list(context.Context, address, int, string) (listPage, error) {
	return listPage{}, fmt.Errorf("files cannot be listed by HTTP: %w", errors.ErrUnsupported)
}

var errReadOnly = errors.New("files are not written by HTTP; gs:// and s3:// are")

func (w *web) upload(address) (upload, error)        { return nil, errReadOnly }
func (w *web) remove(context.Context, address) error { return errReadOnly }
