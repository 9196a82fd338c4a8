package tfrecordio_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/tfparse/tfparse/beam/internal/pipetest"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/tfrecord"
)

// built is the path of the command, whose output is the reference for the transforms.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tfparse")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "tfparse")
	build := exec.Command("go", "build", "-o", name, "github.com/tfparse/tfparse/cmd/tfparse")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

// command runs the command, which must end with one of the exit codes.
func command(t *testing.T, codes string, args ...string) (stdout []byte) {
	t.Helper()
	name, err := built()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if !strings.Contains(codes, fmt.Sprint(cmd.ProcessState.ExitCode())) {
		t.Fatalf("tfparse %q: %v\n%s", args, err, &errs)
	}
	return out.Bytes()
}

// inputs writes five shards of different compressions and sizes, one of them empty, and returns their sharded name.
func inputs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i, n := range []int{100, 0, 37, 1, 250} {
		comp := []tfrecord.Compression{tfrecord.None, tfrecord.GZIP, tfrecord.ZSTD, tfrecord.SNAPPY, tfrecord.None}[i]
		data, _ := stream(t, fmt.Sprintf("shard %d, a record of a length that varies %s", i, strings.Repeat("x", 7*i)), n, comp)
		put(t, filepath.Join(dir, fmt.Sprintf("in-%05d-of-00005", i)), data)
	}
	return filepath.Join(dir, "in@5")
}

// sameFiles compares all files of two directories.
func sameFiles(t *testing.T, got, want string) {
	t.Helper()
	have := map[string]bool{}
	for _, dir := range []string{got, want} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			have[e.Name()] = true
		}
	}
	for name := range have {
		g, err1 := os.ReadFile(filepath.Join(got, name))
		w, err2 := os.ReadFile(filepath.Join(want, name))
		if err1 != nil || err2 != nil || !bytes.Equal(g, w) {
			t.Errorf("%s: got %d bytes (%v), want %d (%v)", name, len(g), err1, len(w), err2)
		}
	}
}

// TestLikeTheCommand checks that Convert and Shuffle write the same bytes as the command, for sets of any size, even with little memory.
func TestLikeTheCommand(t *testing.T) {
	in := inputs(t)
	for _, c := range []struct {
		verb, out string
		shards    int
		opts      tfrecordio.OrderedOptions
		flags     string
	}{
		{verb: "convert", out: "out@3", shards: 3},
		{verb: "convert", out: "out@1.gz", shards: 1, opts: tfrecordio.OrderedOptions{Write: tfrecordio.WriteOptions{Compression: tfrecord.GZIP, Level: 2}}, flags: "--to gzip --level 2"},
		{verb: "convert", out: "out@7", shards: 7, opts: tfrecordio.OrderedOptions{Write: tfrecordio.WriteOptions{Memory: 1000}}},
		{verb: "convert", out: "out@5", shards: 5, opts: tfrecordio.OrderedOptions{KeepShards: true, Write: tfrecordio.WriteOptions{Compression: tfrecord.ZSTD}}, flags: "--keep-shards --to zstd"},
		{verb: "shuffle", out: "out", shards: 1},
		{verb: "shuffle", out: "out@4", shards: 4, flags: "--seed 0"},
		{verb: "shuffle", out: "out@3", shards: 3, opts: tfrecordio.OrderedOptions{Write: tfrecordio.WriteOptions{Memory: 1000}}, flags: "--seed 18446744073709551615"},
	} {
		t.Run(c.verb+" "+c.out+" "+c.flags, func(t *testing.T) {
			got, want := t.TempDir(), t.TempDir()
			p, s := beam.NewPipelineWithRoot()
			var shards, failures beam.PCollection
			if c.verb == "convert" {
				shards, failures = tfrecordio.Convert(s, filepath.Join(got, c.out), &c.opts, in)
			} else {
				seed := uint64(0)
				fmt.Sscanf(c.flags, "--seed %d", &seed)
				shards, failures = tfrecordio.Shuffle(s, filepath.Join(got, c.out), seed, &c.opts, in)
			}
			passert.Empty(s, failures)
			passert.Sum(s, beam.ParDo(s, recordsOf, shards), "records", c.shards, 388)
			pipetest.Run(t, p)
			command(t, "0", append([]string{c.verb, in, "-o", filepath.Join(want, c.out)}, strings.Fields(c.flags)...)...)
			sameFiles(t, got, want)
		})
	}
}

func recordsOf(s tfrecordio.Shard) int { return int(s.Records) }

func init() { register.Function1x1(recordsOf) }
