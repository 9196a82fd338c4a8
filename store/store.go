// Package store opens objects by names that begin with gs://, s3://, http:// or https://, wherever this module accepts the name of
// a file: in package dataset, in tfrecord.Open and tfrecord.Create, and in the command. A program calls [Register] once:
//
//	store.Register(nil)
//	files := dataset.NewFiles([]string{"gs://bucket/train-*.tfrecord"}, nil)
//
// # Names
//
// A name is gs://BUCKET/OBJECT, s3://BUCKET/KEY or a URL. "/" separates directories, as in the vendors' consoles; a directory
// exists while it contains an object. Directories, globs and sharded names such as train@12 work as for files, but the bucket
// cannot have wildcards. HTTP servers cannot list, so a URL names one file, or is a sharded name. Write "#" in a URL as %23,
// because FILE#7 names a record in some verbs of the command.
//
// A URL with a password or a query, such as a signed URL, is displayed without them: see [Public].
//
// # Credentials
//
// Credentials are those of the vendors' tools. If none are configured, requests are anonymous, which works for public objects.
// If configured credentials fail, the result is an error, and no request is sent.
//
//   - gs://: application default credentials: GOOGLE_APPLICATION_CREDENTIALS, those of gcloud, or the metadata server,
//     with workload identity and its federation. STORAGE_EMULATOR_HOST names another server, which receives anonymous
//     requests.
//   - s3://: the AWS credential chain: environment, profiles, single sign-on, web identity, containers and instances.
//     AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL names a compatible server; the bucket is part of the path.
//   - http:// and https://: none.
//
// # Reading
//
// An open file is one version of an object, identified by its generation or ETag. If the object changes or is deleted, reading
// fails with [ErrChanged]. A sequential read is one GET request, whose response also has the attributes. If the connection
// breaks, or the body is too short or too slow, another request continues at the current position. A goroutine reads ahead.
// ReadAt sends one request for its range. Objects with Content-Encoding: gzip are read as they are stored.
//
// Transient errors are retried: a lost connection, or a status such as 503. The wait is random, with an upper bound that doubles
// for each attempt, and is at least the Retry-After of the server. Other errors are returned at once, such as an unknown host or
// an untrusted certificate. A server that refuses connections and has never answered is tried three times. If a server sends
// nothing for 5 seconds, before its headers or within a body, a notice is printed on the terminal.
//
// Attributes of objects are cached for half a minute, so that each name is looked up once. A file reads the version that the
// first request for data finds.
//
// # Writing
//
// An output is sent in parts while it is written. The object is created when all parts have been sent. After an error, or if the
// program is interrupted, no object is created and the parts are removed. If the program is killed, its parts stay, without a
// name, and are billed: give a bucket of s3:// a lifecycle rule AbortIncompleteMultipartUpload of a few days; Google removes
// parts after a week. The objects of a set of shards are created when all shards are complete; if one of them fails, the new
// objects are removed, and the objects that they replaced are lost.
//
// # Memory
//
// An open file uses half a megabyte, and up to 8 MiB for reading ahead; for reading ahead, all files together use at most
// Options.ReadAhead. This is not part of dataset.FilesOptions.Budget, which counts records. An output uses two parts of 8 MiB. If more
// than 16 outputs are open, as for a set of shards, parts are smaller: 256 MiB together, but at least 256 KiB each, and for
// s3:// at least 5 MiB, as the service requires.
//
// # Why not the vendors' clients
//
// The package sends its requests with net/http; only the credentials come from the vendors' packages. In November 2026 it was
// compared with gocloud.dev, Amazon's SDK and Google's storage/v1. They would replace about 500 lines, which sign requests and
// decode XML and JSON, but not the rules for reading and writing that all schemes share:
//
//   - http:// has no library, and its reader also serves the other schemes.
//   - None of the three waits as Retry-After asks, cancels a request that stalls, or reads anonymously by default.
//     Amazon's and storage/v1 do not resume a broken body, the most frequent failure of long reads.
//   - Sending parts before a set of shards is named needs Stage separate from Commit, which gocloud.dev does not have. It also
//     stores keys with "../" and tabs under other names.
//   - Some print to standard error, or include the session of an upload, which is a credential, in their errors.
//
// The command has 17 MB without stores and 26 MB with this package. It would have 37 MB with both vendors' clients and 56 MB with
// gocloud.dev.
package store

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
)

// ErrChanged is wrapped by the errors of reading an object that was changed or deleted after it was opened.
var ErrChanged = errors.New("changed while reading")

// Options configure [Register]. A nil *Options and every zero field mean the default.
type Options struct {
	// ReadAhead is the maximum number of bytes that all open files together read ahead, in addition to half a megabyte
	// per file. The default is 16 MiB.
	ReadAhead int64
	// Attempts is the maximum number of attempts of a request, or of resuming a read without progress. The default is 8.
	Attempts int
	// Backoff is the maximum time before the second attempt; it doubles for each further attempt, up to 30 seconds. The default is 250 ms.
	Backoff time.Duration
	// Stall is the time after which a request is retried if the server has sent nothing, or less than 64 KiB. The default is 30 s.
	Stall time.Duration
	// Transport sends the requests. The default uses the proxies of the environment.
	Transport http.RoundTripper
}

// Register makes all names in the program that begin with gs://, s3://, http:// or https:// names of objects. It sends no
// request: it looks for credentials when the first object is opened.
func Register(opts *Options) {
	c := newClient(opts)
	for scheme, b := range map[string]backend{"gs": newGCS(c), "s3": newS3(c)} {
		storage.Register(scheme, newCachedStore(c, b))
	}
	web := newCachedStore(c, newWeb(c))
	storage.Register("http", web)
	storage.Register("https", web)
}

// Public returns a name without credentials to display in place of name: a URL without user, password and query. After this call
// the process can also open the object by that name. The command calls Public for its arguments; a program that prints errors or
// positions should too.
func Public(name string) string { return storage.Public(name) }

// background returns a context for requests that belong to no call.
func background(timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), timeout)
}
