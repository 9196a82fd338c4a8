package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/stats"
)

func driftCommand() *command {
	c := &driftOf{memory: defaultMemory}
	c.reading.onError = skip
	return &command{
		name:  "drift",
		args:  "STATS|FILE STATS|FILE",
		short: "measure how far two data sets are apart",
		long: `
Measure every feature of two data sets from their statistics, and print one line for
each: the largest difference between the shares of a label (l_infinity) and the
label that has it, the largest difference of its counts by the sum of all
(normalized_difference), and the Jensen-Shannon divergence of labels or of the
histograms of numbers (jensen_shannon), which is between 0 and 1.

With --fail-above N a feature with a distance above N is exit code 1, and so is one
that only one of the two has. STATS is what TensorFlow Data Validation writes, or
reads: a binary or a text file, or a TFRecord of one; its content says which. Of
files of records statistics are made first. -o writes a page to look at, with charts
of both data sets side by side.`,
		examples: []string{
			"tfparse drift testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse drift -o report.html testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse drift --fail-above 0.1 --format json testdata/recipes.tfrecord testdata/recipes.tfrecord",
		},
		flags: func(fs *pflag.FlagSet) {
			fs.Float64Var(&c.above, "fail-above", math.Inf(1), "exit with 1 if a distance is above `N`")
			fs.BoolVar(&c.quantiles, "quantile-histograms", false, "compare numbers by histograms of equal weights, not of equal widths")
			outputVar(fs, &c.output, "write both data sets side by side to `FILE`.html, too")
			enumVar(fs, &c.compat, "compat", compatNames, "answer as `PROGRAM` does: none or tfdv")
			formatVar(fs, &c.format)
			fs.IntVar(&c.jobs, "jobs", runtime.GOMAXPROCS(0), "work with `N` goroutines")
			fs.TextVar(&c.memory, "memory", &c.memory, "let statistics, and all that they need, take `SIZE`")
			enumVar(fs, &c.typ, "type", typeNames[:len(typeNames)-1], "take records as `TYPE`: auto, example, sequence or elwc")
			c.reading.add(fs, "compression")
		},
		run: c.run,
	}
}

type driftOf struct {
	above     float64
	quantiles bool
	compat    compatibility
	output    string
	jobs      int
	memory    size
	format    format
	typ       recordjson.Type
	reading   reading
}

func (c *driftOf) run(e *env, args []string) error {
	if len(args) != 2 {
		return usagef("two data sets, got %d", len(args))
	}
	if c.output != "" && !isPage(c.output) {
		return usagef("-o %s: a page to look at is .html", c.output)
	}
	if math.IsNaN(c.above) || c.above < 0 {
		return usagef("--fail-above is not negative")
	}
	if err := refuseRaw(c.typ); err != nil {
		return err
	}
	if err := checkJobs(c.jobs); err != nil {
		return err
	}
	if args[0] == inputs.Stdin && args[1] == inputs.Stdin {
		return usagef("standard input (-) is named twice")
	}
	var lists [2]*pb.DatasetFeatureStatisticsList
	for i, arg := range args {
		in, err := expand([]string{arg})
		if err != nil {
			return err
		}
		if lists[i], err = e.given(in); err != nil {
			return err
		} else if lists[i] != nil {
			continue
		}
		g := &gatherer{env: e, reading: &c.reading, options: stats.Options{TFDV: c.compat.tfdv()}, jobs: c.jobs, memory: c.memory}
		if lists[i], err = g.gather(in, c.typ); err != nil {
			return err
		}
	}
	options := &drift.Options{Quantiles: c.quantiles, Compat: c.compat.tfdv()}
	report, err := drift.Compare(lists[0], lists[1], options)
	if err != nil {
		return err
	}
	if c.output != "" {
		if err := c.page(e, args, lists, options); err != nil {
			return err
		}
	}
	out, err := e.create("", nil)
	if err != nil {
		return err
	}
	if c.format == formatJSON {
		out.json(report)
	} else {
		c.table(out, report)
	}
	if !math.IsInf(c.above, 1) && len(report.Above(c.above)) > 0 {
		e.raise(exitNegative)
	}
	return out.finish(nil)
}

// table prints a line for each feature, with tabs between the columns.
func (c *driftOf) table(out *output, report *drift.Report) {
	out.buf = append(out.buf, "feature\tl_infinity\tnormalized_difference\tjensen_shannon\tlabel\n"...)
	for _, f := range report.Features {
		columns := [4]string{"-", "-", "-", ""}
		for _, d := range f.Distances {
			columns[d.Measure-1] = strconv.FormatFloat(d.Value, 'g', 6, 64)
			if d.Measure == drift.LInfinity {
				columns[3] = d.Label
			}
		}
		if f.Only != 0 {
			columns[3] = "only in the " + [...]string{"", "first", "second"}[f.Only]
		}
		line := console.OneLine(f.Name())
		for _, col := range columns {
			line += "\t" + console.OneLine(col)
		}
		out.buf = fmt.Appendf(out.buf, "%s\n", line)
	}
}
