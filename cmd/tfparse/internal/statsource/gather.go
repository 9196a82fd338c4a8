package statsource

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/stats"
)

// A Gatherer computes the statistics of the records of all files together.
type Gatherer struct {
	Env     *cli.Env           // of the verb
	Reading *scan.Flags        // flags for reading records
	Options stats.Options      // of the statistics
	Jobs    int                // goroutines, at least 1
	Result  *stats.Accumulator // of all files; set by Read and ReadParts

	First func(scan.Record) (more bool)   // called with the first records, before all other hooks; may be nil
	Begin func(example.MessageType) error // called once before the first record, with the message type; may be nil
	// Check checks a record. Several goroutines call it at a time. counts reports whether the record is part of the
	// statistics. If later is not nil, it is called in the order of the records; it must not refer to the bytes of rec.
	// Check may be nil.
	Check func(rec scan.Record) (later func() error, counts bool)

	Conflicting func(path []string) bool // reports whether the verb itself reports a feature with values of several types; may be nil

	Findings func() *record.Summary // makes the empty findings of a file, for Check; may be nil
	// File is the result of the file being read, and All the merged result of the files before it.
	File, All *partial.Result
	Part      func(*partial.Result) error // called with the result of each file before it is merged; may be nil
	Parts     *partial.Parts              // merged instead of reading the inputs; may be nil

	portion int // bytes of records per portion; 0: portionBytes. Set by tests.

	onlyInput    string          // the name of the only input; "" for several inputs
	warnedSlices map[string]bool // slices that warnLostSlices has reported
}

// Skipped handles a fault as --on-error says, and adds it to the faults of the file.
func (g *Gatherer) Skipped(fault *scan.Fault) error {
	kept := *fault // Fault adds to it
	g.File.Faults.Add(&kept)
	return g.Reading.Fault(g.Env, fault)
}

// newResult returns the empty result of a file.
func (g *Gatherer) newResult() *partial.Result {
	r := partial.New(g.Reading.Messages())
	if g.Findings != nil {
		r.Findings = g.Findings()
	}
	return r
}

// Read computes the statistics of the inputs.
func (g *Gatherer) Read(in []scan.Input, typ example.MessageType) error {
	g.All, g.File = g.newResult(), g.newResult()
	g.All.Files = 0
	if len(in) == 1 {
		g.onlyInput = in[0].Name
	}
	err := g.readInputs(in, typ)
	g.Result = g.All.Statistics
	return err
}

// readInputs reads records, or merges the outputs of --partial.
func (g *Gatherer) readInputs(in []scan.Input, typ example.MessageType) error {
	defer g.Env.Heap.Gather()()
	if g.Parts != nil {
		return g.ReadParts(g.Parts)
	}
	if g.Reading.Shard().Count > 0 && g.First != nil { // all processes must see the same first records
		if err := g.lookAtFirst(typ); err != nil {
			return err
		}
		g.First = nil
	}
	return g.addAll(in, typ)
}

// firstBytes limits the records that First gets, in bytes.
const firstBytes = 64 << 20

// lookAtFirst calls First with the first records of all shards. It ignores faults, which are reported when the records
// are read.
func (g *Gatherer) lookAtFirst(typ example.MessageType) error {
	src, err := g.Reading.Open(g.Env, g.Reading.AllInputs, &scan.Options{Type: typ, Fault: func(*scan.Fault) error { return nil }})
	if err != nil {
		return err
	}
	defer src.Close()
	return src.First(firstBytes, g.First)
}

// warnLostSlices warns about slices that were left out. It warns while records are read, since the run may take long. A
// common cause is a feature with unique values, such as an ID.
func (g *Gatherer) warnLostSlices(lost []stats.Slice) {
	for _, l := range lost {
		text := SliceText([]stats.Slice{l})
		if g.warnedSlices[text] {
			continue
		}
		if g.warnedSlices == nil {
			g.warnedSlices = map[string]bool{}
		}
		g.warnedSlices[text] = true
		limit := fmt.Sprintf("makes more than %s (--max-slices)", cli.Plural(int64(g.Options.MaxSlices), "slice"))
		g.Env.Console.Print(console.OneLine(fmt.Sprintf("--slice%s %s and is left out", text, limit)))
		g.Env.Raise(cli.ExitSkipped)
	}
}

// endFile ends a file. statistics are those of its records; nil without records.
func (g *Gatherer) endFile(statistics *stats.Accumulator) error {
	r := g.File
	r.Statistics, g.File = statistics, g.newResult()
	return g.Merge(r)
}

// Merge adds the result of a file to All.
func (g *Gatherer) Merge(r *partial.Result) error {
	if g.Part != nil {
		if err := g.Part(r); err != nil {
			return err
		}
	}
	err := g.All.Merge(r)
	if g.All.Statistics != nil {
		g.warnLostSlices(g.All.Statistics.LostSlices())
	}
	return err
}
