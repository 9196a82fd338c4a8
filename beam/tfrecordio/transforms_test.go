package tfrecordio_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/tfparse/tfparse/beam/internal/pipetest"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	beam.RegisterFunction(failureText)
	beam.RegisterFunction(fileText)
	beam.RegisterFunction(shardText)
}

func failureText(f tfrecordio.Failure) string {
	return fmt.Sprintf("%s %d %d-%d %d %s", filepath.Base(f.File), f.Record, f.Offset, f.End, f.Records, f.Class)
}

func fileText(f tfrecordio.File) string {
	return fmt.Sprintf("%d %s %t", f.Ordinal, filepath.Base(f.Name), f.Missing != "")
}

func shardText(s tfrecordio.Shard) string {
	return fmt.Sprintf("%s %d %d", filepath.Base(s.Name), s.Records, s.Bytes)
}

// damagedSet writes three shards of five records, from a set of four. The fourth record of the second shard has a wrong checksum.
func damagedSet(t *testing.T) (set string, intact, failures []any) {
	t.Helper()
	dir := t.TempDir()
	for i := range 3 {
		data, recs := stream(t, fmt.Sprint("shard ", i), 5, tfrecord.None)
		if i == 1 {
			size := len(data) / 5 // of each frame
			data[4*size-1] ^= 1
			recs = append(recs[:3:3], recs[4])
			failures = append(failures, fmt.Sprintf("in-00001-of-00004 3 %d-%d 1 payload_crc", 3*size, 4*size))
		}
		intact = append(intact, recs...)
		put(t, filepath.Join(dir, fmt.Sprintf("in-%05d-of-00004", i)), data)
	}
	return filepath.Join(dir, "in@4"), intact, append(failures, "in-00003-of-00004 -1 -1--1 -1 ")
}

// TestFailures checks that a damaged record and a missing shard are failures with exact positions, and that all other records are read.
func TestFailures(t *testing.T) {
	set, intact, failures := damagedSet(t)
	for name, read := range map[string]func(s beam.Scope) (records, failures beam.PCollection){
		"ReadWithFailures": func(s beam.Scope) (_, _ beam.PCollection) { return tfrecordio.ReadWithFailures(s, set, nil) },
		"ReadAllWithFailures": func(s beam.Scope) (_, _ beam.PCollection) {
			return tfrecordio.ReadAllWithFailures(s, beam.Create(s, set), &tfrecordio.ReadOptions{SkipChecksums: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := beam.NewPipelineWithRoot()
			recs, failed := read(s)
			passert.Equals(s, recs, intact...)
			passert.Equals(s, beam.ParDo(s, failureText, failed), failures...)
			result := pipetest.Run(t, p)
			wantCounters(t, result, map[string]int64{"records": int64(len(intact)), "bytes": int64(len(intact) * len("shard 0 0")), "skipped": 2})
		})
	}
}

// TestCopyFailures checks that Convert and Shuffle skip the same damage as the readers, and copy all other records.
func TestCopyFailures(t *testing.T) {
	set, intact, failures := damagedSet(t)
	for name, transform := range map[string]func(s beam.Scope, out string, o *tfrecordio.OrderedOptions) (shards, failures beam.PCollection){
		"Convert": func(s beam.Scope, out string, o *tfrecordio.OrderedOptions) (_, _ beam.PCollection) {
			return tfrecordio.Convert(s, out, o, set)
		},
		"Shuffle": func(s beam.Scope, out string, o *tfrecordio.OrderedOptions) (_, _ beam.PCollection) {
			return tfrecordio.Shuffle(s, out, 1, o, set)
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out@2")
			p, s := beam.NewPipelineWithRoot()
			_, failed := transform(s, out, &tfrecordio.OrderedOptions{SkipDamage: true})
			passert.Equals(s, beam.ParDo(s, failureText, failed), failures...)
			result := pipetest.Run(t, p)
			n := int64(len(intact))
			wantCounters(t, result, map[string]int64{"records": n, "bytes": n * int64(len("shard 0 0")), "skipped": 2, "written": n})
			p, s = beam.NewPipelineWithRoot()
			passert.Equals(s, tfrecordio.Read(s, out, nil), intact...)
			pipetest.Run(t, p)

			none := t.TempDir()
			p, s = beam.NewPipelineWithRoot()
			transform(s, filepath.Join(none, "out@2"), nil)
			if err := pipetest.Fail(t, p); !strings.Contains(err.Error(), "in-00003-of-00004") {
				t.Errorf("a missing shard: %v", err)
			}
			sameFiles(t, none, t.TempDir())
		})
	}
}

// TestReadFails checks that damage and missing shards are errors with the position, for transforms that do not return failures.
func TestReadFails(t *testing.T) {
	set, _, _ := damagedSet(t)
	for pattern, want := range map[string]string{
		set:                                  "in-00003-of-00004",
		strings.TrimSuffix(set, "@4") + "-*": "in-00003-of-00004",
		strings.Replace(set, "@4", "-00001-of-00004", 1): "in-00001-of-00004: record 3 (offset 0x",
		filepath.Join(filepath.Dir(set), "none"):         "none: no such file",
	} {
		for _, all := range []bool{false, true} {
			p, s := beam.NewPipelineWithRoot()
			if all {
				tfrecordio.ReadAll(s, beam.Create(s, pattern), nil)
			} else {
				tfrecordio.Read(s, pattern, nil)
			}
			if err := pipetest.Fail(t, p); !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", pattern, err)
			}
		}
	}
}

// TestReadAll checks that ReadAll reads the files of each pattern, and no records without patterns.
func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	var want []any
	for i, comp := range []tfrecord.Compression{tfrecord.None, tfrecord.GZIP} {
		data, recs := stream(t, comp.String(), 4, comp)
		want = append(want, recs...)
		put(t, filepath.Join(dir, fmt.Sprint("f", i)), data)
	}
	p, s := beam.NewPipelineWithRoot()
	passert.Equals(s, tfrecordio.ReadAll(s, beam.Create(s, filepath.Join(dir, "f0"), filepath.Join(dir, "f[1]")), nil), want...)
	passert.Empty(s, tfrecordio.ReadAll(s, beam.CreateList(s, []string{}), nil))
	pipetest.Run(t, p)
}

// TestMatchAll checks that MatchAll numbers the files of each pattern from 0. A pattern without files, a missing shard and a surplus
// shard are Files with Missing set.
func TestMatchAll(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a1", "a2", "in-00000-of-00002", "more-00000-of-00001", "more-00001-of-00001", ".hidden"} {
		put(t, filepath.Join(dir, name), nil)
	}
	patterns := make([]any, 0, 4)
	for _, p := range []string{"a*", "in@2", "none*", "more@1"} {
		patterns = append(patterns, filepath.Join(dir, p))
	}
	p, s := beam.NewPipelineWithRoot()
	files := tfrecordio.MatchAll(s, &tfrecordio.MatchOptions{KeepMissing: true}, beam.Create(s, patterns...))
	passert.Equals(s, beam.ParDo(s, fileText, files), "0 a1 false", "1 a2 false", "0 in-00000-of-00002 false", "1 in-00001-of-00002 true", "0 none* true",
		"0 more-00000-of-00001 false", "1 more@1 true")
	pipetest.Run(t, p)
	p, s = beam.NewPipelineWithRoot()
	tfrecordio.MatchAll(s, nil, beam.Create(s, patterns...))
	if err := pipetest.Fail(t, p); !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
}

// readShard returns the records of a file.
func readShard(t *testing.T, name string) (records []string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return recordsIn(t, data)
}

func recordsIn(t *testing.T, data []byte) (records []string) {
	t.Helper()
	for rec, err := range tfrecord.NewReader(bytes.NewReader(data), nil).All() {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, string(rec))
	}
	return records
}

// TestWrite checks that Write assigns each record to a shard by its hash, and sorts records by hash. The lists were made by Python's hashlib:
// int.from_bytes(sha256(seed.to_bytes(8, "big") + record).digest()[:8], "big") % 5, without the eight bytes if there is no seed.
func TestWrite(t *testing.T) {
	records := [][]byte{{}, {0}, []byte("record 3")}
	for i := range 12 {
		records = append(records, fmt.Appendf(nil, "record %d", i))
	}
	for seed, want := range map[uint64][][]string{
		0: {{"record 2", "record 4"}, {"record 5", "record 1", "record 9", "record 6"}, {"record 7", "\x00", "record 3", "record 3", "record 11", "record 0", ""}, {"record 10"}, {"record 8"}},
		7: {{"record 10", "record 6"}, {"record 11", "record 4"}, {"record 1", "record 2", "", "record 0"}, {"record 7", "\x00", "record 8"}, {"record 3", "record 3", "record 5", "record 9"}},
	} {
		for _, opts := range []tfrecordio.WriteOptions{{}, {Compression: tfrecord.GZIP, Level: 1}, {Compression: tfrecord.GZIP, Level: 9}, {Memory: 1}} {
			dir := t.TempDir()
			opts.Seed = seed
			p, s := beam.NewPipelineWithRoot()
			shards := tfrecordio.Write(s, filepath.Join(dir, "out@5"), beam.CreateList(s, records), &opts)
			var reported []any
			wanted := t.TempDir()
			for i, recs := range want {
				name := fmt.Sprintf("out-%05d-of-00005", i)
				reported = append(reported, fmt.Sprintf("%s %d %d", name, len(recs), len(strings.Join(recs, ""))))
				var b bytes.Buffer
				w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: opts.Compression, Level: opts.Level})
				for _, rec := range recs {
					if seed == 0 && dataset.KeyHash([]byte(rec))%5 != uint64(i) {
						t.Errorf("%q is in shard %d", rec, i)
					}
					if err := w.WriteRecord([]byte(rec)); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				put(t, filepath.Join(wanted, name), b.Bytes())
			}
			passert.Equals(s, beam.ParDo(s, shardText, shards), reported...)
			wantCounters(t, pipetest.Run(t, p), map[string]int64{"written": 15})
			sameFiles(t, dir, wanted)
		}
	}
}

// TestWriteNothing checks that every transform that writes creates all shards if there are no records, or no files.
func TestWriteNothing(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "empty"), nil)
	p, s := beam.NewPipelineWithRoot()
	tfrecordio.Write(s, filepath.Join(dir, "w@3"), beam.CreateList(s, [][]byte{}), nil)
	tfrecordio.Convert(s, filepath.Join(dir, "c@3"), nil, filepath.Join(dir, "empty"))
	tfrecordio.Shuffle(s, filepath.Join(dir, "s@3"), 1, nil, filepath.Join(dir, "empty"))
	tfrecordio.ConvertFiles(s, filepath.Join(dir, "cf@3"), nil, beam.CreateList(s, []tfrecordio.File{}))
	tfrecordio.ShuffleFiles(s, filepath.Join(dir, "sf@3"), 1, nil, beam.CreateList(s, []tfrecordio.File{}))
	pipetest.Run(t, p)
	for _, set := range []string{"w", "c", "s", "cf", "sf"} {
		for i := range 3 {
			if name := filepath.Join(dir, fmt.Sprintf("%s-%05d-of-00003", set, i)); len(readShard(t, name)) != 0 {
				t.Errorf("%s has records", name)
			}
		}
	}
}

// TestThousandShards writes and reads a thousand shards.
func TestThousandShards(t *testing.T) {
	set := filepath.Join(t.TempDir(), "out@1000.gz")
	var records [][]byte
	var want []any
	for i := range 1500 {
		rec := fmt.Appendf(nil, "record %d", i)
		records, want = append(records, rec), append(want, rec)
	}
	p, s := beam.NewPipelineWithRoot()
	passert.Count(s, tfrecordio.Write(s, set, beam.CreateList(s, records), &tfrecordio.WriteOptions{Compression: tfrecord.GZIP}), "shards", 1000)
	pipetest.Run(t, p)
	p, s = beam.NewPipelineWithRoot()
	passert.Equals(s, tfrecordio.Read(s, set, nil), want...)
	pipetest.Run(t, p)
}

// wantCounters compares all counters of the module after a pipeline.
func wantCounters(t *testing.T, result beam.PipelineResult, want map[string]int64) {
	t.Helper()
	got := map[string]int64{}
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Namespace() == tfrecordio.Metrics && c.Result() != 0 {
			got[c.Name()] += c.Result()
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("counters %v, want %v", got, want)
	}
}
