package raggedjson

import (
	"strings"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

const sessions = `{"context":{"c":{"fixed_len":{"dtype":"int64","shape":[2],"default":[1,2]}},"v":{"var_len":{"dtype":"string"}}},
	"sequence":{"s":{"fixed_len_sequence":{"dtype":"int64","shape":[],"allow_missing":true}},"v":{"var_len":{"dtype":"string"}},
	"r":{"ragged":{"dtype":"float32","value_key":"w","partitions":[{"row_limits":"l"},{"value_row_ids":"i"}]}}}}`

// FuzzReader reads any line. If it is a row, the printed row is read to the same row. The record that is encoded
// from the row is also parsed to it.
func FuzzReader(f *testing.F) {
	for i, lines := range [][]string{
		{`{"must":1}`, `{"_file":"x","must":"7","doc":[[],[[[],[[1,2],[3,4]]]]],"bag":{"values":[5,6],"indices":[[8,1],[0,0]]},"box":[[1,-0.0],["NaN",3e20]],"seq":[[1,2]],"tags":["a",{"b64":"/w=="}]}`},
		{`{}`, `{"context":{"c":[3,4],"v":["x"]},"sequence":{"s":[1,2],"v":[[],["y"]],"r":[[[1.5],[]],[]]}}`},
		{`{}`, `{"context":{"q":["a"],"m":[[1,2]]},"examples":[{"n":[1,2],"f":[1,2,3],"v":["x"]},{"s":{"indices":[[3,4]],"values":[7]},"r":[[],[[[1],[2,3]]]]}]}`},
	} {
		for _, line := range lines {
			f.Add(uint8(i), line)
		}
	}
	var parsers []*feature.Parser
	for _, spec := range []string{everyKind, sessions, ranking} {
		// Skip it, because parsing would sort the entries.
		parsers = append(parsers, newParser(f, strings.ReplaceAll(spec, `"size":`, `"already_sorted":true,"size":`)))
	}
	f.Fuzz(func(t *testing.T, which uint8, line string) {
		p := parsers[int(which)%len(parsers)]
		first, b := reread(t, p, line)
		if b == nil {
			return
		}
		again, _ := reread(t, p, first)
		if again != first {
			t.Fatalf("%s\nprints as %s\nand then as %s", line, first, again)
		}
		record, err := b.AppendRecord(nil, 0)
		if err != nil {
			if !strings.Contains(err.Error(), "value_row_ids cannot say") {
				t.Fatalf("%s: %v", first, err)
			}
			return
		}
		parsed, err := p.Parse(record)
		if err != nil {
			t.Fatalf("%s is written as a record that does not fit: %v", first, err)
		}
		if got := printed(t, p, parsed); got != first {
			t.Fatalf("%s\nis written as a record that prints as %s", first, got)
		}
	})
}

// reread reads a line and prints it. The batch is nil if the line is not a row.
func reread(t *testing.T, p *feature.Parser, line string) (string, *feature.Batch) {
	r := NewReader(p)
	if err := r.Append([]byte(line)); err != nil {
		if r.Len() != 0 || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%s: %d rows, %v", line, r.Len(), err)
		}
		return "", nil
	}
	b, err := r.Batch()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return printed(t, p, b), b
}

func printed(t *testing.T, p *feature.Parser, b *feature.Batch) string {
	printer := NewPrinter(p, nil)
	printer.Load(b)
	row, err := printer.AppendRow(nil, 0, tfrecord.Position{})
	if err != nil {
		t.Fatal(err)
	}
	return string(row)
}
