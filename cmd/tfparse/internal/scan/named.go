package scan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/storage"
)

// Named puts the name of a file in front of an error that does not begin with it.
func Named(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", name, reason(err))
}

// reason drops the operation and the path from an error of package os.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// ReadFile reads the file that the value of a flag names, which may be standard input.
func ReadFile(e *cli.Env, name string) ([]byte, error) {
	if name == Stdin {
		return io.ReadAll(e.Stdin)
	}
	return ReadNamed(name)
}

// ReadNamed is that of package os, with shorter errors, and one of its own for addresses.
func ReadNamed(name string) ([]byte, error) {
	b, err := storage.ReadFile(name)
	if advice := cli.ElsewhereFile(name); err != nil && advice != "" {
		return nil, errors.New(advice)
	}
	return b, reason(err)
}

// A NamedFile is a flag, with its dashes, and the file that it names, if any.
type NamedFile struct{ Flag, Name string }

// OneStdin is a usage error if more than one of the inputs and flags is standard input.
func OneStdin(in []Input, flags ...NamedFile) error {
	var by []string
	for _, i := range in {
		if i.Name == Stdin {
			by = append(by, "FILE")
		}
	}
	for _, f := range flags {
		if f.Name == Stdin {
			by = append(by, f.Flag)
		}
	}
	if len(by) > 1 {
		return cli.Usagef("standard input (-) is named twice: by %s and by %s", by[0], by[1])
	}
	return nil
}

// ReadTwice reports whether all inputs can be read more than once: what has gone through
// standard input or another pipe is gone. One that cannot be read at all counts: reading it says why.
func ReadTwice(in []Input) bool {
	return !slices.ContainsFunc(in, func(i Input) bool {
		switch {
		case i.Err != nil: // as a directory without files
			return false
		case i.Name == Stdin:
			return true
		}
		info, err := storage.Stat(i.Name)
		return err == nil && !info.Mode().IsRegular()
	})
}
