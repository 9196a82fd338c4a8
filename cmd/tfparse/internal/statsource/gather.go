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

// A Gatherer makes statistics of the records of all files together.
type Gatherer struct {
	Env     *cli.Env
	Reading *scan.Flags
	Options stats.Options
	Jobs    int // at least 1
	Result  *stats.Accumulator

	First func(scan.Record) (more bool)   // is shown the first records, before all else; may be nil
	Begin func(example.MessageType) error // is called before the first record, with the type of all; may be nil
	// Check looks at a record, on several goroutines at a time. It returns what is to be done about it in its turn, or nil, and
	// whether it counts. What it returns must not hold memory of the record. May be nil.
	Check   func(rec scan.Record) (later func() error, counts bool)
	Refused func(*scan.Fault) error // gets records that the statistics do not take; nil: as if they were skipped

	Conflicting func(path []string) bool // reports whether values of several types are reported otherwise; may be nil

	Findings func() *record.Summary // makes those of a file, to which Check adds; may be nil
	// File is the result of the file that is read, and All that of the files before it.
	File, All *partial.Result
	Part      func(*partial.Result) error // is given the result of each file before it is merged; may be nil
	Parts     *partial.Parts              // are merged instead of reading the inputs; may be nil

	portion int // bytes of records that one goroutine adds at a time; 0: portionBytes

	only   string          // the name of the input, if it is one
	warned map[string]bool // slices that were left out
}

// Skipped deals with a fault as the flags say.
func (g *Gatherer) Skipped(fault *scan.Fault) error {
	kept := *fault // Fault adds to it
	g.File.Faults.Add(&kept)
	return g.Reading.Fault(g.Env, fault)
}

// newResult returns the result of a file that is not read yet.
func (g *Gatherer) newResult() *partial.Result {
	r := partial.New(g.Reading.Messages())
	if g.Findings != nil {
		r.Findings = g.Findings()
	}
	return r
}

// Read reads the inputs.
func (g *Gatherer) Read(in []scan.Input, typ example.MessageType) error {
	g.All, g.File = g.newResult(), g.newResult()
	g.All.Files = 0
	if len(in) == 1 {
		g.only = in[0].Name
	}
	err := g.read(in, typ)
	g.Result = g.All.Statistics
	return err
}

func (g *Gatherer) read(in []scan.Input, typ example.MessageType) error {
	defer g.Env.Heap.Gather()()
	if g.Parts != nil {
		return g.ReadParts(g.Parts)
	}
	if g.Reading.Shard().Count > 0 && g.First != nil { // each process is to find the same
		if err := g.lookAtFirst(typ); err != nil {
			return err
		}
		g.First = nil
	}
	return g.sum(in, typ)
}

// firstBytes is how many bytes of records are looked at first.
const firstBytes = 64 << 20

// lookAtFirst shows First the first records of all shards. What is wrong with them is found again.
func (g *Gatherer) lookAtFirst(typ example.MessageType) error {
	src, err := g.Reading.Open(g.Env, g.Reading.AllInputs, &scan.Options{Type: typ, Fault: func(*scan.Fault) error { return nil }})
	if err != nil {
		return err
	}
	defer src.Close()
	return src.First(firstBytes, g.First)
}

// lostSlices warns while records are read: the values of a feature may be unique, as those of an
// ID are, and the run may take long.
func (g *Gatherer) lostSlices(lost []stats.Slice) {
	for _, l := range lost {
		text := sliceText([]stats.Slice{l})
		if g.warned[text] {
			continue
		}
		if g.warned == nil {
			g.warned = map[string]bool{}
		}
		g.warned[text] = true
		limit := fmt.Sprintf("makes more than %s (--max-slices)", cli.Plural(int64(g.Options.MaxSlices), "slice"))
		g.Env.Console.Print(console.OneLine(fmt.Sprintf("--slice%s %s: all of them are left out; their records count in the other statistics", text, limit)))
		g.Env.Raise(cli.ExitSkipped)
	}
}

// endFile takes the statistics of a file, nil of one without records.
func (g *Gatherer) endFile(statistics *stats.Accumulator) error {
	r := g.File
	r.Statistics, g.File = statistics, g.newResult()
	return g.Merge(r)
}

// Merge adds the result of a file.
func (g *Gatherer) Merge(r *partial.Result) error {
	if g.Part != nil {
		if err := g.Part(r); err != nil {
			return err
		}
	}
	err := g.All.Merge(r)
	if g.All.Statistics != nil {
		g.lostSlices(g.All.Statistics.LostSlices())
	}
	return err
}
