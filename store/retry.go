package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
)

const (
	longestBackoff  = 30 * time.Second
	maxRetryAfter   = 2 * time.Minute  // maximum of a Retry-After
	refusedAttempts = 3                // attempts at a server that has never answered
	quietFor        = 5 * time.Second  // waiting time before a notice
	noticeEvery     = 15 * time.Second // minimum time between notices
)

// attempts counts the attempts of one request, or the requests of a read without progress.
type attempts struct {
	made  int           // number of failed attempts
	after time.Duration // minimum wait that the server asked for
	began time.Time     // start of the first attempt; zero before the first attempt
	host  string        // host of the last attempt
}

// progress resets the count.
func (a *attempts) progress() { *a = attempts{host: a.host} }

// retry waits before the next attempt. It returns an error if there must be no further attempt.
func (c *client) retry(ctx context.Context, a *attempts, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if a.made++; a.began.IsZero() {
		a.began = time.Now()
	}
	most := c.attempts
	if _, answered := c.answered.Load(a.host); refused(err) && !answered {
		most = min(most, refusedAttempts)
	}
	switch {
	case permanent(err):
		return err
	case a.made >= most:
		return fmt.Errorf("%w, after %d attempts", err, a.made)
	}
	longest := min(c.backoff<<(a.made-1), longestBackoff)
	wait := max(time.Duration(rand.Int64N(int64(longest)+1)), a.after)
	a.after = 0
	if time.Since(a.began)+wait >= c.quiet {
		c.notify("waiting for %s: %v; attempt %d of %d follows in %.1f s", a.host, err, a.made+1, most, wait.Seconds())
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notify prints why the program waits. Many requests may wait for the same server, so the rate of notices is limited.
func (c *client) notify(format string, args ...any) {
	now, last := time.Now(), c.noticed.Load()
	if last > 0 && now.Sub(time.UnixMilli(last)) < noticeEvery || !c.noticed.CompareAndSwap(last, now.UnixMilli()) {
		return
	}
	storage.Notice(fmt.Sprintf(format, args...))
}

// transientStatus reports whether a status may change soon.
func transientStatus(status int) bool {
	switch status {
	case 408, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// errRedirect is wrapped by the errors of redirects that the client does not follow.
var errRedirect = errors.New("the server redirects")

// permanent reports whether an error of package net/http will repeat: the host does not exist, does not speak the protocol, or is not
// trusted.
func permanent(err error) bool {
	if errors.Is(err, errRedirect) || errors.Is(err, http.ErrSchemeMismatch) {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound
}

// refused reports whether no server listens. A server that answered before may be restarting, so the client retries longer.
func refused(err error) bool {
	const windows = syscall.Errno(10061) // WSAECONNREFUSED, which syscall.ECONNREFUSED is not
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windows)
}

// retryAfter parses the header Retry-After: seconds, or a date.
func retryAfter(text string) time.Duration {
	var d time.Duration
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), maxRetryAfter)
}
