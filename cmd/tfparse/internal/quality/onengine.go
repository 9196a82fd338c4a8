package quality

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
)

// StatsOn is Stats whose files are read by an engine.
func StatsOn(on engine.Engine) *cli.Command {
	c := &statistics{gathering: newGathering()}
	c.engine = on
	return onEngine(c.command())
}

// onEngine hides the flags of a verb that have no use where an engine divides the files.
func onEngine(c *cli.Command) *cli.Command {
	flags := c.Flags
	c.Flags = func(fs *pflag.FlagSet) {
		flags(fs)
		for _, name := range notOnEngine {
			if f := fs.Lookup(name); f != nil {
				f.Hidden = true
			}
		}
	}
	return c
}

var notOnEngine = []string{"shard", "progress"}

// gatherOn has the engine read the inputs, and goes on with what it returns as Gatherer.Read does.
func (g *gathering) gatherOn(to *statsource.Gatherer, in []recordscan.Input) error {
	e := to.Env
	if g.reading.Sharded() {
		return cli.Usagef("--shard is for processes without an engine, which divides the files itself")
	}
	var files []engine.File
	for _, i := range in {
		f := engine.File{Name: i.Name}
		if i.Name == recordscan.Stdin {
			return cli.Usagef("standard input is on this machine alone: name files")
		}
		if i.Err != nil {
			f.Err = i.Err.Error()
		}
		files = append(files, f)
	}
	to.Options.Memory = statsource.Share(int64(g.memory) / int64(max(to.Sides, 1)))
	w, err := engine.NewWork(&to.Options)
	if err != nil {
		return err
	}
	w.Type, w.Compression, w.MaxRecordSize, w.SkipChecksums = g.typ, g.reading.Compression, g.reading.MaxRecord(), g.reading.NoCRC
	w.Stop, w.Messages = g.reading.OnError == cli.Stop, g.reading.Messages()
	r, err := g.engine.Gather(e.Ctx, w, files)
	if err != nil {
		return err
	}
	if r.LostSlices {
		to.LostSlices()
	}
	if err := g.reading.Report(e, &r.Faults); err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return err
	}
	to.Result = r.Statistics
	if to.Part != nil && to.Result != nil {
		return to.Part(to.Result)
	}
	return nil
}
