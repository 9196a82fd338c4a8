package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/tfrecord"
)

// Du returns the verb du, which counts the bytes of each feature.
func Du() *cli.Command {
	c := &du{}
	return &cli.Command{
		Name: "du",
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.each, "each", false, "print a table for each file, and one for all")
			scan.TypeVar(fs, &c.typ)
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "work with `N` goroutines")
			c.reading.Add(fs)
		},
		Run: c.run,
	}
}

// A du holds the flags and the state of one run of the verb.
type du struct {
	reading scan.Flags          // which files are read, and how
	typ     example.MessageType // --type; TypeAuto: detected for each file
	each    bool                // --each: also a table for each file
	jobs    int                 // --jobs: number of counting goroutines
	format  cli.Format          // --format

	env   *cli.Env       // set by run
	out   *cli.Output    // the report; flushed after each file with --each
	total *fileUsage     // all files; with --each the files before the current one
	file  *fileUsage     // with --each the current file, else total
	done  []duReport     // with --each, for JSON: the files before the current one
	names message.Shared // shared by the tables of all worker ledgers
}

// A fileUsage is the byte counts of one or more files.
type fileUsage struct {
	ledger
	codecs []string // each once, in the order of the files
	stored int64    // compressed size, in bytes
}

func (c *du) run(e *cli.Env, args []string) error {
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	c.env = e
	c.out = e.Report()
	c.total = &fileUsage{}
	src, err := c.reading.Open(e, in, &scan.Options{Type: c.typ, Unknown: true, Begin: c.beginFile, End: c.endFile})
	if err == nil {
		sum := scan.Sum[*ledger]{Workers: c.jobs, Fresh: c.newLedger, Add: (*ledger).addRecord, Merge: c.mergeLedger}
		err = sum.Run(src)
	}
	if err != nil {
		return c.out.Finish(err)
	}
	switch {
	case c.format == cli.FormatJSON:
		c.out.JSON(struct {
			duReport
			Files []duReport `json:"files,omitempty"`

			PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
		}{c.total.report(""), c.done, cli.JSONNames(c.reading.PassedOver)})
	case !c.each || len(in) > 1:
		title := ""
		if c.each {
			title = "total"
		}
		c.print(c.total, title)
	}
	return c.out.Finish(nil)
}

func (c *du) beginFile(*scan.File) error {
	c.file = c.total
	if c.each {
		c.file = &fileUsage{}
	}
	return nil
}

func (c *du) newLedger(t example.MessageType) *ledger { return newWorkerLedger(t, &c.names) }

func (c *du) mergeLedger(l *ledger) (reuse bool, err error) { return c.file.mergeLedger(l), nil }

func (c *du) endFile(f *scan.File) error {
	if u := f.Unknown; u != nil {
		c.file.records += u.Records
		c.file.payloads += u.Bytes - u.Records*(tfrecord.HeaderSize+tfrecord.FooterSize)
	}
	if !f.Opened {
		return nil
	}
	c.file.stored += f.Stored
	codec := f.Codec.String()
	if f.Codec == tfrecord.Auto {
		codec = "unknown"
	}
	if !slices.Contains(c.file.codecs, codec) {
		c.file.codecs = append(c.file.codecs, codec)
	}
	if !c.each {
		return nil
	}
	if c.format == cli.FormatJSON {
		c.done = append(c.done, c.file.report(f.Name))
	} else {
		c.print(c.file, f.Name)
		c.out.Buf = append(c.out.Buf, '\n')
	}
	c.total.stored += c.file.stored
	if !slices.Contains(c.total.codecs, codec) {
		c.total.codecs = append(c.total.codecs, codec)
	}
	c.total.mergeLedger(&c.file.ledger)
	return c.out.Flush()
}

// A tableRow is one row of the text output: a feature, or other bytes such as framing. Counts that apply only
// to features are -1 in other rows.
type tableRow struct {
	name, kind          string
	bytes               int64
	names, tags, values int64
	perValue            string
	excess              int64
}

// tableRows returns all rows, the largest first.
func (u *fileUsage) tableRows() []tableRow {
	var all []tableRow
	for _, c := range u.rows() {
		r := tableRow{name: c.title(), kind: cli.KindsText(c.Kinds), bytes: c.bytes(), names: c.Names, tags: c.Tags, values: c.Values, perValue: "-", excess: c.Excess}
		if c == u.rest {
			r.name = "(more features)"
		}
		if c.Count > 0 {
			r.perValue = fmt.Sprintf("%.1f", float64(c.Values)/float64(c.Count))
		}
		all = append(all, r)
	}
	for _, o := range []struct {
		name  string
		bytes int64
	}{{"(framing)", u.framing()}, {"(messages)", u.messages}, {"(unknown fields)", u.unknown}, {"(payloads)", u.payloads}} {
		if o.bytes > 0 {
			all = append(all, tableRow{name: o.name, kind: "-", bytes: o.bytes, names: -1, tags: -1, values: -1, perValue: "-", excess: -1})
		}
	}
	slices.SortStableFunc(all, func(a, b tableRow) int { return int(min(max(b.bytes-a.bytes, -1), 1)) })
	return all
}

func (c *column) title() string { return featureKey{part: c.Part, name: c.Name}.title() }

// print appends the table of u to the output.
func (c *du) print(u *fileUsage, title string) {
	total := u.ledger.total()
	if title != "" {
		c.out.Buf = append(c.out.Buf, console.OneLine(title)+":\n"...)
	}
	all := u.tableRows()
	var names, tags, values int64
	for _, r := range all {
		names, tags, values = names+max(r.names, 0), tags+max(r.tags, 0), values+max(r.values, 0)
	}
	var t cli.Table
	if len(all) > 0 {
		t.Row("WHERE", "KIND", "BYTES", "SHARE", "NAME", "TAGS", "VALUES", "PER VALUE", "EXCESS")
	}
	for _, r := range all {
		t.Row(r.name, r.kind, r.bytes, cli.Percent(r.bytes, total), orDash(r.names), orDash(r.tags), orDash(r.values), r.perValue, orDash(r.excess))
	}
	lines := t.Lines()
	if console.IsTerminal(c.env.Stdout) {
		addBars(lines, all, console.Width(c.env.Stdout))
	}
	for _, line := range lines {
		c.out.Buf = append(append(c.out.Buf, line...), '\n')
	}
	if total == 0 {
		c.out.Line("no records")
		return
	}
	c.out.Line("")
	c.out.Line("%s in %s: %s in values, %s in names, %s in tags and lengths, %s in framing",
		cli.Plural(total, "byte"), cli.Plural(u.records, "record"), cli.Percent(values+u.payloads, total), cli.Percent(names, total), cli.Percent(tags+u.messages, total), cli.Percent(u.framing(), total))
	if u.excess > 0 {
		c.out.Line("the shortest encoding has %s less (%s)", cli.Plural(u.excess, "byte"), cli.Percent(u.excess, total))
	}
	if u.stored > 0 {
		c.out.Line("%s stored (%s): ratio %.2f", cli.Plural(u.stored, "byte"), strings.Join(u.codecs, ", "), float64(total)/float64(u.stored))
	}
}

// addBars adds a bar to the line of each row, in the columns of the terminal that the table leaves free.
func addBars(lines []string, all []tableRow, columns int) {
	const most, least = 40, 5
	longest := 0
	for _, line := range lines {
		longest = max(longest, utf8.RuneCountInString(line))
	}
	width := min(columns-1-longest-2, most)
	for i := range all {
		if n := int(int64(width) * all[i].bytes / max(all[0].bytes, 1)); n > 0 && width >= least {
			line := &lines[i+1] // line 0 is the title
			*line += strings.Repeat(" ", longest+2-utf8.RuneCountInString(*line)) + strings.Repeat("#", n)
		}
	}
}

func orDash(n int64) string {
	if n < 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// A duReport is the JSON output for a file, or for all. framing, messages, unknown_fields, payloads and the
// bytes of all features, more_features too, add up to bytes.
type duReport struct {
	File     *jsonscan.Name `json:"file,omitempty"`
	Codecs   []string       `json:"codecs"`
	Records  int64          `json:"records"`
	Bytes    int64          `json:"bytes"`
	Stored   int64          `json:"stored_bytes"`
	Framing  int64          `json:"framing"`
	Messages int64          `json:"messages"` // bytes of tags and lengths outside features
	Unknown  int64          `json:"unknown_fields"`
	Payloads int64          `json:"payloads"`
	Excess   int64          `json:"excess"` // bytes that the shortest encoding would save; not part of the sum
	Features []duFeature    `json:"features"`
	More     *duFeature     `json:"more_features,omitempty"`
}

// A duFeature is the JSON output for a feature.
type duFeature struct {
	Part   *string          `json:"part"`
	Name   json.RawMessage  `json:"name"`
	Kinds  map[string]int64 `json:"kinds"`
	In     int64            `json:"present"`
	Count  int64            `json:"count"`
	Bytes  int64            `json:"bytes"`
	Names  int64            `json:"name_bytes"`
	Tags   int64            `json:"tag_bytes"`
	Values int64            `json:"value_bytes"`
	Excess int64            `json:"excess"`
}

func (u *fileUsage) report(file string) duReport {
	r := duReport{
		File:    cli.Known(jsonscan.Name(file), file != ""),
		Codecs:  append([]string{}, u.codecs...),
		Records: u.records, Bytes: u.total(), Stored: u.stored, Framing: u.framing(),
		Messages: u.messages, Unknown: u.unknown, Payloads: u.payloads, Excess: u.excess, Features: []duFeature{},
	}
	for _, c := range u.rows() {
		f := duFeature{
			Part: jsonPart(c.Part), Name: jsonName(c.Name, ""), Kinds: cli.KindCounts(c.Kinds),
			In: c.Present, Count: c.Count, Bytes: c.bytes(), Names: c.Names, Tags: c.Tags, Values: c.Values, Excess: c.Excess,
		}
		if c == u.rest {
			f.Name = json.RawMessage("null")
			r.More = &f
			continue
		}
		r.Features = append(r.Features, f)
	}
	return r
}
