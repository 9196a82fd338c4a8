package view

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
)

// NewToken returns a random token of 256 bits for [Guard].
func NewToken() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Guard lets only one browser use a handler, for a program that serves a page to its user on a local port.
//
// A request must have one of hosts as its Host header, such as 127.0.0.1:8080, byte for byte; so a page of another site
// cannot use a name of its own for the address (DNS rebinding). The first request for /?token=TOKEN gets an HttpOnly,
// SameSite=Strict cookie and goes on to /, so that the token stays in no history and no Referer. All other requests need
// that cookie. A used token is worthless.
func Guard(h http.Handler, token string, hosts []string) http.Handler {
	g := &guard{next: h, hosts: hosts, token: sha256.Sum256([]byte(token)), session: NewToken()}
	g.cookie = "tfparse-" + hex.EncodeToString(g.token[:4]) // cookies of other ports of the host are sent too
	return g
}

// A guard is the handler of Guard. Its token is unused, and then used; that never changes back.
type guard struct {
	next    http.Handler
	hosts   []string
	token   [sha256.Size]byte // hash of the token
	used    atomic.Bool       // the token was exchanged
	cookie  string            // name of the cookie
	session string            // value of the cookie
}

// enterPage goes on to the page. A redirect would not do: browsers do not send the cookie with it if the link was in a
// file or on another site.
const enterPage = "<!doctype html><meta charset=utf-8><title>tfparse</title><p><a href=\"/\">Open the page</a>\n"

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header(), contentPolicy)
	if !slices.Contains(g.hosts, r.Host) {
		fail(w, http.StatusForbidden, "unknown host %.100q", r.Host)
		return
	}
	if cookie, err := r.Cookie(g.cookie); err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(g.session)) == 1 {
		if r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token") {
			g.enter(w)
			return
		}
		g.next.ServeHTTP(w, r)
		return
	}
	sum := sha256.Sum256([]byte(r.URL.Query().Get("token")))
	if r.Method != http.MethodGet || r.URL.Path != "/" || subtle.ConstantTimeCompare(sum[:], g.token[:]) != 1 {
		fail(w, http.StatusForbidden, "open the link that the program printed")
		return
	}
	if !g.used.CompareAndSwap(false, true) {
		fail(w, http.StatusForbidden, "the link was used; start the program again for another one")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	g.enter(w)
}

// enter sends the page that goes on to the start page.
func (g *guard) enter(w http.ResponseWriter) {
	w.Header().Set("Refresh", "0; url=/")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, enterPage)
}
