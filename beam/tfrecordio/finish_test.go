package tfrecordio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ls returns the names of all files in a directory, including hidden files.
func ls(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// values returns an iterator such as Beam passes to a DoFn.
func values[T any](all []T) func(*T) bool {
	return func(v *T) bool {
		if len(all) == 0 {
			return false
		}
		*v, all = all[0], all[1:]
		return true
	}
}

// attempt writes the shards of a set under hidden names.
func attempt(t *testing.T, set string, opts WriteOptions, records ...string) (all []written) {
	t.Helper()
	fn := &writeFn{Set: set, Options: writeOptionsOf(&opts), Key: 1}
	fn.Setup()
	for i := range fn.names {
		var keyed [][]byte
		for k, rec := range records {
			if k%len(fn.names) == i {
				keyed = append(keyed, append([]byte{byte(k), byte(len(rec))}, rec...))
			}
		}
		if err := fn.ProcessElement(t.Context(), i, nil, values(keyed), func(w written) { all = append(all, w) }); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// end gives the shards their names.
func end(t *testing.T, set string, all []written) (shards []Shard, err error) {
	t.Helper()
	err = (&finishFn{Set: set}).ProcessElement(t.Context(), 0, values(all), func(s Shard) { shards = append(shards, s) })
	return shards, err
}

// TestAttempts checks that the shards are complete, without other files of the set, whatever attempts an engine makes and gives up.
func TestAttempts(t *testing.T) {
	dir := t.TempDir()
	set, records := filepath.Join(dir, "out@3"), []string{"a", "b", "c", "d"}
	want := []string{"out-00000-of-00003", "out-00001-of-00003", "out-00002-of-00003"}
	lost := attempt(t, set, WriteOptions{}, records...)
	all := attempt(t, set, WriteOptions{}, records...)
	if names := ls(t, dir); len(names) != 6 || !strings.HasPrefix(names[0], ".out-00000-of-00003"+hidden) {
		t.Fatalf("before the end: %q", names)
	}
	for i := range 3 { // the last attempts repeat a finished attempt
		shards, err := end(t, set, all)
		if err != nil || len(shards) != 3 || shards[0] != (Shard{Name: filepath.Join(dir, want[0]), Records: 2, Bytes: 2}) {
			t.Fatalf("end %d: %+v, %v", i, shards, err)
		}
		if names := ls(t, dir); !slices.Equal(names, want) {
			t.Fatalf("end %d: %q", i, names)
		}
	}
	// A first attempt that ends after the second attempt finds its hidden files removed; the shards have the same bytes.
	if _, err := end(t, set, lost); err != nil {
		t.Error(err)
	}
	// A shard with other bytes is an error, and so is a missing shard.
	if err := os.WriteFile(filepath.Join(dir, want[1]), []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := end(t, set, all); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), want[1]) {
		t.Error(err)
	}
	if _, err := end(t, set, all[:2]); err == nil || !strings.Contains(err.Error(), "want 3 shards written, got 2") {
		t.Error(err)
	}
	// A hidden file that another program has truncated is not renamed.
	all = attempt(t, set, WriteOptions{}, records...)
	if err := os.Truncate(all[2].Temporary, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := end(t, set, all); err == nil || !strings.Contains(err.Error(), want[2]) {
		t.Error(err)
	}
}

// TestLeftovers checks that only hidden files of the shards of the set are removed.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	set := filepath.Join(dir, "out@1")
	number := "0123456789abcdef"
	others := []string{
		".out-00000-of-00002" + hidden + number, // another set
		".out-00000-of-00001.gz" + hidden + number,
		".out-00000-of-00001" + hidden + number[1:],
		".out-00000-of-00001" + hidden + number + "0",
		".out-00000-of-00001",
		".tfparse-" + number,
		"out-00000-of-00001" + hidden + number,
	}
	for _, name := range append(others, ".out-00000-of-00001"+hidden+number) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := end(t, set, attempt(t, set, WriteOptions{})); err != nil {
		t.Fatal(err)
	}
	want := append(others, "out-00000-of-00001")
	slices.Sort(want)
	if got := ls(t, dir); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestRemoveLeftovers checks that the hidden files of a cancelled pipeline are removed, and no other files.
func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	set := filepath.Join(dir, "out@2")
	attempt(t, set, WriteOptions{}, "a", "b")
	if err := os.WriteFile(filepath.Join(dir, "other-00000-of-00001"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := RemoveLeftovers(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	if got := ls(t, dir); !slices.Equal(got, []string{"other-00000-of-00001"}) {
		t.Errorf("%q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := writeOptionsOf(nil)
	if _, err := writeShard(ctx, set, &o, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAttemptFails checks that a failed attempt leaves no file, whether the records, the disk or the engine made it fail.
func TestAttemptFails(t *testing.T) {
	dir := t.TempDir()
	o := writeOptionsOf(nil)
	ctx, cancel := context.WithCancel(t.Context())
	for i, each := range []func(put func([]byte) error) error{
		func(put func([]byte) error) error { return errors.Join(put([]byte("a")), errors.New("broken")) },
		func(put func([]byte) error) error { cancel(); return errors.Join(put([]byte("a")), ctx.Err()) },
	} {
		name := filepath.Join(dir, fmt.Sprint("out", i))
		if _, err := writeShard(ctx, name, &o, each); err == nil || !strings.Contains(err.Error(), name) {
			t.Error(err)
		}
		if names := ls(t, dir); len(names) != 0 {
			t.Errorf("left: %q", names)
		}
	}
}
