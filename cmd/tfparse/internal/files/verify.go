package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/storage"
)

// Verify checks that files are intact.
func Verify() *cli.Command { return newVerify().command() }

func newVerify() *verify {
	c := &verify{}
	c.view, c.group, c.aboutAll, c.useAll = c, setOrFile, c.allFiles, c.addAllFiles
	c.part = partial.Flag{Verb: "verify", Alike: []string{"all", "partial-set", "type"}}
	c.reading.OnError = cli.Skip
	return c
}

// VerifyMerge puts together what verify --partial has written.
func VerifyMerge() *cli.Command {
	c := newVerify()
	return c.part.MergeCommand(c.command())
}

func (c *verify) command() *cli.Command {
	return &cli.Command{
		Name: "verify",
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.report.all, "all", false, "report every fault, not only the first of each file")
			fs.BoolVar(&c.partialSet, "partial-set", false, "accept shards without the rest of their set")
			scan.TypeVar(fs, &c.typ)
			scan.SpecVar(fs, &c.spec, "check every record against `SPEC`: a .json or .pbtxt file")
			cli.EnumVar(fs, &c.report.format, "format", verifyForms, "report as `FORMAT`: text, json, junit or github")
			c.part.Add(fs)
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			c.reading.Add(fs)
			c.reading.AddShard(fs)
		},
		Run: c.runVerify,
	}
}

// verify is the view of a survey that reports what is wrong with the files.
type verify struct {
	survey
	partialSet bool // a set need not be whole
	spec       string
	report     verifyReport

	files  int    // that were given
	looked int    // files that were read, or of which a part says something
	faulty int    // files with a fault
	broken int    // sets, and directories of TensorFlow Datasets, with a fault
	good   int64  // records without a fault
	gaps   bool   // shards of a set are missing
	before string // the file before the one that is read

	sets  []*filelist.SetError // that are not whole
	twice []warning            // about files that are given more than once
	alike shardSets
	tfds  tfdsSets
}

func (c *verify) runVerify(e *cli.Env, args []string) error {
	if c.reading.NoCRC {
		return cli.Usagef("checksums are what is verified; --no-crc leaves nothing")
	}
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	if err := c.part.Check(e); err != nil {
		return err
	}
	c.env, c.most = e, 1
	if c.report.all {
		c.most = math.MaxInt
	}
	if err := c.useSpec(); err != nil {
		return err
	}
	var in []scan.Input
	var parts *partial.Parts
	var err error
	if c.part.Merge {
		if parts, err = c.openParts(args); err == nil {
			c.files = parts.Files
		}
	} else {
		in, err = c.openFiles(args)
	}
	if err != nil {
		return err
	}
	if c.out, err = e.Create(""); err != nil {
		return err
	}
	c.out.Answer, c.report.out = true, c.out
	unlimit := e.Heap.LimitTo(heapLimit)
	defer unlimit()
	c.onLarge = unlimit
	if c.part.Name != "" {
		c.report.out = &cli.Output{W: io.Discard}
	}
	c.report.start()
	if parts != nil {
		err = c.replay(parts)
	} else {
		err = c.run(in, &scan.Options{Recover: true, Spec: c.spec != ""})
	}
	if c.part.Name != "" {
		return err
	}
	if err == nil && (c.faulty == 0 || c.reading.OnError == cli.Skip) {
		if err = c.reportSets(); err == nil {
			err = c.checkTFDS(e)
		}
	}
	if err != nil {
		return c.out.Finish(err)
	}
	if c.faulty > 0 || c.broken > 0 {
		e.Raise(cli.ExitBadInput)
	}
	all := slices.Concat(c.twice, c.alike.warnings(), kindWarnings(c.tables, c.report.all))
	for _, w := range all {
		if c.report.format <= verifyJSON {
			e.Console.Print(fmt.Sprintf("%s: %s", w.File, w.Message))
		}
	}
	c.report.finish(c.reading.PassedOver, all, c.total(c.files), c.files > 1)
	if c.gaps {
		e.Console.Print("shards are missing; --partial-set accepts a set without them")
	}
	c.unknown.warn(e, func(name, looks string) string {
		return fmt.Sprintf("%s: unknown messages%s were not decoded; --type raw verifies their checksums only", name, scan.InBrackets(looks))
	})
	return c.out.Finish(nil)
}

// heapLimit is near what verify may take while records are of up to a megabyte. Names of
// many features are kept while one is looked at, and left behind.
const heapLimit = 40 << 20

// useSpec has records parsed by the spec, if there is one.
func (c *verify) useSpec() (err error) {
	c.contents = map[string][]byte{"spec": nil}
	if c.spec == "" {
		return nil
	}
	if c.parser, err = scan.NewParser(c.spec, nil, &feature.ParserOptions{AliasRecords: true}); err != nil {
		return err
	}
	if t := c.parser.Message(); c.typ != example.TypeAuto && c.typ != t {
		return cli.Usagef("--type %s and --spec: the spec is for type %s", c.typ, t)
	}
	c.typ = c.parser.Message()
	c.contents["spec"], err = json.Marshal(c.parser.Spec())
	return err
}

// openFiles looks the files up, and finds the sets that they are shards of.
func (c *verify) openFiles(args []string) ([]scan.Input, error) {
	e := c.env
	list, err := c.reading.List(e, args)
	if err != nil {
		return nil, err
	}
	if c.reading.AllowMissing && !c.partialSet {
		c.reading.WarnMissing(e, list)
	}
	in := scan.Present(list) // findSets finds the others
	c.tfds, in = findTFDS(args, in)
	if c.partialSet && len(in) == 0 {
		return nil, scan.MissingShards(list)
	}
	c.twice = givenTwice(in)
	if in, err = c.reading.Part(e, in); err != nil {
		return nil, err
	}
	if len(c.tfds.dirs) > 0 && (len(in) < len(c.reading.AllInputs) || c.part.Name != "") {
		return nil, cli.Usagef("a directory of TensorFlow Datasets is compared with its dataset_info.json as a whole, without --shard and --partial")
	}
	c.findSets(list)
	c.files = len(in)
	return in, nil
}

// findSets checks that the sets are whole that the inputs are shards of.
func (c *verify) findSets(list *filelist.List) {
	c.sets = filelist.System(c.env.Ctx).CheckSets(list)
	if c.reading.AllowMissing || c.partialSet { // which has said so, or need not
		c.sets = slices.DeleteFunc(c.sets, func(f *filelist.SetError) bool {
			return f.Missing > 0 || c.reading.AllowMissing && slices.ContainsFunc(list.Broken, func(b *filelist.SetError) bool { return *b == *f })
		})
	}
}

func (c *verify) beginFile(f *fileSummary) error {
	c.dropTable(f.Name)
	c.report.begin(f.Name)
	return nil
}

// dropTable drops the table of the file before, if that is not a shard and no feature in it has different kinds. What stays is how
// many records are empty.
func (c *verify) dropTable(file string) {
	before := c.before
	c.before = file
	n := len(c.tables) - 1
	if n < 0 || c.tables[n].group != before || len(mixedKinds(c.tables[n])) > 0 {
		return
	}
	g := c.tables[n]
	if c.tables = c.tables[:n]; g.Empty > 0 {
		slim := summary.NewTable(g.Type())
		slim.Empty, slim.NoneAt = g.Empty, g.NoneAt
		c.tables = append(c.tables, &groupTable{g.group, slim})
	}
}

func (c *verify) addFault(f *fileSummary, fault *scan.Fault) error {
	if isSpecFault(fault.Err) {
		fault.Class = scan.ClassSpec
	}
	if _, ok := scan.Files.ParseShard(fault.File); ok && errors.Is(fault, fs.ErrNotExist) {
		fault.Class = scan.ClassShards
	}
	return c.report.fault(f, fault)
}

func (c *verify) endFile(f *fileSummary) error {
	c.good += f.Records
	c.alike.add(f)
	if err := c.checkShard(f); err != nil {
		return err
	}
	c.report.endFile(f)
	if err := c.report.out.Flush(); err != nil {
		return err
	}
	c.looked++
	if f.Faults > 0 {
		c.faulty++
		if c.reading.OnError == cli.Stop {
			return scan.ErrStop
		}
	}
	return nil
}

// addOther reports a fault that is not of a file that was read.
func (c *verify) addOther(f *fileSummary, class string, err error) error {
	f.Faults++
	return c.report.fault(f, &scan.Fault{File: f.Name, Class: class, Record: -1, Offset: -1, Compressed: -1, Err: err})
}

// reportSets reports the sets that are not whole.
func (c *verify) reportSets() error {
	var set *fileSummary
	for i, fault := range c.sets {
		if set == nil || set.Name != fault.Set {
			set = &fileSummary{Name: fault.Set}
			c.report.begin(set.Name)
			c.broken++
		}
		c.gaps = c.gaps || fault.Missing > 0
		if err := c.addOther(set, scan.ClassShards, fault); err != nil {
			return err
		}
		if i == len(c.sets)-1 || c.sets[i+1].Set != set.Name {
			c.report.end(set)
		}
	}
	return nil
}

// total sums up what was verified; files is how many were given.
func (c *verify) total(files int) string {
	text := cli.Plural(int64(files), "file")
	if c.faulty == 0 && c.broken == 0 {
		return fmt.Sprintf("%s, %s: ok", text, cli.Plural(c.good, "record"))
	}
	if c.looked < files {
		text = fmt.Sprintf("%d of %s", c.looked, text)
	}
	text += fmt.Sprintf(", %s ok", cli.Plural(c.good, "record"))
	if c.faulty > 0 {
		text += fmt.Sprintf(", %s with faults", cli.Plural(int64(c.faulty), "file"))
	}
	if c.broken > 0 {
		text += fmt.Sprintf(", %s with faults", cli.Plural(int64(c.broken), "set"))
	}
	return text
}

// givenTwice returns warnings about files that are given more than once, under one name.
func givenTwice(in []scan.Input) (all []warning) {
	times := map[string]int64{}
	for _, i := range in {
		name := storage.Clean(i.Name)
		if times[name]++; times[name] == 2 {
			all = append(all, warning{File: jsonscan.Name(i.Name)})
		}
	}
	for i := range all {
		all[i].Message = fmt.Sprintf("the file is given %d times, and its records are counted each time", times[storage.Clean(string(all[i].File))])
	}
	return all
}

// allFiles is what verify finds out about the files of all machines, for parts. Names and texts are bytes, since JSON has no others
// than UTF-8.
type allFiles struct {
	Sets  []brokenSet `json:"sets,omitempty"`
	Twice []givenFile `json:"twice,omitempty"`
}

type brokenSet struct {
	Set     []byte `json:"set"`
	Message []byte `json:"message"`
	Missing int    `json:"missing"`
}

type givenFile struct {
	File    []byte `json:"file"`
	Message string `json:"message"`
}

func (c *verify) allFiles() any {
	var all allFiles
	for _, s := range c.sets {
		all.Sets = append(all.Sets, brokenSet{[]byte(s.Set), []byte(s.Message), s.Missing})
	}
	for _, w := range c.twice {
		all.Twice = append(all.Twice, givenFile{[]byte(w.File), w.Message})
	}
	return all
}

// addAllFiles takes what allFiles returned elsewhere.
func (c *verify) addAllFiles(b []byte) error {
	var all allFiles
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for _, s := range all.Sets {
		c.sets = append(c.sets, &filelist.SetError{Set: string(s.Set), Message: string(s.Message), Missing: s.Missing})
	}
	for _, w := range all.Twice {
		c.twice = append(c.twice, warning{File: jsonscan.Name(w.File), Message: w.Message})
	}
	return nil
}
