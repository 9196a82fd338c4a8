package recordjson

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/examplepb"
	"github.com/tfparse/tfparse/tfrecord"
)

// wide returns encoded Examples of 40 features each: counts, measurements,
// words, and short lists of each.
func wide(t testing.TB) [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"blue", "a somewhat longer text, of several words", "Zürich", "", "id-00017", "line\nbreak"}
	word := func() string { return words[rng.IntN(len(words))] }
	records := make([][]byte, 64)
	for i := range records {
		e := make(example.Example)
		for k := range 10 {
			e[fmt.Sprintf("count_%02d", k)] = example.Int64s(rng.Int64N(1 << rng.IntN(40)))
			e[fmt.Sprintf("measure_%02d", k)] = example.Floats(rng.Float32() * 1000)
			e[fmt.Sprintf("word_%02d", k)] = example.Strings(word())
			switch k % 3 {
			case 0:
				e[fmt.Sprintf("list_%02d", k)] = example.Int64s(rng.Int64N(1000), rng.Int64N(1000), rng.Int64N(1e6), 1700000000)
			case 1:
				e[fmt.Sprintf("list_%02d", k)] = example.Floats(rng.Float32(), 0, 1, rng.Float32())
			case 2:
				e[fmt.Sprintf("list_%02d", k)] = example.Strings(word(), word(), word())
			}
		}
		records[i] = encode(t, e)
	}
	return records
}

// shuffled returns the same Examples with map entries in a different order in every record, like those of
// protobuf's C++ library.
func shuffled(t testing.TB, records [][]byte) [][]byte {
	rng := rand.New(rand.NewPCG(3, 4))
	var out [][]byte
	for _, r := range records {
		entries, err := example.TypeExample.Collect(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		rng.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		var features []byte
		for _, e := range entries {
			features = appendEntry(features, string(e.Name), e.Feature.Raw())
		}
		out = append(out, appendFeatures(features))
	}
	return out
}

// taxi returns a shard of real data, or nil if it does not exist.
func taxi(t testing.TB) [][]byte {
	files, _ := filepath.Glob(root + "../shared/data/chicago_taxi/*.gz")
	if len(files) == 0 {
		t.Log("../shared/data is not there: nothing to print")
		return nil
	}
	return readRecords(t, files[0])
}

// column returns Examples of one feature with many values each.
func column(t testing.TB, kind example.Kind) [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	records := make([][]byte, 64)
	for i := range records {
		var v example.Value
		for range 256 {
			switch kind {
			case example.Int64List:
				v.Int64s = append(v.Int64s, rng.Int64N(1<<20))
			case example.FloatList:
				v.Floats = append(v.Floats, float32(rng.NormFloat64()))
			case example.BytesList:
				v.Bytes = append(v.Bytes, []byte("a word of text, "))
			}
		}
		records[i] = encode(t, example.Example{"values": v})
	}
	return records
}

func size(records [][]byte) int64 {
	n := 0
	for _, r := range records {
		n += len(r)
	}
	return int64(n)
}

func BenchmarkPrinter(b *testing.B) {
	for _, c := range []struct {
		name    string
		records [][]byte
		opts    Options
	}{
		{"features=40", wide(b), Options{}},
		{"features=40/shuffled", shuffled(b, wide(b)), Options{}},
		{"features=18/taxi", taxi(b), Options{}},
		{"features=40/typed", wide(b), Options{Typed: true, Position: true}},
		{"features=40/bytes=base64", wide(b), Options{Bytes: BytesBase64}},
		{"values=256/kind=int64", column(b, example.Int64List), Options{}},
		{"values=256/kind=float32", column(b, example.FloatList), Options{}},
		{"values=256/kind=string", column(b, example.BytesList), Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := NewPrinter(example.TypeExample, &c.opts)
			b.SetBytes(size(c.records))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				for _, r := range c.records {
					var err error
					if dst, err = p.Append(dst[:0], r, tfrecord.Position{}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// Other libraries with the same records, for the ratio.
func BenchmarkOthers(b *testing.B) {
	records := wide(b)
	b.Run("encoding_json", func(b *testing.B) {
		b.SetBytes(size(records))
		b.ReportAllocs()
		for b.Loop() {
			for _, r := range records {
				var e example.Example
				if err := e.UnmarshalBinary(r); err != nil {
					b.Fatal(err)
				}
				m := make(map[string]any, len(e))
				for name, v := range e {
					switch v.Kind() {
					case example.Int64List:
						m[name] = v.Int64s
					case example.FloatList:
						m[name] = v.Floats
					case example.BytesList:
						texts := make([]string, len(v.Bytes))
						for i, text := range v.Bytes {
							texts[i] = string(text)
						}
						m[name] = texts
					}
				}
				if _, err := json.Marshal(m); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("protojson", func(b *testing.B) {
		b.SetBytes(size(records))
		b.ReportAllocs()
		for b.Loop() {
			for _, r := range records {
				var m examplepb.Example
				if err := proto.Unmarshal(r, &m); err != nil {
					b.Fatal(err)
				}
				if _, err := protojson.Marshal(&m); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func BenchmarkEncoder(b *testing.B) {
	for _, typed := range []bool{false, true} {
		b.Run(fmt.Sprintf("features=40/typed=%v", typed), func(b *testing.B) {
			records := wide(b)
			p := NewPrinter(example.TypeExample, &Options{Typed: typed})
			var lines [][]byte
			for _, r := range records {
				lines = append(lines, []byte(print(b, p, r)))
			}
			e := NewEncoder(example.TypeAuto, nil)
			b.SetBytes(size(lines))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				for _, line := range lines {
					var err error
					if dst, err = e.Append(dst[:0], line); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// Neither printing nor reading allocates after the reused memory has grown.
func TestAllocations(t *testing.T) {
	seq := encode(t, example.Sequence{Context: example.Example{"a": example.Int64s(1)}, Lists: map[string][]example.Value{
		"b": {example.Floats(1.5, 2), example.Floats()}, "c": {example.Strings("x", "\xff\n")}}})
	list := encode(t, example.ExampleList{HasContext: true, Context: example.Example{"q": {}}, Examples: []example.Example{
		{"a": example.Strings("x"), "b": example.Int64s(1 << 50)}, {}}})
	for _, c := range []struct {
		typ example.MessageType
		msg []byte
	}{{example.TypeExample, wide(t)[0]}, {example.TypeExample, shuffled(t, wide(t))[0]}, {example.TypeSequence, seq}, {example.TypeExampleList, list}, {example.TypeRaw, seq}} {
		for _, o := range []Options{{}, {Typed: true, Position: true}, {Bytes: BytesHex, Int64: Int64String}, {Select: []string{"a", "word_00"}}} {
			p := NewPrinter(c.typ, &o)
			dst := make([]byte, 0, 64<<10)
			if n := testing.AllocsPerRun(20, func() {
				var err error
				if _, err = p.Append(dst, c.msg, tfrecord.Position{Name: "a file with a name of more than thirty-two bytes"}); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%v, %+v: %v allocations per record", c.typ, o, n)
			}
		}
	}
}

func BenchmarkAppendFloat32(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, 4096)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	var dst []byte
	b.Run("ours", func(b *testing.B) {
		for i := range b.N {
			dst, _ = AppendFloat32(dst[:0], values[i%len(values)], NaNString)
		}
	})
	b.Run("strconv", func(b *testing.B) {
		for i := range b.N {
			dst = strconv.AppendFloat(dst[:0], float64(values[i%len(values)]), 'f', -1, 32)
		}
	})
}
