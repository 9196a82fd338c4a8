// Package store opens objects of gs://, s3://, http:// and https:// by their names, wherever this module takes the name
// of a file: in package dataset, in tfrecord.Open and tfrecord.Create, and in the command. A program calls [Register] once:
//
//	store.Register(nil)
//	files := dataset.NewFiles([]string{"gs://bucket/train-*.tfrecord"}, nil)
//
// # Names
//
// A name is gs://BUCKET/OBJECT, s3://BUCKET/KEY or a URL. A "/" divides directories, as the consoles of the vendors
// show them; a directory exists while an object is in it. Directories, globs and sharded names such as train@12 work as
// they do for files, but the bucket has no wildcard. HTTP servers have no listings, so a URL names one file, or is a
// sharded name. A "#" in a URL is written %23, because FILE#7 names a record in some verbs of the command.
//
// A URL with a password or a query in it, as signed URLs have, is shown without them: see [Public].
//
// # Credentials
//
// They are those of the vendors' tools. Without any, requests are anonymous, which public objects need. Credentials that
// are configured and fail are an error, and no request is sent.
//
//   - gs://: application default credentials: GOOGLE_APPLICATION_CREDENTIALS, those of gcloud, or the metadata server,
//     with workload identity and its federation. STORAGE_EMULATOR_HOST names another server, which gets anonymous
//     requests.
//   - s3://: the chain of AWS: the environment, profiles, single sign-on, web identity, containers and instances.
//     AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL names a compatible server, where the bucket is in the path.
//   - http:// and https://: none.
//
// # Reading
//
// An open file is one version of an object, by its generation or ETag. If it changes or is deleted, reading fails with
// [ErrChanged]. Reading from front to end is one GET request. If the connection breaks, or the body is short or too slow,
// another request continues at the byte reached. A goroutine reads ahead. ReadAt sends one request for its range.
// Objects with Content-Encoding: gzip are read as they are stored.
//
// Transient errors are retried: a lost connection, or a status such as 503. The wait is a random part of a time that
// doubles, and at least what the server asks for. Other errors are returned at once, such as an unknown host or a
// certificate that is not trusted. A server that refuses connections, and has never answered, is tried three times.
//
// Attributes of objects are kept for half a minute, so that a name is looked up once. To open a file they are good for an
// hour: the first request for its bytes finds out whether the object has changed since, and then reads the new version.
//
// # Writing
//
// An output is sent in parts while it is written, and gets its name when all parts are there. After an error, and when a
// program is interrupted, there is no object, and its parts are removed. A set of shards gets its names when all
// shards are complete; if one of them cannot be named, those that have names already are removed, and the objects that
// they replaced are lost.
//
// # Memory
//
// An open file holds half a megabyte, and up to 8 MiB that are read ahead, if no more than Options.ReadAhead, 16 MiB, are
// read ahead of all files together. This is apart from dataset.FilesOptions.Budget, which counts records. An output
// holds two parts of 8 MiB. If more than 16 outputs are open, as in a set of shards, parts are smaller: they take 256 MiB
// together, but 256 KiB each at least, and for s3:// 5 MiB, which the service requires.
//
// # Why not the vendors' clients
//
// Requests are made by a thin client of this package, over net/http; only the credentials come from the vendors' packages.
// Together they add 8.4 MB to a stripped program: net/http 3.9 MB, Google's credentials 0.7 MB and Amazon's 3.8 MB. A
// program with Google's storage client has some 44 MB. The vendors' clients also retry requests, but do not all
// resume a body that breaks off, which is how most long reads fail.
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
	// ReadAhead is the largest number of bytes that are read ahead of all open files together, besides half a
	// megabyte for each. The default is 16 MiB.
	ReadAhead int64
	// Attempts is how often a request is sent, or a read resumed without progress, before the error is returned. The
	// default is 8.
	Attempts int
	// Backoff is the longest time before the second attempt; it doubles with each, up to 30 seconds. The default is 250 ms.
	Backoff time.Duration
	// Stall is how long a server may send nothing, or less than 64 KiB, before the request is retried. The default
	// is 30 s.
	Stall time.Duration
	// Transport sends the requests. The default is one with the proxies of the environment.
	Transport http.RoundTripper
}

// Register makes the names that begin with gs://, s3://, http:// and https:// names of objects, in the whole program. It
// sends no request: credentials are looked for when the first object is opened.
func Register(opts *Options) {
	c := newClient(opts)
	for scheme, b := range map[string]backend{"gs": newGCS(c), "s3": newS3(c)} {
		storage.Register(scheme, newSystem(c, b))
	}
	web := newSystem(c, newWeb(c))
	storage.Register("http", web)
	storage.Register("https", web)
}

// Public returns the name to show in place of one that may have credentials in it: a URL without user, password and
// query. After this call it can be opened in place of name, in the same process. The command calls it for
// its arguments; a program that prints errors or positions should too.
func Public(name string) string { return storage.Public(name) }

// background is the context of requests that belong to no call.
func background(timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), timeout)
}
