package feature_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// checkEmit parses what package example wrote and writes it again: the bytes are the
// same, in any room that is given, and behind the room nothing is written.
func checkEmit(t *testing.T, what string, spec feature.Spec, record []byte) {
	t.Helper()
	b, err := must(feature.NewParser(spec, nil)).Parse(record)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, room := range []int{0, 1, len(record) - 1, len(record), len(record) + 1, len(record) + 7, len(record) + 63, len(record) + 64, 2 * len(record)} {
		memory := bytes.Repeat([]byte{0xcc}, 6+room+80)
		got, err := b.AppendRecord(append(memory[:0:6+room], "before"...), 0)
		if err != nil || string(got) != "before"+string(record) {
			t.Fatalf("%s in room for %d bytes: got %x, want %x (%v)", what, room, got, record, err)
		}
		if bytes.Count(memory[6+room:], []byte{0xcc}) != 80 {
			t.Fatalf("%s: wrote behind the room for %d bytes", what, room)
		}
	}
}

// valuesOfSize are n values of each kind; ints have n bytes each, from 0 on.
func valuesOfSize(n int) map[string]example.Value {
	ints := make([]int64, n/2)
	for i := range ints {
		ints[i] = int64(uint64(math.MaxUint64) >> (7 * (i % 10)))
	}
	return map[string]example.Value{
		"ints":   example.Int64s(ints...),
		"floats": example.Floats(make([]float32, n)...),
		"text":   example.Strings(strings.Repeat("x", n)),
		"texts":  example.Strings(make([]string, n)...),
	}
}

// TestEmitSizes has lists of every size around those where lengths begin to have two
// bytes, under keys of many sizes.
func TestEmitSizes(t *testing.T) {
	for n := range 140 {
		for kind, v := range valuesOfSize(n) {
			key := strings.Repeat("k", n*7%130)
			record := must(example.Example{key: v}.MarshalBinary())
			dtype := map[string]feature.DType{"ints": feature.Int64, "floats": feature.Float32}[kind]
			if kind == "text" || kind == "texts" {
				dtype = feature.String
			}
			checkEmit(t, fmt.Sprintf("%d %s", n, kind), feature.Spec{Features: feature.Features{key: feature.VarLen{DType: dtype}}}, record)
		}
	}
}

// TestEmitSteps does the same for steps, among which are empty ones.
func TestEmitSteps(t *testing.T) {
	for n := range 140 {
		for kind, v := range valuesOfSize(n) {
			none := example.Value{}
			var f, fixed feature.Feature
			switch kind {
			case "ints":
				none = example.Int64s()
				f, fixed = feature.VarLen{DType: feature.Int64}, feature.FixedLenSequence{DType: feature.Int64, Shape: []int{max(n/2, 1)}}
			case "floats":
				none = example.Floats()
				f = feature.Ragged{DType: feature.Float32, Partitions: []feature.Partition{feature.UniformRowLength(max(n, 1))}}
				fixed = feature.FixedLenSequence{DType: feature.Float32, Shape: []int{max(n, 1)}}
			case "text":
				none = example.Strings()
				f, fixed = feature.VarLen{DType: feature.String}, feature.FixedLenSequence{DType: feature.String}
			case "texts":
				none = example.Strings()
				f, fixed = feature.VarLen{DType: feature.String}, feature.FixedLenSequence{DType: feature.String, Shape: []int{max(n, 1)}}
			}
			what := fmt.Sprintf("%d %s", n, kind)
			record := must(example.Sequence{Lists: map[string][]example.Value{"key": {v, none, v, v}}}.MarshalBinary())
			checkEmit(t, what, feature.Spec{Sequence: feature.Features{"key": f}}, record)
			if n < 2 && kind != "text" {
				continue // no spec has steps of no values
			}
			record = must(example.Sequence{Lists: map[string][]example.Value{"key": {v, v, v}}}.MarshalBinary())
			checkEmit(t, what+", fixed", feature.Spec{Sequence: feature.Features{"key": fixed}}, record)
		}
	}
}

// TestEmitLengths has rows of one batch whose lengths have one to four bytes, in turns.
func TestEmitLengths(t *testing.T) {
	p := must(feature.NewParser(feature.Spec{
		Context:  feature.Features{"c": feature.FixedLen{DType: feature.String}},
		Sequence: feature.Features{"s": feature.VarLen{DType: feature.String}},
	}, nil))
	var records [][]byte
	for _, n := range []int{0, 3 << 20, 100, 120, 130, 16_000, 16_370, 16_380, 16_390, 20_000, 1, 1} {
		v := example.Strings(strings.Repeat("x", n))
		records = append(records, must(example.Sequence{Context: example.Example{"c": v}, Lists: map[string][]example.Value{"s": {v}}}.MarshalBinary()))
	}
	got, err := must(p.Parse(records...)).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if !bytes.Equal(got[i], records[i]) {
			t.Errorf("record %d of %d bytes is another", i, len(records[i]))
		}
	}
}
