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
// [ErrChanged]. Reading from front to end is one GET request, whose response has the attributes too. If the connection breaks, or the body is short or too slow,
// another request continues at the byte reached. A goroutine reads ahead. ReadAt sends one request for its range.
// Objects with Content-Encoding: gzip are read as they are stored.
//
// Transient errors are retried: a lost connection, or a status such as 503. The wait is a random part of a time that
// doubles, and at least what the server asks for. Other errors are returned at once, such as an unknown host or a
// certificate that is not trusted. A server that refuses connections, and has never answered, is tried three times. A server
// that sends nothing for 5 seconds is reported on the terminal, before its headers and in the middle of a body.
//
// Attributes of objects are cached for half a minute, so that a name is looked up once. What is read is the version that the
// first request for bytes finds.
//
// # Writing
//
// An output is sent in parts while it is written, and gets its name when all parts are there. After an error, and when a
// program is interrupted, there is no object, and its parts are removed. A program that is killed leaves its parts, which have no name and are
// billed: a bucket of s3:// needs a lifecycle rule AbortIncompleteMultipartUpload, of a few days; Google removes them after a week. A set of shards gets its names when all
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
// # Why it is written by hand
//
// Requests are made by a client of this package, over net/http; only the credentials come from the vendors' packages. It was compared with
// gocloud.dev, and with Amazon's SDK and Google's storage/v1, in November 2026. They would replace some 500 lines, which sign requests and read
// XML and JSON, and not the rules of reading and writing, which all schemes share:
//
//   - http:// has no library, and its reader serves the others.
//   - None waits as Retry-After says, gives up a server that stalls, or reads without credentials unless it is told to.
//     Amazon's and storage/v1 do not resume a body that breaks off, which is how most long reads fail.
//   - Parts that are sent before a set of shards gets its names need Stage apart from Commit, which gocloud.dev does not have.
//     It also stores "../" and tabs in keys under other names.
//   - Some print to standard error, or have the session of an upload, which is a credential, in their errors.
//
// The command has 17 MB without stores and 26 MB with this package; it would have 37 MB with both vendors' clients and 56 MB with gocloud.dev.
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
