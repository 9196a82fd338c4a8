// Package store opens objects of gs://, s3://, http:// and https:// by their names, wherever this module takes the name
// of a file: in package dataset, in tfrecord.Open and tfrecord.Create, and in the command. A program calls [Register] once:
//
//	store.Register(nil)
//	files := dataset.NewFiles([]string{"gs://bucket/train-*.tfrecord"}, nil)
//
// # Names
//
// A name is gs://BUCKET/OBJECT, s3://BUCKET/KEY or an address. A "/" divides directories, as the consoles of the vendors show
// them; a directory is there as long as there is an object in it. Directories, globs and sharded names such as train@12 stand for
// objects as they do for files. Servers of HTTP do not list, so an address is always that of one file or a sharded name.
//
// An address that has a password or a query in it, as signed addresses have, is shown without them: see [Public].
//
// # Credentials
//
// They are those of the vendors' tools. Where none are configured, requests are anonymous, which public objects need; where those that are
// configured fail, that is the error, and no request is sent.
//
//   - gs://: application default credentials, that is GOOGLE_APPLICATION_CREDENTIALS, those of gcloud, or the metadata server, with
//     workload identity and its federation. STORAGE_EMULATOR_HOST names another server, which gets anonymous requests.
//   - s3://: the chain of AWS, that is the environment, profiles, single sign-on, web identity, containers and instances.
//     AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL name a compatible server, where the bucket is in the path.
//   - http:// and https://: none.
//
// # Reading
//
// A file is one version of an object, by its generation or ETag. If it is changed or deleted, reading fails with [ErrChanged]. A file that is read from
// front to end is one request, which is made again at the byte reached where the connection breaks, the body is short or
// too slow; a goroutine reads ahead. Reading at a place is one request for that range. Objects with Content-Encoding: gzip
// are read as they are stored.
//
// A request is retried after a transient error: a lost connection, or a status such as 503. It waits for a random part of a time that
// doubles, and as long as the server wants. Other errors end it at once, such as a host that is not known or a certificate that is not
// trusted; a server that refuses connections, and has never answered, is tried three times.
//
// What is known about objects is kept for half a minute, so that names are looked up once.
//
// # Writing
//
// Outputs are sent in parts while they are written, and get their names when all of it is there. After an error, and when a program
// is interrupted, there is no object, and parts are removed. A set of shards gets its names when all shards are there; if one
// cannot, those that have theirs are removed, and an object that was replaced is lost.
package store

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
)

// ErrChanged is wrapped by errors of reading an object that was changed or deleted since it was opened.
var ErrChanged = errors.New("changed while reading")

// Options are the settings of [Register]. A nil *Options and every zero field mean the default.
type Options struct {
	// ReadAhead is the number of bytes that all open files together may read ahead, besides half a
	// megabyte of each. The default is 16 MiB.
	ReadAhead int64
	// Attempts is how often a request is made, and reading is resumed without progress, until that is an error. The default is 8.
	Attempts int
	// Backoff is the longest time before the second attempt; it doubles with each, up to 30 seconds. The default is 250 ms.
	Backoff time.Duration
	// Stall is how long a server may send nothing, or less than 64 KiB, before the request is made again. The default is 30 s.
	Stall time.Duration
	// Transport sends the requests. The default is one with the proxies of the environment.
	Transport http.RoundTripper
}

// Register makes names that begin with gs://, s3://, http:// and https:// those of objects, in the whole program. It sends no
// request: credentials are looked for when the first object is opened.
func Register(opts *Options) {
	c := newClient(opts)
	for scheme, b := range map[string]backend{"gs": newGCS(c), "s3": newS3(c)} {
		storage.Register(scheme, newSystem(c, b))
	}
	web := newSystem(c, newWeb(c))
	storage.Register("http", web)
	storage.Register("https", web)
}

// Public returns the name to show in place of one that may have credentials in it: of an address without user,
// password and the values of its query. After this call it can be opened in place of name, in the same
// process. The command does so with its arguments; a program that prints errors or positions should.
func Public(name string) string { return storage.Public(name) }

// background is the context of requests that belong to no call.
func background(timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), timeout)
}
