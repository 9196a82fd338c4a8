package cli

import (
	"bytes"
	"cmp"
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

// ErrClosedPipe is the error of writing to a pipe whose reader has exited, such as head. It is not a failure.
var ErrClosedPipe = errors.New("output pipe is closed")

// OutputError returns the error of writing to name for a message.
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

// SpillAt is the size of the buffer of an Output in bytes.
const SpillAt = 64 << 10

// An Output is standard output, or a file that appears under its name only when it is complete.
type Output struct {
	name string           // name for messages
	W    io.Writer        // standard output or File
	File *atomicfile.File // nil: standard output
	Buf  []byte           // buffered text; users append to it and call Spill
	err  error            // first write error; nothing is written after it

	// Answer is set by verbs whose result is the exit code. If the reader of the report exits, as head -1 and grep -q
	// do, the verb goes on without output, so that its exit code is the same.
	Answer  bool
	dropped bool // the reader has exited, and Answer is set
}

// Create begins an output. name is the value of -o: "" and "-" are standard output. read has the names of input files,
// which must not be overwritten; it may have empty names.
func (e *Env) Create(name string, read ...string) (*Output, error) {
	if !IsFile(name) {
		return e.Report(), nil
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

// Report begins standard output, for verbs that print a report.
func (e *Env) Report() *Output {
	w := e.Stdout
	if console.IsTerminal(w) {
		w = e.Console.Over(w)
	}
	return &Output{name: "standard output", W: w}
}

// CheckInputs returns an error if the output would overwrite an input.
func CheckInputs(name string, read []string) error {
	info, err := os.Stat(name)
	if !IsFile(name) || !storage.Remote(name) && (err != nil || !info.Mode().IsRegular()) {
		return nil
	}
	for _, other := range read {
		if other != Stdin && SameFile(name, other) {
			return Usagef("the output %s is one of the inputs", name)
		}
	}
	return nil
}

// SameFile reports whether two names are those of one file, which need not exist.
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

// Write writes the buffered text and p.
func (o *Output) Write(p []byte) (int, error) {
	if err := o.Flush(); err != nil {
		return 0, err
	}
	o.writeNow(p)
	return len(p), o.err
}

// writeNow writes p, unless an earlier write has failed.
func (o *Output) writeNow(p []byte) {
	if o.err != nil || o.dropped || len(p) == 0 {
		return
	}
	_, err := o.W.Write(p)
	if o.err = OutputError(o.name, err); o.Answer && errors.Is(o.err, ErrClosedPipe) {
		o.err, o.dropped = nil, true
	}
}

// Spill writes the buffered text if there are at least SpillAt bytes.
func (o *Output) Spill() error {
	if len(o.Buf) < SpillAt {
		return nil
	}
	return o.Flush()
}

// Flush writes the buffered text. It also returns the error of an earlier write, so that callers of package fmt may
// ignore errors.
func (o *Output) Flush() error {
	o.writeNow(o.Buf)
	o.Buf = o.Buf[:0]
	return o.err
}

// Finish ends the output of a verb that returned err. If err is nil a file becomes complete, otherwise it is removed.
// Standard output gets the buffered text in both cases.
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

// An OutputSet is one output, or several files that appear under their names together.
type OutputSet struct {
	Outputs []*Output
	set     *atomicfile.Set // nil: there is one output
}

// CreateSet begins an output, or the files of a set of shards. It is [Env.Create] otherwise.
func (e *Env) CreateSet(name string, read []string) (*OutputSet, error) {
	if !IsFile(name) || !filelist.IsSharded(filepath.ToSlash(name)) {
		o, err := e.Create(name, read...)
		return &OutputSet{Outputs: []*Output{o}}, err
	}
	names, err := filelist.ShardNames(name)
	if err != nil {
		return nil, Usagef("-o %w", err)
	}
	for _, name := range names {
		if err := cmp.Or(Elsewhere("-o ", name), CheckInputs(name, read)); err != nil {
			return nil, err
		}
	}
	set, err := atomicfile.CreateSet(names)
	if err != nil {
		return nil, shardError(err)
	}
	e.TrackFiles(set)
	all := &OutputSet{set: set}
	for i, f := range set.Files {
		all.Outputs = append(all.Outputs, &Output{name: names[i], W: f, File: f})
	}
	return all, nil
}

// Finish ends the outputs of a verb that returned err, as Output.Finish does.
func (s *OutputSet) Finish(err error) error {
	if s.set == nil {
		return s.Outputs[0].Finish(err)
	}
	defer s.set.Abort()
	for _, o := range s.Outputs {
		if err == nil {
			err = o.Flush()
		}
	}
	if err == nil {
		err = shardError(s.set.Commit())
	}
	return err
}

// Name returns the name of the file, for messages and for temporary files beside it.
func (o *Output) Name() string { return o.name }

// Stdin is the name of standard input among input files, and of standard output among outputs.
const Stdin = filelist.Stdin

// Known returns a pointer to v; nil if v is not known.
func Known[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

// JSONNames returns names of files for JSON reports.
func JSONNames(names []string) (all []jsonscan.Name) {
	for _, n := range names {
		all = append(all, jsonscan.Name(n))
	}
	return all
}

// CodecName returns the name of a codec for JSON reports; nil if it is not known.
func CodecName(c tfrecord.Compression) *string { return Known(c.String(), c != tfrecord.Auto) }

// AppendJSON appends v as JSON. It panics if v has no JSON form.
func AppendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // do not escape names of files
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Line appends a formatted line to the buffered text.
func (o *Output) Line(format string, args ...any) { o.Buf = fmt.Appendf(o.Buf, format+"\n", args...) }

// JSON appends a report as one line.
func (o *Output) JSON(report any) { o.Buf = append(AppendJSON(o.Buf, report), '\n') }
