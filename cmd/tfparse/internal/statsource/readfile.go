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

// errNone means that a file holds no statistics. Any other error is one of statistics, or
// of a file that cannot be read.
var errNone = errors.New("no statistics of a data set")

// errPart means that a file is what --partial writes. It is errNone, too.
var errPart error = other{errors.New("a part")}

// maxSize bounds what is read of a file that is no TFRecord.
const maxSize = 1 << 28

// other is the error of a file that holds something else, or nothing that is known.
type other struct{ error }

func (e other) Is(target error) bool { return target == errNone }
func (e other) Unwrap() error        { return e.error }

// A fileReader reads statistics of data sets from files and streams, whatever their
// form: records of a TFRecord, or plain binary, text or JSON, which may be compressed with
// gzip. What they are, their content says. It keeps its memory from file to file. Its zero value is
// ready for use, by one goroutine.
type fileReader struct {
	// Details are what JSON has more than the statistics that were read last; nil if those
	// were not JSON.
	Details *stats.Details

	records *tfrecord.Reader
	seen    []byte
}

// read reads statistics from a file: see [fileReader.readStream]. One that has something else stays open, as a stream from its beginning.
func (r *fileReader) read(name string) (*metadatapb.DatasetFeatureStatisticsList, *scan.Stream, error) {
	f, err := storage.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return r.readOpen(f, name)
}

// readOpen is read of a file that is open, which it closes unless it returns a stream.
func (r *fileReader) readOpen(f io.ReadCloser, name string) (*metadatapb.DatasetFeatureStatisticsList, *scan.Stream, error) {
	list, head, err := r.readStream(f, name)
	if head == nil {
		f.Close()
		return list, nil, err
	}
	return nil, scan.NewStream(head, f), err
}

// readStream reads statistics: a TFRecord whose records are serialised
// DatasetFeatureStatisticsLists, one such list, or its text or JSON, plain or compressed
// with gzip. Parts of one data set in several records are put together. Other records are errNone, after the first of them, or
// errPart; so is anything else. Then head is what was read of src, until the next call of
// r; it is nil otherwise. The name is for errors.
func (r *fileReader) readStream(src io.Reader, name string) (list *metadatapb.DatasetFeatureStatisticsList, head io.Reader, err error) {
	t := &tee{r: src, seen: r.seen[:0]}
	defer func() {
		if errors.Is(err, errNone) {
			head = bytes.NewReader(t.seen)
			r.seen = t.seen
		}
	}()
	if r.records == nil {
		r.records = tfrecord.NewReader(nil, nil)
	}
	r.Details = nil
	r.records.Reset(t, name)
	list, err = readRecords(t, r.records)
	if short := len(t.seen) < tfrecord.HeaderSize && errors.Is(err, errNone) && errors.Is(err, io.ErrUnexpectedEOF); !short && !errors.Is(err, tfrecord.ErrNotTFRecord) {
		return list, nil, err
	}
	from := io.MultiReader(bytes.NewReader(t.seen), t)
	if bytes.HasPrefix(t.seen, gzipMagic) {
		z, none := gzip.NewReader(from)
		if none != nil {
			return nil, nil, err
		}
		from = z
	}
	list, plain := r.readPlain(from)
	switch {
	case plain == errOther:
		return nil, nil, err
	case errors.Is(plain, io.ErrUnexpectedEOF):
		plain = fmt.Errorf("gzip: %w", plain)
	}
	return list, nil, plain
}

// gzipMagic begins what is compressed.
var gzipMagic = []byte{0x1f, 0x8b}

// errOther means that it is nothing that readPlain reads.
var errOther = errors.New("no list of statistics")

// readPlain reads a list that is no TFRecord: binary, text or JSON.
func (r *fileReader) readPlain(from io.Reader) (*metadatapb.DatasetFeatureStatisticsList, error) {
	b, err := io.ReadAll(io.LimitReader(from, 512))
	switch {
	case len(b) == 0 || !isText(b) && b[0] != datasetsTag:
		return nil, errOther
	case err != nil && (b[0] == datasetsTag || meant.Match(b) || inJSON.Match(b)):
		return nil, err
	case err != nil:
		return nil, errOther
	}
	rest, err := io.ReadAll(io.LimitReader(from, int64(maxSize+1-len(b))))
	switch b = append(b, rest...); {
	case err != nil:
		return nil, err
	case len(b) > maxSize:
		return nil, other{fmt.Errorf("%w: it is no TFRecord, and larger than %d bytes", errNone, maxSize)}
	}
	list := &metadatapb.DatasetFeatureStatisticsList{}
	if inJSON.Match(b) {
		if r.Details, err = statjson.Unmarshal(b, list); err != nil {
			return nil, err
		}
		return list, nil
	}
	if list, err := parseStatistics(b); !errors.Is(err, errNone) {
		return list, err
	}
	if pbtext.UnmarshalBinary(b, list) == nil && len(list.GetDatasets()) > 0 { // of no records
		return list, nil
	}
	switch err := pbtext.Unmarshal(b, list); {
	case err == nil:
		return list, nil
	case meant.Match(b) && isText(b):
		return nil, err
	}
	return nil, errOther
}

// A tee keeps what is read of r.
type tee struct {
	r    io.Reader
	seen []byte
	off  bool // enough is known
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if !t.off {
		t.seen = append(t.seen, p[:n]...)
	}
	return n, err
}

// datasetsTag begins a list that is not empty.
const datasetsTag = 1<<3 | 2

// meant matches the text of what is meant to be a list.
var meant = regexp.MustCompile(`^(\s|#[^\n]*\n)*datasets\s*:?\s*[{<\[]`)

// inJSON matches what is meant to be a list in JSON.
var inJSON = regexp.MustCompile(`^\s*\{\s*"datasets"\s*:`)

// isText reports whether nothing stands in b that no text has.
func isText(b []byte) bool {
	return !bytes.ContainsFunc(b, func(c rune) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' })
}

func readRecords(t *tee, r *tfrecord.Reader) (*metadatapb.DatasetFeatureStatisticsList, error) {
	var all union
	for n := 0; ; n++ {
		rec, err := r.Next()
		switch {
		case err == io.EOF && n > 0:
			return &all.list, nil
		case err == io.EOF:
			return nil, errNone
		case err != nil && n == 0:
			return nil, other{err}
		case err != nil:
			return nil, err
		}
		if n == 0 && bytes.HasPrefix(rec, []byte(partial.Magic)) {
			return nil, errPart
		}
		part, err := parseStatistics(rec)
		if n > 0 && errors.Is(err, errNone) { // after statistics it is damage
			err = errors.New(errNone.Error())
		}
		if err == nil {
			t.off, t.seen = true, nil
			err = all.add(part)
		}
		if err != nil {
			return nil, r.WrapError(err)
		}
	}
}

// parseStatistics reads a serialised list. The error is errNone if the bytes are none, or say
// nothing that only statistics say: an Example, which a record may be, may read as a list of
// nothing. A field that
// statistics do not have is an error that names it.
func parseStatistics(b []byte) (*metadatapb.DatasetFeatureStatisticsList, error) {
	list := &metadatapb.DatasetFeatureStatisticsList{}
	if proto.Unmarshal(b, list) != nil {
		return nil, errNone
	}
	for _, d := range list.GetDatasets() {
		if d.GetNumExamples() > 0 || len(d.GetFeatures()) > 0 {
			return list, pbtext.UnmarshalBinary(b, list) // again, for what it refuses
		}
	}
	return nil, errNone
}
