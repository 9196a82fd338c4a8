package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statfile"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// given returns the statistics that the only input is, or nil if the inputs are records,
// and what JSON has more than they.
// What a stream begins with is read to see what it is, and put back where it holds
// records.
func (e *env) given(in []inputs.Input) (*pb.DatasetFeatureStatisticsList, *stats.Details, error) {
	if len(in) == 1 && in[0].Err == nil && !readTwice(in) {
		return e.streamed(&in[0])
	}
	var r statfile.Reader
	for _, i := range in {
		if i.Err != nil || !readTwice([]inputs.Input{i}) {
			continue
		}
		list, err := r.Read(i.Name)
		switch _, unreadable := errors.AsType[*fs.PathError](err); {
		case len(in) == 1 && errors.Is(err, tfrecord.ErrNotTFRecord):
			return nil, nil, neither(i.Name)
		case errors.Is(err, statfile.ErrPart):
			return nil, nil, notWanted(i.Name, aPart)
		case errors.Is(err, statfile.ErrNone), unreadable: // who reads records will say why
		case len(in) > 1:
			return nil, nil, usagef("%s is statistics, which are taken alone, and there are %s; what tfparse stats writes with --partial can be put together", i.Name, plural(int64(len(in)), "file"))
		default:
			return list, r.Details, named(i.Name, err)
		}
	}
	return nil, nil, nil
}

// neither is an error if a file that is no TFRecord is known to be something that has
// neither statistics nor records in it.
func neither(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return nil // who reads records will say why
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLook))
	if err != nil {
		return nil
	}
	if what := whatIs(b); what == "a schema" || what == "a spec" {
		return notWanted(name, what)
	}
	return nil
}

// notWanted is the error of a file that is neither statistics nor records.
func notWanted(name, what string) error {
	return fmt.Errorf("%s: want statistics or records, got %s", name, what)
}

// streamed is given for what can be read once only.
func (e *env) streamed(in *inputs.Input) (*pb.DatasetFeatureStatisticsList, *stats.Details, error) {
	from := io.NopCloser(e.stdin)
	if in.Name != inputs.Stdin {
		f, err := os.Open(in.Name)
		if err != nil {
			return nil, nil, nil // as above
		}
		from = f
	}
	var r statfile.Reader
	list, all, err := r.ReadStream(from, in.Name)
	if errors.Is(err, statfile.ErrPart) {
		from.Close()
		return nil, nil, notWanted(in.Name, aPart)
	}
	if all != nil {
		in.Stream = struct {
			io.Reader
			io.Closer
		}{all, from}
		return nil, nil, nil
	}
	from.Close()
	return list, r.Details, named(in.Name, err)
}

// readStatistics reads the statistics that the value of a flag names.
func (e *env) readStatistics(flag, name string) (*pb.DatasetFeatureStatisticsList, error) {
	from := e.stdin
	if name != inputs.Stdin {
		f, err := os.Open(name)
		if err != nil {
			return nil, named(name, err)
		}
		defer f.Close()
		from = f
	}
	var r statfile.Reader
	list, all, err := r.ReadStream(from, name)
	if err != nil {
		return nil, notStatistics(flag, name, all, err)
	}
	return list, nil
}

// named puts the name of a file in front of an error that does not begin with it.
func named(name string, err error) error {
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

// readFile reads the file that the value of a flag names, which may be standard input.
func (e *env) readFile(name string) ([]byte, error) {
	if name == inputs.Stdin {
		return io.ReadAll(e.stdin)
	}
	return readFile(name)
}

// readFile is that of package os, with shorter errors, and one of its own for addresses.
func readFile(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if advice := inputs.ElsewhereFile(name); err != nil && advice != "" {
		return nil, errors.New(advice)
	}
	return b, reason(err)
}

// A namedFile is a flag, with its dashes, and the file that it names, if any.
type namedFile struct{ flag, name string }

// oneStdin is a usage error if more than one of the inputs and flags is standard input.
func oneStdin(in []inputs.Input, flags ...namedFile) error {
	var by []string
	for _, i := range in {
		if i.Name == inputs.Stdin {
			by = append(by, "FILE")
		}
	}
	for _, f := range flags {
		if f.name == inputs.Stdin {
			by = append(by, f.flag)
		}
	}
	if len(by) > 1 {
		return usagef("standard input (-) is named twice: by %s and by %s", by[0], by[1])
	}
	return nil
}
