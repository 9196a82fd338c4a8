package quality

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/record"
	schemas "github.com/tfparse/tfparse/validate/schema"
	"github.com/tfparse/tfparse/validate/stats"
)

var failOnNames = []string{"error", "warning", "never"}

// A threshold is the value of --fail-on: the lowest severity that sets exit code 1.
type threshold uint8

// Validate returns the verb validate, which checks statistics and records against a schema.
func Validate() *cli.Command {
	return newValidate().command()
}

// newValidate returns the flags of validate.
func newValidate() *validate {
	return &validate{gathering: newGathering(), partial: partial.Flag{Verb: "validate", Alike: []string{
		"type", "records", "max-findings", "environment", "severity", "slice", "max-slices", "compat", "max-features", "vocab"}}}
}

func (c *validate) command() *cli.Command {
	return &cli.Command{
		Name: "validate",
		Flags: func(fs *pflag.FlagSet) {
			cli.FileVar(fs, &c.schemaName, "schema", "compare with the schema `FILE`, text or binary")
			cli.FileVar(fs, &c.rulesName, "rules", "check the rules in `FILE`")
			statsource.CompatVar(fs, &c.compat)
			fs.StringVar(&c.environment, "environment", "", "check for the environment `NAME` of the schema")
			fs.StringVar(&c.previous, "previous", "", "drift from the statistics or records in `FILE`")
			fs.StringVar(&c.serving, "serving", "", "skew to the statistics or records in `FILE`")
			fs.StringVar(&c.previousVersion, "previous-version", "", "compare the number of examples with `FILE`")
			for _, name := range []string{"previous", "serving", "previous-version"} {
				fs.SetAnnotation(name, cli.FilesNote, nil)
			}
			fs.StringArrayVar(&c.severities, "severity", nil, "severity of findings, `TYPE=warning`, error or none")
			c.vocabularies.add(fs)
			c.slices.add(fs, "also slices by `FEATURE[=VALUE]`; repeatable")
			fs.BoolVar(&c.eachSlice, "check-slices", true, "check every slice")
			c.changed = fs.Changed
			fs.BoolVar(&c.records, "records", false, "check every record of the files; --spec does too")
			scan.SpecVar(fs, &c.specName, "check that every record parses with `SPEC`")
			cli.NumberVar(fs, &c.maxFindings, "max-findings", 5, 0, "`N` findings per feature and rule")
			cli.ChoiceVar(fs, &c.failOn, "fail-on", failOnNames, "exit code 1 for `LEVEL`: error, warning or never")
			fs.BoolVar(&c.suggest, "suggest", false, "print the changes that the schema needs")
			cli.OutputVar(fs, &c.output, "also write `FILE`: .pb, .pbtxt or .html")
			cli.ColorVar(fs, &c.color)
			cli.ChoiceVar(fs, &c.format, "format", findingFormats, "`FORMAT`: text, json, sarif, junit or github")
			c.partial.Add(fs)
			c.gathering.add(fs)
			c.reading.AddShard(fs)
		},
		Run: c.run,
	}
}

// validate holds the flags and the state of validate.
type validate struct {
	gathering
	partial               partial.Flag             // --partial, and whether the verb is validate merge
	schemaName, rulesName string                   // --schema and --rules
	specName              string                   // --spec
	environment           string                   // --environment; "": none
	previous, serving     string                   // --previous and --serving: FILE or FILE?slice=NAME=VALUE
	previousVersion       string                   // --previous-version: FILE or FILE?slice=NAME=VALUE
	severities            []string                 // --severity
	vocabularies          vocabularies             // --vocab
	slices                slicing                  // --slice and --max-slices
	eachSlice             bool                     // --check-slices
	changed               func(flag string) bool   // reports whether a flag is given
	compat                statsource.Compatibility // --compat
	failOn                threshold                // --fail-on
	records               bool                     // --records, or --spec: check every record
	suggest               bool                     // --suggest: print a diff of the schema
	maxFindings           int                      // --max-findings: limit of findings kept by feature and rule
	output                string                   // -o
	format                findingFormat            // --format
	color                 cli.When                 // --color

	env       *cli.Env             // set by run
	schema    *pb.Schema           // of --schema; nil without it
	text      []byte               // text of the schema; nil for a binary schema
	spec      feature.Spec         // of --spec; records must parse with it
	rules     *expr.Rules          // of --rules; nil without it
	words     map[string][]string  // tokens of --vocab, by vocabulary
	options   stats.Options        // for the statistics of records, without those from the schema
	opts      anomaly.Options      // for the comparison with the schema
	source    statsource.Source    // the inputs
	baselines [3]statsource.Source // data sets of --previous, --serving and --previous-version
	findings  findings             // the result
	finder    *pairFinder          // first records, for ragged structure; nil if records are not checked
}

func (c *validate) run(e *cli.Env, args []string) error {
	c.env = e
	c.records = c.records || c.specName != ""
	switch {
	case c.schemaName != "":
	case c.suggest, c.environment != "":
		return cli.Usagef("--suggest and --environment need a --schema")
	case c.rulesName != "":
	case c.specName != "":
	case c.records:
		return cli.Usagef("--records needs a --schema, a --spec or --rules")
	default:
		return cli.Usagef("want a --schema, a --spec or --rules")
	}
	if err := scan.RefuseRaw(c.typ); err != nil {
		return err
	}
	if c.suggest && c.format != formatFindingText && c.format != formatFindingJSON {
		return cli.Usagef("--suggest needs --format text or json")
	}
	write, err := c.writer()
	if err != nil {
		return err
	}
	if err := c.checkPartial(); err != nil {
		return err
	}
	c.reading.SetTFDV(c.compat.TFDV())
	if c.source, err = statsource.Expand(e, &c.reading, args); err != nil {
		return err
	}
	if err := scan.OneStdin(c.source.Inputs, append(c.vocabularies.files(), scan.NamedFile{Flag: "--schema", Name: c.schemaName}, scan.NamedFile{Flag: "--rules", Name: c.rulesName}, scan.NamedFile{Flag: "--spec", Name: c.specName}, scan.NamedFile{Flag: "--previous", Name: fileOf(c.previous)}, scan.NamedFile{Flag: "--serving", Name: fileOf(c.serving)}, scan.NamedFile{Flag: "--previous-version", Name: fileOf(c.previousVersion)})...); err != nil {
		return err
	}
	if c.schemaName != "" {
		if c.schema, c.text, err = statsource.ReadSchema(e, c.schemaName); err != nil {
			return err
		}
	}
	if !c.compat.TFDV() {
		c.reading.Prefer(statsource.Kinds(c.schema))
	}
	if c.rules, err = c.readRules(); err != nil {
		return err
	}
	if c.specName, err = scan.AutoSpec(e, c.specName, args); err != nil {
		return err
	}
	if c.specName != "" {
		if c.spec, err = scan.ReadSpec(c.specName); err != nil {
			return err
		}
	}
	if err := c.checkEnvironment(); err != nil {
		return err
	}
	if c.words, err = c.vocabularies.read(e, c.schema); err != nil {
		return err
	}
	if err := c.slices.fill(&c.options); err != nil {
		return err
	}
	c.opts = anomaly.Options{Compat: c.compat.TFDV(), Environment: c.environment}
	if c.findings.severity, err = readSeverities(c.severities); err != nil {
		return err
	}
	c.opts.Severity = c.findings.severity.anomalies()
	if !c.partial.Merge {
		err = c.source.Read(e)
		if err == nil {
			err = c.checkSource()
		}
	}
	if err != nil {
		return err
	}
	if e.Deferred = c.partial.Name != ""; e.Deferred {
		return c.writePart()
	}
	out := e.Report()
	if c.source.Statistics == nil {
		warnVocabularies(e, c.schema, c.words)
		err = c.readRecords()
	}
	c.findings.examined, c.findings.records = examples(c.source.Statistics), c.records
	if err == nil {
		err = c.anomalies(write)
	}
	if err != nil {
		return out.Finish(err)
	}
	c.findings.uri = cmp.Or(c.schemaName, c.rulesName, c.specName)
	if c.suggest {
		changes, err := c.suggestion()
		if err != nil {
			return out.Finish(err)
		}
		c.findings.suggestion = c.findings.raggedColumns.append(append([]byte{}, changes...)) // empty but not nil: the report has the member
	}
	c.findings.color = e.Colored(c.color)
	out.Buf = c.findings.print(out.Buf, c.format)
	if c.findings.fails(c.failOn) {
		e.Raise(cli.ExitNegative)
	}
	return out.Finish(nil)
}

// checkSource checks flags against the kind of the inputs.
func (c *validate) checkSource() error {
	statistics := ""
	if c.source.Statistics != nil || c.source.NoParts() != nil {
		statistics = c.source.Inputs[0].Name
	}
	switch {
	case c.partial.Name != "" && (statistics != "" || c.source.Slice != ""):
		return partialNeedsRecords(c.source.Inputs[0].Name)
	case statistics != "" && len(c.words) > 0:
		return flagNeedsRecords("--vocab", statistics)
	case statistics != "" && len(c.slices.values) > 0:
		return flagNeedsRecords("--slice", statistics)
	case statistics != "" && c.changed("max-slices"):
		return flagNeedsRecords("--max-slices", statistics)
	case c.source.Slice != "" && len(c.slices.values) > 0:
		return cli.Usagef("?slice=%s cannot be combined with --slice", c.source.Slice)
	case statistics != "" && c.records:
		return flagNeedsRecords(c.recordsFlag(), statistics)
	case c.source.Slice != "" && c.records:
		return cli.Usagef("?slice=%s cannot be combined with %s", c.source.Slice, c.recordsFlag())
	}
	return nil
}

// recordsFlag returns the flag that sets c.records.
func (c *validate) recordsFlag() string {
	if c.specName != "" {
		return "--spec"
	}
	return "--records"
}

// fileOf returns an argument without its slice.
func fileOf(arg string) string {
	file, _ := statsource.CutSlice(arg)
	return file
}

// checkEnvironment checks --environment against the environments of the schema.
func (c *validate) checkEnvironment() error {
	switch all := c.schema.GetDefaultEnvironment(); {
	case c.environment == "" || slices.Contains(all, c.environment):
		return nil
	case len(all) == 0:
		return cli.Usagef("--environment %s: the schema has no default_environment", c.environment)
	default:
		return cli.Usagef("--environment %s: the schema has %q", c.environment, all)
	}
}

// anomalies compares the statistics with the schema, the rules and the baselines, and writes -o.
func (c *validate) anomalies(write anomaliesForm) (err error) {
	read := append(scan.Names(c.source.Inputs), c.schemaName, c.previous, c.serving, c.previousVersion)
	for i, name := range []string{c.previous, c.serving, c.previousVersion} {
		if name == "" {
			continue
		}
		if c.baselines[i], err = c.statistics().Source(name, c.typ); err != nil {
			return err
		}
		read = append(read, scan.Names(c.baselines[i].Inputs)...)
	}
	c.opts.Details = c.source.Details
	c.opts.Previous, c.opts.PreviousDetails = c.baselines[0].Statistics, c.baselines[0].Details
	c.opts.Serving, c.opts.ServingDetails = c.baselines[1].Statistics, c.baselines[1].Details
	c.opts.PreviousVersion = c.baselines[2].Statistics
	a := &pb.Anomalies{}
	if c.hasSlices() {
		c.findings.slices = c.sliceNames()
		c.noteSlices()
	}
	c.opts.Report = c.findings.addAnomaly
	if c.schema != nil {
		if a, err = c.findAnomalies(); err != nil {
			return err
		}
		c.findings.addAnomalies(a)
	}
	if err := c.checkRules(a); err != nil {
		return err
	}
	if write == nil {
		return nil
	}
	out, err := c.env.Create(c.output, append(read, c.rulesName, c.specName)...)
	if err != nil {
		return err
	}
	out.Buf, err = write(out.Buf, a)
	return out.Finish(err)
}

// An anomaliesForm appends anomalies in an output format.
type anomaliesForm func(dst []byte, a *pb.Anomalies) ([]byte, error)

// writer returns the output format of -o; nil without -o.
func (c *validate) writer() (anomaliesForm, error) {
	switch ext := filepath.Ext(c.output); {
	case !cli.IsFile(c.output):
		return nil, nil
	case ext == ".pb":
		return appendBinary[*pb.Anomalies], nil
	case ext == ".pbtxt":
		return appendText[*pb.Anomalies], nil
	case cli.IsPage(c.output):
		return c.page, nil
	}
	return nil, cli.Usagef("-o %s: want a name ending in .pb, .pbtxt or .html", c.output)
}

// examples returns the number of examples in the statistics; with slices, in the data set of all examples.
func examples(list *pb.DatasetFeatureStatisticsList) uint64 {
	all := list.GetDatasets()
	i := slices.IndexFunc(all, func(d *pb.DatasetFeatureStatistics) bool { return d.GetName() == "All Examples" })
	if len(all) == 0 {
		return 0
	}
	return all[max(i, 0)].GetNumExamples()
}

// suggestion returns the changes to the schema as a line diff.
func (c *validate) suggestion() ([]byte, error) {
	want, err := schemas.Update(c.schema, c.source.Statistics, &schemas.Options{Compat: c.compat.TFDV()})
	if err != nil {
		return nil, err
	}
	before := c.text
	if before == nil {
		before = pbtext.Marshal(c.schema)
	}
	after, err := pbtext.Patch(before, want)
	if err != nil {
		return nil, err
	}
	return lineDiff(c.schemaName, string(before), string(after)), nil
}

// readSeverities parses the values of --severity.
func readSeverities(all []string) (severities, error) {
	read := severities{}
	types := findingTypes()
	for _, s := range all {
		name, severity, ok := strings.Cut(s, "=")
		v, level := pb.AnomalyInfo_Severity_value[strings.ToUpper(severity)]
		if severity == "none" {
			v, level = 0, true
		}
		switch {
		case !ok || !level:
			return nil, cli.Usagef("--severity %s: want TYPE=error, TYPE=warning or TYPE=none", s)
		case !slices.Contains(types, name):
			return nil, cli.Usagef("--severity %s: unknown type %s of findings%s", s, name, similarTypes(name, types))
		}
		read[name] = pb.AnomalyInfo_Severity(v)
	}
	return read, nil
}

// findingTypes returns all types of findings, sorted.
func findingTypes() []string {
	all := append(slices.Collect(maps.Keys(pb.AnomalyInfo_Type_value)), noData, record.Ragged, record.SpecMismatch)
	slices.Sort(all)
	return all
}

// similarTypes returns a suggestion of types whose names contain a word; "" if there are none.
func similarTypes(word string, types []string) string {
	var all []string
	for _, name := range types {
		if word != "" && strings.Contains(name, strings.ToUpper(word)) && len(all) < 5 {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", but " + strings.Join(all, ", ")
}
