package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// recordsOf returns the payloads of n small Examples.
func recordsOf(t testing.TB, n int) [][]byte {
	t.Helper()
	all := make([][]byte, n)
	for i := range all {
		var err error
		if all[i], err = (example.Example{"n": example.Int64s(int64(i)), "pad": example.Strings("some text")}).MarshalBinary(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func encodeRecords(t testing.TB, c tfrecord.Compression, recs ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: c})
	for _, r := range recs {
		if err := w.WriteRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Each class of fault, through each verb that reads records: exit code,
// coordinates, and what comes out before the fault and around it.
func TestFaults(t *testing.T) {
	recs := recordsOf(t, 10)
	size := len(recs[0]) + tfrecord.HeaderSize + tfrecord.FooterSize
	plain := encodeRecords(t, tfrecord.None, recs...)
	changed := func(b []byte, at int) []byte {
		b = slices.Clone(b)
		b[at] ^= 0x10
		return b
	}
	long := encodeRecords(t, tfrecord.None, slices.Insert(slices.Clone(recs), 4, bytes.Repeat(recs[0], 9))...)
	strange := encodeRecords(t, tfrecord.None, slices.Insert(slices.Clone(recs), 4, []byte("\x0a\x05"))...)
	snappy := encodeRecords(t, tfrecord.SNAPPY, recs...)
	gzip := encodeRecords(t, tfrecord.GZIP, recs...)
	blocks := slices.Concat(snappy, changed(snappy, 6), snappy)

	for _, c := range []struct {
		class  string
		file   []byte
		flags  []string
		record int64 // at fault
		before int   // records
		intact int   // records
		passed bool  // by count, which does not look at payloads
	}{
		{class: "truncated", file: plain[:9*size+20], record: 9, before: 9, intact: 9},
		{class: "truncated", file: plain[:9*size+5], record: 9, before: 9, intact: 9},
		{class: "length_crc", file: changed(plain, 4*size+2), record: 4, before: 4, intact: 9},
		{class: "payload_crc", file: changed(plain, 4*size+14), record: 4, before: 4, intact: 9, passed: true},
		{class: "too_long", file: long, flags: []string{"--max-record-size", "64"}, record: 4, before: 4, intact: 10},
		{class: "not_tfrecord", file: []byte("<html><body>no such object</body></html>"), record: 0},
		{class: "codec", file: blocks, record: 10, before: 10, intact: 20},
		{class: "codec", file: changed(gzip, len(gzip)-6), record: 10, before: 10, intact: 10},
		{class: "truncated", file: gzip[:len(gzip)-3], record: 10, before: 10, intact: 10},
		{class: "message", file: strange, record: 4, before: 4, intact: 10, passed: true},
	} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, c.file, 0o666); err != nil {
			t.Fatal(err)
		}
		address := scan.Address(name, c.record)
		if c.class == "not_tfrecord" {
			address = name // there are no records
		}
		where := fmt.Sprintf("tfparse: %s: record %d (offset %#x)", address, c.record, c.record*int64(size))
		for _, verb := range []string{"cat", "head", "count", "count --verify", "info", "digest", "du", "convert"} {
			t.Run(c.class+"/"+verb, func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "out")
				args := append(strings.Fields(verb), c.flags...)
				counts := strings.HasPrefix(verb, "count")
				switch verb {
				case "convert":
					args = append(args, "-o", out)
				case "head":
					args = append(args, "-n", "100")
				}

				code, stdout, stderr := runWith(t, nil, append(args, name)...)
				intact := c.intact
				switch {
				case c.class == "message" && (counts || verb == "convert"):
					intact = 11 // they do not look into payloads
					if code != 0 || stderr != "" {
						t.Errorf("stop: exit code %d, stderr %s", code, stderr)
					}
				case c.passed && verb == "count":
					if code != 0 || stderr != "" || !strings.HasPrefix(stdout, fmt.Sprint(c.intact+1, "\t")) && c.class != "message" {
						t.Errorf("stop: exit code %d, stdout %s, stderr %s", code, stdout, stderr)
					}
				default:
					if code != 4 || !strings.HasPrefix(stderr, where) || strings.Count(stderr, "\n") != 1 {
						t.Errorf("stop: exit code %d, stderr %s", code, stderr)
					}
					want := 0
					if verb == "cat" || verb == "head" {
						want = c.before
					}
					if lines := strings.Count(stdout, "\n"); lines != want {
						t.Errorf("stop: %d lines on stdout, want %d", lines, want)
					}
					if _, err := os.Stat(out); err == nil {
						t.Error("stop: there is an output file")
					}
				}

				code, stdout, stderr = runWith(t, nil, append(args, "--on-error", "skip", name)...)
				if intact == 11 {
					if code != 0 {
						t.Errorf("skip: exit code %d, stderr %s", code, stderr)
					}
					return
				}
				if code != 3 || !strings.HasPrefix(stderr, where) || !strings.Contains(stderr, "\ntfparse: skipped 1 ") {
					t.Errorf("skip: exit code %d, stderr %s", code, stderr)
				}
				got := -1
				switch {
				case verb == "convert":
					_, stdout, _ = runWith(t, nil, "count", "--verify", out)
					fallthrough
				case counts:
					fmt.Sscan(stdout, &got)
				case verb == "digest", verb == "du":
					_, stdout, _ = runWith(t, nil, append(args, "--on-error", "skip", "--format", "json", name)...)
					var report struct{ Records int }
					if err := json.Unmarshal([]byte(stdout), &report); err != nil {
						t.Fatal(err)
					}
					got = report.Records
				case verb == "info":
					_, stdout, _ = runWith(t, nil, append(args, "--on-error", "skip", "--format", "json", name)...)
					var report struct {
						Records int64
						Files   []struct{ Faults []reported }
					}
					if err := json.Unmarshal([]byte(stdout), &report); err != nil {
						t.Fatal(err)
					}
					got = int(report.Records)
					if f := report.Files[0].Faults; len(f) != 1 || *f[0].Class != c.class || *f[0].Record != c.record {
						t.Errorf("skip: faults %+v", f)
					}
				default:
					got = strings.Count(stdout, "\n")
				}
				if got != intact {
					t.Errorf("skip: %d records, want %d", got, intact)
				}
			})
		}
		t.Run(c.class+"/verify", func(t *testing.T) {
			args := append([]string{"verify", "--all", "--format", "json"}, c.flags...)
			code, stdout, stderr := runWith(t, nil, append(args, name)...)
			var report struct {
				Files []struct {
					OK      bool
					Records *int64
					Faults  []reported
				}
			}
			if err := json.Unmarshal([]byte(stdout), &report); err != nil {
				t.Fatal(err)
			}
			f := report.Files[0]
			if code != 4 || stderr != "" || f.OK || len(f.Faults) != 1 || *f.Faults[0].Class != c.class {
				t.Fatalf("exit code %d, stdout %s, stderr %s", code, stdout, stderr)
			}
			if fault := f.Faults[0]; *fault.Record != c.record || *fault.Offset != c.record*int64(size) || *f.Records != int64(c.intact) {
				t.Errorf("got %s", stdout)
			}
		})
	}
}

// Raw records have no message to misfit, in any verb.
func TestRawTakesAnything(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, encodeRecords(t, tfrecord.None, []byte("\x0a\x05"), []byte("x")), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"cat", "head", "verify", "info"} {
		if code, _, stderr := runWith(t, nil, verb, "--type", "raw", name); code != 0 {
			t.Errorf("%s: exit code %d, stderr %s", verb, code, stderr)
		}
	}
}

// A record above the size limit is one loss, whatever it holds.
func TestTooLongHoldsRecords(t *testing.T) {
	inner := encodeRecords(t, tfrecord.None, []byte("1"), []byte("2"), []byte("3"), []byte("4"), []byte("5"))
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, encodeRecords(t, tfrecord.None, nil, inner, nil), 0o666); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runWith(t, nil, "count", "--on-error", "skip", "--max-record-size", "50", name)
	if code != 3 || stdout != "2\t"+name+"\n" || !strings.Contains(stderr, "skipped 1 range of damage (101 bytes, 1 record)") {
		t.Errorf("exit code %d, stdout %s, stderr %s", code, stdout, stderr)
	}
	code, stdout, _ = runWith(t, nil, "verify", "--all", "--max-record-size", "50", name)
	if code != 4 || strings.Count(stdout, "\n") != 1 {
		t.Errorf("exit code %d, stdout %s", code, stdout)
	}
}

// A reported is a fault in a report in JSON.
type reported struct {
	Class          *string
	Record, Offset *int64
}
