package store

import (
	"context"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// A backend makes the requests of one service and reads its responses.
type backend interface {
	// lists reports whether it can list.
	lists() bool
	// split reads a name.
	split(name string) (address, error)
	// get makes the request for an object: GET, or HEAD for its attributes. If version is not "", a response is of this version.
	get(ctx context.Context, method string, at address, version string) (*http.Request, error)
	// fetch sends a request that get has made.
	fetch(ctx context.Context, a *attempts, at address, make func() (*http.Request, error)) (*http.Response, error)
	// fail makes a response an error, and closes it.
	fail(resp *http.Response) error
	// stat requests the attributes of an object.
	stat(ctx context.Context, at address) (attributes, error)
	// version reads that of a response to get; "" if it has none.
	version(h http.Header) string
	// list requests one page of the names that begin with prefix and have no "/" behind it. token is "" for the first page;
	// the last one returns "".
	list(ctx context.Context, at address, most int, token string) (page listPage, err error)
	// upload begins an object.
	upload(at address) (upload, error)
	// remove removes an object.
	remove(ctx context.Context, at address) error
	// public is storage.Store.Public.
	public(name string) string
}

// An address is a name, divided.
type address struct {
	name   string // as the caller has it
	bucket string
	key    string // in the bucket, without the slash before it; may be empty
}

// attributes are those of one version of an object.
type attributes struct {
	size    int64     // stored; -1 if the server does not say
	version string    // generation or ETag; "" if the server does not say
	modTime time.Time // zero if the server does not say
	fetched time.Time // when the server sent them
}

// attributesOf reads those of a response with an object, or a range of it.
func attributesOf(b backend, resp *http.Response) attributes {
	a := attributes{size: resp.ContentLength, version: b.version(resp.Header), fetched: time.Now()}
	if resp.StatusCode == http.StatusPartialContent {
		_, a.size, _ = contentRange(resp.Header.Get("Content-Range"))
	}
	a.modTime, _ = http.ParseTime(resp.Header.Get("Last-Modified"))
	return a
}

// statByHead requests the attributes of an object by HEAD, and if that is refused by GET: an address may be signed for GET, and only
// the answer to GET has a body that says why.
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

// A listPage is a part of a listing.
type listPage struct {
	objects []listed
	dirs    []string // prefixes, with the "/" at the end
	next    string   // token of the next page
}

type listed struct {
	key string
	attributes
}

// bucketAddress reads SCHEME://BUCKET/KEY.
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
	return errInName("want " + scheme + "://BUCKET/NAME, and no wildcard in the bucket")
}

// errInName is a name that is none.
type errInName string

func (e errInName) Error() string        { return string(e) }
func (e errInName) Is(target error) bool { return target == fs.ErrInvalid }

// An info is a file or a directory.
type info struct {
	name   string
	dir    bool
	absent bool // there is none of that name: only in the cache
	attributes
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return max(i.size, 0) }
func (i *info) ModTime() time.Time { return i.modTime }
func (i *info) IsDir() bool        { return i.dir }
func (i *info) Sys() any           { return nil }

// Mode is that of a regular file, unless its size is not known: it can only be read from front to end.
func (i *info) Mode() fs.FileMode {
	switch {
	case i.dir:
		return fs.ModeDir | 0o555
	case i.size < 0:
		return fs.ModeIrregular | 0o444
	}
	return 0o444
}

// Info, Type and IsDir make it an entry of a directory.
func (i *info) Info() (fs.FileInfo, error) { return i, nil }
func (i *info) Type() fs.FileMode          { return i.Mode().Type() }

func newInfo(name string, a attributes) *info { return &info{name: path.Base(name), attributes: a} }
func newDir(name string) *info {
	return &info{name: path.Base(strings.TrimRight(name, "/")), dir: true, attributes: attributes{fetched: time.Now()}}
}
