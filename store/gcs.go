package store

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// gcs is the backend of Google Cloud Storage. It uses the JSON API.
type gcs struct {
	*client
	base string // scheme and host of URLs

	err error // error in the configuration

	once      sync.Once          // guards the credentials below
	tokens    oauth2.TokenSource // nil: requests have no credentials
	broken    error              // error of configured credentials
	anonymous string             // reason why requests have no credentials; "" if they have
}

func newGCS(c *client) *gcs {
	g := &gcs{client: c, base: "https://storage.googleapis.com"}
	if host := os.Getenv("STORAGE_EMULATOR_HOST"); host != "" {
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
		g.base, g.err = endpoint(host, "STORAGE_EMULATOR_HOST")
		g.once.Do(func() { g.anonymous = "the request was anonymous, because STORAGE_EMULATOR_HOST is set" })
	}
	return g
}

func (g *gcs) lists() bool                        { return true }
func (g *gcs) public(name string) string          { return name }
func (g *gcs) split(name string) (address, error) { return bucketAddress(name) }

const scopeReadWrite = "https://www.googleapis.com/auth/devstorage.read_write"

// request returns a request with credentials.
func (g *gcs) request(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	if g.err != nil {
		return nil, g.err
	}
	address := g.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, withoutURL(err)
	}
	return req, g.authorize(req)
}

func objectPath(at address) string {
	return "/storage/v1/b/" + at.bucket + "/o/" + url.PathEscape(at.key)
}

// get implements backend. The request accepts gzip, so that the server sends objects as they are stored. Otherwise it would decompress
// objects with Content-Encoding: gzip and ignore ranges.
func (g *gcs) get(ctx context.Context, method string, at address, version string) (*http.Request, error) {
	query := url.Values{"alt": {"media"}}
	if version != "" {
		query.Set("ifGenerationMatch", version)
	}
	req, err := g.request(ctx, method, "/download"+objectPath(at), query, nil)
	if err == nil {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	return req, err
}

func (g *gcs) fetch(ctx context.Context, a *attempts, _ address, make func() (*http.Request, error)) (*http.Response, error) {
	return g.send(ctx, a, make)
}

func (g *gcs) version(h http.Header) string { return h.Get("X-Goog-Generation") }

// gcsObject is the description of an object in the API.
type gcsObject struct {
	Name        string
	Size        string
	Generation  string
	TimeCreated time.Time
	CRC32C      string
}

func (o *gcsObject) attributes() (attributes, error) {
	size, err := strconv.ParseInt(o.Size, 10, 64)
	if err != nil || size < 0 {
		return attributes{}, fmt.Errorf("invalid size %q from the server", oneLine(o.Size))
	}
	return attributes{size: size, version: o.Generation, modTime: o.TimeCreated, fetched: time.Now()}, nil
}

// call sends a request and decodes the JSON of the response.
func (g *gcs) call(ctx context.Context, path string, query url.Values, result any) error {
	resp, err := g.send(ctx, &attempts{}, func() (*http.Request, error) {
		return g.request(ctx, http.MethodGet, path, query, nil)
	})
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return g.fail(resp)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(result); err != nil {
		return fmt.Errorf("invalid response: %w", withoutURL(err))
	}
	return nil
}

const gcsFields = "name,size,generation,timeCreated,crc32c"

func (g *gcs) stat(ctx context.Context, at address) (attributes, error) {
	var o gcsObject
	if err := g.call(ctx, objectPath(at), url.Values{"fields": {gcsFields}}, &o); err != nil {
		return attributes{}, err
	}
	return o.attributes()
}

func (g *gcs) list(ctx context.Context, at address, most int, token string) (page listPage, err error) {
	query := url.Values{"prefix": {at.key}, "delimiter": {"/"}, "maxResults": {strconv.Itoa(most)}, "fields": {"items(" + gcsFields + "),prefixes,nextPageToken"}}
	if token != "" {
		query.Set("pageToken", token)
	}
	var answer struct {
		Items         []gcsObject
		Prefixes      []string
		NextPageToken string
	}
	if err := g.call(ctx, "/storage/v1/b/"+at.bucket+"/o", query, &answer); err != nil {
		return page, err
	}
	page.dirs, page.next = answer.Prefixes, answer.NextPageToken
	for _, o := range answer.Items {
		a, err := o.attributes()
		if err != nil {
			return page, err
		}
		page.objects = append(page.objects, listedObject{o.Name, a})
	}
	return page, nil
}
