package schema

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/feature/specprint"
	"github.com/tfparse/tfparse/feature/tfds"
	schemas "github.com/tfparse/tfparse/validate/schema"
	"github.com/tfparse/tfparse/validate/stats"
)

// A language is the value of --emit: a language for specs.
type language uint8

const (
	emitJSON language = iota
	emitPython
	emitTFMD
	emitGo
	emitTFDS
)

var emissionNames = []string{"json", "python", "tfmd", "go", "tfds"}

// Command returns the verb schema.
func Command() *cli.Command {
	c := &schema{}
	return &cli.Command{
		Name: "schema",
		Flags: func(fs *pflag.FlagSet) {
			cli.ChoiceVar(fs, &c.emit, "emit", emissionNames, "print as `LANGUAGE`: json, python, tfmd, go or tfds")
			cli.NumberVar(fs, &c.sample, "sample", 0, 0, "infer from `N` records, chosen at random")
			cli.NumberVar(fs, &c.maxFeatures, "max-features", 10_000, 1, "fail at more than `N` features; of a schema 1000000")
			fs.BoolVar(&c.ragged, "ragged", false, "ragged, not var_len, for varying numbers of values")
			scan.MessageVar(fs, &c.typ)
			statsource.CompatVar(fs, &c.compat)
			cli.NumberVar(fs, &c.maxDomain, "max-domain", schemas.MaxStringDomain, 0, "domains for strings of at most `N` different values")
			fs.BoolVar(&c.noShape, "no-shape", false, "leave out shapes")
			fs.Float64Var(&c.slack, "min-fraction-slack", 0, "require features in their present share, less `F`")
			cli.NonNegativeVar(fs, &c.margin, "range-margin", "infer ranges of numbers, widened by the share `F`")
			cli.FileVar(fs, &c.update, "update", "change the schema `FILE` so that the statistics fit it")
			fs.BoolVar(&c.lint, "lint", false, "check schemas, not records")
			fs.BoolVar(&c.explain, "explain", false, "print the reasons for the spec or schema")
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines for statistics")
			cli.OutputVar(fs, &c.output, "write the spec to `FILE`; - is standard output")
			c.reading.Add(fs)
			c.reading.AddCSV(fs, "tfrecord")
			c.reading.Rules(fs, scan.Excludes("update", "emit", "sample", "ragged"))
			c.emitGiven = func() bool { return fs.Changed("emit") }
			c.flagGiven = fs.Changed
			c.otherFlag = func() (name string) {
				fs.Visit(func(f *pflag.Flag) {
					if f.Name != "lint" {
						name = f.Name
					}
				})
				return name
			}
		},
		Run: c.run,
	}
}

// defaultSchemaFeatures is the default of --max-features for a schema. It is high, since the memory of statistics has its own limit.
const defaultSchemaFeatures = 1_000_000

// A schema holds the flags and the state of one run of the verb.
type schema struct {
	compat    statsource.Compatibility // --compat: whose schema is inferred
	maxDomain int                      // --max-domain: maximum number of strings of a domain; 0: no domains
	noShape   bool                     // --no-shape: a schema has no shapes
	slack     float64                  // --min-fraction-slack
	margin    float64                  // --range-margin
	update    string                   // file of --update; "": none
	lint      bool                     // --lint: the arguments are schemas, not records
	explain   bool                     // --explain: reasons on standard error
	jobs      int                      // --jobs: number of goroutines for statistics
	emitGiven func() bool              // reports whether --emit was given
	flagGiven func(flag string) bool   // reports whether a flag was given

	otherFlag func() string // returns a given flag other than --lint, or ""

	reading     scan.Flags          // flags that read files
	emit        language            // --emit; without the flag run may choose emitTFMD
	sample      int                 // --sample: number of records; 0: all
	maxFeatures int                 // --max-features
	ragged      bool                // --ragged: varying numbers of values are ragged, not var_len
	typ         example.MessageType // --type; TypeAuto: that of the first records
	output      string              // -o; "" and -: standard output

	env             *cli.Env            // set by run, except for --lint
	recordType      example.MessageType // the detected type; set by readRecords
	inferrer        *infer.Inferrer     // finds the features of records; set by readRecords
	inferredRecords scan.Addresses      // addresses of the records added to inferrer
	countedRecords  scan.Addresses      // addresses of the records added to counts
	counts          *stats.Accumulator  // statistics for a schema; nil for a spec
	firstRecords    *summary.Table      // what the byte strings of the first records contain
	tensors         []tensorFeature     // features of TensorProtos in the first records, checked in all others; nil: not looked for yet
}

func (c *schema) run(e *cli.Env, args []string) error {
	if !(c.slack >= 0 && c.slack <= 1) {
		return cli.Usagef("--min-fraction-slack %v: want 0 to 1", c.slack)
	}
	if math.IsInf(c.margin, 0) {
		return cli.Usagef("--range-margin %v: want a finite number", c.margin)
	}
	if err := scan.RefuseRaw(c.typ); err != nil {
		return err
	}
	if c.lint {
		return c.lintSchemas(e, args)
	}
	if c.explain && c.output == scan.Stdin {
		return cli.Usagef("--explain needs -o FILE for the spec")
	}
	c.env = e
	if name, ok := featuresFile(args); ok {
		return c.fromTFDS(name)
	}
	c.reading.SetTFDV(c.compat.TFDV())
	source, err := statsource.Expand(e, &c.reading, args)
	if err != nil {
		return err
	}
	in := source.Inputs
	if err := scan.OneStdin(in, scan.NamedFile{Flag: "--update", Name: c.update}); err != nil {
		return err
	}
	if err := source.Read(e); err != nil {
		return err
	}
	fromStatistics := source.Statistics != nil || source.Slice != "" || source.NoParts() != nil || c.update != "" || c.compat.TFDV()
	if !c.emitGiven() && (fromStatistics || filepath.Ext(c.output) == ".pbtxt") {
		c.emit = emitTFMD
	}
	if c.emit == emitTFMD && !c.flagGiven("max-features") {
		c.maxFeatures = defaultSchemaFeatures
	}
	for _, flag := range []string{"no-shape", "min-fraction-slack", "range-margin"} {
		if c.flagGiven(flag) && !fromStatistics && c.emit != emitTFMD {
			return cli.Usagef("--%s is for schemas: name the output with -o FILE.pbtxt", flag)
		}
	}
	if err := checkSpecName(c.output, c.emit); err != nil {
		return err
	}
	if fromStatistics {
		return c.fromStatistics(&source)
	}
	out, err := e.Create(c.output, scan.Names(in)...)
	if err != nil {
		return err
	}
	if err := c.readRecords(in); err != nil {
		return out.Finish(err)
	}
	return c.printSpec(out)
}

// sampleMemory is the limit for the sampled records of a pipe, in bytes.
const sampleMemory = 256 << 20

// readRecords reads the records and adds them to inferrer and counts.
func (c *schema) readRecords(in []scan.Input) error {
	opts := &scan.Options{Type: c.typ, OneType: "a spec is for one"}
	if c.sample > 0 {
		opts.Order = scan.Sample(int64(c.sample), 1, "", sampleMemory)
	}
	src, err := c.reading.Open(c.env, in, opts)
	if err != nil {
		return err
	}
	defer src.Close()
	if c.recordType = src.Type; c.recordType == example.TypeAuto {
		if err := src.Each(func(scan.Record) error { return nil }); err != nil {
			return err
		}
		return errors.New("no records to look at")
	}
	c.firstRecords = summary.NewTable(c.recordType)
	c.firstRecords.Look = true
	c.inferrer = infer.New(c.recordType, &infer.Options{
		MaxFeatures: c.maxFeatures, Ragged: c.ragged, Schema: c.emit == emitTFMD,
		NoShape: c.noShape || c.slack > 0, // a feature that may be missing has no shape
		Address: c.inferredRecords.Of,
	})
	if c.emit == emitTFMD {
		if c.counts, err = stats.New(&stats.Options{Message: c.recordType, MaxFeatures: c.maxFeatures}); err != nil {
			return err
		}
	}
	if c.counts != nil {
		sum := &scan.Sum[*stats.Accumulator]{
			Workers: c.jobs, Before: c.addToSpec,
			Fresh: func(example.MessageType) *stats.Accumulator { return c.counts.Fresh() },
			Add:   func(part *stats.Accumulator, rec scan.Record) error { return part.Add(rec.Bytes) },
			Merge: func(part *stats.Accumulator) (bool, error) { return false, c.counts.Merge(part) },
		}
		return sum.Run(src)
	}
	return src.Each(func(rec scan.Record) error {
		if err := c.addToSpec(rec); err != nil {
			return src.Refuse(rec, err)
		}
		return nil
	})
}

// addToSpec adds a record to inferrer.
func (c *schema) addToSpec(rec scan.Record) error {
	c.inferredRecords.Add(rec.Position)
	err := c.inferrer.Add(rec.Bytes)
	if err == nil && c.counts != nil {
		c.countedRecords.Add(rec.Position)
	}
	switch {
	case err != nil:
	case c.firstRecords.Records < maxFirstRecords:
		err = c.firstRecords.Add(rec.Bytes)
	case c.tensors == nil:
		c.findTensors()
		fallthrough
	case len(c.tensors) > 0:
		err = c.checkTensors(rec.Bytes)
	}
	return err
}

// printSpec prints the report and the spec or schema.
func (c *schema) printSpec(out *cli.Output) error {
	spec, err := c.inferrer.Spec()
	report := c.inferrer.Report()
	if c.counts != nil && !slices.ContainsFunc(report.Features, func(f infer.Feature) bool { return f.Column != nil }) {
		err = nil // a spec needs a column, but a schema does not
	}
	if !c.explain || err != nil {
		fmt.Fprint(c.env.Stderr, report)
	}
	if err != nil {
		return out.Finish(errors.New(strings.TrimPrefix(err.Error(), "infer: ")))
	}
	if c.emit == emitJSON || c.emit == emitPython || c.emit == emitGo { // the others have no Decode
		spec = c.decodeTensors(spec)
	}
	c.printContents(spec)
	var why explanation
	var text []byte
	if c.counts != nil {
		text, err = c.toSchema(spec, &why)
	} else if text, err = c.encodeSpec(spec, c.emit); err != nil {
		err = cli.BadSpec("--emit "+emissionNames[c.emit], err)
	}
	if err != nil {
		return out.Finish(err)
	}
	explained := report.Explain()
	if c.counts != nil {
		explained += "\nBesides, the schema says of "
	}
	return c.writeOutput(out, text, append([]byte(explained), why.buf...))
}

// encodeSpec returns a spec in a language.
func (c *schema) encodeSpec(spec feature.Spec, lang language) ([]byte, error) {
	switch lang {
	case emitPython:
		return specprint.Python(spec)
	case emitTFMD:
		return featurepb.ToSchema(spec)
	case emitGo:
		return specprint.Go(spec)
	case emitTFDS:
		text, notes, err := tfds.FeaturesJSON(spec, c.images())
		for _, n := range notes {
			c.env.Console.Print(fmt.Sprintf("feature %q: %s", n.Feature, n.Text))
		}
		return text, err
	}
	text, err := spec.MarshalJSON()
	return scan.IndentSpec(text), err
}

// specExtensions are the file extensions by language.
var specExtensions = [...][]string{emitJSON: {".json"}, emitPython: {".py"}, emitTFMD: {".pbtxt", ".textproto", ".prototxt", ".txt"}, emitGo: {".go"}, emitTFDS: {".json"}}

// checkSpecName rejects an output name whose extension contradicts the language.
func checkSpecName(name string, lang language) error {
	what := [...]string{emitJSON: "a spec in JSON", emitPython: "a spec in Python", emitTFMD: "the text of a schema", emitGo: "a spec in Go", emitTFDS: "a features.json"}[lang]
	return cli.CheckName(name, what, specExtensions[lang], "--emit chooses the language")
}
