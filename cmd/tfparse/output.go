package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/tfrecord"
)

// errClosedPipe says that nobody reads the output any more, which is how a
// pipe into head ends: no failure.
var errClosedPipe = errors.New("output pipe is closed")

// outputError makes an error of writing to name fit for a message.
func outputError(name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return errClosedPipe
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok && runtime.GOOS == "windows" && (errno == 109 || errno == 232) {
		return errClosedPipe // ERROR_BROKEN_PIPE, ERROR_NO_DATA
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s: cannot write: %w", name, err)
}

// spillAt is how much text an output gathers before it is written.
const spillAt = 64 << 10

// An output is standard output, or the file that -o names, which appears under
// its name only when all of it has been written.
type output struct {
	name string
	w    io.Writer
	file *atomicfile.File // nil: standard output
	buf  []byte           // text not yet written; users append to it and call spill
	err  error            // of the first write that failed; nothing is written after it

	// answer is set by verbs whose answer is their exit code. It must be the same when
	// the reader of the report goes away, as head -1 and grep -q do: the verb runs to
	// its end, and what it would have written is dropped.
	answer  bool
	dropped bool // the reader has gone away
}

// create begins the output of a verb: name is the value of -o, "" or "-" for
// standard output. Writing over one of the inputs, or of what else is read, is refused.
func (e *env) create(name string, in []inputs.Input) (*output, error) {
	if !isFile(name) {
		w := e.stdout
		if console.IsTerminal(w) {
			w = e.console.Over(w)
		}
		return &output{name: "standard output", w: w}, nil
	}
	if advice := inputs.ElsewhereOutput(name); advice != "" {
		return nil, usagef("-o %s: %s", name, advice)
	}
	if err := checkSharded(name); err != nil {
		return nil, err
	}
	if err := checkInputs(name, in); err != nil {
		return nil, err
	}
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, outputError(name, err)
	}
	e.keep(f)
	return &output{name: name, w: f, file: f}, nil
}

// checkInputs refuses an output over one of the inputs.
func checkInputs(name string, in []inputs.Input) error {
	info, err := os.Stat(name)
	if !isFile(name) || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	for _, i := range in {
		if other, err := os.Stat(i.Name); err == nil && i.Name != inputs.Stdin && os.SameFile(info, other) {
			return usagef("the output %s is one of the inputs", name)
		}
	}
	return nil
}

// withFiles adds files that are read besides the inputs, so that no output is written
// over them. Empty names are none.
func withFiles(in []inputs.Input, names ...string) []inputs.Input {
	in = slices.Clip(in)
	for _, name := range names {
		if name != "" {
			in = append(in, inputs.Input{Name: name})
		}
	}
	return in
}

// sameFile reports whether two names are those of one file, which need not be there.
func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	if err1 == nil && err2 == nil {
		return os.SameFile(one, two)
	}
	one1, err1 := filepath.Abs(a)
	two1, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && one1 == two1
}

// Write writes p, behind what was gathered.
func (o *output) Write(p []byte) (int, error) {
	if err := o.flush(); err != nil {
		return 0, err
	}
	o.put(p)
	return len(p), o.err
}

// put writes p, unless a write has failed before.
func (o *output) put(p []byte) {
	if o.err != nil || o.dropped || len(p) == 0 {
		return
	}
	_, err := o.w.Write(p)
	if o.err = outputError(o.name, err); o.answer && errors.Is(o.err, errClosedPipe) {
		o.err, o.dropped = nil, true
	}
}

// spill writes the gathered text once there is enough of it.
func (o *output) spill() error {
	if len(o.buf) < spillAt {
		return nil
	}
	return o.flush()
}

// flush writes the gathered text. It returns the error of an earlier write too,
// so that text made by those who look at no errors, as those of package fmt, is
// not lost in silence.
func (o *output) flush() error {
	o.put(o.buf)
	o.buf = o.buf[:0]
	return o.err
}

// finish ends the output of a verb that returned err. A file is completed if
// err is nil and dropped otherwise; standard output is given what was
// gathered, since it has the rest already.
func (o *output) finish(err error) error {
	if o.file == nil {
		if ferr := o.flush(); err == nil {
			err = ferr
		}
		return err
	}
	defer o.file.Abort()
	if err == nil {
		err = o.flush()
	}
	if err != nil {
		return err
	}
	return outputError(o.name, o.file.Commit())
}

// A recordOutput is an output of records.
type recordOutput struct {
	*output
	*tfrecord.Writer
	records int64 // written
}

// createRecords begins an output of records. They are not text: a terminal is
// refused.
func (e *env) createRecords(name string, in []inputs.Input, opts *tfrecord.WriterOptions) (*recordOutput, error) {
	if name == "" {
		return nil, usagef("no output; name it with -o (- is standard output)")
	}
	if name == "-" && console.IsTerminal(e.stdout) {
		return nil, usagef("records are not for a terminal; name a file with -o, or write to a pipe")
	}
	if err := checkInputs(name, in); err != nil {
		return nil, err
	}
	if err := checkRecordsName(name, opts.Compression); err != nil {
		return nil, err
	}
	o, err := e.create(name, in)
	if err != nil {
		return nil, err
	}
	return &recordOutput{output: o, Writer: tfrecord.NewWriter(o.w, opts)}, nil
}

// write writes one record.
func (o *recordOutput) write(rec []byte) error {
	o.records++
	return outputError(o.name, o.WriteRecord(rec))
}

// refuseEmpty returns the error of an output that no record was written to.
func (o *recordOutput) refuseEmpty(reason string) error {
	return fmt.Errorf("%s is not written: %s; --allow-empty writes an empty file", o.name, reason)
}

// allowEmptyVar adds the flag that refuseEmpty names.
func allowEmptyVar(fs *pflag.FlagSet, allow *bool) {
	fs.BoolVar(allow, "allow-empty", false, "write an empty file where the input has no records")
}

// finish is finish of an output; records are complete only when their codec is.
func (o *recordOutput) finish(err error) error {
	if err == nil {
		err = outputError(o.name, o.Close())
	}
	return o.output.finish(err)
}
