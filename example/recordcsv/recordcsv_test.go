package recordcsv_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
)

// read infers the columns of a file and reads it, and continues after errors. Each outcome is one line.
func read(text string, o *recordcsv.Options, prefer map[string]example.Kind) []string {
	i := recordcsv.NewInferrer(o)
	if err := i.Read(strings.NewReader(text), func(*recordcsv.Error) error { return nil }); err != nil {
		return []string{err.Error()}
	}
	var lines []string
	r := recordcsv.NewReader(iotest.OneByteReader(strings.NewReader(text)), i.Columns(prefer), o)
	for {
		rec, err := r.Next()
		row, offset := r.Pos()
		switch {
		case err == io.EOF:
			return lines
		case err != nil:
			rows, end := r.Skipped()
			lines = append(lines, fmt.Sprintf("%d at %d to %d: %v", row, offset, end, err))
			if e, ok := errors.AsType[*recordcsv.Error](err); !ok || e.Row != row || e.Offset != offset {
				lines = append(lines, fmt.Sprintf("another place: %+v", err))
			}
			if end < 0 {
				if rows != -1 {
					lines = append(lines, "some rows of the rest")
				}
				if _, again := r.Next(); again != err {
					lines = append(lines, fmt.Sprintf("then %v", again))
				}
				return lines
			}
		default:
			var e example.Example
			if err := e.UnmarshalBinary(rec); err != nil {
				return append(lines, err.Error())
			}
			lines = append(lines, fmt.Sprintf("%d at %d: %v", row, offset, text2(e)))
		}
	}
}

// text2 prints an Example in the order of its names.
func text2(e example.Example) string {
	var b strings.Builder
	for _, name := range []string{"a", "b", "", "é"} {
		v, ok := e[name]
		switch {
		case !ok:
		case v.Kind() == example.BytesList:
			fmt.Fprintf(&b, "%s=%q ", name, v.Bytes)
		case v.Kind() == example.FloatList:
			fmt.Fprintf(&b, "%s=%.4g ", name, v.Floats)
		default:
			fmt.Fprintf(&b, "%s=%v ", name, v.Int64s)
		}
	}
	return strings.TrimSpace(b.String())
}

// TestPlaces compares rows and the places of errors with expected ones that were determined by hand.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		opts *recordcsv.Options
		want []string
	}{
		"plain":       {"a,b\n1,x\n2,\n", nil, []string{`0 at 4: a=[1] b=["x"]`, `1 at 8: a=[2] b=[]`}},
		"blank lines": {"\n\r\na,b\n\n\n1,x\n\r\n\n2,y", nil, []string{`0 at 9: a=[1] b=["x"]`, `1 at 16: a=[2] b=["y"]`}},
		"byte order mark": {"\xef\xbb\xbfa,b\n1,x\n2\n", nil, []string{`0 at 7: a=[1] b=["x"]`,
			`1 at 11 to 13: line 3: 1 cell, want 2`}},
		"cells": {"a,b\n1\n1,x,y\n\"1\n\",2,3\n3,z\n", nil, []string{`0 at 4 to 6: line 2: 1 cell, want 2`, `1 at 6 to 12: line 3, byte 5: 3 cells, want 2`,
			`2 at 12 to 21: line 5, byte 5: 3 cells, want 2`, `3 at 21: a=[3] b=["z"]`}},
		"quote inside": {"a,b\n1,5\" pipe\n\n2,\"y\n\"\n", nil, []string{
			`0 at 4 to 14: line 2, byte 4: quote in an unquoted cell: quote the cell, double each quote in it`, `1 at 15: a=[2] b=["y\n"]`}},
		"quote behind": {"a,b\n1,\"x\ny\"z\n2,y\n", nil, []string{
			`0 at 4 to 13: line 3, byte 2: quoted cell is not closed, or a quote in it is not doubled; the row begins in line 2`, `1 at 13: a=[2] b=["y"]`}},
		"quote open": {"a,b\n1,x\n2,\"x\n3,y\n", nil, []string{`0 at 4: a=[1] b=["x"]`,
			`1 at 8 to 17: line 4, byte 5: quoted cell is not closed, or a quote in it is not doubled; the row begins in line 3`}},
		"lines behind a line break": {"a,b\n1,\"x\n\n\"\n2\n", nil, []string{`0 at 4: a=[1] b=["x\n\n"]`, `1 at 12 to 14: line 5: 1 cell, want 2`}},
		"lazy quotes":               {"a,b\n1,5\" pipe\n2,\"x\"y\nz\"\n", &recordcsv.Options{LazyQuotes: true}, []string{`0 at 4: a=[1] b=["5\" pipe"]`, `1 at 14: a=[2] b=["x\"y\nz"]`}},
		"no header":                 {"1,x\n2,y\n", &recordcsv.Options{Columns: []string{"b", "a"}}, []string{`0 at 0: a=["x"] b=[1]`, `1 at 4: a=["y"] b=[2]`}},
		"no header, no rows":        {"", &recordcsv.Options{Columns: []string{"b", "a"}}, nil},
		"empty":                     {"", nil, []string{`-1 at 0 to -1: there is no header: the file is empty`}},
		"a number too large":        {"a,b\n1.5,x\n1e39,y\n2,z\n", nil, []string{`0 at 4: a=[1.5] b=["x"]`, `1 at 10 to 17: line 3, byte 1: column 1 ("a"): want a float32, got "1e39"`, `2 at 17: a=[2] b=["z"]`}},
		"UTF-16":                    {"\xff\xfea\x00", nil, []string{`-1 at 0 to -1: want UTF-8, got the byte order mark of UTF-16`}},
		"carriage returns":          {"a,b\r1,x\r2,y\r", nil, []string{`-1 at 0 to -1: line 1: the name of column 2 has a carriage return without a line feed`}},
		"the same name":             {"a,b,a\n", nil, []string{`-1 at 0 to -1: line 1: columns 1 and 3 have the same name "a"`}},
		"a name that is not UTF-8":  {"a,b\xff\n", nil, []string{`-1 at 0 to -1: line 1: the name of column 2 is not UTF-8: "b\xff"`}},
		"a quote in the header":     {"a,b\"\n1,2\n", nil, []string{`-1 at 0 to -1: line 1, byte 4: quote in an unquoted cell: quote the cell, double each quote in it`}},
		"empty name":                {",é\n1,2\n", nil, []string{`0 at 4: =[1] é=[2]`}},
		"lists": {"a,b\n1|2,x|\n3|,y\n,\"\"\"p|q\"\"|r\"\n4,\"\"\"p\"\n5,\"\"\"p\"\"\nq\"\n", &recordcsv.Options{Multivalent: []string{"a", "b"}, SecondaryDelimiter: '|'}, []string{`0 at 4: a=[1 2] b=["x" ""]`,
			`1 at 11 to 16: line 3, byte 1: column 1 ("a"): value 1 of the list: want an int64, got ""`, `2 at 16: a=[] b=["p|q" "r"]`,
			`3 at 29 to 37: line 5, byte 3: column 2 ("b"): a quote in the list is misplaced or not closed`,
			`4 at 37 to 49: line 6, byte 3: column 2 ("b"): a line break in the list is not in quotes`}},
		"leading zeros":           {"a,b\n00501,00.5\n94105,1\n", nil, []string{`0 at 4: a=["00501"] b=["00.5"]`, `1 at 15: a=["94105"] b=["1"]`}},
		"a sign and zeros":        {"a,b\n-01,0\n,0.5\n", nil, []string{`0 at 4: a=["-01"] b=[0]`, `1 at 10: a=[] b=[0.5]`}},
		"leading zeros of TFDV":   {"a,b\n00501,00.5\n94105,1\n", &recordcsv.Options{TFDV: true}, []string{`0 at 4: a=[501] b=[0.5]`, `1 at 15: a=[94105] b=[1]`}},
		"semicolons":              {"a;b\n1;2\n", nil, []string{`-1 at 0 to -1: line 1: the column "a;b" looks like several, delimited by ';'`}},
		"tabs":                    {"a, x\tb\n1\t2\n", nil, []string{`-1 at 0 to -1: line 1: the column " x\tb" looks like several, delimited by '\t'`}},
		"bars":                    {"a|b\n1|2\n", nil, []string{`-1 at 0 to -1: line 1: the column "a|b" looks like several, delimited by '|'`}},
		"a semicolon among names": {"a,b\n1;2,x\n", nil, []string{`0 at 4: a=["1;2"] b=["x"]`}},
		"commas after all":        {"a\n1;2\n", &recordcsv.Options{Delimiter: ','}, []string{`0 at 2: a=["1;2"]`}},
		"lists in brackets": {"a,b\n\"[1, 2, 3]\",\"[\"\"x, y\"\", \"\"z\"\"]\"\n[],[ ]\n\" [4] \",\"[p], [q]\"\n5,[r\n", &recordcsv.Options{Multivalent: []string{"a", "b"}, SecondaryDelimiter: ','}, []string{
			`0 at 4: a=[1 2 3] b=["x, y" "z"]`, `1 at 36: a=[] b=[]`, `2 at 43: a=[4] b=["[p]" " [q]"]`, `3 at 62: a=[5] b=["[r"]`}},
		"lists that are none": {"a,b\n\"[[1], [2]]\",x\n\"['x', 'y']\",x\n", &recordcsv.Options{Multivalent: []string{"a"}, SecondaryDelimiter: ','}, []string{
			`0 at 4 to 19: line 2, byte 1: column 1 ("a"): want a list of values, got a list of lists`,
			`1 at 19 to 34: line 3, byte 1: column 1 ("a"): want double quotes or no quotes, got single quotes`}},
		"a list of commas": {"a\n\"[1, 2]\"\n\"[3|4]\"\n", &recordcsv.Options{Multivalent: []string{"a"}, SecondaryDelimiter: '|'}, []string{
			`0 at 2 to 11: line 2, byte 1: column 1 ("a"): want values separated by "|", got commas`, `1 at 11: a=[3 4]`}},
		"brackets of TFDV": {"a\n\"[1, 2]\"\n", &recordcsv.Options{TFDV: true, Multivalent: []string{"a"}, SecondaryDelimiter: ','}, []string{`0 at 2: a=["[1" " 2]"]`}},
		"a long row": {"a,b\n1,x\n2," + strings.Repeat("y", 40) + "\n3,z\n", &recordcsv.Options{MaxRowSize: 20}, []string{`0 at 4: a=[1] b=["x"]`,
			`1 at 8 to -1: line 3: the row has more than 20 bytes; is a quote not closed?`}},
	} {
		got := read(c.text, c.opts, nil)
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestLimit proves that the limit also applies to a row in the buffer, and that reading continues after it.
func TestLimit(t *testing.T) {
	i := recordcsv.NewInferrer(&recordcsv.Options{MaxRowSize: 10})
	var faults []string
	if err := i.Read(strings.NewReader("a,b\n1,123456789\n2,x\n"), func(e *recordcsv.Error) error {
		faults = append(faults, fmt.Sprint(e.Row, errors.Is(e, recordcsv.ErrTooLarge), e))
		return nil
	}); err != nil || fmt.Sprint(faults) != "[0 true line 2: the row has 12 bytes, want at most 10]" {
		t.Errorf("got %v, %q", err, faults)
	}
	if got := i.Columns(nil); got[0].Kind != example.Int64List || got[1].Kind != example.BytesList {
		t.Errorf("got %v", got)
	}
}

// TestNoSuchList: a Reader and an Inferrer refuse a file that lacks a column of the option Multivalent.
func TestNoSuchList(t *testing.T) {
	o := &recordcsv.Options{Multivalent: []string{"b"}, SecondaryDelimiter: ';'}
	const text, want = "a\n1\n", `line 1: multivalent column "b" does not exist`
	if err := recordcsv.NewInferrer(o).Read(strings.NewReader(text), nil); !errors.Is(err, recordcsv.ErrHeader) || err.Error() != want {
		t.Errorf("Inferrer: got %v", err)
	}
	r := recordcsv.NewReader(strings.NewReader(text), []recordcsv.Column{{Name: "a", Kind: example.Int64List}}, o)
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, recordcsv.ErrHeader) || err.Error() != want {
			t.Errorf("Reader: got %v", err)
		}
	}
}

// TestPrefer: the preferred kind is used if all cells can have it.
func TestPrefer(t *testing.T) {
	const text = "int,float,text,none,long\n1,1.5,x,,99999999999999999999\n2,2,3,,1\n"
	names := []string{"int", "float", "text", "none", "long"}
	all := func(k example.Kind) map[string]example.Kind {
		m := map[string]example.Kind{"other": k}
		for _, n := range names {
			m[n] = k
		}
		return m
	}
	for _, c := range []struct {
		prefer example.Kind
		want   string
	}{
		{example.Unset, "int64_list float_list bytes_list no kind bytes_list"},
		{example.Int64List, "int64_list float_list bytes_list int64_list bytes_list"}, // 1.5 is not an integer
		{example.FloatList, "float_list float_list bytes_list float_list float_list"},
		{example.BytesList, "bytes_list bytes_list bytes_list bytes_list bytes_list"},
		{example.Malformed, "int64_list float_list bytes_list no kind bytes_list"},
	} {
		i := recordcsv.NewInferrer(nil)
		if err := i.Read(strings.NewReader(text), nil); err != nil {
			t.Fatal(err)
		}
		var got []string
		columns := i.Columns(all(c.prefer))
		for _, col := range columns {
			got = append(got, col.Kind.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: got %v, want %s", c.prefer, got, c.want)
		}
		r := recordcsv.NewReader(strings.NewReader(text), columns, nil)
		for range 2 {
			if _, err := r.Next(); err != nil {
				t.Errorf("%v: %v", c.prefer, err)
			}
		}
	}
}

// TestWhole: decimal numbers without a fraction are integers if int64 is preferred or required. The expected values
// are from Python's decimal.Decimal.
func TestWhole(t *testing.T) {
	for cell, want := range map[string]string{
		"23.0": "[23]", "-4.000": "[-4]", " 7. ": "[7]", "1e3": "[1000]", "1.5e1": "[15]", "2500E-2": "[25]", "0.0e99999999999999999999": "error", "0e5": "[0]", "-0.0": "[0]",
		"9223372036854775807.0": "[9223372036854775807]", "-9.223372036854775808e18": "[-9223372036854775808]", "9223372036854775808.0": "error", "1_000.0": "[1000]",
		"00501": "[501]", "0.5": "error", "1e-1": "error", "1e19": "error", "1e999999999": "error", "nan": "error", "inf": "error", "x": "error", "1.0.0": "error", "0x10": "error",
	} {
		text := "a\n\"" + cell + "\"\n"
		r := recordcsv.NewReader(strings.NewReader(text), []recordcsv.Column{{Name: "a", Kind: example.Int64List}}, nil)
		rec, err := r.Next()
		got := "error"
		if err == nil {
			var e example.Example
			if err := e.UnmarshalBinary(rec); err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprint(e["a"].Int64s)
		} else if !errors.Is(err, recordcsv.ErrNumber) {
			t.Errorf("%s: %v", cell, err)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", cell, got, want)
		}
		i := recordcsv.NewInferrer(nil)
		if err := i.Read(strings.NewReader(text), nil); err != nil {
			t.Fatal(err)
		}
		if kind := i.Columns(map[string]example.Kind{"a": example.Int64List})[0].Kind; (kind == example.Int64List) != (want != "error") {
			t.Errorf("%s: preferred int64, got %v", cell, kind)
		}
	}
}

// TestSeveralFiles: types are inferred from all files, which must have the same header.
func TestSeveralFiles(t *testing.T) {
	i := recordcsv.NewInferrer(nil)
	for n, c := range []struct{ text, want string }{
		{"a,b\n1,2\n", ""},
		{"a,b\n1.5,x\n", ""},
		{"a\n1\n", `line 1: the header has 1 name, want the 2 of the other files: "b" is missing`},
		{"a,b,c\n1,2,3\n", "line 1: the header has 3 names, want the 2 of the other files"},
		{"b,a\n1,2\n", `line 1: the name of column 1 is "b", want "a", as in the other files`},
	} {
		err := i.Read(strings.NewReader(c.text), nil)
		if fmt.Sprint(err) != c.want && !(err == nil && c.want == "") {
			t.Errorf("file %d: got %v, want %s", n, err, c.want)
		}
		if err != nil && !errors.Is(err, recordcsv.ErrHeader) {
			t.Errorf("file %d: %v", n, err)
		}
	}
	if got := fmt.Sprint(i.Columns(nil)); got != "[{a float_list false} {b bytes_list false}]" {
		t.Errorf("got %s", got)
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]recordcsv.Options{
		"delimiter":        {Delimiter: '"'},
		"line":             {Delimiter: '\n'},
		"rune":             {Delimiter: 0xFFFD},
		"secondary":        {SecondaryDelimiter: '|'},
		"multivalent":      {Multivalent: []string{"a"}},
		"secondary quote":  {Multivalent: []string{"a"}, SecondaryDelimiter: '"'},
		"negative":         {MaxRowSize: -1},
		"no columns":       {Columns: []string{}},
		"the same column":  {Columns: []string{"a", "a"}},
		"column not UTF-8": {Columns: []string{"\xff"}},
	} {
		if err := recordcsv.NewInferrer(&o).Read(strings.NewReader("a\n1\n"), nil); !errors.Is(err, recordcsv.ErrOptions) {
			t.Errorf("%s: Inferrer.Read: %v", name, err)
		}
		if _, err := recordcsv.NewReader(strings.NewReader("a\n1\n"), nil, &o).Next(); !errors.Is(err, recordcsv.ErrOptions) {
			t.Errorf("%s: Reader.Next: %v", name, err)
		}
	}
}

// TestSource: an error of the source ends the file, and has the place of the row.
func TestSource(t *testing.T) {
	broken := errors.New("broken")
	source := func() io.Reader { return io.MultiReader(strings.NewReader("a\n1\n2"), iotest.ErrReader(broken)) }
	err := recordcsv.NewInferrer(nil).Read(source(), nil)
	e, ok := errors.AsType[*recordcsv.Error](err)
	if !ok || !errors.Is(err, broken) || e.Row != 1 || e.Offset != 4 || err.Error() != "line 3: broken" {
		t.Errorf("got %v", err)
	}
	r := recordcsv.NewReader(source(), []recordcsv.Column{{Name: "a", Kind: example.Int64List}}, nil)
	if _, err := r.Next(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	}
	if rows, end := r.Skipped(); rows != -1 || end != -1 {
		t.Errorf("got %d, %d", rows, end)
	}
}

// TestMemory reads a hostile file of 64 MB: an unclosed quote uses no more memory than the limit.
func TestMemory(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("a,b\n1,x\n2,\""), io.LimitReader(zeros{}, 64<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := recordcsv.NewReader(endless, []recordcsv.Column{{Name: "a"}, {Name: "b"}}, &recordcsv.Options{MaxRowSize: 1 << 20})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, recordcsv.ErrTooLarge) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestRowsDoNotAdd proves that memory does not grow with the number of rows: after many rows it is the same as
// after few.
func TestRowsDoNotAdd(t *testing.T) {
	text := []byte(strings.Repeat("12345,67.5,some text\n", 1<<16))
	live := func(repeat int) int64 {
		var all []io.Reader
		for range repeat {
			all = append(all, bytes.NewReader(text))
		}
		o := &recordcsv.Options{Columns: []string{"a", "b", "c"}}
		i := recordcsv.NewInferrer(o)
		if err := i.Read(io.MultiReader(all...), nil); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(i)
		return int64(m.HeapAlloc)
	}
	few := live(1)
	if many := live(8); many > few+1<<20 {
		t.Errorf("%d bytes after 524,288 rows, %d after 65,536", many, few)
	}
}

// TestManyColumns: 10,000 columns become 10,000 features.
func TestManyColumns(t *testing.T) {
	const n = 10_000
	var names, cells []string
	for i := range n {
		names, cells = append(names, fmt.Sprintf("c%d", i)), append(cells, fmt.Sprint(i))
	}
	text := strings.Join(names, ",") + "\n" + strings.Join(cells, ",") + "\n"
	i := recordcsv.NewInferrer(nil)
	if err := i.Read(strings.NewReader(text), nil); err != nil {
		t.Fatal(err)
	}
	rec, err := recordcsv.NewReader(strings.NewReader(text), i.Columns(nil), nil).Next()
	if err != nil {
		t.Fatal(err)
	}
	var e example.Example
	if err := e.UnmarshalBinary(rec); err != nil || len(e) != n || e["c9999"].Int64s[0] != 9999 {
		t.Errorf("%v: %d features", err, len(e))
	}
}
