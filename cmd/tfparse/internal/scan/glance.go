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

// headBytes is the number of bytes at the beginning of a file that are inspected.
const headBytes = 64 << 10

// A Glance is the format of the messages in a file, as detected in its first bytes without reading records. The zero
// value means that the messages are known ones, or that nothing was detected.
type Glance struct {
	Unknown bool   // the messages are of no type that the command knows
	Looks   string // detected format; "" if it is not known
}

// headCache inspects the first bytes of files when they are opened, and keeps the results. A nil headCache does
// nothing.
type headCache struct {
	codec tfrecord.Compression // of the files

	mu     sync.Mutex        // guards byName
	byName map[string]Glance // by name
}

// get returns the result for a file.
func (g *headCache) get(name string) Glance {
	if g == nil {
		return Glance{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.byName[name]
}

// add inspects the beginning of a file.
func (g *headCache) add(name string, head []byte) {
	glance := inspectHead(head, g.codec)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byName == nil {
		g.byName = map[string]Glance{}
	}
	g.byName[name] = glance
}

// heads is a pool of buffers for the first bytes of files.
var heads = sync.Pool{New: func() any { return new([headBytes]byte) }}

// wrapFile inspects an open file. It returns a local file as it is, since records in it are skipped by seeking.
func (g *headCache) wrapFile(name string, f io.ReadCloser) io.ReadCloser {
	if g == nil {
		return f
	}
	file, local := f.(*os.File)
	if !local {
		return struct {
			io.Reader
			io.Closer
		}{g.wrapReader(name, f), f}
	}
	head := heads.Get().(*[headBytes]byte)
	defer heads.Put(head)
	n, _ := file.ReadAt(head[:], 0) // a pipe cannot be read at an offset
	g.add(name, head[:n])
	return f
}

// wrapReader returns a reader that inspects the first bytes before it returns them.
func (g *headCache) wrapReader(name string, r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, headBytes)
	return &lazyReader{b, func() {
		head, _ := b.Peek(headBytes) // the error is returned by Read
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

// inspectHead returns the Glance for the first bytes of a file.
func inspectHead(head []byte, codec tfrecord.Compression) Glance {
	r := tfrecord.NewReader(bytes.NewReader(head), &tfrecord.ReaderOptions{Compression: codec})
	const enough = 4 << 10 // number of bytes of a truncated record from which its type can be detected
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
	t, looks := detectType(recs)
	return Glance{some && t == example.TypeAuto, looks}
}
