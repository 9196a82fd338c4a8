package export

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// TestSlotWriter checks the places of pieces, and the error when the reader has exited.
func TestSlotWriter(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "slots"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var free bytes.Buffer
	binary.Write(&free, binary.LittleEndian, [2]uint32{1, 0})
	var pieces bytes.Buffer
	w := &slotWriter{file: file, free: &free, out: &cli.Output{W: &pieces}}
	for _, parts := range [][]string{{"ab", "", "cde"}, {"", "f"}} {
		for _, p := range parts {
			if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
				t.Fatalf("Write(%q) = %d, %v", p, n, err)
			}
		}
		if err := w.endPiece(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write([]byte("g")); !errors.Is(err, cli.ErrClosedPipe) {
		t.Errorf("without a free slot: %v", err)
	}
	var got [2][2]uint64
	if err := binary.Read(&pieces, binary.LittleEndian, &got); err != nil || got != [2][2]uint64{{1, 5}, {0, 1}} || pieces.Len() > 0 {
		t.Errorf("slots and sizes %v, %v, and %d bytes", got, err, pieces.Len())
	}
	for at, want := range map[int64]string{0: "f", slotBytes: "abcde"} {
		b := make([]byte, len(want))
		if _, err := file.ReadAt(b, at); string(b) != want {
			t.Errorf("at %d: got %q, %v, want %q", at, b, err, want)
		}
	}
}
