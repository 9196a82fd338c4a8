package store

import (
	"context"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// backend sends the requests of one service and parses its responses.
type backend interface {
	// lists reports whether the service can list objects.
	lists() bool
	// split parses a name.
	split(name string) (address, error)
	// get returns the request for an object: GET, or HEAD for its attributes. If version is not "", the server must send that version or fail.
	get(ctx context.Context, method string, at address, version string) (*http.Request, error)
	// fetch sends a request that get returned.
	fetch(ctx context.Context, a *attempts, at address, make func() (*http.Request, error)) (*http.Response, error)
	// fail turns a response into an error and closes it.
	fail(resp *http.Response) error
	// stat requests the attributes of an object.
	stat(ctx context.Context, at address) (attributes, error)
	// version returns the version of the object in a response to get; "" if it has none.
	version(h http.Header) string
	// list requests one page of the names that begin with the key of at and have no "/" after it. token is "" for the first page;
	// the last page has no next token.
	list(ctx context.Context, at address, most int, token string) (page listPage, err error)
	// upload returns an upload that creates an object.
	upload(at address) (upload, error)
	// remove removes an object.
	remove(ctx context.Context, at address) error
	// public implements storage.Store.Public.
	public(name string) string
}

// address is a parsed name.
type address struct {
	name   string // the name, as the caller wrote it
	bucket string
	key    string // name in the bucket, without the leading slash; may be empty
}

// attributes describe one version of an object.
type attributes struct {
	size    int64     // size as stored, in bytes; -1 if unknown
	version string    // generation or ETag; "" if unknown
	modTime time.Time // zero if unknown
	fetched time.Time // time of the response
}

// attributesOf returns the attributes in a response with an object, or with a range of an object.
func attributesOf(b backend, resp *http.Response) attributes {
	a := attributes{size: resp.ContentLength, version: b.version(resp.Header), fetched: time.Now()}
	if resp.StatusCode == http.StatusPartialContent {
		_, a.size, _ = contentRange(resp.Header.Get("Content-Range"))
	}
	a.modTime, _ = http.ParseTime(resp.Header.Get("Last-Modified"))
	return a
}

// statByHead requests the attributes of an object by HEAD and, if the server refuses that, by GET: a URL may be signed for GET only,
// and only the response to GET has a body with the reason.
func statByHead(ctx context.Context, b backend, at address) (attributes, error) {
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		resp, err := b.fetch(ctx, &attempts{}, at, func() (*http.Request, error) { return b.get(ctx, method, at, "") })
		switch {
		case err != nil:
			return attributes{}, err
		case resp.StatusCode == http.StatusOK:
			resp.Body.Close()
			return attributesOf(b, resp), nil
		case method == http.MethodGet, resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusGone:
			return attributes{}, b.fail(resp)
		}
		resp.Body.Close()
	}
	return attributes{}, nil
}

// listPage is one page of a listing.
type listPage struct {
	objects []listedObject
	dirs    []string // prefixes, each with a "/" at the end
	next    string   // token of the next page; "" for the last page
}

// listedObject is an object in a listing.
type listedObject struct {
	key string
	attributes
}

// bucketAddress parses SCHEME://BUCKET/KEY.
func bucketAddress(name string) (address, error) {
	_, rest, _ := strings.Cut(name, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	if bucket == "" || strings.ContainsAny(bucket, `*?[\:@#%`) {
		return address{}, errBucket(name)
	}
	return address{name, bucket, key}, nil
}

func errBucket(name string) error {
	scheme, _, _ := strings.Cut(name, "://")
	return nameError("want " + scheme + "://BUCKET/NAME, and no wildcard in the bucket")
}

// nameError says why a name is invalid.
type nameError string

func (e nameError) Error() string        { return string(e) }
func (e nameError) Is(target error) bool { return target == fs.ErrInvalid }

// info describes a file or a directory.
type info struct {
	name   string // base name
	dir    bool
	absent bool // the name does not exist; only in the cache
	attributes
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return max(i.size, 0) }
func (i *info) ModTime() time.Time { return i.modTime }
func (i *info) IsDir() bool        { return i.dir }
func (i *info) Sys() any           { return nil }

// Mode is that of a regular file; if the size is unknown, it is irregular, because the file can only be read sequentially.
func (i *info) Mode() fs.FileMode {
	switch {
	case i.dir:
		return fs.ModeDir | 0o555
	case i.size < 0:
		return fs.ModeIrregular | 0o444
	}
	return 0o444
}

// Info, Type and IsDir make info an fs.DirEntry.
func (i *info) Info() (fs.FileInfo, error) { return i, nil }
func (i *info) Type() fs.FileMode          { return i.Mode().Type() }

// newInfo returns the info of an object.
func newInfo(name string, a attributes) *info { return &info{name: path.Base(name), attributes: a} }

// newDir returns the info of a directory.
func newDir(name string) *info {
	return &info{name: path.Base(strings.TrimRight(name, "/")), dir: true, attributes: attributes{fetched: time.Now()}}
}
