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

// flagError returns the message for an error of pflag.
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
			between = "=" // the flag needs no value
		}
		return fmt.Errorf("%s%s%s: %w", flagName(bad.GetFlag()), between, value, wantedValue(bad))
	}
	if bad, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return fmt.Errorf("%s is not a flag", bad.GetSpecifiedFlag())
	}
	return err
}

// checkEmptyValues returns an error if a flag with a text has an empty value. A cause is a script with an empty
// variable; the command would run as without the flag.
func checkEmptyValues(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if err == nil && (f.Value.Type() == "string" || f.Value.Type() == namesType) && f.Value.String() == "" {
			value, _ := pflag.UnquoteUsage(f)
			err = Usagef(`%s "": want %s, got nothing`, flagName(f), value)
		}
	})
	return err
}

// checkFileValues returns an error if the value of a flag for a file looks like a flag, such as --partial -o x. It
// would create a file with the name -o.
func checkFileValues(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if _, file := f.Annotations[FilesNote]; !file || err != nil {
			return
		}
		if value := f.Value.String(); looksLikeFlag.MatchString(value) {
			err = Usagef("%s wants the name of a file, got %s; write ./%s for that file", flagName(f), value, value)
		}
	})
	return err
}

var looksLikeFlag = regexp.MustCompile(`^--?[A-Za-z]`)

// withHelp returns a usage error that ends with the help of a command; "" is the program.
func (a *App) withHelp(message, command string) error {
	see := "; see"
	if strings.HasSuffix(message, "?") {
		see = " See"
	}
	return Usagef("%s%s tfparse %s", message, see, strings.TrimSpace(command+" --help"))
}

// flagName returns the name of a flag for messages.
func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// unknownFlag returns the error about an unknown flag, and suggests a flag. Several letters after one dash may be a
// name that needs two dashes.
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
		return fmt.Errorf("unknown flag %s%s; is it --%s?", dashes, word, near)
	}
	return fmt.Errorf("unknown flag %s%s", dashes, word)
}

// wantedValue returns the requirement for the value of a flag. The errors of our own types are kept.
func wantedValue(bad *pflag.InvalidValueError) error {
	err := errors.Unwrap(bad)
	if errors.Is(err, strconv.ErrRange) {
		return errors.New("the number is out of range")
	}
	switch kind := bad.GetFlag().Value.Type(); kind {
	case "uint64":
		return errors.New("want a whole number from 0")
	case "float64":
		return errors.New("want a number")
	case "bool":
		return errors.New("want true or false")
	}
	return err
}

// usageErrors are usage errors that depend on the input, or on a file that a flag names. Each is printed as a message.
type usageErrors struct{ messages []string }

func (e *usageErrors) Error() string { return strings.Join(e.messages, "; ") }

// UsageErrors returns a usage error with several messages.
func UsageErrors(messages []string) error { return &usageErrors{messages} }

// BadSpec returns the usage error about an invalid file, with a message for each error that err joins.
func BadSpec(name string, err error) error {
	e := &usageErrors{}
	for _, fault := range Joined(err) {
		e.messages = append(e.messages, fmt.Sprintf("%s: %v", name, fault))
	}
	return e
}

// Joined returns the errors that err joins, at any depth; none for nil.
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
