package tfrecord

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A Compression names the codec around a whole stream.
type Compression uint8

// The codecs. TensorFlow reads NONE, GZIP, ZLIB and SNAPPY; it does not read
// ZSTD.
const (
	Auto   Compression = iota // a Reader finds out; a Writer takes None
	None                      // "none"
	GZIP                      // "gzip"
	ZLIB                      // "zlib"
	SNAPPY                    // "snappy": TensorFlow's block framing
	ZSTD                      // "zstd": not readable by TensorFlow
)

var compressionNames = [...]string{"auto", "none", "gzip", "zlib", "snappy", "zstd"}

// Compressions returns the codecs that a Reader reads and a Writer writes, None
// included, in the order of their values. Auto is not one of them.
func Compressions() []Compression {
	all := make([]Compression, 0, len(compressionNames)-1)
	for c := None; int(c) < len(compressionNames); c++ {
		all = append(all, c)
	}
	return all
}

// String returns the text form.
func (c Compression) String() string {
	if int(c) < len(compressionNames) {
		return compressionNames[c]
	}
	return fmt.Sprintf("compression(%d)", uint8(c))
}

// MarshalText implements [encoding.TextMarshaler].
func (c Compression) MarshalText() ([]byte, error) {
	if int(c) >= len(compressionNames) {
		return nil, fmt.Errorf("tfrecord: unknown compression %d", uint8(c))
	}
	return []byte(compressionNames[c]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It takes the text form
// in lower or upper case, hence TensorFlow's names too, and "" for None, as
// TensorFlow spells it.
func (c *Compression) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*c = None
		return nil
	}
	s := string(b)
	for i, name := range compressionNames {
		if s == name || s == strings.ToUpper(name) {
			*c = Compression(i)
			return nil
		}
	}
	last := len(compressionNames) - 1
	return fmt.Errorf("tfrecord: unknown compression %q: want %s or %s", s, strings.Join(compressionNames[:last], ", "), compressionNames[last])
}

// headSize is how much of the start of a compressed input is kept to say what
// it is when it turns out not to be what it was taken for. The magic of a tar
// archive ends at byte 262.
const headSize = 512

// An input is a compressed stream on its way to a decoder. It counts what is
// read and keeps the first bytes and the error of the source.
type input struct {
	src     io.Reader
	pending []byte // read already, to be given out first
	srcErr  error  // behind pending
	n       int64  // bytes given out
	head    []byte
	failed  error // what src failed with, if not io.EOF
	br      *bufio.Reader
	back    backlog // for what follows damage
	stopped int64   // if above 0: where the decoder stopped, and nothing followed
}

func (in *input) reset(src io.Reader, pending []byte, srcErr error) {
	*in = input{src: src, pending: pending, srcErr: srcErr, head: in.head[:0], br: in.br, back: backlog{on: in.back.on, bytes: in.back.bytes[:0], budget: lookBack, trial: in.back.trial}}
	if in.br == nil {
		in.br = bufio.NewReaderSize(in, 64<<10)
	} else {
		in.br.Reset(in)
	}
}

func (in *input) Read(p []byte) (n int, err error) {
	switch {
	case len(in.pending) > 0:
		n = copy(p, in.pending)
		in.pending = in.pending[n:]
	case in.srcErr != nil:
		err = in.srcErr
	default:
		n, err = read(in.src, p)
		in.srcErr = err
	}
	in.n += int64(n)
	in.back.keep(p[:n])
	if missing := headSize - len(in.head); missing > 0 {
		in.head = append(in.head, p[:min(n, missing)]...)
	}
	if err != nil && err != io.EOF {
		in.failed = err
	}
	return n, err
}

// consumed is the number of bytes that the decoder has taken.
func (in *input) consumed() int64 {
	switch {
	case in.br == nil:
		return 0
	case in.stopped > 0:
		return in.stopped
	}
	return in.n - int64(in.br.Buffered())
}

// lookHead returns the first bytes of the input, up to headSize, reading ahead
// if that many have not come by yet.
func (in *input) lookHead() []byte {
	for len(in.head) < headSize {
		if _, err := in.br.Peek(in.br.Buffered() + 1); err != nil {
			break
		}
	}
	return in.head
}

// decoders holds one decoder of each kind, made when first needed.
type decoders struct {
	deflate *deflateReader
	snappy  *snappyReader
	zstd    *zstdReader
}

// open returns a decoder of kind c that reads in. A decoder's Read returns
// io.EOF at the end of a complete stream, io.ErrUnexpectedEOF when the stream
// is cut, and any other error for damage or a failing source.
func (d *decoders) open(c Compression, in *input, maxBlock int64) (io.Reader, error) {
	switch c {
	case GZIP, ZLIB:
		if d.deflate == nil {
			d.deflate = new(deflateReader)
		}
		d.deflate.reset(in.br, c)
		d.deflate.in = in
		return d.deflate, nil
	case SNAPPY:
		if d.snappy == nil {
			d.snappy = new(snappyReader)
		}
		d.snappy.reset(in.br, maxBlock)
		return d.snappy, nil
	case ZSTD:
		if d.zstd == nil {
			z, err := newZstdReader()
			if err != nil {
				return nil, err
			}
			d.zstd = z
		}
		d.zstd.reset(in)
		return d.zstd, nil
	}
	return nil, fmt.Errorf("tfrecord: no decoder for %v", c)
}
