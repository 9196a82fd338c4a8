package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// slotBytes is the distance between two slots in a memory file. Only the bytes that are written take memory.
const slotBytes = 1 << 36

// A slotWriter passes a stream to another process in memory, which is 1.3 to 1.7 times as fast as a pipe. Both processes have the
// file open; the other one maps its slots. Standard input has the number of a free slot, as uint32, for each piece of the
// stream. Standard output gets the slot and the size of each piece, as two uint64. All are little-endian.
type slotWriter struct {
	file *os.File    // the slots; slot n begins at n times slotBytes
	free io.Reader   // numbers of slots that may be written
	out  *cli.Output // slots and sizes of the pieces
	slot uint32      // of the current piece, if it has bytes
	size int64       // of the current piece so far, in bytes
}

// newSlotWriter returns a writer to the slots of the file that is open as fd.
func newSlotWriter(fd uint, free io.Reader, out *cli.Output) *slotWriter {
	return &slotWriter{file: os.NewFile(uintptr(fd), "--slots"), free: free, out: out}
}

// Write adds bytes to the current piece.
func (w *slotWriter) Write(p []byte) (int, error) {
	if w.size == 0 && len(p) > 0 {
		if err := binary.Read(w.free, binary.LittleEndian, &w.slot); err != nil {
			return 0, cli.ErrClosedPipe // the reader has exited
		}
	}
	if int64(len(p)) > slotBytes-w.size {
		return 0, fmt.Errorf("want batches of at most %d bytes", int64(slotBytes))
	}
	n, err := w.file.WriteAt(p, int64(w.slot)*slotBytes+w.size)
	w.size += int64(n)
	return n, cli.OutputError("--slots", err)
}

// endPiece tells the reader of the current piece.
func (w *slotWriter) endPiece() error {
	piece := [2]uint64{uint64(w.slot), uint64(w.size)}
	w.size = 0
	return binary.Write(w.out, binary.LittleEndian, piece)
}
