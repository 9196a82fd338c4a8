package view

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestColumns compares the columns of random records with what raggedjson prints of them, and the bytes at the positions
// of values with the values.
func TestColumns(t *testing.T) {
	testkit.OneGoroutine(t)
	kinds := map[string]int{}
	positions := 0
	for seed := range uint64(4000) {
		g := random.New(nil, seed)
		spec := g.Spec()
		record := g.Record(spec, seed%2 == 0)
		parser, err := feature.NewParser(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := &Handler{kind: parser.Message(), parser: parser}
		columns, err := h.answerColumns(record, valuePlace{}, newQuota())
		batch, parseErr := parser.Parse(record)
		if (err == nil) != (parseErr == nil) {
			t.Fatalf("seed %d: %v, and the parser says %v", seed, err, parseErr)
		}
		if err != nil {
			continue
		}
		printed := printedColumns(t, parser, batch)
		for _, c := range columns {
			kinds[c.Kind]++
			for _, p := range c.Partitions {
				kinds[p.Kind]++
			}
			got := nestedValues(&c)
			if want := printed[c.ID]; !reflect.DeepEqual(got, want) && !(isEmpty(got) && isEmpty(want)) {
				t.Fatalf("seed %d: %s:\n got %v\nwant %v\n%+v", seed, c.ID, got, want, c)
			}
			positions += checkPositions(t, record, &c)
		}
	}
	for _, kind := range append(feature.PartitionNames(), "steps", "examples", "fixed_len", "fixed_len_sequence", "var_len", "sparse", "ragged") {
		if kinds[kind] < 20 {
			t.Errorf("%d columns with %s", kinds[kind], kind)
		}
	}
	if positions < 10_000 {
		t.Errorf("%d positions", positions)
	}
}

// isEmpty reports whether nested lists have no value: an empty dimension has no lists below it in one of the two forms.
func isEmpty(v any) bool {
	list, ok := v.([]any)
	for _, part := range list {
		ok = ok && isEmpty(part)
	}
	return ok
}

// printedColumns returns the nested values that raggedjson prints, by ID.
func printedColumns(t *testing.T, parser *feature.Parser, batch *feature.Batch) map[string]any {
	t.Helper()
	p := raggedjson.NewPrinter(parser, &recordjson.Options{Bytes: recordjson.BytesBase64})
	p.Load(batch)
	line, err := p.AppendRow(nil, 0, tfrecord.Position{})
	if err != nil {
		t.Fatal(err)
	}
	var row map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		t.Fatal(err)
	}
	columns := map[string]any{}
	for g, features := range parser.Spec().Groups() {
		for name := range features {
			group := row
			if g != feature.InFeatures {
				if list, ok := row[g.String()].([]any); ok {
					all := []any{}
					for _, e := range list {
						all = append(all, printedText(member(e.(map[string]any), name)))
					}
					columns[featureID(columnGroups[g], name)] = all
					continue
				}
				group, _ = row[g.String()].(map[string]any)
			}
			columns[featureID(columnGroups[g], name)] = printedText(member(group, name))
		}
	}
	return columns
}

func member(object map[string]any, name string) any {
	printed := jsonscan.AppendTopName(nil, []byte(name))
	var key string
	json.Unmarshal(printed, &key)
	if v, ok := object[key]; ok {
		return v
	}
	json.Unmarshal(jsonscan.AppendName(nil, []byte(name)), &key)
	return object[key]
}

// printedText returns nested values with the text of answers.
func printedText(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = printedText(v[i])
		}
		return v
	case map[string]any:
		if text, ok := v["b64"].(string); ok {
			b, _ := base64.StdEncoding.DecodeString(text)
			return shortText(string(b), maxColumnText)
		}
		return printedText(v["values"])
	case json.Number:
		return v.String()
	case bool:
		return map[bool]string{false: "false", true: "true"}[v]
	}
	return v
}

// nestedValues puts the values of a column into nested lists by its row splits, as the page does.
func nestedValues(c *columnAnswer) any {
	cell := 1
	for _, n := range c.InnerShape {
		cell *= int(n)
	}
	var inner func(values []string, shape []int64) any
	inner = func(values []string, shape []int64) any {
		if len(shape) == 0 {
			return values[0]
		}
		list := []any{}
		for i := range int(shape[0]) {
			n := len(values) / int(shape[0])
			list = append(list, inner(values[i*n:(i+1)*n], shape[1:]))
		}
		return list
	}
	var rows func(level, lo, hi int) any
	rows = func(level, lo, hi int) any {
		list := []any{}
		for i := lo; i < hi; i++ {
			if level == len(c.RowSplits) {
				if cell > 0 {
					list = append(list, inner(c.Values[i*cell:(i+1)*cell], c.InnerShape))
				}
			} else {
				list = append(list, rows(level+1, int(c.RowSplits[level][i]), int(c.RowSplits[level][i+1])))
			}
		}
		return list
	}
	if c.Kind == "fixed_len" && !strings.HasPrefix(c.ID, groupExamples) {
		if cell == 0 {
			return []any{}
		}
		return inner(c.Values, c.InnerShape)
	}
	return rows(0, 0, c.Rows)
}

// checkPositions reads each value of a column from its position in the record.
func checkPositions(t *testing.T, record []byte, c *columnAnswer) (n int) {
	t.Helper()
	if c.At != nil && len(c.At) != len(c.Values) {
		t.Fatalf("%s: %d positions of %d values", c.ID, len(c.At), len(c.Values))
	}
	if c.At == nil && c.N > 0 && !c.Default && c.Kind != "sparse" && !c.Decoded {
		t.Fatalf("%s: no positions: %+v", c.ID, c)
	}
	for i, at := range c.At {
		if at == -1 {
			continue
		}
		got := ""
		switch c.DType {
		case "int64":
			v, _ := wire.Varint(record, at)
			got = string(recordjson.AppendInt64(nil, int64(v), 0))
		case "float32":
			got = floatText(wire.Float(record[at:]))
		default:
			lo := at
			for hi := lo; hi <= len(record); hi++ {
				if got = shortText(string(record[lo:hi]), maxColumnText); got == c.Values[i] {
					break
				}
			}
		}
		if got != c.Values[i] {
			t.Fatalf("%s: value %d at byte %d is %s, want %s", c.ID, i, at, got, c.Values[i])
		}
		n++
	}
	return n
}

// TestDecodedColumns does the same for strings that are decoded to arrays.
func TestDecodedColumns(t *testing.T) {
	raw := func(shape ...feature.Dimension) feature.Decode {
		return feature.DecodeRaw{DType: tensor.Int16, Shape: shape}
	}
	four := "\x01\x00\x02\x00\x03\x00\xff\xff"
	proto := func(v ...float64) []byte {
		x, err := tensor.New(v, int64(len(v)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := tensor.Append(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	words := example.Strings(four, four[2:]+"\x09\x00", four)
	e := example.Example{"one": example.Strings(four), "three": words, "words": words, "len": example.Int64s(2, 0, 1), "proto": example.Bytes(proto(0.5, 1), proto(2, 3)), "w": example.Int64s(2)}
	exampleSpec := feature.Spec{Features: feature.Features{
		"w":          feature.FixedLen{DType: feature.Int64},
		"one":        feature.FixedLen{DType: feature.String, Decode: raw(feature.Size(-1), feature.SizeOf("w"))},
		"three":      feature.FixedLen{DType: feature.String, Shape: []int{3}, Decode: raw()},
		"blocks":     feature.Ragged{DType: feature.String, ValueKey: "words", Decode: raw(feature.Size(2), feature.Size(2))},
		"rows":       feature.Ragged{DType: feature.String, ValueKey: "words", Decode: raw(), Partitions: []feature.Partition{feature.RowLengths("len")}},
		"uniform":    feature.Ragged{DType: feature.String, ValueKey: "words", Decode: raw(), Partitions: []feature.Partition{feature.UniformRowLength(3)}},
		"proto":      feature.VarLen{DType: feature.String, Decode: feature.DecodeTensor{DType: tensor.Float64}},
		"no strings": feature.VarLen{DType: feature.String, Decode: raw(feature.Size(4))},
	}}
	s := example.Sequence{Context: example.Example{"one": example.Strings(four)}, Lists: map[string][]example.Value{"steps": {example.Strings(four), example.Strings(four)}}}
	sequenceSpec := feature.Spec{
		Context:  feature.Features{"one": feature.FixedLen{DType: feature.String, Decode: raw()}},
		Sequence: feature.Features{"steps": feature.FixedLenSequence{DType: feature.String, Decode: raw()}},
	}
	for _, c := range []struct {
		spec   feature.Spec
		record []byte
	}{{exampleSpec, marshal(t, e)}, {sequenceSpec, marshal(t, s)}} {
		parser, err := feature.NewParser(c.spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := parser.Parse(c.record)
		if err != nil {
			t.Fatal(err)
		}
		h := &Handler{kind: parser.Message(), parser: parser}
		columns, err := h.answerColumns(c.record, valuePlace{}, newQuota())
		if err != nil {
			t.Fatal(err)
		}
		printed := printedColumns(t, parser, batch)
		for _, c := range columns {
			if got, want := nestedValues(&c), printed[c.ID]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\n got %v\nwant %v\n%+v", c.ID, got, want, c)
			}
		}
	}
}
