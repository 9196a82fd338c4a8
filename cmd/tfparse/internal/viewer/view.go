package viewer

import (
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/view"
)

// Command returns the verb view.
func Command() *cli.Command {
	v := &viewer{}
	return &cli.Command{Name: "view", Flags: v.addFlags, Run: v.run}
}

// viewer is one run of the verb.
type viewer struct {
	reading scan.Flags          // which files are shown; Limit and Where choose the records of -o
	typ     example.MessageType // --type; TypeAuto: detected, or the type of the spec
	spec    string              // --spec; "": none
	classes []string            // --classes, as FEATURE=FILE
	schema  string              // --schema; "": none
	rules   string              // --rules; "": none
	against string              // --against; "": none
	output  string              // -o; "": serve the page
	open    bool                // --open
	port    int                 // --port; 0: a free one
	listen  string              // --listen: the address of this machine to listen on
}

// pageRecords is the default of --limit.
const pageRecords = 200

// mostDamage is the number of messages about damage in the files of a page.
const mostDamage = 10

func (v *viewer) addFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&v.open, "open", false, "open the page in the browser")
	cli.NumberVar(fs, &v.port, "port", 0, 0, "listen on port `N` [a free one]")
	fs.StringVar(&v.listen, "listen", "127.0.0.1", "listen on `ADDRESS`, which other machines may reach")
	scan.SpecVar(fs, &v.spec, "show the columns of `SPEC`: .json, .pbtxt or auto")
	fs.StringArrayVar(&v.classes, "classes", nil, "names of the classes of a feature: `NAME=FILE`, one name a line, or .pbtxt")
	scan.MessageVar(fs, &v.typ)
	cli.FileVar(fs, &v.schema, "schema", "show findings against the schema `FILE`")
	cli.FileVar(fs, &v.rules, "rules", "show findings against the rules in `FILE`")
	cli.FileVar(fs, &v.against, "against", "compare with the records of `FILE`")
	cli.OutputVar(fs, &v.output, "write a page without a server to `OUT`; - is standard output")
	v.reading.AddLimit(fs, pageRecords, "with -o: show `N` records")
	v.reading.AddWhere(fs)
	fs.BoolVar(&v.reading.AllowMissing, "allow-missing-shards", false, "read incomplete sets of shards; exit code 3")
	v.reading.Rules(fs, scan.Needs("limit", "output"), scan.Needs("where", "output"), scan.Excludes("output", "open", "port", "listen"))
}

func (v *viewer) run(e *cli.Env, args []string) error {
	opts, err := v.options(e, args)
	if err != nil {
		return err
	}
	files, err := v.files(e, args)
	if err != nil {
		return err
	}
	if v.against != "" {
		if opts.Against, err = v.files(e, []string{v.against}); err != nil {
			return err
		}
	}
	defer e.Heap.LimitTo(128 << 20)()
	h, err := view.New(files, opts)
	if err != nil {
		return err
	}
	defer h.Close()
	if v.output == "" {
		return v.serve(e, h)
	}
	out, err := e.Create(v.output, append(files, opts.Against...)...)
	if err != nil {
		return err
	}
	return out.Finish(v.writePage(e, h, out))
}

// writePage writes the page of -o.
func (v *viewer) writePage(e *cli.Env, h *view.Handler, out io.Writer) error {
	opts := &view.PageOptions{Limit: int(v.reading.Limit), Where: v.reading.Where, OnDamage: func(first []error, all int64) {
		for _, err := range first[:min(len(first), mostDamage)] {
			e.Console.Print(err.Error())
		}
		e.Console.Print(cli.Plural(all, "damaged record"))
		e.Raise(cli.ExitSkipped)
	}}
	err := h.WritePage(e.Ctx, out, opts)
	if unknown, ok := errors.AsType[*view.UnknownFeatureError](err); ok {
		var texts []string
		for _, name := range unknown.Names {
			texts = append(texts, fmt.Sprintf("no record that was read has a feature %q, which --where names", name))
		}
		return cli.UsageErrors(texts)
	}
	if errors.Is(err, view.ErrNoRecords) {
		reason := "there are no records"
		if v.reading.Where != "" {
			reason = "no record matches"
		}
		return fmt.Errorf("%s is not written: %s", v.output, reason)
	}
	return err
}

// options reads the files that the flags name.
func (v *viewer) options(e *cli.Env, args []string) (*view.Options, error) {
	opts := &view.Options{Type: v.typ, Title: titleOf(args)}
	if v.reading.Limit < 1 || v.reading.Limit > 100_000 {
		return nil, cli.Usagef("--limit: want 1 to 100000 records, got %d", v.reading.Limit)
	}
	if v.port > 65535 {
		return nil, cli.Usagef("--port: want 0 to 65535, got %d", v.port)
	}
	if v.typ == example.TypeRaw {
		return nil, cli.Usagef("--type raw: want auto, example, sequence or elwc")
	}
	var err error
	if err = v.reading.CheckRules(); err != nil {
		return nil, err
	}
	if v.spec, err = scan.AutoSpec(e, v.spec, args); err != nil {
		return nil, err
	}
	if v.spec != "" {
		if opts.Spec, err = scan.ReadSpec(v.spec); err != nil {
			return nil, err
		}
		parser, err := feature.NewParser(opts.Spec, nil)
		if err != nil {
			return nil, cli.BadSpec(v.spec, err)
		}
		if err := scan.CheckType(v.typ, parser); err != nil {
			return nil, err
		}
	}
	if opts.Classes, err = v.readClasses(opts.Spec, args); err != nil {
		return nil, err
	}
	if v.schema != "" {
		if opts.Schema, _, err = statsource.ReadSchema(e, v.schema); err != nil {
			return nil, err
		}
	}
	if v.rules != "" {
		text, err := scan.ReadFile(e, v.rules)
		if err != nil {
			return nil, cli.BadSpec(v.rules, err)
		}
		if opts.Rules, err = expr.ParseRules(string(text)); err != nil {
			if at, ok := errors.AsType[*expr.SyntaxError](err); ok {
				return nil, cli.Usagef("--rules %s:%d:%d: %s", console.OneLine(v.rules), at.Line, at.Column, at.Message)
			}
			return nil, cli.BadSpec(v.rules, err)
		}
	}
	return opts, nil
}

// version matches the folder of a version of a data set, with or without a slice.
var version = regexp.MustCompile(`^\d+\.\d+\.\d+(#.*)?$`)

// titleOf returns the title of the page for some arguments.
func titleOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	title := storage.Public(args[0])
	if dir := strings.TrimRight(title, "/"); version.MatchString(path.Base(dir)) { // a version of a data set of TensorFlow Datasets
		title = path.Base(path.Dir(dir)) + " " + path.Base(dir)
	}
	if n := len(args) - 1; n > 0 {
		title += fmt.Sprintf(" and %d more", n)
	}
	return title
}

// files returns the names of the files of some arguments. A file that does not exist is shown with its error, unless
// all are missing.
func (v *viewer) files(e *cli.Env, args []string) ([]string, error) {
	in, err := v.reading.Expand(e, args)
	if err != nil {
		return nil, err
	}
	if err := scan.WholeFiles(in); err != nil {
		return nil, err
	}
	var names []string
	var missing []error
	for _, i := range in {
		if i.Name == scan.Stdin {
			return nil, cli.Usagef("standard input cannot be read at an offset; name files")
		}
		err := i.Err
		if err == nil {
			_, err = storage.StatContext(e.Ctx, i.Name)
		}
		if err != nil {
			missing = append(missing, scan.Named(i.Name, err))
		}
		names = append(names, i.Name)
	}
	if len(missing) == len(in) && len(in) > 0 {
		return nil, missing[0]
	}
	for _, err := range missing {
		e.Console.Print(err.Error())
	}
	return names, nil
}

// readClasses reads the names of classes: those of TensorFlow Datasets, and of --classes.
func (v *viewer) readClasses(spec feature.Spec, args []string) (map[string][]string, error) {
	classes, err := datasetClasses(v.spec, spec, args)
	if err != nil {
		return nil, err
	}
	for _, value := range v.classes {
		name, file, ok := strings.Cut(value, "=")
		if !ok || name == "" || file == "" {
			return nil, cli.Usagef("--classes: want NAME=FILE, got %q", value)
		}
		b, err := scan.ReadNamed(file)
		if err != nil {
			return nil, cli.BadSpec(file, err)
		}
		if classes[name], err = parseClasses(file, b); err != nil {
			return nil, cli.BadSpec(file, err)
		}
	}
	return classes, nil
}
