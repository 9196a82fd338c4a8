package quality

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// A gathering is the flags of a verb that makes statistics of records, but for --compat.
type gathering struct {
	reading scan.Flags
	typ     example.MessageType
	jobs    int
	most    int // features
}

// newGathering returns the defaults: records that are damaged are skipped.
func newGathering() gathering {
	return gathering{reading: scan.Flags{OnError: cli.Skip}}
}

func (g *gathering) add(fs *pflag.FlagSet) {
	cli.JobsVar(fs, &g.jobs, "use `N` goroutines")
	statsource.MaxFeaturesVar(fs, &g.most)
	scan.MessageVar(fs, &g.typ)
	g.reading.Add(fs)
	g.reading.AddCSV(fs, "tfrecord")
	g.reading.AddMissingFeatures(fs)
}

// check refuses flags that statistics cannot be made with.
func (g *gathering) check() error {
	if err := cli.CheckJobs(g.jobs); err != nil {
		return err
	}
	if g.most < 1 {
		return cli.Usagef("--max-features is at least 1")
	}
	return scan.RefuseRaw(g.typ)
}

func (g *gathering) gatherer(e *cli.Env, o stats.Options) *statsource.Gatherer {
	o.MaxFeatures = g.most
	return &statsource.Gatherer{Env: e, Reading: &g.reading, Options: o, Jobs: g.jobs}
}
