package emulated

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// A counter counts requests by their kind.
type counter struct {
	mu     sync.Mutex
	counts map[string]int
	mute   atomic.Bool // no request is answered
}

func (c *counter) count(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		what := r.Method
		switch {
		case r.Header.Get("Range") != "":
			what += " range"
		case r.URL.Query().Get("alt") == "media", r.Method == http.MethodGet && !r.URL.Query().Has("list-type") && !strings.HasPrefix(r.URL.Path, "/storage/"):
			what += " object"
		case r.URL.Query().Has("list-type"), strings.HasSuffix(r.URL.Path, "/o") && r.Method == http.MethodGet:
			what += " list"
		case r.Method == http.MethodGet:
			what = "HEAD"
		}
		c.mu.Lock()
		c.counts[what]++
		c.mu.Unlock()
		if c.mute.Load() {
			<-r.Context().Done()
			return
		}
		h.ServeHTTP(w, r)
	})
}

// during returns the number of requests of each kind that a function sends.
func (c *counter) during(do func()) map[string]int {
	c.mu.Lock()
	c.counts = map[string]int{}
	c.mu.Unlock()
	do()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}
