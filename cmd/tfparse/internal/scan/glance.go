package scan

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/tfrecord"
)

// glanceBytes is how many bytes of a file are looked at for a Glance.
const glanceBytes = 64 << 10

// A Glance is what the first bytes of a file show of its messages, where records are not read. Of a file that is damaged
// there, or has no record that says something, nothing is known.
type Glance struct {
	Unknown bool   // they are none of those known here
	Looks   string // what they look like, if that is known
}

// glances looks at the first bytes of files when they are opened. A nil one does not.
type glances struct {
	codec tfrecord.Compression

	mu   sync.Mutex
	seen map[string]Glance // by name
}

// get returns what was seen of a file.
func (g *glances) get(name string) Glance {
	if g == nil {
		return Glance{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[name]
}

// add looks at the beginning of a file.
func (g *glances) add(name string, head []byte) {
	seen := glanceAt(head, g.codec)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen == nil {
		g.seen = map[string]Glance{}
	}
	g.seen[name] = seen
}

var heads = sync.Pool{New: func() any { return new([glanceBytes]byte) }}

// ofFile looks at a file that was opened. A local one stays as it is: records are skipped by seeking in it.
func (g *glances) ofFile(name string, f io.ReadCloser) io.ReadCloser {
	if g == nil {
		return f
	}
	file, local := f.(*os.File)
	if !local {
		return struct {
			io.Reader
			io.Closer
		}{g.of(name, f), f}
	}
	head := heads.Get().(*[glanceBytes]byte)
	defer heads.Put(head)
	n, _ := file.ReadAt(head[:], 0) // a pipe has no beginning to look at
	g.add(name, head[:n])
	return f
}

// of returns a reader that looks at the first bytes before it gives them.
func (g *glances) of(name string, r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, glanceBytes)
	return &lazyReader{b, func() {
		head, _ := b.Peek(glanceBytes) // an error comes again when it is read
		g.add(name, head)
	}}
}

// A lazyReader calls a function before the first Read.
type lazyReader struct {
	io.Reader
	first func() // nil after the first Read
}

func (l *lazyReader) Read(p []byte) (int, error) {
	if l.first != nil {
		l.first()
		l.first = nil
	}
	return l.Reader.Read(p)
}

// glanceAt looks at the first bytes of a file.
func glanceAt(head []byte, codec tfrecord.Compression) Glance {
	r := tfrecord.NewReader(bytes.NewReader(head), &tfrecord.ReaderOptions{Compression: codec})
	const enough = 4 << 10 // of a record that does not end here
	var recs [][]byte
	some := false
	for len(recs) < guessRecords {
		rec, err := r.Next()
		if err != nil {
			if e, ok := errors.AsType[*tfrecord.Error](err); ok && e.Class == tfrecord.Truncated && r.Compression() == tfrecord.None {
				rec = head[min(e.Offset+tfrecord.HeaderSize, int64(len(head))):]
			}
			if len(rec) < enough {
				break
			}
		}
		for mt := example.TypeExample; mt <= example.TypeExampleList; mt++ {
			if detect.Shows(mt, rec) && detect.Identify([][]byte{rec}) == "" {
				return Glance{}
			}
		}
		some = some || len(rec) > 0
		if err != nil {
			break
		}
		recs = append(recs, bytes.Clone(rec))
	}
	t, looks := decide(recs)
	return Glance{some && t == example.TypeAuto, looks}
}
