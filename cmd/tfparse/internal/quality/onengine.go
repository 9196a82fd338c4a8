package quality

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
)

// StatsOn is Stats whose files are read by an engine.
func StatsOn(on engine.Engine) *cli.Command {
	c := &statistics{gathering: newGathering()}
	c.engine = on
	return hideFlags(c.command())
}

// ValidateOn is Validate whose files are read by an engine.
func ValidateOn(on engine.Engine) *cli.Command {
	c := &validate{gathering: newGathering()}
	c.engine = on
	return hideFlags(c.command())
}

// hideFlags hides the flags of a verb that have no use where an engine divides the files.
func hideFlags(c *cli.Command) *cli.Command {
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

var notOnEngine = append([]string{"shard", "progress"}, reading.CSVFlags...)

// onEngine returns what has the engine read the inputs. check, if not nil, adds to the work, and is given the result.
func (g *gathering) onEngine(check func(w *engine.Work) (done func(*engine.Result), err error)) func(*statsource.Gatherer, []recordscan.Input, example.MessageType) error {
	return func(to *statsource.Gatherer, in []recordscan.Input, typ example.MessageType) error {
		if g.reading.Sharded() {
			return cli.Usagef("--shard is for processes without an engine, which divides the files itself")
		}
		var files []engine.File
		for _, i := range in {
			f := engine.File{Name: i.Name}
			if i.Name == recordscan.Stdin {
				return cli.Usagef("standard input is on this machine alone: name files")
			}
			if i.Table != nil {
				return cli.Usagef("%s is CSV, which is read on one machine: tfparse encode makes records of it", i.Name)
			}
			if i.Err != nil {
				f.Err = i.Err.Error()
			}
			files = append(files, f)
		}
		w, err := engine.NewWork(&to.Options)
		if err != nil {
			return err
		}
		w.Type, w.Compression, w.MaxRecordSize, w.SkipChecksums = typ, g.reading.Compression, g.reading.MaxRecord(), g.reading.NoCRC
		w.Stop, w.Messages = g.reading.OnError == cli.Stop, g.reading.Messages()
		done := func(*engine.Result) {}
		if check != nil {
			if done, err = check(w); err != nil {
				return err
			}
		}
		r, err := g.engine.Gather(to.Env.Ctx, w, files)
		if err != nil {
			return err
		}
		if r.LostSlices {
			to.LostSlices()
		}
		if err := g.reading.Report(to.Env, &r.Faults); err != nil {
			return err
		}
		if err := r.Err(); err != nil {
			return err
		}
		done(r)
		to.Result = r.Statistics
		if to.Part != nil && to.Result != nil {
			return to.Part(to.Result)
		}
		return nil
	}
}
