package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/internal/nearest"
	"github.com/tfparse/tfparse/internal/storage"
)

// A Command is one verb. Its help is a text file; see [App.Texts].
type Command struct {
	Name  string // name of the verb; two words for a subcommand, such as "stats merge"
	Count string // flag that -5 abbreviates; "": none

	Offers func(args []string) []string // completions after some arguments; nil: names of files

	Flags func(fs *pflag.FlagSet)           // defines the flags; nil: the verb has none
	Run   func(e *Env, args []string) error // runs the verb
}

// A Group is verbs under one heading of the help.
type Group struct {
	Title string
	Verbs []*Command
}

// An App is a program with verbs.
type App struct {
	Groups   func() []Group                        // returns the groups in the order of the help, with new values of flags
	Texts    fs.FS                                 // VERB.txt for each verb, TOPIC.txt for each topic; see [helpText]
	IsInput  func(word string) bool                // reports whether a word names an input
	Features func(e *Env, words []string) []string // returns the features of the files among the words of a command line
	Heap     Heap                                  // tunes the garbage collector
}

// allGroups returns the groups, including the verbs about the program itself.
func (a *App) allGroups() []Group {
	return append(a.Groups(), Group{Title: "Other", Verbs: []*Command{a.completionCommand(), a.manCommand(), versionCommand(), a.helpCommand()}})
}

// Commands returns all verbs in the order of the help.
func (a *App) Commands() (all []*Command) {
	for _, g := range a.allGroups() {
		all = append(all, g.Verbs...)
	}
	return all
}

// findVerb returns the verb with a name; nil if there is none.
func (a *App) findVerb(name string) *Command {
	all := a.Commands()
	if i := slices.IndexFunc(all, func(c *Command) bool { return c.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// FlagSet returns the flags of a verb, for help and tests.
func (c *Command) FlagSet() *pflag.FlagSet {
	fs := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	c.define(fs)
	return fs
}

// define defines the flags of a verb.
func (c *Command) define(fs *pflag.FlagSet) {
	fs.SortFlags = false
	if c.Flags != nil {
		c.Flags(fs)
	}
}

// An execution is the state of one command line in cobra.
type execution struct {
	app  *App
	env  *Env
	ran  bool  // a verb was run; before that every error is a usage error
	help error // error of printing help, which cobra does not return
}

// dispatch parses a command line and runs the verb.
func (a *App) dispatch(e *Env, words []string) error {
	r := &execution{app: a, env: e}
	if len(words) > 0 && words[0] == "--version" {
		words = append([]string{"version"}, words[1:]...)
	}
	root := r.tree(words)
	if c, _, err := root.Find(words); err == nil && c != root {
		if flag := c.Annotations[countNote]; flag != "" {
			words = expandCount(c.Flags(), flag, words)
		}
	}
	root.SetArgs(append([]string{}, words...)) // cobra takes nil as the arguments of the process
	c, err := root.ExecuteContextC(e.Ctx)
	err = cmp.Or(err, r.help)
	usage, ok := errors.AsType[UsageError](err)
	if !ok && (r.ran || err == nil || r.help != nil) {
		return err
	}
	message := err.Error()
	if ok {
		message = usage.Error()
	}
	if c == root {
		return a.withHelp(message, "")
	}
	name := strings.TrimPrefix(c.CommandPath(), "tfparse ")
	return a.withHelp(name+": "+message, name)
}

// countNote is the annotation of a verb with Command.Count.
const countNote = "count"

// tree returns the cobra commands for one command line: only the verb if the first word is one, since defining the
// flags of all verbs takes as long as a run of version.
func (r *execution) tree(words []string) *cobra.Command {
	a := r.app
	cobra.MousetrapHelpText = "" // do not wait for a key when started from Explorer
	root := &cobra.Command{
		Use: "tfparse", SilenceErrors: true, SilenceUsage: true,
		DisableFlagParsing: true, // all words are passed to Args
		Args:               func(_ *cobra.Command, words []string) error { return a.unknownCommand(words) },
		RunE:               func(*cobra.Command, []string) error { return r.env.print(a.overview()) },
		ValidArgsFunction:  cobra.NoFileCompletions,
	}
	root.SetOut(r.env.Stdout)
	root.SetErr(r.env.Stderr)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return Usage(flagError(c.Flags(), err)) })

	all := a.Commands()
	named := len(words) > 0 && slices.ContainsFunc(all, func(c *Command) bool { return c.Name == words[0] })
	completing := len(words) > 0 && (words[0] == cobra.ShellCompRequestCmd || words[0] == cobra.ShellCompNoDescRequestCmd)
	verbs := map[string]*cobra.Command{"": root}
	for _, v := range all {
		above, name, below := strings.Cut(v.Name, " ")
		if !below {
			above, name = "", v.Name
		}
		if named && cmp.Or(above, name) != words[0] {
			continue
		}
		c := r.verb(v, name)
		if completing {
			c.Short = a.readText(v.Name).short
			a.complete(r.env, c, v)
		}
		verbs[v.Name] = c
		verbs[above].AddCommand(c)
		if v.Name == "help" {
			root.SetHelpCommand(c)
		}
	}
	if verbs["help"] == nil { // otherwise cobra adds its own
		root.SetHelpCommand(&cobra.Command{Use: "help", Hidden: true})
	}
	return root
}

// verb returns the cobra command of a verb.
func (r *execution) verb(v *Command, name string) *cobra.Command {
	c := &cobra.Command{
		Use: name, Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true,
		Annotations: map[string]string{countNote: v.Count},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault // names of files, also for verbs with subcommands
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(checkEmptyValues(c.Flags()), checkFileValues(c.Flags())); err != nil {
				return err
			}
			r.ran = true
			return v.Run(r.env, args)
		},
	}
	v.define(c.Flags())
	c.Flags().BoolP("help", "h", false, "print the help of the command")
	c.SetHelpFunc(func(*cobra.Command, []string) {
		fresh := r.app.findVerb(v.Name) // help would print the values of the flags of v as defaults
		r.help = r.env.print(r.app.Help(fresh))
	})
	return c
}

// print writes a text to standard output.
func (e *Env) print(helpText string) error {
	_, err := io.WriteString(e.Stdout, helpText)
	return OutputError("standard output", err)
}

// expandCount replaces -5 by the flag and its value, as head of Unix accepts it. It does not change values of other
// flags and words after --.
func expandCount(fs *pflag.FlagSet, flag string, words []string) []string {
	out := slices.Clone(words)
	for i, word := range out {
		if word == "--" {
			break
		}
		if dashNumber.MatchString(word) && (i == 0 || !wantsValue(fs, out[i-1])) {
			out[i] = "--" + flag + "=" + word[1:]
		}
	}
	return out
}

// wantsValue reports whether the next word is the value of a flag.
func wantsValue(fs *pflag.FlagSet, word string) bool {
	var f *pflag.Flag
	switch name, long := strings.CutPrefix(word, "--"); {
	case long:
		f = fs.Lookup(name) // nil if a value follows after "="
	case len(word) == 2 && word[0] == '-':
		f = fs.ShorthandLookup(word[1:])
	}
	return f != nil && f.NoOptDefVal == ""
}

var dashNumber = regexp.MustCompile(`^-[0-9]+$`)

// unknownCommand returns the error of a command line that does not begin with a verb. It suggests a verb.
func (a *App) unknownCommand(words []string) error {
	if len(words) == 0 || words[0] == "-h" || words[0] == "--help" {
		return nil
	}
	word := words[0]
	if strings.HasPrefix(word, "-") && word != Stdin {
		return Usagef("unknown flag %s before a command; flags come after it", word)
	}
	message := fmt.Sprintf("unknown command %q", word)
	near := cmp.Or(synonyms[strings.ToLower(word)], a.nearCommand(word))
	if a.IsInput(word) || near == "" && strings.ContainsAny(word, `/\.@*`) {
		return Usagef("%s; did you mean `tfparse head %s`?", message, ShellQuoted(word))
	}
	if near != "" && a.findVerb(near) != nil {
		message += fmt.Sprintf("; is it %s?", near)
	}
	return Usagef("%s", message)
}

// nearCommand returns the verb with the most similar name; "" if no name is similar.
func (a *App) nearCommand(word string) string {
	var names []string
	for _, c := range a.Commands() {
		names = append(names, c.Name)
	}
	return nearest.Name(word, names)
}

// synonyms maps names of similar commands in other programs to verbs.
var synonyms = synonymsOf(map[string]string{
	"cat":      "dump json read tojson to-json",
	"view":     "browse gui ui",
	"head":     "less more peek preview print show",
	"info":     "describe features inspect list ll ls",
	"count":    "len wc",
	"verify":   "check fsck test",
	"export":   "numpy npz parquet to-csv to-parquet",
	"encode":   "create from-csv fromcsv import make write",
	"schema":   "infer spec",
	"stats":    "profile statistics summarize summary",
	"validate": "anomalies lint",
	"drift":    "distance distances",
	"digest":   "checksum hash md5 sha256 sum",
	"diff":     "cmp compare",
	"du":       "size sizes",
	"convert":  "compress copy cp decompress gunzip gzip recompress transcode",
	"merge":    "concat concatenate join",
	"split":    "partition reshard shard",
	"filter":   "find grep query search where",
	"project":  "columns cut drop keep remove rm select",
	"rename":   "mv",
	"set":      "add",
	"sort":     "order",
	"shuffle":  "randomize shuf",
	"dedup":    "deduplicate distinct uniq unique",
	"recover":  "fix repair rescue restore salvage",
	"model":    "savedmodel signature signatures",
	"request":  "infer-request predict serve",
})

// synonymsOf returns a map from each synonym to its verb.
func synonymsOf(verbs map[string]string) map[string]string {
	m := map[string]string{}
	for verb, words := range verbs {
		for word := range strings.FieldsSeq(words) {
			m[word] = verb
		}
	}
	return m
}

// ShellQuoted quotes a word for a POSIX shell, if necessary.
func ShellQuoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./#-]+$`)

// versionCommand returns the verb that prints the version.
func versionCommand() *Command {
	return &Command{
		Name: "version",
		Run: func(e *Env, args []string) error {
			if len(args) > 0 {
				return Usagef("no arguments are taken")
			}
			version := "(unknown)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			build := "lean build: without object stores, Parquet and Arrow"
			if all := slices.Concat(storage.Schemes(), columnfile.Registered()); len(all) > 0 {
				build = "build with " + strings.Join(all, ", ")
			}
			return e.print(fmt.Sprintf("tfparse %s %s %s/%s %s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, build))
		},
	}
}
