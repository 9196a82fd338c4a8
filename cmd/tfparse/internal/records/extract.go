package records

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/internal/sniff"
	"github.com/tfparse/tfparse/internal/storage"
)

// Extract writes the values of a bytes feature to files.
func Extract() *cli.Command {
	x := &extract{}
	return &cli.Command{Name: "extract", Flags: x.addFlags, Run: x.run}
}

// extract is one run of tfparse extract. The goroutine that reads names the files; workers write them.
type extract struct {
	reading  scan.Flags          // flags that read and select records
	typ      example.MessageType // of the records; TypeAuto: that of each file
	features cli.NameList        // the value of --feature, which is one name
	names    cli.NameList        // the value of --name-from, at most one name
	dir      string              // the value of -o
	jobs     int                 // workers

	feature string              // whose values are written
	namer   string              // the feature that names the files, if --name-from is given
	sought  *scan.FeatureSearch // looks for namer; nil: files are named by ordinals

	env    *cli.Env                    // of the run
	src    *scan.Source                // set by run
	inputs []string                    // names of the inputs, which no file replaces
	values scan.Values                 // of the current record
	used   usedNames                   // of files so far, with --name-from
	queue  *ordered.Queue[*extraction] // records whose files the workers write; set by writeAll
	failed error                       // of a worker, returned when the reader submitted another record
	made   bool                        // dir exists

	records  int64 // that were selected
	supplied int64 // records whose files are written
	files    int64 // written
}

// An extraction is the files of one record.
type extraction struct {
	names  []string // in dir
	values [][]byte // one for each name
}

func (x *extract) addFlags(fs *pflag.FlagSet) {
	cli.FeaturesVar(fs, &x.features, "feature", "write the values of `FEATURE`")
	cli.FeaturesVar(fs, &x.names, "name-from", "name the files by the value of `FEATURE` [ordinal of the record]")
	cli.OutputVar(fs, &x.dir, "write files to the directory `DIR`, which is created")
	scan.MessageVar(fs, &x.typ)
	cli.JobsVar(fs, &x.jobs, "work on `N` goroutines")
	x.reading.Add(fs)
	x.reading.AddSelection(fs)
}

func (x *extract) run(e *cli.Env, args []string) (err error) {
	if len(x.features) == 0 || x.dir == "" {
		return cli.Usagef("want --feature FEATURE and -o DIR")
	}
	if x.feature, err = oneFeature("feature", x.features); err != nil {
		return err
	}
	if len(x.names) > 0 {
		if x.namer, err = oneFeature("name-from", x.names); err != nil {
			return err
		}
		x.sought = scan.NewFeatureSearch("--name-from")
		x.sought.Add(scan.InContext, x.namer)
	}
	if err := checkDirectory(x.dir); err != nil {
		return err
	}
	in, err := x.reading.ExpandRecords(e, args)
	if err != nil {
		return err
	}
	x.env, x.inputs = e, scan.Names(in)
	opts := &scan.Options{Type: x.typ, Features: true, FeatureSearch: scan.NewFeatureSearch("--feature")}
	opts.FeatureSearch.Add(scan.InContext|scan.InLists, x.feature)
	if x.src, err = x.reading.Open(e, in, opts); err != nil {
		return err
	}
	defer x.src.Close()
	if err := x.writeAll(e); err != nil {
		return err
	}
	return x.report(e)
}

// oneFeature returns the name of the feature that a flag names.
func oneFeature(flag string, list cli.NameList) (string, error) {
	names, err := list.Names(flag)
	if err == nil && len(names) > 1 {
		err = cli.Usagef("--%s %s: want one feature", flag, list.String())
	}
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// checkDirectory refuses a value of -o that is not a directory, or the name of a new one.
func checkDirectory(dir string) error {
	if !cli.IsFile(dir) {
		return cli.Usagef("-o %s: want a directory", dir)
	}
	if err := cli.Elsewhere("-o ", dir); err != nil || storage.Remote(dir) {
		return err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return cli.Usagef("-o %s: want a directory, got a file", dir)
	}
	return nil
}

// writeAll writes the files of all records.
func (x *extract) writeAll(e *cli.Env) error {
	// Each file is synced before it gets its name, which takes longer than reading the record. So workers write, and the
	// values of a few records are kept in memory.
	limit := 2 * x.jobs
	x.queue = ordered.NewQueue(e.Ctx, x.jobs, limit, func() func(*extraction) error { return x.write }, func(t *extraction) error {
		x.supplied++
		x.files += int64(len(t.names))
		return nil
	})
	defer x.queue.Close()
	err := x.src.Each(x.add)
	if x.failed == nil { // the records before an error are written
		if failed := x.queue.Drain(); failed != nil {
			err = failed
		}
	}
	return err
}

// add names the files of a record and passes them to a worker.
func (x *extract) add(rec scan.Record) error {
	x.records++
	if x.sought.Missing() {
		x.sought.Look(rec.Type, rec.Bytes)
	}
	if held, err := x.sought.Held(); held {
		return err
	}
	groups, err := x.groupsOf(rec)
	if err != nil {
		return x.src.Refuse(rec, err)
	}
	if groups == nil {
		return nil
	}
	t := &extraction{}
	for _, group := range groups {
		t.values = append(t.values, group.values...)
	}
	if x.sought == nil {
		t.names = fileNames(fmt.Sprintf("%08d", x.ordinal()), groups)
	} else {
		name, err := x.nameOf(rec)
		if err != nil {
			refused := x.src.Refuse(rec, err)
			if errors.Is(err, errNoName) && !x.reading.MissingFeaturesAllowed() {
				return x.sought.Hold(refused)
			}
			return refused
		}
		t.names = x.used.uniqueNames(name, groups)
	}
	if err := x.makeDirectory(); err != nil {
		return err
	}
	x.failed = x.queue.Submit(t)
	return x.failed
}

// ordinal returns the ordinal of the current record among all records that were read, with those that --where and --skip
// leave out: a record has the same name whatever is selected. Without --where, Source.Read does not count skipped records.
func (x *extract) ordinal() int64 {
	n := x.src.Read - 1
	if x.reading.Where == "" {
		n += x.reading.Skip
	}
	return n
}

// errNoName is the reason of a record without one value that names its files.
var errNoName = errors.New("no name for the files")

// nameOf returns the name of the files of a record, without extension. It changes x.values.
func (x *extract) nameOf(rec scan.Record) (string, error) {
	kind, err := x.values.Lookup(rec.Type, rec.Bytes, x.namer)
	if err != nil {
		return "", err
	}
	refuse := func(err error, want, got string) (string, error) {
		return "", &example.Error{Path: example.PathTo("", x.namer), Err: err, Want: want, Got: got}
	}
	switch kind {
	case example.Unset:
		return refuse(errNoName, "1 value", "none")
	case example.BytesList:
		if n := len(x.values.Strings); n != 1 {
			return refuse(errNoName, "1 value", strconv.Itoa(n))
		}
		return safeName(string(x.values.Strings[0])), nil
	case example.Int64List:
		if n := len(x.values.Ints); n != 1 {
			return refuse(errNoName, "1 value", strconv.Itoa(n))
		}
		return strconv.FormatInt(x.values.Ints[0], 10), nil
	}
	return refuse(example.ErrKind, example.BytesList.String()+" or "+example.Int64List.String(), kind.String())
}

// makeDirectory creates the directory before the first file.
func (x *extract) makeDirectory() error {
	if x.made || storage.Remote(x.dir) {
		return nil
	}
	x.made = true
	return cli.OutputError(x.dir, os.MkdirAll(x.dir, 0o777))
}

// write writes the files of a record. Workers call it.
func (x *extract) write(t *extraction) error {
	for i, name := range t.names {
		name = storage.Join(x.dir, name)
		if err := cli.CheckInputs(name, x.inputs); err != nil {
			return err
		}
		if err := x.writeFile(name, t.values[i]); err != nil {
			return err
		}
	}
	return nil
}

// report deals with features that no record had, and prints how many files were written.
func (x *extract) report(e *cli.Env) error {
	// Files that are written remain, as lines that are printed do: then a missing name, which only --where can have, is a warning.
	written := x.files > 0
	if err := x.src.MissingFeatures(written); err != nil {
		return err
	}
	if x.files == 0 && x.sought != nil {
		if err := x.reading.MissingFeatures(e, false, x.sought.Texts()); err != nil {
			return err
		}
	}
	if err := x.makeDirectory(); err != nil {
		return err
	}
	out := e.Report()
	fmt.Fprintf(out, "%s written to %s from %d of %s\n", cli.Plural(x.files, "file"), console.OneLine(x.dir), x.supplied, cli.Plural(x.records, "record"))
	return out.Finish(nil)
}

// extensions are those of files by their content; others are bin.
var extensions = map[sniff.Format]string{
	sniff.JPEG: ".jpg", sniff.PNG: ".png", sniff.GIF: ".gif", sniff.BMP: ".bmp", sniff.WebP: ".webp", sniff.Text: ".txt", sniff.Gzip: ".gz",
}

// fileNames returns the names of files for the values of a record: with the suffix of the group, the ordinal of the value if its group
// has several, and an extension.
func fileNames(name string, groups []valueGroup) (all []string) {
	for _, group := range groups {
		for i, v := range group.values {
			number, ext := group.suffix, ".bin"
			if len(group.values) > 1 {
				number += fmt.Sprintf("-%d", i)
			}
			if found, ok := extensions[sniff.Detect(v).Format]; ok {
				ext = found
			}
			all = append(all, name+number+ext)
		}
	}
	return all
}

// usedNames makes the names of files unique. Names that differ only in case are the same file on some systems.
type usedNames struct {
	hashes map[uint64]bool // of names in lower case: with names themselves a million files would take 100 MB
	next   map[string]int  // the number to try next, of names that were used before
}

// uniqueNames returns the names of files for the values of a record. -2, -3 and so on distinguish records of the same name.
func (u *usedNames) uniqueNames(name string, groups []valueGroup) []string {
	if u.hashes == nil {
		u.hashes, u.next = map[uint64]bool{}, map[string]int{}
	}
	key, numbered := strings.ToLower(name), name
	for n := max(u.next[key], 1); ; n++ {
		if n > 1 {
			numbered = fmt.Sprintf("%s-%d", name, n)
			u.next[key] = n
		}
		names := fileNames(numbered, groups)
		if slices.ContainsFunc(names, func(s string) bool { return u.hashes[hashOf(s)] }) {
			continue
		}
		for _, s := range names {
			u.hashes[hashOf(s)] = true
		}
		return names
	}
}

// hashOf returns a hash of a name in lower case. Two names with one hash only mean that a number is appended.
func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(name)))
	return h.Sum64()
}

// nameBytes is the maximum size of a name, so that numbers and an extension fit into the 255 bytes of most file systems.
const nameBytes = 200

// device matches names that Windows takes for devices, with any extension.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)`)

// safeName makes a value the name of a file in a directory, on every system.
func safeName(value string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(value, "_"))
	name = strings.ReplaceAll(name, "..", "__")
	if rest, ok := strings.CutPrefix(name, "."); ok {
		name = "_" + rest
	}
	if name == "" || device.MatchString(name) {
		name = "_" + name
	}
	if len(name) > nameBytes {
		end := nameBytes
		for !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	return name
}

// writeFile writes a file, which appears when it is complete.
func (x *extract) writeFile(name string, content []byte) error {
	f, err := atomicfile.Create(name)
	if err != nil {
		return cli.OutputError(name, err)
	}
	defer f.Abort()
	done, ok := x.env.TrackFiles(f)
	if !ok {
		return context.Canceled
	}
	defer done()
	if _, err = f.Write(content); err == nil {
		err = f.Commit()
	}
	return cli.OutputError(name, err)
}
