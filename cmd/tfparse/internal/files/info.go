package files

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Info returns the verb info, which summarizes the records and features of files.
func Info() *cli.Command {
	c := &info{}
	c.view, c.group = c, func(string) string { return "" }
	return &cli.Command{
		Name: "info",
		Flags: func(fs *pflag.FlagSet) {
			scan.TypeVar(fs, &c.typ)
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			c.reading.Add(fs)
		},
		Run: c.runInfo,
	}
}

// info is a survey whose view summarizes all files together, so it prints at the end.
type info struct {
	survey
	format      cli.Format
	keepGoing   bool // list a fault and continue with the next file, instead of ending
	faultyFiles int  // files with a fault, if keepGoing
	report      infoReport
	snapshots   []scan.Snapshot // directories of Dataset.save among the arguments
}

// maxKeptFaults limits the faults that are listed for one file.
const maxKeptFaults = 100

// An infoReport is the JSON output. The text output prints it as tables.
type infoReport struct {
	Files      []*infoFile   `json:"files"`
	Records    int64         `json:"records"`
	Bytes      int64         `json:"bytes"`
	Stored     int64         `json:"stored_bytes"`
	RecordSize *sizeReport   `json:"record_size"`
	Messages   []tableReport `json:"messages"`
	Datasets   []tfdsReport  `json:"datasets,omitempty"`

	PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
}

// An infoFile is the part of an infoReport about one file.
type infoFile struct {
	File       jsonscan.Name `json:"file"`
	Codec      *string       `json:"codec"`
	Type       *string       `json:"type"`
	Looks      *string       `json:"looks_like"` // if the type is unknown
	Records    int64         `json:"records"`
	Bytes      int64         `json:"bytes"`
	Stored     int64         `json:"stored_bytes"`
	Faults     []faultReport `json:"faults"`
	MoreFaults int64         `json:"more_faults"` // beyond maxKeptFaults

	firstFault string // text of the first fault if keepGoing; else ""
}

// A sizeReport is the JSON output for the distribution of record sizes, in bytes.
type sizeReport struct {
	Min  int64   `json:"min"`
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P90  int64   `json:"p90"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
}

// A tableReport is the JSON output for a groupTable.
type tableReport struct {
	Type     string          `json:"type"`
	Records  int64           `json:"records"`
	Empty    int64           `json:"empty"` // without features
	Features []featureReport `json:"features"`
	Omitted  int64           `json:"omitted"`
}

// A featureReport is the JSON output for a feature of a groupTable.
type featureReport struct {
	Part    *string          `json:"part"`
	Name    json.RawMessage  `json:"name"`
	Present int64            `json:"present"`
	Of      int64            `json:"of"`
	Unset   int64            `json:"unset"`
	Kinds   map[string]int64 `json:"kinds"`
	Values  *spreadReport    `json:"values"`
	Steps   *spreadReport    `json:"steps"`
	Content *string          `json:"content"` // of byte strings
}

// A spreadReport is the JSON output for a distribution of counts.
type spreadReport struct {
	Min   int64   `json:"min"`
	Mean  float64 `json:"mean"`
	Max   int64   `json:"max"`
	Total int64   `json:"total"`
}

func (c *info) runInfo(e *cli.Env, args []string) error {
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	c.report.Datasets = describeTFDS(e, args)
	for _, arg := range args {
		if s, ok := scan.ReadSnapshot(arg); ok {
			c.snapshots = append(c.snapshots, s)
		}
	}
	// With a single file, a report after a fault would look complete.
	c.env, c.keepGoing = e, len(in) > 1 && c.reading.OnError == cli.Stop
	c.out = e.Report()
	if err := c.run(in, &scan.Options{}); err != nil {
		return c.out.Finish(err)
	}
	if c.format == cli.FormatJSON {
		c.complete()
		c.out.JSON(c.report)
	} else {
		c.print()
	}
	if c.faultyFiles > 0 {
		e.Raise(cli.ExitBadInput)
		e.Console.Print(fmt.Sprintf("%d of %s with faults", c.faultyFiles, cli.Plural(int64(len(in)), "file")))
	}
	return c.out.Finish(nil)
}

func (c *info) beginFile(f *fileSummary) error {
	c.report.Files = append(c.report.Files, &infoFile{File: f.Name, Faults: []faultReport{}})
	return nil
}

func (c *info) addFault(f *fileSummary, fault *scan.Fault) error {
	file := c.report.Files[len(c.report.Files)-1]
	if len(file.Faults) < maxKeptFaults {
		file.Faults = append(file.Faults, reportOf(fault))
	} else {
		file.MoreFaults++
	}
	if !c.keepGoing {
		return c.reading.Fault(c.env, fault)
	}
	if f.Faults == 1 {
		c.faultyFiles++
		file.firstFault = fault.InFile()
	}
	return nil
}

func (c *info) endFile(f *fileSummary) error {
	file := c.report.Files[len(c.report.Files)-1]
	file.Codec, file.Type, file.Looks = cli.CodecName(f.Codec), cli.Known(f.Type, f.Type != ""), cli.Known(f.LooksLike, f.LooksLike != "")
	file.Records, file.Bytes, file.Stored = f.Records, f.Bytes, f.Stored
	c.report.Records += f.Records
	c.report.Bytes += f.Bytes
	c.report.Stored += f.Stored
	return nil
}

// complete adds the totals of all files to the report.
func (c *info) complete() {
	r := &c.report
	if s := &c.sizes; s.N > 0 {
		r.RecordSize = &sizeReport{s.Min, s.Mean(), s.Quantile(.5), s.Quantile(.9), s.Quantile(.99), s.Max}
	}
	r.PassedOver = cli.JSONNames(c.reading.PassedOver)
	r.Messages = []tableReport{}
	for _, t := range c.tables {
		tr := tableReport{Type: t.Type().String(), Records: t.Records, Empty: t.Empty, Omitted: t.Omitted, Features: []featureReport{}}
		for _, f := range t.Features() {
			content := f.Contents.String()
			fr := featureReport{
				Part:    cli.Known(f.Part.String(), f.Part != summary.Top),
				Name:    jsonscan.AppendName(nil, []byte(f.Name)),
				Present: f.Present, Of: f.Of, Unset: f.Unset,
				Kinds:  cli.KindCounts(f.Kinds),
				Values: spreadOf(f.Values), Steps: spreadOf(f.Steps),
				Content: cli.Known(content, content != ""),
			}
			tr.Features = append(tr.Features, fr)
		}
		r.Messages = append(r.Messages, tr)
	}
}

func spreadOf(s summary.Spread) *spreadReport {
	return cli.Known(spreadReport{s.Min, s.Mean(), s.Max, s.Total}, s.N > 0)
}

// print writes the text output.
func (c *info) print() {
	for i := range c.report.Datasets {
		c.report.Datasets[i].print(c.out)
	}
	for _, s := range c.snapshots {
		fmt.Fprintf(c.out, "%s: Dataset.save of tf.data, %s; a record for each component:\n", console.OneLine(s.Dir), cli.Plural(s.Elements, "element"))
		var t cli.Table
		t.Row("COMPONENT", "DTYPE")
		for i, d := range s.DTypes {
			t.Row(console.OneLine(s.Component(i)), d)
		}
		c.out.Buf = append(t.AppendTo(c.out.Buf), '\n')
	}
	var t cli.Table
	title := []any{"FILE", "CODEC", "TYPE", "RECORDS", "BYTES", "STORED"}
	if c.faultyFiles > 0 {
		title = append(title, "FAULT")
	}
	t.Row(title...)
	for _, f := range c.report.Files {
		typ := orUnknown(f.Type)
		if f.Looks != nil {
			typ = *f.Looks
		}
		row := []any{f.File, orUnknown(f.Codec), typ, f.Records, f.Bytes, f.Stored}
		if f.firstFault != "" {
			row = append(row, f.firstFault)
		}
		t.Row(row...)
	}
	if len(c.report.Files) > 1 {
		t.Row("total", "", "", c.report.Records, c.report.Bytes, c.report.Stored)
	}
	c.out.Buf = t.AppendTo(c.out.Buf)
	if s := &c.sizes; s.N > 0 {
		fmt.Fprintf(c.out, "\nrecord size: min %d, mean %.1f, p50 %d, p90 %d, p99 %d, max %d\n",
			s.Min, s.Mean(), s.Quantile(.5), s.Quantile(.9), s.Quantile(.99), s.Max)
	}
	unknown := map[string]int64{} // records of unknown messages, by what they look like
	for _, f := range c.report.Files {
		if orUnknown(f.Type) == unknownType && f.Type != nil {
			looks := ""
			if f.Looks != nil {
				looks = *f.Looks
			}
			unknown[looks] += f.Records
		}
	}
	for _, looks := range slices.Sorted(maps.Keys(unknown)) {
		fmt.Fprintf(c.out, "\nunknown messages%s: %s; %s\n", scan.InBrackets(looks), cli.Plural(unknown[looks], "record"), scan.Remedy(looks))
	}
	for _, g := range c.tables {
		c.printTable(g)
	}
}

func orUnknown(s *string) string {
	if s == nil {
		return unknownType
	}
	return *s
}

func (c *info) printTable(g *groupTable) {
	fmt.Fprintf(c.out, "\n%s: %s\n", g.Type(), cli.Plural(g.Records, "record"))
	features := g.Features()
	var t cli.Table
	part, contents := summary.Part(0xff), false
	for _, f := range features {
		if f.Part != part {
			part = f.Part
			title := []any{"FEATURE", "KIND", "PRESENT", "UNSET", "VALUES min/mean/max"}
			if part != summary.Top {
				title[0] = strings.ToUpper(part.String())
			}
			if part == summary.Lists {
				title = append(title, "STEPS min/mean/max")
			}
			contents = slices.ContainsFunc(features, func(f summary.Feature) bool { return f.Part == part && f.Contents != nil })
			if contents {
				title = append(title, "CONTENT")
			}
			t.Row(title...)
		}
		row := []any{cli.FeatureName(f.Name), cli.KindsText(f.Kinds), fmt.Sprintf("%d (%s)", f.Present, cli.Percent(f.Present, f.Of)), f.Unset, spreadText(f.Values)}
		if part == summary.Lists {
			row = append(row, spreadText(f.Steps))
		}
		if contents {
			row = append(row, cmp.Or(f.Contents.String(), "-"))
		}
		t.Row(row...)
		columns := len(row)
		for _, inner := range f.Contents.Inside() {
			row := []any{"  " + cli.FeatureName(inner.Name), cli.KindsText(inner.Kinds), fmt.Sprintf("%d (%s)", inner.Present, cli.Percent(inner.Present, inner.Of)), inner.Unset, spreadText(inner.Values)}
			for len(row) < columns {
				row = append(row, "-")
			}
			t.Row(row...)
		}
	}
	c.out.Buf = t.AppendTo(c.out.Buf)
	described := slices.ContainsFunc(c.report.Datasets, func(r tfdsReport) bool { return r.Features != nil })
	for _, f := range features {
		if !described { // else --spec auto decodes them
			c.out.Buf = append(c.out.Buf, scan.DecodingLine(&f, f.Column(), false)...)
		}
	}
	if g.Empty > 0 {
		fmt.Fprintf(c.out, "%s without features (%s)\n", cli.Plural(g.Empty, "record"), cli.Percent(g.Empty, g.Records))
	}
	if g.Omitted > 0 {
		fmt.Fprintf(c.out, "more features are not listed: %d times\n", g.Omitted)
	}
}

func spreadText(s summary.Spread) string {
	if s.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%.1f/%d", s.Min, s.Mean(), s.Max)
}
