package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/sample"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestUnorderedSum compares the sum with that of package big, with hashes that carry in every word.
func TestUnorderedSum(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 5))
	for range 200 {
		s, want := newSum(true, false), new(big.Int)
		n := r.IntN(20)
		var hashes []byte
		for range n {
			h := bytes.Repeat([]byte{0xff}, sha256.Size)
			for range r.IntN(40) {
				h[r.IntN(len(h))] = byte(r.Uint32())
			}
			want.Add(want, new(big.Int).SetBytes(h))
			hashes = append(hashes, h...)
		}
		cut := r.IntN(n+1) * sha256.Size
		s.addHashes(hashes[cut:])
		s.addHashes(hashes[:cut])
		want.Mod(want, new(big.Int).Lsh(big.NewInt(1), 256))
		b := append([]byte("tfparse1-unordered\n"), binary.BigEndian.AppendUint64(nil, uint64(n))...)
		b = append(b, want.FillBytes(make([]byte, 32))...)
		if got, want := s.digestText(), fmt.Sprintf("tfparse1-unordered:%x", sha256.Sum256(b)); got != want {
			t.Fatalf("%x: %s, want %s", hashes, got, want)
		}
	}
}

// digestOf is the digest of records; "" if one does not decode.
func digestOf(typ example.MessageType, unordered bool, recs [][]byte) string {
	c := &digest{total: newSum(unordered, typ == example.TypeRaw)}
	h := newHashes(typ)
	for _, rec := range recs {
		if h.addRecord(scan.Record{Bytes: rec}) != nil {
			return ""
		}
	}
	c.mergeHashes(h)
	return c.total.digestText()
}

// TestTranscript compares digests with those computed by TensorFlow's messages and Python's hashlib.
func TestTranscript(t *testing.T) {
	text, err := os.ReadFile("../../../../testdata/make/digest.txt")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]example.MessageType{"recipes.tfrecord": example.TypeExample, "sessions.tfrecord": example.TypeSequence, "ranking.tfrecord": example.TypeExampleList}
	name, n := "", 0
	for line := range strings.Lines(string(text)) {
		if file, _, ok := strings.Cut(line, ": "); ok && types[file] != 0 {
			name = file
		}
		want := strings.TrimSpace(line)
		kind, _, ok := strings.Cut(want, ":")
		if !ok || !strings.HasPrefix(kind, "tfparse1") {
			continue
		}
		typ := types[name]
		if strings.Contains(kind, "-raw") {
			typ = example.TypeRaw
		}
		n++
		if got := digestOf(typ, strings.HasSuffix(kind, "-unordered"), sample.Records(t, name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if n != 12 {
		t.Errorf("the transcript has %d hashes, want 12", n)
	}
}

// TestFlippedDigest flips every bit of a record among others: if it decodes at all, both hashes change.
func TestFlippedDigest(t *testing.T) {
	testkit.OneGoroutine(t)
	for name, typ := range map[string]example.MessageType{"recipes.tfrecord": example.TypeExample, "sessions.tfrecord": example.TypeSequence, "ranking.tfrecord": example.TypeExampleList} {
		recs := sample.Records(t, name)[:3]
		want := [2]string{digestOf(typ, false, recs), digestOf(typ, true, recs)}
		decodes := 0
		for _, flipped := range testkit.Flips(recs[1]) {
			changed := [][]byte{recs[0], flipped, recs[2]}
			got := [2]string{digestOf(typ, false, changed), digestOf(typ, true, changed)}
			if got[0] != "" {
				decodes++
			}
			if got[0] == want[0] || got[1] == want[1] {
				t.Fatalf("%s: % x has the hash of % x", name, flipped, recs[1])
			}
		}
		if decodes == 0 {
			t.Errorf("%s: no flip decodes", name)
		}
	}
}
