package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/internal/nearest"
)

// flagError says what is wrong with a flag on the command line, and what was wanted.
func flagError(fs *pflag.FlagSet, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(fs, unknown)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		value, _ := pflag.UnquoteUsage(missing.GetFlag())
		return fmt.Errorf("%s: want %s, got nothing", flagName(missing.GetFlag()), value)
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		value := bad.GetValue()
		if value == "" {
			value = `""`
		}
		between := " "
		if bad.GetFlag().NoOptDefVal != "" {
			between = "=" // it needs no value
		}
		return fmt.Errorf("%s%s%s: %w", flagName(bad.GetFlag()), between, value, wantedValue(bad))
	}
	if bad, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return fmt.Errorf("%s is not a flag", bad.GetSpecifiedFlag())
	}
	return err
}

// givenEmpty is an error if a flag that wants text was given with none, as a script does
// whose variable is empty: the command would run as if the flag were not there.
func givenEmpty(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if err == nil && (f.Value.Type() == "string" || f.Value.Type() == namesType) && f.Value.String() == "" {
			value, _ := pflag.UnquoteUsage(f)
			err = Usagef(`%s "": want %s, got nothing`, flagName(f), value)
		}
	})
	return err
}

// flagForFile is an error if a flag that wants the name of a file was given what looks like another flag, as in
// --partial -o x: it would write a file called -o.
func flagForFile(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if _, file := f.Annotations[FilesNote]; !file || err != nil {
			return
		}
		if value := f.Value.String(); looksLikeFlag.MatchString(value) {
			err = Usagef("%s wants the name of a file, got %s: write ./%s for a file of that name", flagName(f), value, value)
		}
	})
	return err
}

var looksLikeFlag = regexp.MustCompile(`^--?[A-Za-z]`)

// withHelp adds where to read on to a message about a command; "" is all of them.
func (a *App) withHelp(message, command string) error {
	see := "; see"
	if strings.HasSuffix(message, "?") {
		see = " See"
	}
	return Usagef("%s%s tfparse %s", message, see, strings.TrimSpace(command+" --help"))
}

// flagName is the name of a flag as messages have it.
func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// unknownFlag names a flag that there is not, and the one that was most likely meant. A name of
// several letters after one dash may be a name that needs two.
func unknownFlag(fs *pflag.FlagSet, err *pflag.NotExistError) error {
	word, dashes := err.GetSpecifiedName(), "--"
	if letters := err.GetSpecifiedShortnames(); letters != "" {
		word, dashes = letters, "-"
	}
	word, _, _ = strings.Cut(word, "=")
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := nearest.Name(word, names)
	for _, name := range names {
		if near == "" && len(word) > 1 && strings.HasPrefix(name, word) {
			near = name
		}
	}
	if near != "" {
		return fmt.Errorf("there is no flag %s%s; is it --%s?", dashes, word, near)
	}
	return fmt.Errorf("there is no flag %s%s", dashes, word)
}

// wantedValue says what the value of a flag has to be. Flags of our own types say it
// themselves.
func wantedValue(bad *pflag.InvalidValueError) error {
	err := errors.Unwrap(bad)
	if errors.Is(err, strconv.ErrRange) {
		return errors.New("the number is out of range")
	}
	switch kind := bad.GetFlag().Value.Type(); kind {
	case "int", "int64":
		return errors.New("want a whole number")
	case "uint64":
		return errors.New("want a whole number from 0")
	case "float64":
		return errors.New("want a number")
	case "bool":
		return errors.New("want true or false")
	}
	return err
}

// usageErrors are mistakes on the command line, or in a file that it names, which only the input shows. Each is
// a message of its own.
type usageErrors struct{ messages []string }

func (e *usageErrors) Error() string { return strings.Join(e.messages, "; ") }

// UsageErrors makes an error of usage of several messages.
func UsageErrors(messages []string) error { return &usageErrors{messages} }

// BadSpec is the error of a spec that makes no sense: a message for each error that err joins.
func BadSpec(name string, err error) error {
	e := &usageErrors{}
	for _, fault := range Joined(err) {
		e.messages = append(e.messages, fmt.Sprintf("%s: %v", name, fault))
	}
	return e
}

// Joined returns the errors that are joined in err, also those in joined ones; none for nil.
func Joined(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, Joined(err)...)
	}
	return all
}
