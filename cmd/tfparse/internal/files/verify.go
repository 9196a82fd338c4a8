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

// Verify returns the verb verify, which checks that files are intact.
func Verify() *cli.Command { return newVerify().command() }

func newVerify() *verify {
	c := &verify{}
	c.view, c.group, c.partOwn, c.usePartOwn = c, setOrFile, c.allFiles, c.addAllFiles
	c.part = partial.Flag{Verb: "verify", Alike: []string{"all", "partial-set", "type"}}
	c.reading.OnError = cli.Skip
	return c
}

// VerifyMerge returns the verb verify merge, which merges the outputs of verify --partial.
func VerifyMerge() *cli.Command {
	c := newVerify()
	return c.part.MergeCommand(c.command())
}

func (c *verify) command() *cli.Command {
	return &cli.Command{
		Name: "verify",
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.report.allFaults, "all", false, "report every fault, not only the first of each file")
			fs.BoolVar(&c.partialSet, "partial-set", false, "accept shards without the rest of their set")
			scan.TypeVar(fs, &c.typ)
			scan.SpecVar(fs, &c.spec, "check every record against `SPEC`: a .json or .pbtxt file, or auto")
			cli.ChoiceVar(fs, &c.report.format, "format", verifyForms, "report as `FORMAT`: text, json, junit or github")
			c.part.Add(fs)
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			c.reading.Add(fs)
			c.reading.AddShard(fs)
		},
		Run: c.runVerify,
	}
}

// verify is a survey whose view reports faults.
type verify struct {
	survey
	partialSet bool         // --partial-set: accept incomplete shard sets
	spec       string       // --spec: name of a file; "": none
	report     verifyReport // also holds --all and --format

	files         int    // number of input files
	reported      int    // files read, or replayed in a merge
	faultyFiles   int    // files with a fault
	faultySets    int    // shard sets and directories of TensorFlow Datasets with a fault
	goodRecords   int64  // records without a fault
	shardsMissing bool   // a set has missing shards
	previous      string // name of the file before the current one

	brokenSets    []*filelist.SetError // faults of shard sets
	repeatedFiles []warning            // about files named more than once
	consistency   setConsistency       // codecs and types of the shards that were read
	tfds          tfdsSets             // directories among the arguments; empty in a merge
}

func (c *verify) runVerify(e *cli.Env, args []string) error {
	if c.reading.NoCRC {
		return cli.Usagef("--no-crc cannot be used: verify checks checksums")
	}
	if err := c.part.Check(e); err != nil {
		return err
	}
	c.env, c.maxFaults = e, 1
	if c.report.allFaults {
		c.maxFaults = math.MaxInt
	}
	if err := c.useSpec(args); err != nil {
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
	c.out = e.Report()
	c.out.Answer, c.report.out = true, c.out
	unlimit := e.Heap.LimitTo(heapLimit)
	defer unlimit()
	c.onLarge = unlimit
	if c.part.Name != "" {
		c.report.out = &cli.Output{W: io.Discard}
	}
	c.report.beginReport()
	if parts != nil {
		err = c.replay(parts)
	} else {
		err = c.run(in, &scan.Options{Recover: true, Spec: c.spec != ""})
	}
	if c.part.Name != "" {
		return err
	}
	if err == nil && (c.faultyFiles == 0 || c.reading.OnError == cli.Skip) {
		if err = c.reportSets(); err == nil {
			err = c.checkTFDS(e)
		}
	}
	if err != nil {
		return c.out.Finish(err)
	}
	if c.faultyFiles > 0 || c.faultySets > 0 {
		e.Raise(cli.ExitBadInput)
	}
	all := slices.Concat(c.repeatedFiles, c.consistency.warnings(), kindWarnings(c.tables, c.report.allFaults))
	for _, w := range all {
		if c.report.format <= verifyJSON {
			e.Console.Print(fmt.Sprintf("%s: %s", w.File, w.Message))
		}
	}
	c.report.endReport(c.reading.PassedOver, all, c.total(c.files), c.files > 1)
	if c.shardsMissing {
		e.Console.Print("shards are missing; --partial-set accepts a set without them")
	}
	c.unknownFiles.warn(e, func(name, looks string) string {
		return fmt.Sprintf("%s: unknown messages%s were not decoded; --type raw verifies their checksums only", name, scan.InBrackets(looks))
	})
	return c.out.Finish(nil)
}

// heapLimit is a soft limit of the heap, in bytes, until a record is larger than largeRecord. Tables of many names become
// garbage after each file.
const heapLimit = 40 << 20

// useSpec sets the parser of --spec, if given.
func (c *verify) useSpec(args []string) (err error) {
	c.contents = map[string][]byte{"spec": nil}
	if c.spec, err = scan.AutoSpec(c.env, c.spec, args); err != nil {
		return err
	}
	if c.spec == "" {
		return nil
	}
	if c.parser, err = scan.NewParser(c.spec, nil, &feature.ParserOptions{AliasRecords: true}); err != nil {
		return err
	}
	if t := c.parser.Message(); c.typ != example.TypeAuto && c.typ != t {
		return cli.Usagef("--type %s: --spec is for type %s", c.typ, t)
	}
	c.typ = c.parser.Message()
	c.contents["spec"], err = json.Marshal(c.parser.Spec())
	return err
}

// openFiles finds the input files and checks their shard sets.
func (c *verify) openFiles(args []string) ([]scan.Input, error) {
	e := c.env
	if scan.HasSlice(args) {
		in, err := c.reading.Expand(e, args)
		if err == nil {
			err = scan.WholeFiles(in)
		}
		c.files = len(in)
		return in, err
	}
	list, err := c.reading.List(e, args)
	if err != nil {
		return nil, err
	}
	if c.reading.AllowMissing && !c.partialSet {
		c.reading.WarnMissing(e, list)
	}
	in := scan.Present(list) // findSets reports the missing ones
	c.tfds, in = findTFDS(args, in)
	if c.partialSet && len(in) == 0 {
		return nil, scan.MissingShards(list)
	}
	c.repeatedFiles = givenTwice(in)
	if in, err = c.reading.Part(e, in); err != nil {
		return nil, err
	}
	if len(c.tfds.dirs) > 0 && (len(in) < len(c.reading.AllInputs) || c.part.Name != "") {
		return nil, cli.Usagef("--shard and --partial cannot verify a directory of TensorFlow Datasets")
	}
	c.findSets(list)
	c.files = len(in)
	return in, nil
}

// findSets finds the incomplete shard sets of the inputs.
func (c *verify) findSets(list *filelist.List) {
	c.brokenSets = filelist.System(c.env.Ctx).CheckSets(list)
	if c.reading.AllowMissing || c.partialSet { // missing shards are accepted, or were reported before
		c.brokenSets = slices.DeleteFunc(c.brokenSets, func(f *filelist.SetError) bool {
			return f.Missing > 0 || c.reading.AllowMissing && slices.ContainsFunc(list.Broken, func(b *filelist.SetError) bool { return *b == *f })
		})
	}
}

func (c *verify) beginFile(f *fileSummary) error {
	c.dropTable(string(f.Name))
	c.report.beginEntry(string(f.Name))
	return nil
}

// dropTable drops the table of the previous file, if that is not a shard and no feature in it has different kinds. It keeps
// the number of empty records.
func (c *verify) dropTable(file string) {
	before := c.previous
	c.previous = file
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
	return c.report.addFault(f, fault)
}

func (c *verify) endFile(f *fileSummary) error {
	c.goodRecords += f.Records
	c.consistency.addFile(f)
	if err := c.checkShard(f); err != nil {
		return err
	}
	c.report.endFile(f)
	if err := c.report.out.Flush(); err != nil {
		return err
	}
	c.reported++
	if f.Faults > 0 {
		c.faultyFiles++
		if c.reading.OnError == cli.Stop {
			return scan.ErrStop
		}
	}
	return nil
}

// addSetFault reports a fault of a set, a directory, or a shard compared with its dataset_info.json.
func (c *verify) addSetFault(f *fileSummary, class string, err error) error {
	f.Faults++
	return c.report.addFault(f, &scan.Fault{File: string(f.Name), Class: class, Record: -1, Offset: -1, Compressed: -1, Err: err})
}

// reportSets reports the incomplete shard sets.
func (c *verify) reportSets() error {
	var set *fileSummary
	for i, fault := range c.brokenSets {
		if set == nil || string(set.Name) != fault.Set {
			set = newSummary(fault.Set)
			c.report.beginEntry(fault.Set)
			c.faultySets++
		}
		c.shardsMissing = c.shardsMissing || fault.Missing > 0
		if err := c.addSetFault(set, scan.ClassShards, fault); err != nil {
			return err
		}
		if i == len(c.brokenSets)-1 || c.brokenSets[i+1].Set != fault.Set {
			c.report.endEntry(set)
		}
	}
	return nil
}

// total returns the summary line; files is the number of input files.
func (c *verify) total(files int) string {
	text := cli.Plural(int64(files), "file")
	if c.faultyFiles == 0 && c.faultySets == 0 {
		return fmt.Sprintf("%s, %s: ok", text, cli.Plural(c.goodRecords, "record"))
	}
	if c.reported < files {
		text = fmt.Sprintf("%d of %s", c.reported, text)
	}
	text += fmt.Sprintf(", %s ok", cli.Plural(c.goodRecords, "record"))
	if c.faultyFiles > 0 {
		text += fmt.Sprintf(", %s with faults", cli.Plural(int64(c.faultyFiles), "file"))
	}
	if c.faultySets > 0 {
		text += fmt.Sprintf(", %s with faults", cli.Plural(int64(c.faultySets), "set"))
	}
	return text
}

// givenTwice returns warnings about file names that occur more than once.
func givenTwice(in []scan.Input) (all []warning) {
	times := map[string]int64{}
	for _, i := range in {
		name := storage.Clean(i.Name)
		if times[name]++; times[name] == 2 {
			all = append(all, warning{File: jsonscan.Name(i.Name)})
		}
	}
	for i := range all {
		all[i].Message = fmt.Sprintf("named %d times; its records are counted each time", times[storage.Clean(string(all[i].File))])
	}
	return all
}

// allFiles is the data that --partial writes about the files of all machines.
type allFiles struct {
	Sets  partial.Sets `json:"sets,omitempty"`
	Twice []warning    `json:"twice,omitempty"`
}

func (c *verify) allFiles() any { return allFiles{c.brokenSets, c.repeatedFiles} }

// addAllFiles adds the data that allFiles returned in another run.
func (c *verify) addAllFiles(b []byte) error {
	var all allFiles
	err := json.Unmarshal(b, &all)
	c.brokenSets = append(c.brokenSets, all.Sets...)
	c.repeatedFiles = append(c.repeatedFiles, all.Twice...)
	return err
}
