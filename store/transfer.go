package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A transfer is the bytes of one version of an object from a place on, by one request. Where the connection breaks, the body is
// short or too slow, another request is sent for the bytes that are missing.
type transfer struct {
	f   *file
	ctx context.Context
	at  int64 // of the next byte
	end int64 // where it ends; -1: where the object does

	body   io.ReadCloser
	skip   int64 // bytes of body that come before at
	cancel context.CancelFunc
	err    error // why the body ended before its time
	tries  attempts
	gained int // bytes since tries began
	window window
}

// progressBytes is how many bytes are progress, and what a server is to send in client.stall.
const progressBytes = 64 << 10

// A window measures how fast bytes arrive while they are waited for.
type window struct {
	waited time.Duration
	bytes  int
}

// Read reads on.
func (t *transfer) Read(p []byte) (int, error) {
	for {
		if t.err != nil {
			err := t.err
			t.err = nil
			if err := t.f.s.retry(t.ctx, &t.tries, err); err != nil {
				return 0, err
			}
		}
		if t.body == nil {
			if err := t.connect(); err != nil {
				return 0, err
			}
		}
		if t.end >= 0 {
			if t.at >= t.end {
				return 0, io.EOF
			}
			p = p[:min(int64(len(p)), t.end-t.at)]
		}
		if t.skip > 0 {
			n, err := t.read(p[:min(int64(len(p)), t.skip)])
			if t.skip -= int64(n); err != nil && t.skip > 0 {
				t.drop()
				t.err = withoutURL(err)
			}
			continue
		}
		n, err := t.read(p)
		t.at += int64(n)
		if t.gained += n; t.gained >= progressBytes {
			t.tries.progress()
			t.gained = 0
		}
		switch {
		case err == nil:
		case t.ctx.Err() != nil:
			return n, context.Cause(t.ctx)
		case err == io.EOF && t.end < 0:
			t.end = t.at
		case err == io.EOF && t.at == t.end:
		default:
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			t.drop()
			t.err = fmt.Errorf("%w at byte %d", withoutURL(err), t.at)
		}
		if n > 0 {
			return n, nil
		}
	}
}

var errSlow = errors.New("the server sends nothing, or too little")

// read reads from the body, and ends the request if that takes too long.
func (t *transfer) read(p []byte) (int, error) {
	stall := t.f.s.stall
	began := time.Now()
	watch := time.AfterFunc(max(stall-t.window.waited, stall/2), t.cancel)
	n, err := t.body.Read(p)
	ended := !watch.Stop()
	t.window.waited += time.Since(began)
	t.window.bytes += n
	if ended && err != nil && t.ctx.Err() == nil {
		err = errSlow
	}
	if t.window.bytes >= progressBytes {
		t.window = window{}
	} else if t.window.waited >= stall && err == nil {
		err = errSlow
	}
	return n, err
}

// drop ends the request.
func (t *transfer) drop() {
	if t.body != nil {
		t.cancel()
		t.body.Close()
		t.body, t.skip = nil, 0
	}
	t.window = window{}
}

// connect makes the request for the bytes from at on.
func (t *transfer) connect() error {
	f := t.f
	for {
		a, pinned := f.attributes()
		if t.end < 0 {
			t.end = a.size
		}
		if t.end == 0 || t.at == t.end && t.end >= 0 { // a range of nothing is an error to servers
			t.body, t.cancel = http.NoBody, func() {}
			f.pin("")
			return nil
		}
		ctx, cancel := context.WithCancel(t.ctx)
		resp, err := f.s.fetch(ctx, &t.tries, f.at, func() (*http.Request, error) {
			req, err := f.s.get(ctx, f.at, a.version)
			if err == nil && (t.at > 0 || t.end != a.size) {
				text := fmt.Sprintf("bytes=%d-", t.at)
				if t.end >= 0 {
					text += strconv.FormatInt(t.end-1, 10)
				}
				req.Header.Set("Range", text)
			}
			return req, err
		})
		if err != nil {
			cancel()
			return err
		}
		err = t.accept(resp, a)
		if err == nil {
			t.body, t.cancel = resp.Body, cancel
			f.pin(f.s.version(resp.Header))
			return nil
		}
		resp.Body.Close()
		cancel()
		switch {
		case errors.Is(err, ErrChanged) && !pinned && t.at == 0:
			// It was changed since it was listed, and nothing was read of it.
			if err := f.refresh(t.ctx); err != nil {
				return err
			}
			t.end = -1
		case errors.Is(err, errOtherRange):
			if err := f.s.retry(t.ctx, &t.tries, err); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// errOtherRange is a response with other bytes than those that the request was for.
var errOtherRange = errors.New("the server sends another range")

// accept checks that a response has the bytes that the request was for, of the same version.
func (t *transfer) accept(resp *http.Response, a attributes) error {
	ranged := resp.Request.Header.Get("Range") != ""
	switch version := t.f.s.version(resp.Header); {
	case resp.StatusCode == http.StatusPreconditionFailed,
		resp.StatusCode == http.StatusRequestedRangeNotSatisfiable,
		resp.StatusCode == http.StatusNotFound && a.version != "":
		return ErrChanged
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent:
		return t.f.s.fail(resp)
	case a.version != "" && version != "" && version != a.version:
		return ErrChanged
	}
	if resp.StatusCode == http.StatusOK {
		if size := resp.ContentLength; size >= 0 && a.size >= 0 && size != a.size {
			return fmt.Errorf("%w: it has %d bytes, and had %d", ErrChanged, size, a.size)
		}
		t.skip = t.at // the server does not do ranges
		return nil
	}
	first, size, ok := contentRange(resp.Header.Get("Content-Range"))
	switch {
	case !ranged || !ok || first != t.at:
		return fmt.Errorf("%w: %q", errOtherRange, oneLine(resp.Header.Get("Content-Range")))
	case size >= 0 && a.size >= 0 && size != a.size:
		return fmt.Errorf("%w: it has %d bytes, and had %d", ErrChanged, size, a.size)
	}
	return nil
}

// contentRange reads "bytes 5-9/20": the first byte, and the size of all, -1 if that is "*".
func contentRange(text string) (first, size int64, ok bool) {
	text, ok = strings.CutPrefix(text, "bytes ")
	span, all, ok2 := strings.Cut(text, "/")
	from, _, ok3 := strings.Cut(span, "-")
	first, err := strconv.ParseInt(from, 10, 64)
	if size = -1; all != "*" {
		var err2 error
		size, err2 = strconv.ParseInt(all, 10, 64)
		err = errors.Join(err, err2)
	}
	return first, size, ok && ok2 && ok3 && err == nil
}
