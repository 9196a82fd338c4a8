package files

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/tfrecord"
)

// Info says what is in files.
func Info() *cli.Command {
	c := &info{}
	return &cli.Command{
		Name: "info",
		Flags: func(fs *pflag.FlagSet) {
			scan.TypeVar(fs, &c.typ)
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			c.reading.Add(fs)
		},
		Run: c.run,
	}
}

type info struct {
	reading scan.Flags
	typ     example.MessageType
	format  cli.Format
	jobs    int

	env    *cli.Env
	files  []*infoFile
	file   *infoFile
	sizes  summary.Histogram
	tables []*summary.Table // in the order of their first file
	table  *summary.Table   // of the file that is reported; nil: raw
	shared message.Shared   // names of all tables
	spare  []*surveyed      // to be used again
}

// surveyed sums up some records in a row.
type surveyed struct {
	table *summary.Table // nil: raw
	sizes []int
}

type infoFile struct {
	File    jsonscan.Name `json:"file"`
	Codec   *string       `json:"codec"`
	Type    *string       `json:"type"`
	Looks   *string       `json:"looks_like"` // if the type is unknown
	Records int64         `json:"records"`
	Bytes   int64         `json:"bytes"`
	Stored  int64         `json:"stored_bytes"`
	Faults  []faultReport `json:"faults"`
	More    int64         `json:"more_faults"` // that are not kept
}

// maxFaults bounds the faults that are kept of one file.
const maxFaults = 100

func (c *info) run(e *cli.Env, args []string) error {
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	c.env = e
	out, err := e.Create("")
	if err != nil {
		return err
	}
	work := scan.NewInOrder(c)
	work.RawHere = true
	err = work.Run(e.Ctx, c.jobs, func(v scan.TypedVisitor) error {
		return c.reading.Walk(e, in, nil, scan.Guess(c.typ, v))
	})
	if err != nil {
		return out.Finish(err)
	}
	if c.format == cli.FormatJSON {
		out.JSON(c.report())
	} else {
		c.print(out)
	}
	return out.Finish(nil)
}

func (c *info) Begin(f *scan.OldFile) error {
	c.file = &infoFile{File: jsonscan.Name(f.Name), Faults: []faultReport{}}
	c.files = append(c.files, c.file)
	c.table = nil
	return nil
}

func (c *info) Type(t example.MessageType) error {
	name := t.String()
	c.file.Type = &name
	if t == example.TypeRaw {
		return nil
	}
	for _, table := range c.tables {
		if table.Type() == t {
			c.table = table
			return nil
		}
	}
	c.table = summary.NewTable(t)
	c.tables = append(c.tables, c.table)
	return nil
}

func (c *info) Fresh(t example.MessageType) *surveyed {
	for n := len(c.spare) - 1; n >= 0; n-- {
		v := c.spare[n]
		c.spare = c.spare[:n]
		if v.table == nil && t == example.TypeRaw || v.table != nil && v.table.Type() == t {
			return v
		}
	}
	v := &surveyed{}
	if t != example.TypeRaw {
		v.table = summary.NewPart(t, &c.shared)
	}
	return v
}

func (c *info) Look(p *scan.Portion[*surveyed], rec []byte, pos tfrecord.Position) {
	v := p.Sum
	if v.table != nil {
		if err := v.table.Add(rec); err != nil {
			p.Then(func() error { return c.Skipped(scan.Misfit(pos, err)) })
			return
		}
	}
	v.sizes = append(v.sizes, len(rec))
}

func (c *info) Merge(v *surveyed) error {
	for _, n := range v.sizes {
		c.file.Bytes += int64(n) + tfrecord.HeaderSize + tfrecord.FooterSize
		c.sizes.Add(int64(n))
	}
	c.file.Records += int64(len(v.sizes))
	v.sizes = v.sizes[:0]
	if v.table == nil || c.table.Merge(v.table) {
		c.spare = append(c.spare, v)
	}
	return nil
}

func (c *info) Unknown(u *scan.Unknown) error {
	name := unknownType
	c.file.Type, c.file.Looks = &name, cli.Known(u.LooksLike, u.LooksLike != "")
	c.file.Records += u.Records
	c.file.Bytes += u.Bytes
	c.sizes.Merge(u.Sizes)
	return nil
}

func (c *info) Skipped(fault *scan.Fault) error {
	if len(c.file.Faults) < maxFaults {
		c.file.Faults = append(c.file.Faults, reportOf(fault))
	} else {
		c.file.More++
	}
	return c.reading.Fault(c.env, fault)
}

func (c *info) End(f *scan.OldFile) error {
	c.file.Codec = cli.CodecName(f.Codec)
	c.file.Stored = f.Stored
	return nil
}

// total sums up the files.
func (c *info) total() infoFile {
	var t infoFile
	for _, f := range c.files {
		t.Records += f.Records
		t.Bytes += f.Bytes
		t.Stored += f.Stored
	}
	return t
}

// print writes the text form.
func (c *info) print(out *cli.Output) {
	var t cli.Table
	t.Row("FILE", "CODEC", "TYPE", "RECORDS", "BYTES", "STORED")
	for _, f := range c.files {
		t.Row(string(f.File), orUnknown(f.Codec), orUnknown(f.Type), f.Records, f.Bytes, f.Stored)
	}
	if len(c.files) > 1 {
		total := c.total()
		t.Row("total", "", "", total.Records, total.Bytes, total.Stored)
	}
	out.Buf = t.AppendTo(out.Buf)
	if s := &c.sizes; s.N > 0 {
		fmt.Fprintf(out, "\nrecord size: min %d, mean %.1f, p50 %d, p90 %d, p99 %d, max %d\n",
			s.Min, s.Mean(), s.Quantile(.5), s.Quantile(.9), s.Quantile(.99), s.Max)
	}
	c.printUnknown(out)
	for _, t := range c.tables {
		c.printTable(out, t)
	}
}

// printUnknown says of each kind of unknown messages how many there are.
func (c *info) printUnknown(out *cli.Output) {
	counts := map[string]int64{}
	for _, f := range c.files {
		if f.Type != nil && *f.Type == unknownType {
			looks := ""
			if f.Looks != nil {
				looks = *f.Looks
			}
			counts[looks] += f.Records
		}
	}
	for _, looks := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "\nunknown messages%s: %s; %s\n", scan.InBrackets(looks), cli.Plural(counts[looks], "record"), scan.Remedy(looks))
	}
}

func orUnknown(s *string) string {
	if s == nil {
		return "unknown"
	}
	return *s
}

func (c *info) printTable(out *cli.Output, t *summary.Table) {
	fmt.Fprintf(out, "\n%s: %s\n", t.Type(), cli.Plural(t.Records, "record"))
	var rows cli.Table
	part := summary.Part(0xff)
	for _, f := range t.Features() {
		if f.Part != part {
			part = f.Part
			title := "FEATURE"
			if part != summary.Top {
				title = strings.ToUpper(part.String())
			}
			head := []any{title, "KIND", "PRESENT", "UNSET", "VALUES min/mean/max"}
			if part == summary.Lists {
				head = append(head, "STEPS min/mean/max")
			}
			rows.Row(head...)
		}
		row := []any{cli.FeatureName(f.Name), kindsText(f), fmt.Sprintf("%d (%s)", f.Present, cli.Percent(f.Present, f.Of)), f.Unset, spreadText(f.Values)}
		if part == summary.Lists {
			row = append(row, spreadText(f.Steps))
		}
		rows.Row(row...)
	}
	out.Buf = rows.AppendTo(out.Buf)
	if t.Empty > 0 {
		fmt.Fprintf(out, "%s without features (%s)\n", cli.Plural(t.Empty, "record"), cli.Percent(t.Empty, t.Records))
	}
	if t.Omitted > 0 {
		fmt.Fprintf(out, "more features are not listed: %d times\n", t.Omitted)
	}
}

func kindsText(f summary.Feature) string {
	var names []string
	for k, n := range f.Kinds {
		if n > 0 {
			names = append(names, cli.KindNames[k])
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "|")
}

func spreadText(s summary.Spread) string {
	if s.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%.1f/%d", s.Min, s.Mean(), s.Max)
}

type infoReport struct {
	Files      []*infoFile   `json:"files"`
	Records    int64         `json:"records"`
	Bytes      int64         `json:"bytes"`
	Stored     int64         `json:"stored_bytes"`
	RecordSize *sizeReport   `json:"record_size"`
	Messages   []tableReport `json:"messages"`

	PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
}

type sizeReport struct {
	Min  int64   `json:"min"`
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P90  int64   `json:"p90"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
}

type tableReport struct {
	Type     string          `json:"type"`
	Records  int64           `json:"records"`
	Empty    int64           `json:"empty"` // without features
	Features []featureReport `json:"features"`
	Omitted  int64           `json:"omitted"`
}

type featureReport struct {
	Part    *string          `json:"part"`
	Name    json.RawMessage  `json:"name"`
	Present int64            `json:"present"`
	Of      int64            `json:"of"`
	Unset   int64            `json:"unset"`
	Kinds   map[string]int64 `json:"kinds"`
	Values  *spreadReport    `json:"values"`
	Steps   *spreadReport    `json:"steps"`
}

type spreadReport struct {
	Min   int64   `json:"min"`
	Mean  float64 `json:"mean"`
	Max   int64   `json:"max"`
	Total int64   `json:"total"`
}

func spreadOf(s summary.Spread) *spreadReport {
	return cli.Known(spreadReport{s.Min, s.Mean(), s.Max, s.Total}, s.N > 0)
}

// report makes the JSON form.
func (c *info) report() infoReport {
	t, s := c.total(), &c.sizes
	r := infoReport{
		Files: c.files, Records: t.Records, Bytes: t.Bytes, Stored: t.Stored,
		RecordSize: cli.Known(sizeReport{s.Min, s.Mean(), s.Quantile(.5), s.Quantile(.9), s.Quantile(.99), s.Max}, s.N > 0),
		Messages:   []tableReport{},
		PassedOver: cli.JSONNames(c.reading.PassedOver),
	}
	for _, t := range c.tables {
		tr := tableReport{Type: t.Type().String(), Records: t.Records, Empty: t.Empty, Omitted: t.Omitted, Features: []featureReport{}}
		for _, f := range t.Features() {
			fr := featureReport{
				Part:    cli.Known(f.Part.String(), f.Part != summary.Top),
				Name:    jsonscan.AppendName(nil, []byte(f.Name)),
				Present: f.Present, Of: f.Of, Unset: f.Unset,
				Kinds:  map[string]int64{},
				Values: spreadOf(f.Values), Steps: spreadOf(f.Steps),
			}
			for k, n := range f.Kinds {
				if n > 0 {
					fr.Kinds[cli.KindNames[k]] = n
				}
			}
			tr.Features = append(tr.Features, fr)
		}
		r.Messages = append(r.Messages, tr)
	}
	return r
}
