package cli

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Policy is the value of --on-error: the reaction to a fault in the input.
type Policy uint8

// The command stops at a fault, or skips it.
const (
	Stop Policy = iota
	Skip
)

// PolicyNames are the values of --on-error.
var PolicyNames = []string{"stop", "skip"}

// A Format is the value of --format: text for people, or JSON for programs.
type Format uint8

// The formats of reports.
const (
	FormatText Format = iota
	FormatJSON
)

var formatNames = []string{"text", "json"}

// A When is the value of --progress and --color.
type When uint8

// WhenAuto depends on the terminal.
const (
	WhenAuto When = iota
	WhenAlways
	WhenNever
)

// WhenNames are the values of --progress and --color.
var WhenNames = []string{"auto", "always", "never"}

// A choice is a flag value of one of some names. The value is the index of the name.
type choice[T ~uint8] struct {
	p     *T
	names []string
}

func (c choice[T]) String() string { return c.names[*c.p] }

func (c choice[T]) Type() string { return "choice" }

func (c choice[T]) Set(text string) error {
	i := slices.Index(c.names, text)
	if i < 0 {
		return fmt.Errorf("want one of %s", strings.Join(c.names, ", "))
	}
	*c.p = T(i)
	return nil
}

// ChoiceVar defines a flag with one of some names. The default is *p.
func ChoiceVar[T ~uint8](fs *pflag.FlagSet, p *T, name string, names []string, usage string) {
	fs.Var(choice[T]{p, names}, name, usage)
	fs.SetAnnotation(name, ValuesNote, names)
}

// A number is a flag value of an integer within limits.
type number[T int | int64] struct {
	p           *T
	least, most T
}

func (n number[T]) String() string { return strconv.FormatInt(int64(*n.p), 10) }

func (n number[T]) Type() string { return "number" }

func (n number[T]) Set(text string) error {
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return err
	case err != nil:
		return errors.New("want a whole number")
	case v < int64(n.least) || v > int64(n.most):
		if int64(n.most) >= math.MaxInt32 {
			return fmt.Errorf("want at least %d", n.least)
		}
		return fmt.Errorf("want %d to %d", n.least, n.most)
	}
	*n.p = T(v)
	return nil
}

// Number returns the value of a flag with an integer from least to most. The default is *p, which may be outside.
func Number[T int | int64](p *T, least, most T) pflag.Value { return number[T]{p, least, most} }

// NumberVar defines a flag with an integer of at least least.
func NumberVar[T int | int64](fs *pflag.FlagSet, p *T, name string, value, least T, usage string) {
	*p = value
	fs.Var(Number(p, least, T(math.MaxInt)), name, usage)
}

// A nonNegative is a flag value of a number that is at least 0. It is not NaN.
type nonNegative float64

func (n *nonNegative) String() string { return strconv.FormatFloat(float64(*n), 'g', -1, 64) }

func (n *nonNegative) Type() string { return "number" }

func (n *nonNegative) Set(helpText string) error {
	v, err := ParseNonNegative(helpText)
	if err == nil {
		*n = nonNegative(v)
	}
	return err
}

// ParseNonNegative parses a number that is at least 0. It may be infinite.
func ParseNonNegative(helpText string) (float64, error) {
	v, err := strconv.ParseFloat(helpText, 64)
	if err != nil || !(v >= 0) {
		return 0, errors.New("want a number that is not negative")
	}
	return v, nil
}

// NonNegativeVar defines a flag with a number that is at least 0. The default is *p.
func NonNegativeVar(fs *pflag.FlagSet, p *float64, name, usage string) {
	fs.Var((*nonNegative)(p), name, usage)
}

// CompressionNames are the codecs of outputs. Inputs also have auto.
var CompressionNames = func() (names []string) {
	for _, c := range tfrecord.Compressions() {
		names = append(names, c.String())
	}
	return names
}()

// OneOf formats values for the text of a flag: a, b or c.
func OneOf(values []string) string {
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// maxJobs is the maximum of --jobs.
const maxJobs = 10_000

// A NameList is the value of a flag with names of features, as they are printed. Commas separate names; quotes have no
// meaning. A name with a comma is written as "b64:" and its base64.
type NameList []string

// FeaturesVar defines a flag with names of features.
func FeaturesVar(fs *pflag.FlagSet, p *NameList, name, usage string) {
	fs.Var(p, name, usage)
	fs.SetAnnotation(name, FeaturesNote, nil)
}

// Names returns the names of a flag as they are in records.
func (l NameList) Names(flag string) (all []string, err error) {
	for _, printed := range l {
		name, err := jsonscan.ParseName(printed)
		if err != nil {
			return nil, Usagef("--%s %s: %v", flag, printed, err)
		}
		all = append(all, name)
	}
	return all, nil
}

func (l *NameList) String() string { return strings.Join(*l, ",") }

func (l *NameList) Type() string { return namesType }

// namesType is the pflag type of a [NameList].
const namesType = "names"

func (l *NameList) Set(helpText string) error {
	*l = append(*l, strings.Split(helpText, ",")...)
	return nil
}

// An Optional is a flag with a text that may be empty.
type Optional struct {
	Text  string // the value
	Given bool   // the flag is given
}

func (o *Optional) String() string { return o.Text }

func (o *Optional) Type() string { return "value" }

func (o *Optional) Set(helpText string) error {
	o.Text, o.Given = helpText, true
	return nil
}

// An enum is a pointer to a value with a text form.
type enum interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

// EnumVar defines a flag with a fixed set of values, for types with a text form. The default is *p.
func EnumVar(fs *pflag.FlagSet, p enum, name string, values []string, usage string) {
	fs.TextVar(p, name, p, usage)
	fs.SetAnnotation(name, ValuesNote, values)
}

// An outputName is the value of -o. A name of standard output becomes "-".
type outputName string

func (o *outputName) String() string { return string(*o) }

func (o *outputName) Type() string { return "string" }

func (o *outputName) Set(name string) error {
	if name == "" {
		return errors.New("want the name of a file, or - for standard output")
	}
	if atomicfile.IsStdout(name) {
		name = Stdin
	}
	*o = outputName(name)
	return nil
}

// OutputVar defines -o. Without the flag *p is empty; verbs that need no file then write to standard output.
func OutputVar(fs *pflag.FlagSet, p *string, usage string) {
	fs.VarP((*outputName)(p), "output", "o", usage)
	fs.SetAnnotation("output", FilesNote, nil)
}

// IsFile reports whether the value of -o is the name of a file, not "" or standard output.
func IsFile(output string) bool { return output != "" && output != Stdin }

// FileVar defines a flag with the name of a file.
func FileVar(fs *pflag.FlagSet, p *string, name, usage string) {
	fs.StringVar(p, name, "", usage)
	fs.SetAnnotation(name, FilesNote, nil)
}

// JobsVar defines --jobs. The default is the number of cores.
func JobsVar(fs *pflag.FlagSet, p *int, usage string) {
	*p = runtime.GOMAXPROCS(0)
	fs.Var(Number(p, 1, maxJobs), "jobs", usage)
}

// FormatVar defines --format for reports.
func FormatVar(fs *pflag.FlagSet, p *Format) {
	ChoiceVar(fs, p, "format", formatNames, "report as `FORMAT`: text or json")
}

// A Size is a flag value in bytes. It may end in K, M, G or T, optionally with iB, for powers of 1024, and in KB, MB,
// GB or TB for powers of 1000.
type Size int64

// sizeUnits are the units of a Size. MarshalText writes the last ones, which are in ascending order.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"", 1}, {"B", 1}, {"K", 1 << 10}, {"KB", 1e3}, {"M", 1 << 20}, {"MB", 1e6}, {"G", 1 << 30}, {"GB", 1e9}, {"T", 1 << 40}, {"TB", 1e12},
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
}

func (s Size) MarshalText() ([]byte, error) {
	for _, u := range slices.Backward(sizeUnits) {
		if strings.HasSuffix(u.name, "iB") && s > 0 && int64(s)%u.bytes == 0 {
			return fmt.Appendf(nil, "%d%s", int64(s)/u.bytes, u.name), nil
		}
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}

func (s *Size) UnmarshalText(helpText []byte) error {
	digits := strings.TrimRight(string(helpText), "KMGTiB")
	n, err := strconv.ParseInt(digits, 10, 64)
	for _, u := range sizeUnits {
		if u.name != string(helpText[len(digits):]) {
			continue
		}
		switch {
		case errors.Is(err, strconv.ErrRange), n > math.MaxInt64/u.bytes:
			return errors.New("size is too large")
		case err != nil:
		case n <= 0:
			return errors.New("size is not positive")
		default:
			*s = Size(n * u.bytes)
			return nil
		}
	}
	return errors.New("want a size such as 65536, 64KiB or 1GB")
}

// A Shard is the value of --shard: part Index, counted from 0, of Count parts of the files. The zero value means all
// files.
type Shard struct{ Index, Count int }

// MarshalText implements [encoding.TextMarshaler]. The text of the zero value is empty.
func (s Shard) MarshalText() ([]byte, error) {
	if s.Count == 0 {
		return nil, nil
	}
	return []byte(s.String()), nil
}

// String returns the shard in the notation of the flag, I/N.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Shard) UnmarshalText(helpText []byte) error {
	index, count, ok := strings.Cut(string(helpText), "/")
	i, err1 := strconv.ParseUint(index, 10, 31)
	n, err2 := strconv.ParseUint(count, 10, 31)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return errors.New("want I/N, as 0/8")
	case i >= n:
		return fmt.Errorf("want 0/%d to %d/%d", n, max(n, 1)-1, n)
	}
	*s = Shard{int(i), int(n)}
	return nil
}

// Range returns the files [first, end) of the shard, of n files. The ranges of all shards are adjacent, and their sizes
// differ by at most one.
func (s Shard) Range(n int) (first, end int) {
	if s.Count == 0 {
		return 0, n
	}
	at := func(i int) int { return int(int64(i) * int64(n) / int64(s.Count)) }
	return at(s.Index), at(s.Index + 1)
}

// ColorVar defines --color.
func ColorVar(fs *pflag.FlagSet, p *When) {
	ChoiceVar(fs, p, "color", WhenNames, "colours `WHEN`: auto, always or never")
}

// Colored reports whether standard output has colours. For auto it depends on the terminal and on the variables of
// https://no-color.org and https://bixense.com/clicolors.
func (e *Env) Colored(flag When) bool {
	forced := os.Getenv("CLICOLOR_FORCE")
	switch {
	case flag != WhenAuto:
		return flag == WhenAlways
	case os.Getenv("NO_COLOR") != "":
		return false
	case forced != "" && forced != "0":
		return true
	}
	return os.Getenv("CLICOLOR") != "0" && console.CanErase(e.Stdout)
}

// ColorOff is the escape sequence that ends a colour.
const ColorOff = "\x1b[0m"

// SeverityColors are the escape sequences that begin the colours of severities.
var SeverityColors = map[string]string{"error": "\x1b[1;31m", "warning": "\x1b[1;33m"}
