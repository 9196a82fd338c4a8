package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/internal/filelist"
)

// files is where the command looks names up.
var files = filelist.System()

// expand turns the arguments into inputs. Without arguments it is standard input. A set of shards that is not whole is an
// error before anything is read: fewer records than there should be look like success.
// --allow-missing-shards reads the others; --on-error skip, which is for damage and the
// default of some verbs, does not.
func (r *reading) expand(e *env, args []string) ([]inputs.Input, error) {
	list, err := r.list(e, args)
	if err != nil {
		return nil, err
	}
	in := present(list)
	if len(list.Broken) > 0 {
		if !r.allowMissing || len(in) == 0 {
			return nil, missingShards(list)
		}
		r.warnMissing(e, list)
	}
	return in, nil
}

// list looks the arguments up, and says which files of directories are left out.
func (r *reading) list(e *env, args []string) (*filelist.List, error) {
	args, err := e.orStdin(args)
	if err != nil {
		return nil, err
	}
	for _, arg := range args {
		if advice := inputs.Elsewhere(arg); advice != "" {
			return nil, usagef("%s: %s", arg, advice)
		}
	}
	list, err := files.List(args, &filelist.Options{AnyName: r.anyName, Named: true})
	if err != nil {
		return nil, usageError{err}
	}
	r.passedOver = append(r.passedOver, list.PassedOver...)
	e.notePassedOver(list.PassedOver)
	return list, nil
}

// present returns the files of a list without the missing shards of sets.
func present(list *filelist.List) (in []inputs.Input) {
	for _, f := range list.Files {
		if f.Set == nil {
			in = append(in, inputs.Input{Name: f.Name, Err: f.Err})
		}
	}
	return in
}

// warnMissing reports the missing shards and counts them as lost.
func (r *reading) warnMissing(e *env, list *filelist.List) {
	for _, set := range list.Broken {
		e.losses.shards += set.Missing
		e.console.Print(fmt.Sprintf("%s: %s; reading the others", set.Set, set.Message))
	}
}

// missingShards is the error of sets that are not whole.
func missingShards(list *filelist.List) error {
	set, rest := list.Broken[0], ""
	if n := len(list.Broken) - 1; n > 0 {
		rest = fmt.Sprintf("; %s besides", plural(int64(n), "incomplete set"))
	}
	if len(present(list)) > 0 {
		rest += "; --allow-missing-shards reads the others"
	}
	return fmt.Errorf("%s: %w%s", set.Set, set, rest)
}

// notePassedOver names files that are left out of a directory for their names, so that
// nothing is missing in silence.
func (e *env) notePassedOver(names []string) {
	const most = 3 // names in one message
	for len(names) > 0 {
		dir := filepath.Dir(names[0])
		n := 0
		var bases []string
		for n < len(names) && filepath.Dir(names[n]) == dir {
			bases = append(bases, filepath.Base(names[n]))
			n++
		}
		names = names[n:]
		text := strings.Join(bases[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		e.console.Print(console.OneLine(fmt.Sprintf("%s: passed over %s, no TFRecords by name: %s", dir, plural(int64(n), "file"), text)))
	}
}
