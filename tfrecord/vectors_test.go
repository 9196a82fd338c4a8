package tfrecord_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestVectors reads the streams that TensorFlow wrote, and damaged streams.
func TestVectors(t *testing.T) {
	testkit.OneGoroutine(t)
	s := &testkit.Suite{
		Family:  "container",
		Key:     "compression",
		Members: []string{"file", "bytes", "sniff"},
		PerKey:  true,
	}
	for _, codec := range tfrecord.Compressions() {
		key := strings.ToUpper(codec.String())
		if codec == tfrecord.None {
			key = "" // TensorFlow's name of this codec
		}
		s.Handle(key, func(c *testkit.Case) error { return container(c, codec) })
	}
	s.Run(t)
}

// streamName is the stream's name, which errors must contain.
const streamName = "train-00000-of-00001"

// A containerWant is what a case requires of one reading.
type containerWant struct {
	records *payloads // before the fault, if any; nil if the case does not specify them
	fail    bool
	fault   *containerFault // nil if any fault is accepted
}

type containerFault struct {
	Class     string   `json:"class"`
	Or        []string `json:"or"`
	Offset    int64    `json:"offset"`
	CountMin  *int     `json:"count_min"`
	LooksLike string   `json:"looks_like"`
}

// payloads are records, or only their number and a digest.
type payloads struct {
	Records *[][]byte `json:"records"`
	Count   int       `json:"count"`
	SHA256  string    `json:"sha256_of_payloads"`
}

func container(c *testkit.Case, codec tfrecord.Compression) error {
	data, want, sniff, err := containerCase(c)
	if err != nil {
		return err
	}
	for _, way := range []struct {
		name string
		src  func() io.Reader
		read func(*tfrecord.Reader) ([][]byte, error)
	}{
		{"Next", plainSource(data), next},
		{"All", plainSource(data), all},
		{"Next, one byte at a time", func() io.Reader { return iotest.OneByteReader(bytes.NewReader(data)) }, next},
		{"Next, data with the error", func() io.Reader { return iotest.DataErrReader(bytes.NewReader(data)) }, next},
	} {
		for _, o := range []tfrecord.ReaderOptions{
			{Name: streamName, Compression: codec},
			{Name: streamName, Compression: codec, BufferSize: 16},
			{Name: streamName},
		} {
			if o.Compression == tfrecord.Auto && !sniff {
				continue
			}
			before := totalAllocated()
			got, err := way.read(tfrecord.NewReader(way.src(), &o))
			if spent := totalAllocated() - before; c.Tagged("length") && spent > 32<<20 {
				return fmt.Errorf("%s, %v: %d bytes of memory for %d bytes of input", way.name, o.Compression, spent, len(data))
			}
			err = cmp.Or(want.check(got, err), checkCompressed(err, codec, len(data)))
			if err != nil {
				return fmt.Errorf("%s, compression %v, buffer %d: %w", way.name, o.Compression, o.BufferSize, err)
			}
		}
	}
	if n, err := skip(tfrecord.NewReader(bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: codec})); !want.fail && (err != nil || n != want.records.count()) {
		return fmt.Errorf("tfrecord.Skip: %d records of %d: %v", n, want.records.count(), err)
	}
	if err := recovery(c, data, codec, want); err != nil {
		return fmt.Errorf("tfrecord.Reader.Recover: %w", err)
	}
	return nil
}

func containerCase(c *testkit.Case) (data []byte, want containerWant, sniff bool, err error) {
	switch {
	case c.Has("file") == c.Has("bytes"):
		err = testkit.Fault(errors.New(`wanted one of "file" and "bytes"`))
	case c.Has("bytes"):
		err = c.Decode("bytes", &data)
	default:
		var name string
		if err = c.Decode("file", &name); err == nil {
			if name, err = c.Path(name); err == nil {
				data, err = os.ReadFile(name) // not decompressed: a .gz file is a gzip stream
				err = testkit.Fault(err)
			}
		}
	}
	if err != nil {
		return nil, want, false, err
	}
	if err := c.Decode("sniff", &sniff); err != nil {
		return nil, want, false, err
	}
	w := c.Want()
	want.fail = w.Fail
	if w.Expect != nil {
		decode := c.Decode
		if w.Ours {
			decode = c.DecodeOurs
		}
		want.records = &payloads{}
		if err := decode("expect", want.records); err != nil {
			return nil, want, false, err
		}
	}
	if w.Ours && w.Fail && string(w.Error) != "true" {
		want.fault = &containerFault{}
		if err := c.DecodeOurs("error", want.fault); err != nil {
			return nil, want, false, err
		}
	}
	return data, want, sniff, nil
}

func plainSource(b []byte) func() io.Reader { return func() io.Reader { return bytes.NewReader(b) } }

// next reads to the end with Next. It returns nil for io.EOF.
func next(r *tfrecord.Reader) (got [][]byte, err error) {
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, bytes.Clone(rec))
	}
}

func all(r *tfrecord.Reader) (got [][]byte, err error) {
	for rec, e := range r.All() {
		if e != nil {
			err = e
			continue // an error must be the last element
		}
		if err != nil {
			return got, errors.New("tfrecord.All goes on after an error")
		}
		got = append(got, bytes.Clone(rec))
	}
	return got, err
}

func skip(r *tfrecord.Reader) (n int, err error) {
	for {
		switch err := r.Skip(); err {
		case nil:
			n++
		case io.EOF:
			return n, nil
		default:
			return n, err
		}
	}
}

func totalAllocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// check compares one result with the required one.
func (w *containerWant) check(got [][]byte, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("a fault that is io.EOF: %w", err)
	}
	if !w.fail {
		if err != nil {
			return fmt.Errorf("after %d records: %w", len(got), err)
		}
		return w.records.check(got)
	}
	if err == nil {
		return fmt.Errorf("no error after %d records, want %s", len(got), w.fault)
	}
	var e *tfrecord.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%T without a position: %w", err, err)
	}
	if e.Name != streamName || e.Record != int64(len(got)) {
		return fmt.Errorf("want the position of record %d of %s: %w", len(got), streamName, err)
	}
	if !errors.Is(err, sentinels[e.Class]) {
		return fmt.Errorf("class %v, but not errors.Is(err, %q): %w", e.Class, sentinels[e.Class], err)
	}
	if w.fault == nil {
		return w.records.check(got)
	}
	if class := e.Class.String(); class != w.fault.Class && !slices.Contains(w.fault.Or, class) {
		return fmt.Errorf("class %s at %d, want %s: %w", class, e.Offset, w.fault, err)
	}
	if w.fault.LooksLike != "" && e.LooksLike != w.fault.LooksLike {
		return fmt.Errorf("looks like %q, want %q: %w", e.LooksLike, w.fault.LooksLike, err)
	}
	offset := w.fault.Offset
	if w.fault.CountMin != nil {
		if len(got) < *w.fault.CountMin {
			return fmt.Errorf("%d records, want at least %d: %w", len(got), *w.fault.CountMin, err)
		}
		if err := w.records.checkPrefix(got); err != nil {
			return err
		}
		offset = 0
		for _, p := range got {
			offset += int64(tfrecord.HeaderSize + len(p) + tfrecord.FooterSize)
		}
	} else if err := w.records.check(got); err != nil {
		return fmt.Errorf("%w, before %v", err, e)
	}
	if e.Offset != offset {
		return fmt.Errorf("offset %d, want %d: %w", e.Offset, offset, err)
	}
	return nil
}

// checkCompressed checks that the position of a fault is inside the compressed input.
func checkCompressed(err error, codec tfrecord.Compression, size int) error {
	var e *tfrecord.Error
	if !errors.As(err, &e) {
		return nil
	}
	if e.Compressed < -1 || e.Compressed > int64(size) || codec == tfrecord.None && e.Compressed != -1 {
		return fmt.Errorf("compressed position %d of %d: %w", e.Compressed, size, err)
	}
	return nil
}

var sentinels = map[tfrecord.Class]error{
	tfrecord.Truncated:   io.ErrUnexpectedEOF,
	tfrecord.LengthCRC:   tfrecord.ErrLengthChecksum,
	tfrecord.PayloadCRC:  tfrecord.ErrDataChecksum,
	tfrecord.TooLong:     tfrecord.ErrTooLarge,
	tfrecord.NotTFRecord: tfrecord.ErrNotTFRecord,
	tfrecord.Codec:       tfrecord.ErrCodec,
}

func (f *containerFault) String() string {
	if f == nil {
		return "an error"
	}
	b, _ := json.Marshal(f)
	return string(b)
}

// count returns how many records p has.
func (p *payloads) count() int {
	if p.Records != nil {
		return len(*p.Records)
	}
	return p.Count
}

// check compares the records with all records of p.
func (p *payloads) check(got [][]byte) error {
	if p == nil {
		return nil
	}
	if p.Records == nil {
		if len(got) != p.Count {
			return fmt.Errorf("%d records, want %d", len(got), p.Count)
		}
		h := sha256.New()
		for _, b := range got {
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(b))))
			h.Write(b)
		}
		if sum := hex.EncodeToString(h.Sum(nil)); sum != p.SHA256 {
			return fmt.Errorf("payloads with the digest %s, want %s", sum, p.SHA256)
		}
		return nil
	}
	if len(got) != len(*p.Records) {
		return fmt.Errorf("%d records, want %d", len(got), len(*p.Records))
	}
	return p.checkPrefix(got)
}

// checkPrefix compares the records with the first records of p.
func (p *payloads) checkPrefix(got [][]byte) error {
	if p == nil {
		return nil
	}
	if p.Records == nil {
		return testkit.Fault(errors.New("a digest tells nothing about the first records"))
	}
	if len(got) > len(*p.Records) {
		return fmt.Errorf("%d records, want at most %d", len(got), len(*p.Records))
	}
	for i, b := range got {
		if want := (*p.Records)[i]; !bytes.Equal(b, want) {
			return fmt.Errorf("record %d: got %s, want %s", i, base64.StdEncoding.EncodeToString(b), base64.StdEncoding.EncodeToString(want))
		}
	}
	return nil
}

// recovery recovers the records of a damaged stream. If the case does not specify them, an intact stream must be
// complete and without a loss, and a damaged stream must give its first records and at least one loss.
func recovery(c *testkit.Case, data []byte, codec tfrecord.Compression, want containerWant) error {
	var got [][]byte
	lost := [][2]int64{}
	for item := range tfrecord.NewReader(bytes.NewReader(data), &tfrecord.ReaderOptions{Name: streamName, Compression: codec}).Recover() {
		switch {
		case item.Skipped == nil:
			got = append(got, bytes.Clone(item.Record))
		case item.Record != nil:
			return fmt.Errorf("a record and a loss at once: %v", item.Skipped.Err)
		case item.Skipped.Err == nil:
			return fmt.Errorf("bytes %d to %d are lost, and nothing says why", item.Skipped.Begin, item.Skipped.End)
		default:
			lost = append(lost, [2]int64{item.Skipped.Begin, item.Skipped.End})
		}
	}
	if c.HasOurs("recover") {
		var saves struct {
			payloads
			Lost [][2]int64 `json:"lost"`
		}
		if err := c.DecodeOurs("recover", &saves); err != nil {
			return err
		}
		if err := saves.check(got); err != nil {
			return err
		}
		if !slices.Equal(lost, saves.Lost) {
			return fmt.Errorf("lost %d, want %d", lost, saves.Lost)
		}
		return nil
	}
	if !want.fail {
		if len(lost) > 0 {
			return fmt.Errorf("lost %d of an intact stream", lost)
		}
		return want.records.check(got)
	}
	if len(lost) == 0 {
		return errors.New("no loss in a damaged stream")
	}
	if want.records == nil {
		return nil
	}
	least := want.records.count()
	if want.fault != nil && want.fault.CountMin != nil {
		least = *want.fault.CountMin
	}
	if len(got) < least {
		return fmt.Errorf("%d records, want at least the %d before the fault", len(got), least)
	}
	if want.records.Records == nil {
		return nil
	}
	return want.records.checkPrefix(got[:least])
}
