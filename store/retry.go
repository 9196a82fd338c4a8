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
	mostRetryAfter  = 2 * time.Minute // bounds what a server may ask for
	refusedAttempts = 3               // at a server that has never answered
	quietFor        = 5 * time.Second // of waiting, before a notice says why
	noticeEvery     = 15 * time.Second
)

// attempts counts the requests for one thing, or those of reading without progress.
type attempts struct {
	made  int
	after time.Duration // the shortest wait that the server wants
	began time.Time     // zero before the first
	host  string
}

// progress makes the next attempt the first one.
func (a *attempts) progress() { *a = attempts{host: a.host} }

// retry waits before the next attempt. It returns an error if there is none.
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

// notify says why nothing happens. Many requests may wait for the same server, so there are few notices.
func (c *client) notify(format string, args ...any) {
	now, last := time.Now(), c.noticed.Load()
	if last > 0 && now.Sub(time.UnixMilli(last)) < noticeEvery || !c.noticed.CompareAndSwap(last, now.UnixMilli()) {
		return
	}
	storage.Notice(fmt.Sprintf(format, args...))
}

// transientStatus reports whether a status is that of an error that may be over soon.
func transientStatus(status int) bool {
	switch status {
	case 408, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// errRedirect is wrapped by the errors of redirects that are not followed.
var errRedirect = errors.New("the server redirects")

// permanent reports whether an error of package net/http is the same for every further attempt: there is no host of that name, it does
// not speak the protocol, or it is not to be trusted.
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

// refused reports whether no server listens. One that has answered before may be restarted, so it is waited for.
func refused(err error) bool {
	const windows = syscall.Errno(10061) // WSAECONNREFUSED, which syscall.ECONNREFUSED is not
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windows)
}

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
