package main

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/tfrecord"
)

// A policy says what to do about a fault in the input.
type policy uint8

const (
	stop policy = iota
	skip
)

var policyNames = []string{"stop", "skip"}

func (p policy) MarshalText() ([]byte, error)     { return []byte(policyNames[p]), nil }
func (p *policy) UnmarshalText(text []byte) error { return setName(p, policyNames, text) }

// A format says whom a report is for.
type format uint8

const (
	formatText format = iota
	formatJSON
)

var formatNames = []string{"text", "json"}

func (f format) MarshalText() ([]byte, error)     { return []byte(formatNames[f]), nil }
func (f *format) UnmarshalText(text []byte) error { return setName(f, formatNames, text) }

// A when says whether progress is shown.
type when uint8

const (
	auto when = iota
	always
	never
)

var whenNames = []string{"auto", "always", "never"}

func (w when) MarshalText() ([]byte, error)     { return []byte(whenNames[w]), nil }
func (w *when) UnmarshalText(text []byte) error { return setName(w, whenNames, text) }

func setName[T ~uint8](v *T, names []string, text []byte) error {
	for i, name := range names {
		if name == string(text) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("want one of %s", strings.Join(names, ", "))
}

// A size is a number of bytes. Its text form may end in K, M, G or T, with iB or
// without, for powers of 1024, and in KB, MB, GB or TB for powers of 1000. Behind it there
// may be -1.
type size int64

func (s size) MarshalText() ([]byte, error) {
	if s > 0 && s%(1<<20) == 1<<20-1 { // as most limits are, one less than a round number
		text, err := (s + 1).MarshalText()
		return append(text, "-1"...), err
	}
	for i := len(sizeUnits) - 1; i >= 0; i-- {
		if u := sizeUnits[i]; strings.HasSuffix(u.name, "iB") && s > 0 && int64(s)%u.bytes == 0 {
			return fmt.Appendf(nil, "%d%s", int64(s)/u.bytes, u.name), nil
		}
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"K", 1 << 10}, {"KB", 1e3}, {"KiB", 1 << 10},
	{"M", 1 << 20}, {"MB", 1e6}, {"MiB", 1 << 20},
	{"G", 1 << 30}, {"GB", 1e9}, {"GiB", 1 << 30},
	{"T", 1 << 40}, {"TB", 1e12}, {"TiB", 1 << 40},
}

func (s *size) UnmarshalText(text []byte) error {
	text, less := bytes.CutSuffix(text, []byte("-1"))
	digits := strings.TrimRight(string(text), "KMGTiB")
	unit := string(text[len(digits):])
	factor := int64(0)
	if unit == "" || unit == "B" {
		factor = 1
	}
	for _, u := range sizeUnits {
		if u.name == unit {
			factor = u.bytes
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), factor == 0:
		return errors.New("want a size such as 65536, 64KiB or 1GB")
	case err != nil, n > math.MaxInt64/factor:
		return errors.New("size is too large")
	case n <= 0:
		return errors.New("size is not positive")
	}
	if n *= factor; less {
		n--
	}
	if n == 0 {
		return errors.New("size is not positive")
	}
	*s = size(n)
	return nil
}

// A natural is a number that is not negative.
type natural int

func (n natural) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil }

func (n *natural) UnmarshalText(text []byte) error {
	v, err := strconv.ParseInt(string(text), 10, 0)
	if err != nil || v < 0 {
		return errors.New("want a number that is not negative")
	}
	*n = natural(v)
	return nil
}

// Annotations on flags, for completion.
const (
	valuesNote = "values" // the values that a flag takes
	filesNote  = "files"  // a flag takes the name of a file
)

// An enum is a value with a text form, by pointer.
type enum interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

// enumVar defines a flag with a fixed set of values. What p points to is the default.
func enumVar(fs *pflag.FlagSet, p enum, name string, values []string, usage string) {
	fs.TextVar(p, name, p, usage)
	fs.SetAnnotation(name, valuesNote, values)
}

// An outputName is the value of -o.
type outputName string

func (o *outputName) String() string { return string(*o) }
func (o *outputName) Type() string   { return "string" }

func (o *outputName) Set(name string) error {
	if name == "" {
		return errors.New("want the name of a file, or - for standard output")
	}
	if atomicfile.IsStdout(name) {
		name = inputs.Stdin
	}
	*o = outputName(name)
	return nil
}

// outputVar defines -o. Without it *p is empty, which is standard output where there is
// an output without it.
func outputVar(fs *pflag.FlagSet, p *string, usage string) {
	fs.VarP((*outputName)(p), "output", "o", usage)
	fs.SetAnnotation("output", filesNote, nil)
}

// isFile reports whether the value of -o is the name of a file, and not that of standard
// output.
func isFile(output string) bool { return output != "" && output != inputs.Stdin }

func formatVar(fs *pflag.FlagSet, p *format) {
	enumVar(fs, p, "format", formatNames, "print the report as `FORMAT`: text or json")
}

// compressionNames are the codecs of outputs; those of inputs have auto before them.
var compressionNames = func() (names []string) {
	for _, c := range tfrecord.Compressions() {
		names = append(names, c.String())
	}
	return names
}()

// oneOf writes values as the text of a flag says them: a, b or c.
func oneOf(values []string) string {
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// A reading holds the flags of every verb that reads records.
type reading struct {
	compression tfrecord.Compression
	maxRecord   size
	noCRC       bool
	onError     policy
	messages    natural // about records, as long as they are skipped
	progress    when
	printing    bool // records go to standard output while they are read

	allowMissing bool // shards of a set
	anyName      bool // what a directory holds need not be TFRecords

	passedOver []string // files of directories, for their names
}

// add defines the flags. codec is the name of the flag for the codec of the
// input: "compression", unless that speaks of the output.
func (r *reading) add(fs *pflag.FlagSet, codec string) {
	r.maxRecord = tfrecord.MaxRecordSize
	names := slices.Concat([]string{tfrecord.Auto.String()}, compressionNames)
	enumVar(fs, &r.compression, codec, names, "read the `CODEC`: "+oneOf(names))
	fs.TextVar(&r.maxRecord, "max-record-size", &r.maxRecord, "refuse records of more than `SIZE` bytes, as 64MiB")
	fs.BoolVar(&r.noCRC, "no-crc", false, "do not verify checksums, except where damage is skipped")
	r.addCommon(fs)
}

// addCommon defines those flags that make sense for other input too.
func (r *reading) addCommon(fs *pflag.FlagSet) {
	enumVar(fs, &r.onError, "on-error", policyNames, "`ACTION` at bad input: stop, or skip to what is intact")
	r.messages = 20
	fs.TextVar(&r.messages, "max-messages", r.messages, "tell of at most `N` faults that are skipped, and count the rest")
	fs.BoolVar(&r.allowMissing, "allow-missing-shards", false, "read the others where shards of a set are missing")
	enumVar(fs, &r.progress, "progress", whenNames, "show progress on standard error, `WHEN`: auto, always or never")
}

// mostJobs is more goroutines than any machine has use for.
const mostJobs = 10_000

// checkJobs checks the value of --jobs.
func checkJobs(n int) error {
	switch {
	case n < 1:
		return usagef("--jobs is at least 1")
	case n > mostJobs:
		return usagef("--jobs is at most %d", mostJobs)
	}
	return nil
}

// refuseRaw refuses records of which nothing is known but their bytes.
func refuseRaw(t recordjson.Type) error {
	if t == recordjson.Raw {
		return usagef("records of type raw have no features")
	}
	return nil
}

// walk reads the inputs as the flags say. opts may be nil.
func (r *reading) walk(e *env, in []inputs.Input, opts *walk.Options, v walk.Visitor) error {
	if opts == nil {
		opts = &walk.Options{}
	}
	return r.with(e, in, opts, func() error { return walk.Walk(e.ctx, in, opts, v) })
}

// with fills in the options that the flags say, and shows the progress of read.
func (r *reading) with(e *env, in []inputs.Input, opts *walk.Options, read func() error) error {
	opts.Stdin = e.stdin
	opts.Step = opts.Step || r.onError == skip
	opts.Reader = tfrecord.ReaderOptions{
		Compression:   r.compression,
		MaxRecordSize: int64(r.maxRecord),
		SkipChecksums: r.noCRC,
	}
	if p := r.showProgress(e, in); p != nil {
		defer e.console.Show(p)()
		opts.Progress = p
	}
	return read()
}

// showProgress returns what to show progress of, or nil.
func (r *reading) showProgress(e *env, in []inputs.Input) *console.Progress {
	switch {
	case r.progress == never:
		return nil
	case r.progress == auto && !console.CanErase(e.stderr):
		return nil
	case r.progress == auto && r.printing && console.IsTerminal(e.stdout):
		return nil // the records show it
	case r.progress == auto && console.IsTerminal(e.stdin) && slices.ContainsFunc(in, func(i inputs.Input) bool { return i.Name == inputs.Stdin }):
		return nil // it would be drawn over what is typed
	}
	return &console.Progress{Total: inputs.TotalSize(in)}
}
