package quality

import (
	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/onengine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
)

// StatsOn is Stats whose files are read by an engine.
func StatsOn(on engine.Engine) *cli.Command {
	c := newStatistics()
	c.engine = on
	return onengine.Command(c.command(), "")
}

// ValidateOn is Validate whose files are read by an engine.
func ValidateOn(on engine.Engine) *cli.Command {
	c := newValidate()
	c.engine = on
	return onengine.Command(c.command(), "")
}

// onEngine returns a function that reads the inputs on the engine. check, if not nil, adds to the work.
func (g *gathering) onEngine(check func(w *engine.Work) error) func(*statsource.Gatherer, []recordscan.Input, example.MessageType) error {
	return func(to *statsource.Gatherer, in []recordscan.Input, typ example.MessageType) error {
		files, err := onengine.Files(in)
		if err != nil {
			return err
		}
		w, err := engine.NewWork(&to.Options)
		if err != nil {
			return err
		}
		w.Type = typ
		onengine.Reading(w, &g.reading)
		if check != nil {
			if err := check(w); err != nil {
				return err
			}
		}
		r, err := g.engine.Gather(to.Env.Ctx, w, files)
		if err != nil {
			return err
		}
		if err := g.reading.Report(to.Env, &r.Faults); err != nil {
			return err
		}
		if err := r.Err(); err != nil {
			return err
		}
		return to.Merge(r)
	}
}
