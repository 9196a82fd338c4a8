package stats_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

var fuzzSchema = `
feature { name: "a" type: INT int_domain { is_categorical: true } }
feature { name: "img" type: BYTES image_domain {} }
feature { name: "tok" natural_language_domain { coverage { excluded_int_tokens: 1 } token_constraints { int_value: 2 } token_constraints { string_value: "x" } } }
sparse_feature { name: "sparse" value_feature { name: "v" } index_feature { name: "i" } }
weighted_feature { name: "weighted" feature { step: "v" } weight_feature { step: "w" } }`

// FuzzAdd adds arbitrary records: to one accumulator, to several that are merged, and to several that are encoded and
// decoded. Nothing panics. All ways accept and reject the same records and give the same counts, in any order of
// merging. Bytes that are not a state are rejected.
func FuzzAdd(f *testing.F) {
	pack := func(records ...[]byte) (b []byte) {
		for _, r := range records {
			b = append(binary.AppendUvarint(b, uint64(len(r))), r...)
		}
		return b
	}
	e := example.Example{
		"a": {Int64s: []int64{1, -1}}, "v": {Floats: []float32{1, 2}}, "i": {Int64s: []int64{3}}, "w": {Floats: []float32{0.5}},
		"img": {Bytes: [][]byte{[]byte("BM")}}, "tok": {Int64s: []int64{2, 1}}, "none": {},
	}
	one := record(e)
	seq, err := example.Sequence{Context: e, Lists: map[string][]example.Value{"x": {{Int64s: []int64{1}}, {}}}}.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	many, err := example.ExampleList{Context: e, HasContext: true, Examples: []example.Example{e, {}}}.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(pack(one, one, one[:5]), uint8(0))
	f.Add(pack(seq, seq), uint8(1|4))
	f.Add(pack(many, many), uint8(2|8))
	f.Add(pack(one, nil, one), uint8(32))
	f.Add(pack(one, one[:5], record(example.Example{"v": {Int64s: []int64{1 << 60}}})), uint8(128))
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte(fuzzSchema), schema); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, mode uint8) {
		o := &stats.Options{DetectDomains: mode&4 != 0}
		o.Message = []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList, example.TypeExample}[mode&3]
		if mode&8 == 0 {
			o.Schema = schema
		}
		if mode&32 != 0 {
			o.Slices = []stats.Slice{{"a": nil}, {"v": nil, "i": nil}}
		}
		if mode&64 != 0 {
			o.Weight = "w"
		}
		if mode&128 != 0 {
			o.SampleRate = 0.5
		}
		var records [][]byte
		for len(data) > 0 && len(records) < 50 {
			n, k := binary.Uvarint(data)
			if k <= 0 {
				break
			}
			data = data[k:]
			n = min(n, uint64(len(data)))
			records, data = append(records, data[:n]), data[n:]
		}
		fresh := func() *stats.Accumulator {
			a, err := stats.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		whole := fresh()
		parts := []*stats.Accumulator{fresh(), fresh(), fresh()}
		for i, r := range records {
			before := bytes.Clone(r)
			err := whole.Add(r)
			err2 := parts[i*3/len(records)].Add(r)
			if (err == nil) != (err2 == nil) {
				t.Fatalf("one takes it, the other does not: %v, %v", err, err2)
			}
			if !bytes.Equal(before, r) {
				t.Fatal("the record has changed")
			}
		}
		again := make([]*stats.Accumulator, len(parts))
		for i, p := range parts {
			b, err := p.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			again[i] = &stats.Accumulator{}
			if err := again[i].UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			if len(b) > 0 && i == 0 {
				damaged := bytes.Clone(b)
				damaged[len(data)%len(b)] ^= 1 << (mode & 7)
				var other stats.Accumulator
				if other.UnmarshalBinary(damaged) == nil {
					if l, _, err := other.Detailed(2); err == nil && l == nil {
						t.Fatal("neither statistics nor an error")
					}
				}
				if other.UnmarshalBinary(b[:len(b)-1]) == nil {
					t.Fatal("a state that is cut is taken")
				}
			}
		}
		// (1 + 2) + 3, and 1 + (2 + 3).
		for _, m := range [][2]*stats.Accumulator{{parts[0], parts[1]}, {parts[0], parts[2]}, {again[1], again[2]}, {again[0], again[1]}} {
			if err := m[0].Merge(m[1]); err != nil {
				t.Fatal(err)
			}
		}
		var counts [3][]uint64
		for i, a := range []*stats.Accumulator{whole, parts[0], again[0]} {
			l, err := a.Statistics()
			if err != nil {
				t.Fatal(err)
			}
			counts[i] = countsOf(l)
		}
		for i := range counts {
			if len(counts[i]) != len(counts[0]) {
				t.Fatalf("%d: %d counts, wanted %d", i, len(counts[i]), len(counts[0]))
			}
			for k := range counts[i] {
				if counts[i][k] != counts[0][k] {
					t.Fatalf("%d: count %d is %d, wanted %d", i, k, counts[i][k], counts[0][k])
				}
			}
		}
	})
}

// countsOf returns the counts of statistics, in order.
func countsOf(l *metadatapb.DatasetFeatureStatisticsList) (out []uint64) {
	for _, d := range l.Datasets {
		out = append(out, d.NumExamples)
		for _, f := range d.Features {
			common := f.GetNumStats().GetCommonStats()
			if s := f.GetStringStats(); s != nil {
				common = s.CommonStats
				out = append(out, s.Unique, s.InvalidUtf8Count)
			}
			out = append(out, uint64(f.Type), common.GetNumNonMissing(), common.GetNumMissing(), common.GetTotNumValues(), common.GetMinNumValues(), common.GetMaxNumValues(), f.GetNumStats().GetNumZeros())
		}
	}
	return out
}
