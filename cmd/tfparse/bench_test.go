package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// generate writes about size bytes of Examples with 40 features each, and
// returns the bytes of payload.
func generate(b *testing.B, name string, size int64) (payload int64) {
	b.Helper()
	r := rand.New(rand.NewPCG(40, 1))
	words := []string{"flour", "Credit Card", "Crème brûlée", "https://example.org/a/longer/path?id=12"}
	var recs [][]byte
	for range 1000 {
		e := example.Example{}
		for i := range 16 {
			v := make([]float32, 1+r.IntN(4))
			for j := range v {
				v[j] = float32(r.NormFloat64() * 100)
			}
			e[fmt.Sprintf("float_%02d", i)] = example.Floats(v...)
		}
		for i := range 14 {
			v := make([]int64, 1+r.IntN(4))
			for j := range v {
				v[j] = r.Int64N(2 << r.IntN(40))
			}
			e[fmt.Sprintf("int64_%02d", i)] = example.Int64s(v...)
		}
		for i := range 10 {
			v := make([]string, 1+r.IntN(3))
			for j := range v {
				v[j] = words[r.IntN(len(words))]
			}
			e[fmt.Sprintf("bytes_%02d", i)] = example.Strings(v...)
		}
		msg, err := e.MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		recs = append(recs, msg)
	}
	w, err := tfrecord.Create(name, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; payload < size; i++ {
		rec := recs[i%len(recs)]
		payload += int64(len(rec))
		if err := w.WriteRecord(rec); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return payload
}

// BenchmarkAgainstChecksums measures verify and info on one goroutine against count --verify,
// which reads the same records and checksums and looks into no message: how many times as
// long they take is the metric, since other programs run beside it.
func BenchmarkAgainstChecksums(b *testing.B) {
	file := filepath.Join(b.TempDir(), "records")
	payload := generate(b, file, 50_000_000)
	for _, verb := range []string{"verify", "info"} {
		b.Run("verb="+verb, func(b *testing.B) {
			b.SetBytes(payload)
			var took [2]time.Duration
			for b.Loop() {
				for i, args := range [][]string{{"count", "--verify", file}, {verb, "--jobs", "1", file}} {
					begin := time.Now()
					if code := runCommand(args, nil, io.Discard, os.Stderr); code != 0 {
						b.Fatal("exit code ", code)
					}
					took[i] += time.Since(begin)
				}
			}
			b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "x-of-count")
		})
	}
}

// BenchmarkRun measures whole runs of the command, in bytes of record payload.
// The yardstick for count is read: the same file, read and thrown away.
func BenchmarkRun(b *testing.B) {
	big := filepath.Join(b.TempDir(), "big.tfrecord")
	bigPayload := generate(b, big, 200_000_000)
	sets := []struct {
		name    string
		Files   []string
		payload int64
	}{{"features=40", []string{big}, bigPayload}}
	if taxi, _ := filepath.Glob("../../../shared/data/chicago_taxi/*.gz"); taxi != nil {
		payload := int64(0)
		for _, f := range taxi {
			r, err := tfrecord.Open(f, nil)
			if err != nil {
				b.Fatal(err)
			}
			for rec, err := range r.All() {
				if err != nil {
					b.Fatal(err)
				}
				payload += int64(len(rec))
			}
			r.Close()
		}
		// They are small: many times the same, so that one run has work.
		var files []string
		for range 20 {
			files = append(files, taxi...)
		}
		sets = append(sets, struct {
			name    string
			Files   []string
			payload int64
		}{"chicago_taxi", files, 20 * payload})
	} else {
		b.Log("without chicago_taxi: its files are not there")
	}
	for _, set := range sets {
		spec := filepath.Join(b.TempDir(), "spec.json")
		if code := runCommand(append([]string{"schema", "-o", spec}, set.Files...), nil, io.Discard, io.Discard); code != 0 {
			b.Fatal("schema: exit code ", code)
		}
		schema := filepath.Join(b.TempDir(), "schema.pbtxt")
		if code := runCommand(append([]string{"schema", "--emit", "tfmd", "-o", schema}, set.Files...), nil, io.Discard, io.Discard); code != 0 {
			b.Fatal("schema: exit code ", code)
		}
		for _, verb := range []string{"cat", "cat --typed", "cat --spec " + spec, "cat --batch 256 --spec " + spec, "stats", "validate --records --schema " + schema, "verify", "info", "digest", "du", "count", "convert -o " + os.DevNull} {
			b.Run("data="+set.name+"/verb="+strings.NewReplacer(spec, "S", schema, "S", " ", "_").Replace(verb), func(b *testing.B) {
				b.SetBytes(set.payload)
				args := append(strings.Fields(verb), set.Files...)
				for b.Loop() {
					if code := runCommand(args, nil, io.Discard, os.Stderr); code != 0 {
						b.Fatal("exit code ", code)
					}
				}
			})
		}
	}
	b.Run("data=features=40/verb=read", func(b *testing.B) {
		b.SetBytes(bigPayload)
		buf := make([]byte, 128<<10)
		for b.Loop() {
			f, err := os.Open(big)
			if err != nil {
				b.Fatal(err)
			}
			for {
				if _, err := f.Read(buf); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
			f.Close()
		}
	})
}
