package recordcsv_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
)

// FuzzReader reads any bytes. If encoding/csv accepts them, the cells are equal. Every byte after the header is in
// a row, in an error, or in a blank line. Inferred columns accept all cells, except numbers that a float32 cannot
// hold.
func FuzzReader(f *testing.F) {
	for _, c := range []string{
		"a,b\n1,x\n2,\n", "a\n1\n\n1e5\n", "a,b\r\n\"1\r\n2\",3\r\n", "\xef\xbb\xbfa,b\n1\n", "a,b\n1,5\" pipe\n2,\"x\"y\n3,\"open\n", "a\n1e39\n", "a\n\x00\n", "a\n99999999999999999999\n1_0\n", "a,a\n", "a\r1\r", "a;b\n1;2", ",\n,\n", "\"\"\n\"\"\n",
	} {
		f.Add([]byte(c), false)
		f.Add([]byte(c), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, lazy bool) {
		const limit = 1 << 16
		o := &recordcsv.Options{LazyQuotes: lazy, MaxRowSize: limit}
		i := recordcsv.NewInferrer(o)
		if err := i.Read(bytes.NewReader(data), func(*recordcsv.Error) error { return nil }); err != nil {
			t.Fatal(err)
		}
		r := recordcsv.NewReader(bytes.NewReader(data), i.Columns(nil), o)
		oracle := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
		oracle.LazyQuotes, oracle.FieldsPerRecord = lazy, -1
		names, _ := oracle.Read() // the reading below ends with the same error
		last := int64(-1)
		for row := int64(0); ; {
			rec, failed := r.Next()
			if failed == io.EOF {
				break
			}
			n, offset := r.Pos()
			if n == -1 {
				return // the header
			}
			cells, err := oracle.Read()
			if err == io.EOF {
				t.Fatalf("row %d is not there", n)
			}
			if n != row || offset <= last && row > 0 {
				t.Fatalf("row %d at %d, want %d behind %d", n, offset, row, last)
			}
			row, last = row+1, offset
			if failed != nil {
				rows, end := r.Skipped()
				if end < 0 {
					return
				}
				if rows != 1 || end <= offset || end > int64(len(data)) {
					t.Fatalf("%d rows, %d to %d", rows, offset, end)
				}
				if err == nil && len(cells) == len(names) && end-offset <= limit && !strings.Contains(failed.Error(), "float32") {
					t.Fatalf("%v, and encoding/csv reads %q", failed, cells)
				}
				continue
			}
			if err != nil {
				t.Fatalf("no error, want %v", err)
			}
			var e example.Example
			if err := e.UnmarshalBinary(rec); err != nil {
				t.Fatal(err)
			}
			for c, cell := range cells {
				compareCell(t, cell, e[names[c]])
			}
		}
		if _, err := oracle.Read(); err != io.EOF {
			t.Fatalf("the rows end where encoding/csv has more: %v", err)
		}
	})
}

func compareCell(t *testing.T, cell string, v example.Value) {
	switch v.Kind() {
	case example.Unset:
		if cell != "" {
			t.Fatalf("%q is missing", cell)
		}
	case example.BytesList:
		if string(v.Bytes[0]) != cell {
			t.Fatalf("%q became %q", cell, v.Bytes)
		}
	case example.Int64List:
		want, err := strconv.ParseInt(strings.ReplaceAll(strings.Trim(cell, " \t\n\v\f\r"), "_", ""), 10, 64)
		if err != nil || want != v.Int64s[0] {
			t.Fatalf("%q became %d, want %d, %v", cell, v.Int64s[0], want, err)
		}
	default:
		text := strings.ToLower(strings.ReplaceAll(strings.Trim(cell, " \t\n\v\f\r"), "_", ""))
		if strings.TrimLeft(text, "+-") == "nan" {
			if !math.IsNaN(float64(v.Floats[0])) {
				t.Fatalf("%q became %v", cell, v.Floats)
			}
			return
		}
		want, err := strconv.ParseFloat(text, 64)
		if err != nil || float32(want) != v.Floats[0] {
			t.Fatalf("%q became %v, want %v, %v", cell, v.Floats, want, err)
		}
	}
}
