package quality

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"google.golang.org/protobuf/proto"

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

// A threshold is the lowest severity of a finding that makes the answer negative.
type threshold uint8

func (m threshold) MarshalText() ([]byte, error)     { return []byte(failOnNames[m]), nil }
func (m *threshold) UnmarshalText(text []byte) error { return cli.SetName(m, failOnNames, text) }

// Validate checks statistics and records against a schema.
func Validate() *cli.Command {
	return newValidate().command()
}

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
			fs.IntVar(&c.most, "max-findings", 5, "`N` findings per feature and rule")
			cli.EnumVar(fs, &c.failOn, "fail-on", failOnNames, "exit code 1 for `LEVEL`: error, warning or never")
			fs.BoolVar(&c.suggest, "suggest", false, "print the changes that the schema needs")
			cli.OutputVar(fs, &c.output, "also write `FILE`: .pb, .pbtxt or .html")
			cli.ColorVar(fs, &c.color)
			cli.EnumVar(fs, &c.format, "format", findingFormats, "`FORMAT`: text, json, sarif, junit or github")
			c.partial.Add(fs)
			c.gathering.add(fs)
			c.reading.AddShard(fs)
		},
		Run: c.run,
	}
}

type validate struct {
	gathering
	partial                        partial.Flag
	schemaName, rulesName          string
	specName                       string
	environment, previous, serving string
	previousVersion                string
	severities                     []string
	vocabularies                   vocabularies
	slices                         slicing
	eachSlice                      bool
	changed                        func(flag string) bool // it was given
	compat                         statsource.Compatibility
	failOn                         threshold
	records, suggest               bool
	most                           int
	output                         string
	format                         findingFormat
	color                          cli.When

	env      *cli.Env
	schema   *pb.Schema
	text     []byte              // of the schema; nil if it is binary
	spec     feature.Spec        // that records must parse with
	rules    *expr.Rules         // nil: none
	words    map[string][]string // of its vocabularies
	options  stats.Options       // of statistics of records; those of the schema are not in it
	opts     anomaly.Options
	source   statsource.Source
	controls [3]statsource.Source // what it is compared with: --previous, --serving and --previous-version
	findings findings
	finder   *pairFinder // nil: records are not checked
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
	if err := c.check(); err != nil {
		return err
	}
	if c.most < 0 {
		return cli.Usagef("--max-findings is not negative")
	}
	if c.suggest && c.format != formatFindingText && c.format != formatFindingJSON {
		return cli.Usagef("--suggest has no place in the format %s: text and json have one", findingFormats[c.format])
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
	out, err := e.Create("")
	if err != nil {
		return err
	}
	if c.source.Statistics == nil {
		warnMissing(e, c.schema, c.words)
		err = c.readRecords()
	}
	c.findings.of, c.findings.records = examples(c.source.Statistics), c.records
	if err == nil {
		err = c.anomalies(write)
	}
	if err != nil {
		return out.Finish(err)
	}
	c.findings.uri = cmp.Or(c.schemaName, c.rulesName, c.specName)
	if c.suggest {
		changed, err := c.suggestion()
		if err != nil {
			return out.Finish(err)
		}
		c.findings.suggestion = c.findings.columns.append(append([]byte{}, changed...)) // not nil
	}
	c.findings.color = e.Colored(c.color)
	out.Buf = c.findings.print(out.Buf, c.format)
	if c.findings.fails(c.failOn) {
		e.Raise(cli.ExitNegative)
	}
	return out.Finish(nil)
}

// checkSource refuses flags for records where there are none, or not those that are asked for.
func (c *validate) checkSource() error {
	what := ""
	if c.source.Statistics != nil || c.source.NoParts() != nil {
		what = c.source.Inputs[0].Name + " is statistics"
	}
	switch {
	case c.partial.Name != "" && (what != "" || c.source.Slice != ""):
		return cli.Usagef("--partial is of all records of files, and %s is something else", c.source.Inputs[0].Name)
	case what != "" && len(c.words) > 0:
		return cli.Usagef("--vocab sets how statistics are made of records, and %s", what)
	case what != "" && c.changed("max-slices"), what != "" && len(c.slices.values) > 0:
		return cli.Usagef("--slice and --max-slices set how statistics are made of records, and %s", what)
	case c.source.Slice != "" && len(c.slices.values) > 0:
		return cli.Usagef("?slice=%s is one slice of the records, and --slice makes slices of all", c.source.Slice)
	case what != "" && c.records:
		return cli.Usagef("%s checks files of records, and %s", c.recordsFlag(), what)
	case c.source.Slice != "" && c.records:
		return cli.Usagef("%s checks all records of files, and ?slice=%s has the statistics of some", c.recordsFlag(), c.source.Slice)
	}
	return nil
}

// recordsFlag is the flag that has every record checked.
func (c *validate) recordsFlag() string {
	if c.specName != "" {
		return "--spec"
	}
	return "--records"
}

// fileOf is an argument without its slice.
func fileOf(arg string) string {
	file, _ := statsource.CutSlice(arg)
	return file
}

// checkEnvironment checks the value of --environment.
func (c *validate) checkEnvironment() error {
	switch all := c.schema.GetDefaultEnvironment(); {
	case c.environment == "" || slices.Contains(all, c.environment):
		return nil
	case len(all) == 0:
		return cli.Usagef("--environment %s: the schema has no environments: it lists none as default_environment", c.environment)
	default:
		return cli.Usagef("--environment %s: the schema has %q", c.environment, all)
	}
}

// anomalies compares the statistics with the schema.
func (c *validate) anomalies(write anomaliesForm) (err error) {
	read := append(scan.Names(c.source.Inputs), c.schemaName, c.previous, c.serving, c.previousVersion)
	for i, name := range []string{c.previous, c.serving, c.previousVersion} {
		if name == "" {
			continue
		}
		if c.controls[i], err = c.statistics().Source(name, c.typ); err != nil {
			return err
		}
		read = append(read, scan.Names(c.controls[i].Inputs)...)
	}
	c.opts.Details = c.source.Details
	c.opts.Previous, c.opts.PreviousDetails = c.controls[0].Statistics, c.controls[0].Details
	c.opts.Serving, c.opts.ServingDetails = c.controls[1].Statistics, c.controls[1].Details
	c.opts.PreviousVersion = c.controls[2].Statistics
	a := &pb.Anomalies{}
	if c.sliced() {
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

// An anomaliesForm appends anomalies in some form.
type anomaliesForm func(dst []byte, a *pb.Anomalies) ([]byte, error)

// writer returns the form that the name of the output asks for, nil if there is none.
func (c *validate) writer() (anomaliesForm, error) {
	switch ext := filepath.Ext(c.output); {
	case !cli.IsFile(c.output):
		return nil, nil
	case ext == ".pb":
		return func(dst []byte, a *pb.Anomalies) ([]byte, error) {
			return proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, a)
		}, nil
	case ext == ".pbtxt":
		return func(dst []byte, a *pb.Anomalies) ([]byte, error) {
			return pbtext.Append(dst, a), nil
		}, nil
	case cli.IsPage(c.output):
		return c.page, nil
	}
	return nil, cli.Usagef("-o %s: the name says the form: .pb, .pbtxt or .html; - is for the findings alone", c.output)
}

// examples is how many the statistics are of: those of all of the data, if there are slices.
func examples(list *pb.DatasetFeatureStatisticsList) uint64 {
	all := list.GetDatasets()
	i := slices.IndexFunc(all, func(d *pb.DatasetFeatureStatistics) bool { return d.GetName() == "All Examples" })
	if len(all) == 0 {
		return 0
	}
	return all[max(i, 0)].GetNumExamples()
}

// suggestion is what would have to change in the schema, as lines that go and lines
// that come.
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

// readSeverities reads the values of --severity.
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
			return nil, cli.Usagef("--severity %s: there is no type %s of findings%s", s, name, similar(name, types))
		}
		read[name] = pb.AnomalyInfo_Severity(v)
	}
	return read, nil
}

// findingTypes are the types that findings have, in order.
func findingTypes() []string {
	all := append(slices.Collect(maps.Keys(pb.AnomalyInfo_Type_value)), noData, record.Ragged, record.SpecMismatch)
	slices.Sort(all)
	return all
}

// similar suggests types that contain a word.
func similar(word string, types []string) string {
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
