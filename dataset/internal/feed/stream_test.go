package feed

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// What the budget was charged comes back, whatever becomes of the records: taken, put
// back, dropped by a stage, kept, or never asked for.
func TestBudgetComesBack(t *testing.T) {
	var file []byte
	for i := range 200 {
		file = tfrecord.AppendRecord(file, bytes.Repeat([]byte{byte(i)}, 10+i))
	}
	damaged := bytes.Clone(file)
	damaged[5000] ^= 1
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		cfg := Config{
			Names: []string{"a", "b", "c", "d"}, Reader: tfrecord.ReaderOptions{BufferSize: 600},
			Open: func(ctx context.Context, name string) (io.ReadCloser, error) {
				if name == "c" {
					return io.NopCloser(bytes.NewReader(damaged)), nil
				}
				return io.NopCloser(bytes.NewReader(file)), nil
			},
			Readers: rng.IntN(4), Cycle: rng.IntN(3), Budget: int64(rng.IntN(20000)), SlabSize: 1 << (9 + rng.IntN(5)),
			Recover: rng.IntN(3) > 0, Unordered: rng.IntN(4) == 0, Shards: int64(rng.IntN(3)), Skip: int64(rng.IntN(20)),
			Take: int64(rng.IntN(700)) - 1, Shuffle: rng.IntN(3) * 20, ShuffleBytes: 1 << 20, Epochs: 1 + int64(rng.IntN(3)),
			FileError: func(_ string, err error) error { return err },
		}
		if rng.IntN(2) == 0 {
			cfg.Near = func(io.ReadCloser) bool { return true }
		}
		if cfg.Readers > 0 {
			cfg.Readers = max(cfg.Readers, cfg.Cycle)
		}
		s := New(t.Context(), cfg)
		var held []Item
		var kept Held
		end := rng.IntN(3000)
		for n := 0; n < end; n++ {
			before := len(held)
			var err error
			if held, err = s.Append(held, 1+rng.IntN(5)); err != nil {
				break
			}
			// A lent record ends with the next call.
			if cfg.Readers == 0 || rng.IntN(9) == 0 || len(held) > 60 {
				switch keep := rng.IntN(4); {
				case keep == 0 && cfg.Readers > 0:
					s.Unread(held[before:])
					held = held[:before]
				default:
					if keep == 1 {
						s.Done(held, &kept)
					} else {
						s.Done(held, nil)
					}
					held = held[:0]
				}
			}
		}
		s.Done(held, nil)
		s.Done(s.back, nil)
		s.Close(io.EOF)
		if s.mem.used+s.mem.later.Load() != 0 {
			t.Fatalf("%+v: %d bytes, and %d of cells, are charged for nothing", cfg, s.mem.used, s.mem.later.Load())
		}
	}
}
