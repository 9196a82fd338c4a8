package ragged_test

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// FuzzTensorJSON reads any text as a tensor. A tensor that is read is valid, and its JSON gives
// the same tensor again.
func FuzzTensorJSON(f *testing.F) {
	for _, text := range []string{
		`{"dense":{"dtype":"string","shape":[2],"values":["a",{"b64":"/w=="}]}}`,
		`{"ragged":{"partitions":[{"row_splits":[0,2,3]},{"uniform_row_length":2,"nrows":3}],"flat_values":{"dtype":"string","shape":[6,1],"values":["a","b","c","d","e","f"]}}}`,
		`{"dense":{"dtype":"string","shape":[1000000000,0],"values":[]}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var x ragged.Tensor[string]
		if x.UnmarshalJSON(text) != nil {
			return
		}
		if err := x.Validate(); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		var back ragged.Tensor[string]
		if err := json.Unmarshal(again, &back); err != nil || !ragged.Equal(x, back) {
			t.Fatalf("%s: %v", again, err)
		}
		_ = x.Summary(3)
	})
}

// FuzzPartition gives every factory the same numbers. A partition that it makes is valid, and
// its encodings give the same partition again.
func FuzzPartition(f *testing.F) {
	f.Add([]byte{0, 2, 2, 5})
	f.Add([]byte{1, 255, 255, 255, 255, 255, 255, 255, 127, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		var s []int64
		for len(data) > 0 {
			v, n := binary.Varint(data)
			if n <= 0 {
				break
			}
			s, data = append(s, v), data[n:]
		}
		if len(s) == 0 {
			return
		}
		rows := s[0] % 1000 // FromValueRowIDs allocates a split for each row
		for i, make := range []func() (ragged.Partition, error){
			func() (ragged.Partition, error) { return ragged.FromRowSplits(s) },
			func() (ragged.Partition, error) { return ragged.FromRowLengths(s) },
			func() (ragged.Partition, error) { return ragged.FromRowStarts(s[1:], s[0]) },
			func() (ragged.Partition, error) { return ragged.FromRowLimits(s) },
			func() (ragged.Partition, error) { return ragged.FromValueRowIDs(s[1:], rows) },
			func() (ragged.Partition, error) { return ragged.Uniform(s[0], int64(len(s))) },
			func() (ragged.Partition, error) { return ragged.FromUniformRowLength(int64(len(s)), s[0]%1000) },
		} {
			p, err := make()
			if err != nil {
				continue
			}
			if again := must(ragged.FromRowSplits(p.AppendSplits(nil)))(t); !again.Equal(p) {
				t.Fatalf("factory %d of %d: %v became %v", i, s, p, again)
			}
			if again := must(ragged.FromRowLengths(p.AppendLengths(nil)))(t); !again.Equal(p) {
				t.Fatalf("factory %d of %d: %v became %v", i, s, p, again)
			}
		}
	})
}

// FuzzIndex is TestIndex with seeds and keys of the fuzzer.
func FuzzIndex(f *testing.F) {
	f.Add(uint64(1), []byte{0, 1, 2, 3, 4})
	f.Add(uint64(7), []byte{24, 3, 200, 15})
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		x, tr := randomTensor(t, rand.New(rand.NewPCG(seed, 1)))
		r := rand.New(rand.NewChaCha8(pad32(data)))
		var keys []naiveKey
		var flat []ragged.Key
		for range min(len(data), x.Rank()) {
			k := randomKey(r)
			keys, flat = append(keys, k), append(flat, k.key)
		}
		got, err := x.Index(flat...)
		if err != nil {
			return
		}
		want, err := apply(tr, keys)
		if err != nil {
			t.Fatalf("%v at %v: got %v, want %v", x, flat, got, err)
		}
		same(t, got, want, "%v at %v", x, flat)
	})
}

func pad32(data []byte) (out [32]byte) {
	copy(out[:], data)
	return out
}
