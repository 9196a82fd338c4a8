package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// ErrClosedPipe is the error of output whose reader has gone away, which is how a
// pipe into head ends: no failure.
var ErrClosedPipe = errors.New("output pipe is closed")

// OutputError makes an error of writing to name fit for a message.
func OutputError(name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return ErrClosedPipe
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok && runtime.GOOS == "windows" && (errno == 109 || errno == 232) {
		return ErrClosedPipe // ERROR_BROKEN_PIPE, ERROR_NO_DATA
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s: cannot write: %w", name, err)
}

// SpillAt is how much text an output gathers before it is written.
const SpillAt = 64 << 10

// An Output is standard output, or the file that -o names, which appears under
// its name only when all of it has been written.
type Output struct {
	name string           // for messages
	W    io.Writer        // standard output, or File
	File *atomicfile.File // nil: standard output
	Buf  []byte           // text not yet written; users append to it and call spill
	err  error            // of the first write that failed; nothing is written after it

	// answer is set by verbs whose answer is their exit code. It must be the same when
	// the reader of the report goes away, as head -1 and grep -q do: the verb runs to
	// its end, and what it would have written is dropped.
	Answer  bool
	dropped bool // the reader has gone away
}

// Create begins the output of a verb: name is the value of -o, "" or "-" for
// standard output. Writing over one of the files that are read is refused; names that are
// empty are none.
func (e *Env) Create(name string, read ...string) (*Output, error) {
	if !IsFile(name) {
		w := e.Stdout
		if console.IsTerminal(w) {
			w = e.Console.Over(w)
		}
		return &Output{name: "standard output", W: w}, nil
	}
	if err := Elsewhere("-o ", name); err != nil {
		return nil, err
	}
	if err := CheckSharded(name); err != nil {
		return nil, err
	}
	if err := CheckInputs(name, read); err != nil {
		return nil, err
	}
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, OutputError(name, err)
	}
	e.TrackFiles(f)
	return &Output{name: name, W: f, File: f}, nil
}

// CheckInputs refuses an output over one of the inputs.
func CheckInputs(name string, read []string) error {
	info, err := os.Stat(name)
	remote := storage.Remote(name)
	if !IsFile(name) || !remote && (err != nil || !info.Mode().IsRegular()) {
		return nil
	}
	for _, other := range read {
		same := remote && storage.Clean(other) == storage.Clean(name)
		if of, err := os.Stat(other); !remote && err == nil && other != Stdin {
			same = os.SameFile(info, of)
		}
		if same {
			return Usagef("the output %s is one of the inputs", name)
		}
	}
	return nil
}

// SameFile reports whether two names are those of one file, which need not be there.
func SameFile(a, b string) bool {
	if storage.Remote(a) || storage.Remote(b) {
		return storage.Clean(a) == storage.Clean(b)
	}
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	if err1 == nil && err2 == nil {
		return os.SameFile(one, two)
	}
	one1, err1 := filepath.Abs(a)
	two1, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && one1 == two1
}

// Write writes p after the gathered text.
func (o *Output) Write(p []byte) (int, error) {
	if err := o.Flush(); err != nil {
		return 0, err
	}
	o.writeNow(p)
	return len(p), o.err
}

// writeNow writes p, unless a write has failed before.
func (o *Output) writeNow(p []byte) {
	if o.err != nil || o.dropped || len(p) == 0 {
		return
	}
	_, err := o.W.Write(p)
	if o.err = OutputError(o.name, err); o.Answer && errors.Is(o.err, ErrClosedPipe) {
		o.err, o.dropped = nil, true
	}
}

// Spill writes the gathered text once there is enough of it.
func (o *Output) Spill() error {
	if len(o.Buf) < SpillAt {
		return nil
	}
	return o.Flush()
}

// Flush writes the gathered text. It returns the error of an earlier write too,
// so that text written by callers that ignore errors, as with package fmt, is
// not lost in silence.
func (o *Output) Flush() error {
	o.writeNow(o.Buf)
	o.Buf = o.Buf[:0]
	return o.err
}

// Finish ends the output of a verb that returned err. A file is completed if
// err is nil and dropped otherwise; standard output is given what was
// gathered, since it has the rest already.
func (o *Output) Finish(err error) error {
	if o.File == nil {
		if ferr := o.Flush(); err == nil {
			err = ferr
		}
		return err
	}
	defer o.File.Abort()
	if err == nil {
		err = o.Flush()
	}
	if err != nil {
		return err
	}
	return OutputError(o.name, o.File.Commit())
}

// Stdin stands for standard input among names of files that are read, and for standard
// output among those that are written.
const Stdin = filelist.Stdin

// Known returns a pointer to v, or nil for what is not known.
func Known[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

// JSONNames returns names of files as reports in JSON print them.
func JSONNames(names []string) (all []jsonscan.Name) {
	for _, n := range names {
		all = append(all, jsonscan.Name(n))
	}
	return all
}

// CodecName is the name of a codec in reports, or nil where it is not known.
func CodecName(c tfrecord.Compression) *string { return Known(c.String(), c != tfrecord.Auto) }

// AppendJSON appends v, which is one that can be.
func AppendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // names of files are for people too
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// JSON adds a report as one line.
func (o *Output) JSON(report any) { o.Buf = append(AppendJSON(o.Buf, report), '\n') }
