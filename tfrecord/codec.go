package tfrecord

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A Compression is the codec of a whole stream.
type Compression uint8

// The codecs. TensorFlow reads None, GZIP, ZLIB and SNAPPY, but not ZSTD.
const (
	Auto   Compression = iota // a Reader detects the codec; a Writer uses None
	None                      // "none"
	GZIP                      // "gzip"
	ZLIB                      // "zlib"
	SNAPPY                    // "snappy": TensorFlow's block framing
	ZSTD                      // "zstd": not readable by TensorFlow
)

var compressionNames = [...]string{"auto", "none", "gzip", "zlib", "snappy", "zstd"}

// Compressions returns the codecs that can be read and written, from None to ZSTD, in the order of
// their values. Auto is not one of them.
func Compressions() []Compression {
	all := make([]Compression, 0, len(compressionNames)-1)
	for c := None; int(c) < len(compressionNames); c++ {
		all = append(all, c)
	}
	return all
}

// String returns the lower-case name.
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

// UnmarshalText implements [encoding.TextUnmarshaler]. It accepts the names in lower and upper
// case, as TensorFlow spells them, and "" for None.
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

// prefixSize is the number of bytes kept from the beginning of a compressed input, to identify the input if it is
// not of its codec. The magic number of a tar archive ends at byte 262.
const prefixSize = 512

// input is the compressed stream in front of a decoder. It counts what the decoder has consumed and
// keeps the first bytes and the error of the source.
type input struct {
	source    io.Reader     // source of the compressed bytes
	pending   []byte        // bytes that were read already and come first
	srcErr    error         // error of source, to be returned after pending
	delivered int64         // number of bytes given to buffered
	prefix    []byte        // the first bytes of the input, up to prefixSize
	readErr   error         // error of source other than io.EOF
	buffered  *bufio.Reader // reads this input; decoders read from it
	backlog   backlog       // the last bytes, for recovery
	endOffset int64         // if above 0: offset where the decoder stopped for good
}

// reset makes the input deliver pending, then srcErr or the bytes of src. It keeps its memory.
func (in *input) reset(src io.Reader, pending []byte, srcErr error) {
	*in = input{source: src, pending: pending, srcErr: srcErr, prefix: in.prefix[:0], buffered: in.buffered, backlog: backlog{enabled: in.backlog.enabled, recent: in.backlog.recent[:0], rereadBudget: backlogSize, probe: in.backlog.probe}}
	if in.buffered == nil {
		in.buffered = bufio.NewReaderSize(in, 64<<10)
	} else {
		in.buffered.Reset(in)
	}
}

// Read implements [io.Reader], for in.buffered.
func (in *input) Read(p []byte) (n int, err error) {
	switch {
	case len(in.pending) > 0:
		n = copy(p, in.pending)
		in.pending = in.pending[n:]
	case in.srcErr != nil:
		err = in.srcErr
	default:
		n, err = readSome(in.source, p)
		in.srcErr = err
	}
	in.delivered += int64(n)
	in.backlog.appendRecent(p[:n])
	if missing := prefixSize - len(in.prefix); missing > 0 {
		in.prefix = append(in.prefix, p[:min(n, missing)]...)
	}
	if err != nil && err != io.EOF {
		in.readErr = err
	}
	return n, err
}

// consumed returns the number of bytes that the decoder has read.
func (in *input) consumed() int64 {
	switch {
	case in.buffered == nil:
		return 0
	case in.endOffset > 0:
		return in.endOffset
	}
	return in.delivered - int64(in.buffered.Buffered())
}

// peekPrefix returns the first bytes of the input, up to prefixSize. It reads ahead if the decoder
// has not come that far.
func (in *input) peekPrefix() []byte {
	for len(in.prefix) < prefixSize {
		if _, err := in.buffered.Peek(in.buffered.Buffered() + 1); err != nil {
			break
		}
	}
	return in.prefix
}

// decoders holds at most one decoder of each kind. They are made when they are first needed and
// then reused.
type decoders struct {
	deflate *deflateReader // for GZIP and ZLIB
	snappy  *snappyReader
	zstd    *zstdReader
}

// openDecoder returns a decoder for c that reads in. Its Read returns io.EOF at the end of a
// complete stream, io.ErrUnexpectedEOF if the stream is truncated, and other errors for damage or a
// failing source.
func (d *decoders) openDecoder(c Compression, in *input, maxBlock int64) (io.Reader, error) {
	switch c {
	case GZIP, ZLIB:
		if d.deflate == nil {
			d.deflate = new(deflateReader)
		}
		d.deflate.reset(in.buffered, c)
		d.deflate.input = in
		return d.deflate, nil
	case SNAPPY:
		if d.snappy == nil {
			d.snappy = new(snappyReader)
		}
		d.snappy.reset(in.buffered, maxBlock)
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
