package feed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// countedFiles writes one file for each codec, with some records each.
func countedFiles(t *testing.T, counts ...int) (names []string) {
	t.Helper()
	codecs := tfrecord.Compressions()
	dir := t.TempDir()
	for file, n := range counts {
		name := filepath.Join(dir, fmt.Sprint("f", file))
		w, err := tfrecord.Create(name, &tfrecord.WriterOptions{Compression: codecs[file%len(codecs)]})
		if err != nil {
			t.Fatal(err)
		}
		for record := range n {
			if err := w.WriteRecord(fmt.Appendf(nil, "%d/%d", file, record)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// openRegular opens a file as a regular file, and openStream as a stream. Payloads are skipped in different ways.
func openRegular(_ context.Context, name string) (io.ReadCloser, error) { return os.Open(name) }

func openStream(_ context.Context, name string) (io.ReadCloser, error) {
	b, err := os.ReadFile(name)
	return io.NopCloser(bytes.NewReader(b)), err
}

// readChosen reads files record by record. choose may depend on the last record.
func readChosen(t *testing.T, c Config, last *string) (got []string, counts []int64, files []int) {
	t.Helper()
	c.Budget, c.Take, c.Epochs = 1<<20, -1, 1
	c.FileError = func(_ string, err error) error { return err }
	s := New(t.Context(), c)
	defer s.Close(io.EOF)
	var b Block
	for {
		err := s.Append(&b, 1)
		for _, e := range b.Events {
			if e.Begin != nil {
				files = append(files, e.Begin.File)
			}
			if e.End != nil {
				counts = append(counts, e.End.Records)
			}
		}
		for _, it := range b.Items {
			got = append(got, string(it.Record))
			if last != nil {
				*last = string(it.Record)
			}
		}
		b.Release()
		if err == io.EOF {
			return got, counts, files
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Choose omits records and files. Without readers it may depend on earlier records.
func TestChoose(t *testing.T) {
	names := countedFiles(t, 10, 10, 10)
	for _, skip := range []bool{false, true} {
		for _, open := range []func(context.Context, string) (io.ReadCloser, error){openRegular, openStream} {
			last := ""
			got, counts, files := readChosen(t, Config{Names: names, Open: open, Recover: skip, Choose: func(file int, record int64) Choice {
				switch {
				case file == 1:
					return LeaveOut
				case file == 0 && record == 7:
					return LeaveFile
				case file == 2 && record == 5:
					return ReadRest
				case strings.HasSuffix(last, "/3") || record == 0:
					last = ""
					return LeaveOut
				}
				return ReadRecord
			}}, &last)
			if want := "0/1 0/2 0/3 0/5 0/6 2/1 2/2 2/3 2/5 2/6 2/7 2/8 2/9"; strings.Join(got, " ") != want || !slices.Equal(counts, []int64{7, 10, 10}) || !slices.Equal(files, []int{0, 1, 2}) {
				t.Errorf("got %s of %v, files %v", got, counts, files)
			}
		}
	}
}

// Choose is called once for each record, and not at the end of a file.
func TestChooseOnce(t *testing.T) {
	counts := []int{7, 0, 1, 300, 2}
	names := countedFiles(t, counts...)
	for _, c := range []Config{{}, {Readers: 4}, {Recover: true}, {Readers: 3, Cycle: 3}, {ShuffleFiles: true}, {Shards: 2, Shard: 1}} {
		for _, choice := range []Choice{ReadRecord, LeaveOut} {
			for _, open := range []func(context.Context, string) (io.ReadCloser, error){openRegular, openStream} {
				var mu sync.Mutex
				got, want := map[string]int{}, map[string]int{}
				c.Names, c.Open = names, open
				c.Choose = func(file int, record int64) Choice {
					mu.Lock()
					defer mu.Unlock()
					got[fmt.Sprintf("%d/%d", file, record)]++
					return choice
				}
				readChosen(t, c, nil)
				for file, n := range counts {
					for record := range n {
						want[fmt.Sprintf("%d/%d", file, record)] = 1
					}
				}
				if !maps.Equal(got, want) {
					t.Errorf("%+v, choice %v: called for %d records, want %d: %v", c, choice, len(got), len(want), got)
				}
			}
		}
	}
}
