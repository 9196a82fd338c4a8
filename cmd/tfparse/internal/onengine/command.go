package onengine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
)

// refused are the flags that say how one process divides or shows its work, and those of formats that it reads alone.
var refused = append([]string{"shard", "jobs", "progress"}, reading.CSVFlags...)

const note = `

An engine divides the work on files among machines, which open them under the names that
are given. Standard input and output, CSV, and --shard, --jobs and --progress are refused.`

// Command returns a verb whose work on files an engine does. Flags that have no meaning there are not in its help, and are an error.
// The help ends with what there is to know of it, and with more, a paragraph with an empty line in front, or "".
func Command(c *cli.Command, more string) *cli.Command {
	flags, run := c.Flags, c.Run
	var given *pflag.FlagSet
	c.Long = withoutRefused(c.Long) + note + more
	c.Examples = slices.DeleteFunc(c.Examples, refusedIn)
	c.FilesOnly = true
	c.Flags = func(fs *pflag.FlagSet) {
		flags(fs)
		given = fs
		for _, name := range refused {
			if f := fs.Lookup(name); f != nil {
				f.Hidden = true
			}
		}
	}
	c.Run = func(e *cli.Env, args []string) error {
		for _, name := range refused {
			if given.Changed(name) {
				return cli.Usagef("--%s is for one process; here an engine divides the files among machines", name)
			}
		}
		if len(args) == 0 || slices.Contains(args, recordscan.Stdin) {
			return errStdin
		}
		return run(e, args)
	}
	return c
}

// refusedWords are in sentences about what is refused.
var refusedWords = []string{"CSV", ".csv", "-csv", "standard input", "--shard", "--jobs", "--progress", "merge combines", " | "}

func refusedIn(text string) bool {
	return slices.ContainsFunc(refusedWords, func(word string) bool { return strings.Contains(text, word) })
}

// A sentence ends with a stop or a colon, before a capital letter.
var sentence = regexp.MustCompile(`[.:] [A-Z-]`)

// withoutRefused drops the sentences of help about what is refused, and paragraphs that begin with one. Paragraphs with columns stay.
func withoutRefused(long string) string {
	var paragraphs []string
	for _, p := range strings.Split(strings.TrimSpace(long), "\n\n") {
		if strings.Contains(p, "   ") {
			paragraphs = append(paragraphs, p)
			continue
		}
		rest := strings.Join(strings.Fields(p), " ")
		var kept []string
		for first := true; rest != ""; first = false {
			end := len(rest)
			if at := sentence.FindStringIndex(rest); at != nil {
				end = at[0] + 1
			}
			if !refusedIn(rest[:end]) {
				kept = append(kept, rest[:end])
			} else if first {
				break
			}
			rest = strings.TrimSpace(rest[end:])
		}
		if len(kept) > 0 {
			paragraphs = append(paragraphs, strings.Join(kept, " "))
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// Twice is what help says of verbs that write records on an engine.
const Twice = `

Files are read two times: what is damaged is found before anything is written. --type is
auto or raw. Shards are
written by workers, under hidden names beside their own until all of them are complete;
objects of stores appear one by one, each complete.
Temporary files are in the directory for such files of each worker.`

var errStdin = cli.Usagef("standard input is on this machine alone: name files")

// Files returns the inputs as an engine takes them.
func Files(in []recordscan.Input) ([]engine.File, error) {
	var files []engine.File
	for _, i := range in {
		f := engine.File{Name: i.Name}
		if i.Name == recordscan.Stdin {
			return nil, errStdin
		}
		if i.Table != nil {
			return nil, cli.Usagef("%s is CSV, which is read on one machine: tfparse encode makes records of it", i.Name)
		}
		if i.Err != nil {
			f.Err, f.Missing = i.Err.Error(), recordscan.Missing(i.Err)
		}
		files = append(files, f)
	}
	return files, nil
}
