package quality

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// A gathering is the flags of a verb that makes statistics of records, but for --compat.
type gathering struct {
	reading reading.Flags
	typ     example.MessageType
	jobs    int
	memory  cli.Size
	engine  engine.Engine // reads the files; nil: this process
}

// newGathering returns the defaults: records that are damaged are skipped.
func newGathering() gathering {
	return gathering{memory: statsource.DefaultMemory, reading: reading.Flags{OnError: cli.Skip}}
}

func (g *gathering) add(fs *pflag.FlagSet) {
	cli.JobsVar(fs, &g.jobs, "use `N` goroutines")
	statsource.MemoryVar(fs, &g.memory)
	reading.MessageVar(fs, &g.typ)
	g.reading.Add(fs, "compression")
	g.reading.AddCSV(fs, "tfrecord")
	g.reading.AddMissingFeatures(fs)
}

// check refuses flags that statistics cannot be made with.
func (g *gathering) check() error {
	if err := cli.CheckJobs(g.jobs); err != nil {
		return err
	}
	return reading.RefuseRaw(g.typ)
}

func (g *gathering) gatherer(e *cli.Env, o stats.Options) *statsource.Gatherer {
	to := &statsource.Gatherer{Env: e, Reading: &g.reading, Options: o, Jobs: g.jobs, Memory: g.memory}
	if g.engine != nil {
		to.Elsewhere = g.onEngine(nil)
	}
	return to
}
