package feed

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// The budget gets back all that it was charged, whether records are taken, put back, dropped by a stage, kept, or
// never requested.
func TestBudgetComesBack(t *testing.T) {
	var file []byte
	for i := range 200 {
		file = tfrecord.AppendRecord(file, bytes.Repeat([]byte{byte(i)}, 10+i))
	}
	damaged := bytes.Clone(file)
	damaged[5000] ^= 1
	rng := rand.New(rand.NewPCG(1, 1))
	for range testkit.Rounds(800) {
		cfg := Config{
			Names: []string{"a", "b", "c", "d"}, Reader: tfrecord.ReaderOptions{BufferSize: 600},
			Open: func(ctx context.Context, name string) (io.ReadCloser, error) {
				if name == "c" {
					return io.NopCloser(bytes.NewReader(damaged)), nil
				}
				return io.NopCloser(bytes.NewReader(file)), nil
			},
			Readers: rng.IntN(4), Cycle: rng.IntN(3), Budget: int64(rng.IntN(20000)), BufferSize: 1 << (9 + rng.IntN(5)),
			Recover: rng.IntN(3) > 0, Shards: int64(rng.IntN(3)), Skip: int64(rng.IntN(20)),
			Take: int64(rng.IntN(700)) - 1, Shuffle: rng.IntN(3) * 20, ShuffleBytes: 1 << 20, Epochs: 1 + int64(rng.IntN(3)),
			FileError: func(_ string, err error) error { return err },
		}
		if cfg.Readers > 0 {
			cfg.Readers = max(cfg.Readers, cfg.Cycle)
		}
		s := New(t.Context(), cfg)
		var used []*Block
		var kept PinnedBuffers
		end := rng.IntN(3000)
		var err error
		for n := 0; n < end && err == nil; n++ {
			b := new(Block)
			err = s.Append(b, 1+rng.IntN(5))
			used = append(used, b)
			switch rng.IntN(9) {
			case 0:
				s.Unread(used)
				used = nil
			case 1:
				b.Pin(&kept)
				fallthrough
			case 2, 3, 4, 5:
				for _, b := range used {
					b.Release()
				}
				used = nil
			}
		}
		for _, b := range used {
			b.Release()
		}
		s.Close(io.EOF)
		kept.Release()
		if used := s.budget.used.Load(); used != 0 {
			t.Fatalf("%+v: %d bytes are charged for nothing", cfg, used)
		}
	}
}
