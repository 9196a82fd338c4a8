package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// transfer reads the bytes of one version of an object from a position on. If the connection breaks, or the body is too short or too
// slow, it sends another request for the missing bytes.
type transfer struct {
	file *file              // its version is read; the first response pins it
	ctx  context.Context    // of all requests; ends with that of file
	stop context.CancelFunc // cancels ctx
	at   int64              // position of the next byte
	end  int64              // position of the end; -1: the end of the object, whose size is unknown

	body   io.ReadCloser // nil before the first request and after an error
	skip   int64         // bytes of body before at, to be dropped
	err    error         // error that ended the body too early
	tries  attempts      // attempts since the last progress
	gained int           // bytes read since the last progress
}

func newTransfer(f *file, at, end int64) *transfer {
	t := &transfer{file: f, at: at, end: end}
	t.ctx, t.stop = context.WithCancel(f.ctx)
	return t
}

// close ends the transfer.
func (t *transfer) close() {
	t.stop()
	t.drop()
}

// Read reads the next bytes and retries after errors.
func (t *transfer) Read(p []byte) (int, error) {
	for {
		if t.err != nil {
			err := t.err
			t.err = nil
			if err := t.file.store.retry(t.ctx, &t.tries, err); err != nil {
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
			n, err := t.body.Read(p[:min(int64(len(p)), t.skip)])
			if t.skip -= int64(n); err != nil && t.skip > 0 {
				t.drop()
				t.err = withoutURL(err)
			}
			continue
		}
		n, err := t.body.Read(p)
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

// drop ends the request.
func (t *transfer) drop() {
	if t.body != nil {
		t.body.Close()
		t.body, t.skip = nil, 0
	}
}

// connect sends the request for the bytes from at on. The first response of a file fixes the version, regardless of the cache.
func (t *transfer) connect() error {
	f := t.file
	for {
		a, pinned := f.attributes()
		if pinned && t.end < 0 {
			t.end = a.size
		}
		if t.at == t.end { // servers reject empty ranges
			t.body = http.NoBody
			return nil
		}
		resp, err := f.store.fetch(t.ctx, &t.tries, f.at, func() (*http.Request, error) {
			req, err := f.store.get(t.ctx, http.MethodGet, f.at, a.version)
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
			return err
		}
		if err = t.accept(resp, a); err == nil {
			t.body = resp.Body
			now := attributesOf(f.store, resp)
			if f.pin(now); !pinned {
				t.end = now.size
			}
			return nil
		}
		resp.Body.Close()
		switch {
		case errors.Is(err, errOtherRange):
			err = f.store.retry(t.ctx, &t.tries, err)
		case errors.Is(err, ErrChanged) && f.recheck():
			err = nil
		}
		if err != nil {
			return err
		}
	}
}

// errOtherRange means that a response has other bytes than requested.
var errOtherRange = errors.New("the server sends another range")

// accept checks that a response has the requested bytes of the right version.
func (t *transfer) accept(resp *http.Response, a attributes) error {
	ranged := resp.Request.Header.Get("Range") != ""
	switch version := t.file.store.version(resp.Header); {
	case resp.StatusCode == http.StatusPreconditionFailed,
		resp.StatusCode == http.StatusRequestedRangeNotSatisfiable,
		resp.StatusCode == http.StatusNotFound && a.version != "":
		return ErrChanged
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent:
		return t.file.store.fail(resp)
	case a.version != "" && version != "" && version != a.version:
		return ErrChanged
	}
	first, size := int64(0), resp.ContentLength
	if resp.StatusCode == http.StatusOK {
		t.skip = t.at // the server does not support ranges, or no range was requested
	} else {
		var ok bool
		if first, size, ok = contentRange(resp.Header.Get("Content-Range")); !ranged || !ok || first != t.at {
			return fmt.Errorf("%w: %q", errOtherRange, oneLine(resp.Header.Get("Content-Range")))
		}
	}
	if size >= 0 && a.size >= 0 && size != a.size {
		return fmt.Errorf("%w: size is now %d bytes, was %d", ErrChanged, size, a.size)
	}
	return nil
}

// contentRange parses "bytes 5-9/20": the first byte, and the total size or -1 for "*".
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
