package statsource

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statjson"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// errNotStatistics means that a file has another content than statistics. Any other error is about damaged statistics,
// or an unreadable file.
var errNotStatistics = errors.New("no statistics of a data set")

// errPart means that a file is an output of --partial. errors.Is reports it as errNotStatistics too.
var errPart error = notStatistics{errors.New("a part")}

// maxSize is the maximum size of statistics outside a TFRecord, in bytes.
const maxSize = 1 << 28

// notStatistics is an error that matches errNotStatistics.
type notStatistics struct{ error }

func (e notStatistics) Is(target error) bool { return target == errNotStatistics }
func (e notStatistics) Unwrap() error        { return e.error }

// A fileReader reads statistics of data sets from files and streams. It detects the form by the content: the records of
// a TFRecord, or one message in the binary, text or JSON form, optionally compressed with gzip. It reuses its buffers
// for the next file. The zero value is ready for use by one goroutine.
type fileReader struct {
	// Details has the parts of the JSON form that the messages cannot hold, for the statistics read last; nil for other
	// forms.
	Details *stats.Details

	records *tfrecord.Reader
	prefix  []byte
}

// read reads statistics from a file, as readStream does. It returns a file of other content as an open stream, which
// begins with the first byte.
func (r *fileReader) read(name string) (*metadatapb.DatasetFeatureStatisticsList, *scan.Stream, error) {
	f, err := storage.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return r.readOpen(f, name)
}

// readOpen is read for an open file. It closes the file unless it returns a stream.
func (r *fileReader) readOpen(f io.ReadCloser, name string) (*metadatapb.DatasetFeatureStatisticsList, *scan.Stream, error) {
	list, head, err := r.readStream(f, name)
	if head == nil {
		f.Close()
		return list, nil, err
	}
	return nil, scan.NewStream(head, f), err
}

// readStream reads statistics in one of the forms: a TFRecord of serialized DatasetFeatureStatisticsLists, or one list
// in the binary, text or JSON form, each optionally compressed with gzip. It merges the lists of several records. The
// name is for errors.
//
// For other content the error is errNotStatistics or errPart, and head has the bytes read from src. head is valid until
// the next call. Otherwise head is nil.
func (r *fileReader) readStream(src io.Reader, name string) (list *metadatapb.DatasetFeatureStatisticsList, head io.Reader, err error) {
	t := &prefixReader{r: src, prefix: r.prefix[:0]}
	defer func() {
		if errors.Is(err, errNotStatistics) {
			head = bytes.NewReader(t.prefix)
			r.prefix = t.prefix
		}
	}()
	if r.records == nil {
		r.records = tfrecord.NewReader(nil, nil)
	}
	r.Details = nil
	r.records.Reset(t, name)
	list, err = readRecords(t, r.records)
	if short := len(t.prefix) < tfrecord.HeaderSize && errors.Is(err, errNotStatistics) && errors.Is(err, io.ErrUnexpectedEOF); !short && !errors.Is(err, tfrecord.ErrNotTFRecord) {
		return list, nil, err
	}
	from := io.MultiReader(bytes.NewReader(t.prefix), t)
	if bytes.HasPrefix(t.prefix, gzipPrefix) {
		z, none := gzip.NewReader(from)
		if none != nil {
			return nil, nil, err
		}
		from = z
	}
	list, plain := r.readMessage(from)
	switch {
	case plain == errUnknownForm:
		return nil, nil, err
	case errors.Is(plain, io.ErrUnexpectedEOF):
		plain = fmt.Errorf("gzip: %w", plain)
	}
	return list, nil, plain
}

// gzipPrefix is the beginning of gzip data.
var gzipPrefix = []byte{0x1f, 0x8b}

// errUnknownForm means that the content is not a list in a form that readMessage knows.
var errUnknownForm = errors.New("no list of statistics")

// readMessage reads a list outside a TFRecord, in the binary, text or JSON form.
func (r *fileReader) readMessage(from io.Reader) (*metadatapb.DatasetFeatureStatisticsList, error) {
	b, err := io.ReadAll(io.LimitReader(from, 512))
	switch {
	case len(b) == 0 || !isText(b) && b[0] != datasetsTag:
		return nil, errUnknownForm
	case err != nil && (b[0] == datasetsTag || textList.Match(b) || jsonList.Match(b)):
		return nil, err
	case err != nil:
		return nil, errUnknownForm
	}
	rest, err := io.ReadAll(io.LimitReader(from, int64(maxSize+1-len(b))))
	switch b = append(b, rest...); {
	case err != nil:
		return nil, err
	case len(b) > maxSize:
		return nil, notStatistics{fmt.Errorf("%w: not a TFRecord, and larger than %d bytes", errNotStatistics, maxSize)}
	}
	list := &metadatapb.DatasetFeatureStatisticsList{}
	if jsonList.Match(b) {
		if r.Details, err = statjson.Unmarshal(b, list); err != nil {
			return nil, err
		}
		return list, nil
	}
	if list, err := decodeList(b); !errors.Is(err, errNotStatistics) {
		return list, err
	}
	if pbtext.UnmarshalBinary(b, list) == nil && len(list.GetDatasets()) > 0 { // statistics of no records
		return list, nil
	}
	switch err := pbtext.Unmarshal(b, list); {
	case err == nil:
		return list, nil
	case textList.Match(b) && isText(b):
		return nil, err
	}
	return nil, errUnknownForm
}

// A prefixReader keeps the bytes that are read from r, until it is stopped.
type prefixReader struct {
	r       io.Reader
	prefix  []byte
	stopped bool // the form is known: bytes are not kept any more
}

func (t *prefixReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if !t.stopped {
		t.prefix = append(t.prefix, p[:n]...)
	}
	return n, err
}

// datasetsTag is the first byte of every list that is not empty, in the binary form.
const datasetsTag = 1<<3 | 2

// textList matches the beginning of a list in the text form.
var textList = regexp.MustCompile(`^(\s|#[^\n]*\n)*datasets\s*:?\s*[{<\[]`)

// jsonList matches the beginning of a list in the JSON form.
var jsonList = regexp.MustCompile(`^\s*\{\s*"datasets"\s*:`)

// isText reports whether b has no control characters other than tabs and line ends.
func isText(b []byte) bool {
	return !bytes.ContainsFunc(b, func(c rune) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' })
}

// readRecords merges the lists in the records of a TFRecord.
func readRecords(t *prefixReader, r *tfrecord.Reader) (*metadatapb.DatasetFeatureStatisticsList, error) {
	var all shardMerger
	for n := 0; ; n++ {
		rec, err := r.Next()
		switch {
		case err == io.EOF && n > 0:
			return &all.list, nil
		case err == io.EOF:
			return nil, errNotStatistics
		case err != nil && n == 0:
			return nil, notStatistics{err}
		case err != nil:
			return nil, err
		}
		if n == 0 && bytes.HasPrefix(rec, []byte(partial.Magic)) {
			return nil, errPart
		}
		part, err := decodeList(rec)
		if n > 0 && errors.Is(err, errNotStatistics) { // other content after statistics is damage
			err = errors.New(errNotStatistics.Error())
		}
		if err == nil {
			t.stopped, t.prefix = true, nil
			err = all.addShard(part)
		}
		if err != nil {
			return nil, r.WrapError(err)
		}
	}
}

// decodeList decodes a list in the binary form. It returns errNotStatistics if the bytes do not decode, or the list has
// neither examples nor features: an Example may decode as an empty list. Unknown fields are an error that names them.
func decodeList(b []byte) (*metadatapb.DatasetFeatureStatisticsList, error) {
	list := &metadatapb.DatasetFeatureStatisticsList{}
	if proto.Unmarshal(b, list) != nil {
		return nil, errNotStatistics
	}
	for _, d := range list.GetDatasets() {
		if d.GetNumExamples() > 0 || len(d.GetFeatures()) > 0 {
			return list, pbtext.UnmarshalBinary(b, list) // again, since it refuses unknown fields
		}
	}
	return nil, errNotStatistics
}
