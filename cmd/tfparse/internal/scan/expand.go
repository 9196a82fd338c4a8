package scan

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
)

// Files looks up single names in the file system and the object stores.
var Files = filelist.System(context.Background())

// Expand turns the arguments into inputs; without arguments the input is standard input. An incomplete set of shards is
// an error before anything is read, since a result from fewer records looks like success. --allow-missing-shards reads
// the other shards; --on-error skip does not, since it is about damage and the default of some verbs.
func (r *Flags) Expand(e *cli.Env, args []string) ([]Input, error) {
	in, err := r.expand(e, args)
	if err != nil {
		return nil, err
	}
	return r.Part(e, in)
}

// expand returns the inputs of all machines. Slices are expanded one argument at a time, to keep the order of the arguments.
func (r *Flags) expand(e *cli.Env, args []string) (in []Input, err error) {
	if slices.ContainsFunc(args, func(arg string) bool { _, slice := splitSlice(arg); return slice != "" }) {
		if len(args) == 1 {
			if err := r.checkSelection(e); err != nil {
				return nil, err
			}
			dir, slice := splitSlice(args[0])
			if i := strings.LastIndexByte(args[0], '#'); i > 0 {
				noteVersion(e, args[0][:i], true)
			}
			return expandSlice(dir, slice)
		}
		for _, arg := range args {
			one, err := r.expand(e, []string{arg})
			if err != nil {
				return nil, err
			}
			in = append(in, one...)
		}
		if err := OneStdin(in); err != nil {
			return nil, err
		}
		return in, r.tabulate(in)
	}
	list, err := r.List(e, args)
	if err != nil {
		return nil, err
	}
	in = Present(list)
	if len(list.Broken) > 0 {
		if !r.AllowMissing || len(in) == 0 {
			return nil, MissingShards(list)
		}
		r.WarnMissing(e, list)
	}
	return in, r.tabulate(in)
}

// List looks up the arguments, and names the files of directories that are left out.
func (r *Flags) List(e *cli.Env, args []string) (*filelist.List, error) {
	if err := r.checkSelection(e); err != nil {
		return nil, err
	}
	args, err := OrStdin(e, args)
	if err != nil {
		return nil, err
	}
	for _, arg := range args {
		if err := cli.Elsewhere("", arg); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, arg := range args {
		if storage.Remote(arg) {
			names = append(names, arg)
			continue
		}
		if s, ok := ReadSnapshot(arg); ok {
			files, err := s.files()
			if err != nil {
				return nil, err
			}
			names = append(names, files...)
			continue
		}
		noteVersion(e, arg, false)
		names = append(names, VersionDir(arg))
	}
	list, err := filelist.System(e.Ctx).List(names, &filelist.Options{AnyName: r.AnyName, CSV: r.csv.always(), Named: true})
	if e.Ctx.Err() != nil {
		return nil, e.Ctx.Err()
	} else if err != nil {
		return nil, cli.Usage(err)
	}
	for i, f := range list.Files {
		if f.Err != nil && !storage.Remote(f.Name) {
			list.Files[i].Err = cmp.Or(chooseDataset(f.Name), f.Err)
		}
	}
	list.LeftOut = withoutMetadata(list.LeftOut)
	r.PassedOver = append(r.PassedOver, list.LeftOut...)
	r.NotePassedOver(e, list.LeftOut)
	return list, nil
}

// Present returns the inputs of a list, without missing shards.
func Present(list *filelist.List) (in []Input) {
	for _, f := range list.Files {
		if f.Set == nil {
			in = append(in, Input{Name: f.Name, Err: f.Err})
		}
	}
	return in
}

// WarnMissing reports incomplete sets, and counts their missing shards as skipped.
func (r *Flags) WarnMissing(e *cli.Env, list *filelist.List) {
	r.Broken = append(r.Broken, list.Broken...)
	r.WarnBroken(e, list.Broken)
}

// WarnBroken reports incomplete sets that another process found.
func (r *Flags) WarnBroken(e *cli.Env, sets []*filelist.SetError) {
	for _, set := range sets {
		e.Skipped.Shards += set.Missing
		if set.Missing == 0 {
			e.Raise(cli.ExitSkipped)
			e.Console.Print(fmt.Sprintf("%s: %s; reading the existing files", set.Set, set.Message))
			continue
		}
		e.Console.Print(fmt.Sprintf("%s: %s; reading the others", set.Set, set.Message))
	}
}

// MissingShards returns the error about incomplete sets.
func MissingShards(list *filelist.List) error {
	set, rest := list.Broken[0], ""
	if n := len(list.Broken) - 1; n > 0 {
		rest = fmt.Sprintf("; and %s", cli.Plural(int64(n), "more incomplete set"))
	}
	if len(Present(list)) > 0 {
		rest += "; --allow-missing-shards reads "
		if set.Missing > 0 {
			rest += "the others"
		} else {
			rest += "the existing files"
		}
	}
	return fmt.Errorf("%s: %w%s", set.Set, set, rest)
}

// NotePassedOver names files that are left out of a directory for their names or content, so that missing data is
// noticed. It does not name files that accompany TFRecords.
func (r *Flags) NotePassedOver(e *cli.Env, names []string) {
	const most = 3 // names in one message
	names = slices.DeleteFunc(slices.Clone(names), filelist.IsCompanion)
	for len(names) > 0 {
		dir := storage.Dir(names[0])
		n := 0
		var bases []string
		for n < len(names) && storage.Dir(names[n]) == dir {
			bases = append(bases, filepath.Base(names[n]))
			n++
		}
		hint := ""
		if r.csv != nil && !r.csv.always() && slices.ContainsFunc(names[:n], filelist.IsCSV) {
			hint = "; --input-format csv reads CSV"
		}
		names = names[n:]
		text := strings.Join(bases[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		e.Console.Print(console.OneLine(fmt.Sprintf("%s: not TFRecords, left out: %s%s", dir, text, hint)))
	}
}

// OrStdin returns the arguments, or the name of standard input without arguments. It refuses a terminal, and an empty
// standard input, which is a sign of a script with an empty list of files.
func OrStdin(e *cli.Env, args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	if err := NoTerminal(e, "records"); err != nil {
		return nil, err
	}
	var first [1]byte
	if n, _ := io.ReadFull(e.Stdin, first[:]); n == 0 {
		return nil, cli.Usagef("no files are named, and standard input is empty")
	}
	e.Stdin = io.MultiReader(bytes.NewReader(first[:]), e.Stdin)
	return []string{Stdin}, nil
}

// NoTerminal returns an error if standard input is a terminal. what is the content that a verb reads from standard
// input.
func NoTerminal(e *cli.Env, what string) error {
	if console.IsTerminal(e.Stdin) {
		return cli.Usagef("no files: name some, or pipe %s into standard input", what)
	}
	return nil
}

// ExpandRecords is Expand for verbs that accept FILE#5 and FILE#5:9.
func (r *Flags) ExpandRecords(e *cli.Env, args []string) ([]Input, error) {
	args, err := OrStdin(e, args)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(args, func(arg string) bool { _, records := SplitRange(arg); return records != nil }) {
		return r.Expand(e, args) // together, since they may be shards of one set
	}
	var all []Input
	stdin := false
	for _, arg := range args {
		file, records := SplitRange(arg)
		switch {
		case records == nil:
		case records.FromEnd() && !r.FromEnd:
			return nil, cli.Usagef("%s: only tfparse get counts records from the end", arg)
		case records.First == math.MaxInt64: // or a larger number
			return nil, cli.Usagef("%s: the record number is out of range", arg)
		case records.First >= records.End && records.First < 0 == (records.End < 0):
			return nil, cli.Usagef("%s: the range %d:%d is empty", arg, records.First, records.End)
		}
		in, err := r.expand(e, []string{file})
		if err != nil {
			return nil, err
		}
		if file == Stdin && stdin {
			return nil, cli.Usagef("standard input (-) is named twice")
		}
		stdin = stdin || file == Stdin
		for i := range in {
			in[i].Records = records
		}
		all = append(all, in...)
	}
	if err := r.tabulate(all); err != nil { // together, as one data set
		return nil, err
	}
	return r.Part(e, all)
}

// IsInput reports whether a word names an existing file or standard input.
func IsInput(word string) bool {
	if word == Stdin {
		return true
	}
	if _, slice := splitSlice(word); slice != "" {
		return true
	}
	file, _ := SplitRange(word)
	list, err := Files.List([]string{file}, nil)
	if err != nil || len(list.Files) == 0 || list.Files[0].Err != nil {
		return false
	}
	_, err = storage.Stat(list.Files[0].Name)
	return err == nil
}

// Names returns the names of inputs.
func Names(in []Input) (names []string) {
	for _, i := range in {
		names = append(names, i.Name)
	}
	return names
}

// Named prepends the name of a file to an error, unless the error begins with it.
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

// ReadFile reads the file that a flag names, which may be standard input.
func ReadFile(e *cli.Env, name string) ([]byte, error) {
	if name == Stdin {
		return io.ReadAll(e.Stdin)
	}
	return ReadNamed(name)
}

// ReadNamed reads a file. Its errors have no operation and path; for an address that this build cannot open the error
// says what to do.
func ReadNamed(name string) ([]byte, error) {
	b, err := storage.ReadFile(name)
	if advice := cli.ElsewhereAdvice(name); err != nil && advice != "" {
		return nil, errors.New(advice)
	}
	return b, reason(err)
}

// A NamedFile is a flag, such as "--schema", and the file that it names; Name may be "".
type NamedFile struct{ Flag, Name string }

// OneStdin returns a usage error if standard input is used by more than one of the inputs and flags.
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

// ReadTwice reports whether all inputs can be read more than once. Standard input and other pipes cannot. An input that
// cannot be read at all counts as readable, since reading it reports the reason.
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
