package tfrecord_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/tfparse/tfparse/tfrecord"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "train-00000-of-00001")

	w, err := tfrecord.Create(name, &tfrecord.WriterOptions{Compression: tfrecord.GZIP})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	for _, s := range []string{"one", "two", "three"} {
		if err := w.WriteRecord([]byte(s)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	r, err := tfrecord.Open(name, nil) // the compression is detected
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for rec, err := range r.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d at %d: %s\n", r.Pos().Record, r.Pos().Offset, rec)
	}
	fmt.Println(r.Compression())
	// Output:
	// 0 at 0: one
	// 1 at 19: two
	// 2 at 38: three
	// gzip
}

func ExampleAppendRecord() {
	fmt.Printf("% x\n", tfrecord.AppendRecord(nil, []byte("abc")))
	// Output:
	// 03 00 00 00 00 00 00 00 b0 99 49 0e 61 62 63 6e 57 f1 21
}

func ExampleConsumeRecord() {
	b := tfrecord.AppendRecord(nil, []byte("first"))
	b = tfrecord.AppendRecord(b, []byte("second"))
	for len(b) > 0 {
		payload, n, err := tfrecord.ConsumeRecord(b)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s takes %d bytes\n", payload, n)
		b = b[n:]
	}
	// Output:
	// first takes 21 bytes
	// second takes 22 bytes
}

// A damaged payload loses one record.
func ExampleReader_Next() {
	var b []byte
	for _, s := range []string{"one", "two", "three"} {
		b = tfrecord.AppendRecord(b, []byte(s))
	}
	b[31] ^= 1 // in the second payload

	r := tfrecord.NewReader(bytes.NewReader(b), &tfrecord.ReaderOptions{Name: "b"})
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, tfrecord.ErrDataChecksum) {
			fmt.Println(err)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", rec)
	}
	// Output:
	// one
	// b: record 1 (offset 0x13): payload checksum mismatch: stored 0x09c99089, computed 0xe63eda0a
	// three
}

func ExampleReader_Skip() {
	var b []byte
	for _, s := range []string{"one", "two", "three"} {
		b = tfrecord.AppendRecord(b, []byte(s))
	}
	r := tfrecord.NewReader(bytes.NewReader(b), nil)
	n, err := 0, error(nil)
	for ; err == nil; n++ {
		err = r.Skip()
	}
	fmt.Println(n-1, err)
	// Output:
	// 3 EOF
}

func ExampleReader_WrapError() {
	b := tfrecord.AppendRecord(nil, []byte("no such message"))
	r := tfrecord.NewReader(bytes.NewReader(b), &tfrecord.ReaderOptions{Name: "b"})
	if _, err := r.Next(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.WrapError(errors.New("cannot decode")))
	// Output:
	// b: record 0 (offset 0x0): cannot decode
}

func ExampleNewWriter() {
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: tfrecord.SNAPPY})
	if err := w.WriteRecord([]byte("payload")); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Offset(), tfrecord.Identify(b.Bytes()))
	// Output:
	// 23 snappy
}

func ExampleReader_Recover() {
	var b []byte
	for _, s := range []string{"one", "two", "three"} {
		b = tfrecord.AppendRecord(b, []byte(s))
	}
	b[19] ^= 1 // in the second length

	for x := range tfrecord.NewReader(bytes.NewReader(b), nil).Recover() {
		if x.Skipped != nil {
			fmt.Printf("lost [%d, %d): %v\n", x.Skipped.Begin, x.Skipped.End, x.Skipped.Err.Class)
			continue
		}
		fmt.Printf("%s\n", x.Record)
	}
	// Output:
	// one
	// lost [19, 38): length_crc
	// three
}

func ExampleOpenIndexed() {
	var b []byte
	for _, s := range []string{"one", "two", "three"} {
		b = tfrecord.AppendRecord(b, []byte(s))
	}
	x, err := tfrecord.OpenIndexed(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		log.Fatal(err)
	}
	last, err := x.AppendAt(nil, x.Len()-1)
	fmt.Printf("%d records, the last is %s, error %v\n", x.Len(), last, err)
	// Output:
	// 3 records, the last is three, error <nil>
}

// An index can be stored. It is an error if it does not fit the data.
func ExampleBuildIndex() {
	b := tfrecord.AppendRecord(nil, []byte("one"))
	index, err := tfrecord.BuildIndex(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		log.Fatal(err)
	}
	b = tfrecord.AppendRecord(b, []byte("two"))
	_, err = tfrecord.OpenIndexed(bytes.NewReader(b), int64(len(b)), &tfrecord.IndexedOptions{Name: "b", Index: index})
	fmt.Println(errors.Is(err, tfrecord.ErrIndex), err)
	// Output:
	// true b: the index is out of date: it was made for 19 bytes, and the data have 38
}

func ExampleIdentify() {
	fmt.Println(tfrecord.Identify([]byte("<!DOCTYPE html><title>Not found</title>")))
	fmt.Println(tfrecord.Identify([]byte("version https://git-lfs.github.com/spec/v1\n")))
	// Output:
	// html
	// git-lfs
}
