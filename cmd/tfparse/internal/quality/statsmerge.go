package quality

import (
	"encoding/json"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/validate/stats"
)

// Merge puts together what stats --partial has written.
func Merge() *cli.Command {
	c := newStatistics()
	c.partial.Merge = true
	return &cli.Command{
		Name:  "stats merge",
		Args:  "PART...",
		Short: "combine the outputs of stats --partial",
		Long: `
Combine the outputs of tfparse stats --partial from several machines: the result is
that of one run over all their files, byte for byte, with its messages and exit code.
It is printed, or written to the file of -o, as by tfparse stats; --partial writes
it as one part. Parts of --shard I/N may come in any order, and none of them may be
missing; others are of files in the order of the arguments.

Flags that set how statistics are made, such as --top or --slice, are refused: the
parts have these settings, which must be equal in all. A damaged part is an error.`,
		Examples: []string{
			"tfparse stats --partial a.part testdata/recipes.tfrecord && tfparse stats merge a.part",
			"tfparse stats --partial a.part testdata/recipes.tfrecord && tfparse stats merge -o both.pb a.part a.part",
		},
		Flags: func(fs *pflag.FlagSet) {
			c.flags(fs)
			for _, name := range slices.Concat(madeBefore, forRecords) {
				fs.Lookup(name).Hidden = true // refused with the reason
			}
		},
		Run: c.run,
	}
}

// foundFirst is what stats has found out about all files.
type foundFirst struct {
	First []byte `json:"first,omitempty"` // statistics of the first records, if they were looked at
}

// header returns the header of a part; parts are those that are merged into it, nil if records are read.
func (c *statistics) header(g *statsource.Gatherer, parts *partial.Parts) (h *partial.Header, err error) {
	if parts != nil {
		return parts.Header(), nil
	}
	var own foundFirst
	if c.first.Counted != nil {
		if own.First, err = c.first.Counted.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	if h, err = partial.NewHeader(c.partial.Verb, &c.reading, c.partial.Settings(nil), own); err != nil {
		return nil, err
	}
	h.Bytes = scan.TotalSize(c.reading.Inputs)
	h.Options, err = statsource.AppendOptions(nil, &g.Options)
	return h, err
}

// readParts merges parts. Options and first records are then those that the parts have.
func (c *statistics) readParts(g *statsource.Gatherer, parts *partial.Parts) error {
	err := parts.Own(func(b []byte) error {
		var own foundFirst
		if err := json.Unmarshal(b, &own); err != nil || own.First == nil || c.first.Counted != nil {
			return err
		}
		c.first.Counted = &stats.Accumulator{}
		return c.first.Counted.UnmarshalBinary(own.First)
	})
	if err == nil {
		err = c.reading.SetMessages(parts.Messages())
	}
	if err == nil {
		err = g.ReadParts(parts)
	}
	c.opts = g.Options
	return err
}
