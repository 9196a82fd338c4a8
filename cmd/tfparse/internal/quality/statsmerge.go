package quality

import (
	"encoding/json"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/validate/stats"
)

// Merge puts together what stats --partial has written.
func Merge() *cli.Command {
	c := newStatistics()
	c.partial.Refused = slices.Concat(makingFlags, []string{"schema", "max-features", "type", "on-error", "max-messages", "shard"})
	return c.partial.MergeCommand(c.command())
}

// foundFirst is what stats has found out about all files.
type foundFirst struct {
	First    []byte           `json:"first,omitempty"` // statistics of the first records, if there is a weight
	Contents []featureContent `json:"contents,omitempty"`
}

// header returns the header of a part; parts are those that are merged into it, nil if records are read.
func (c *statistics) header(g *statsource.Gatherer, parts *partial.Parts) (h *partial.Header, err error) {
	if parts != nil {
		return parts.Header(), nil
	}
	own := foundFirst{Contents: c.sample.contents()}
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
		if err := json.Unmarshal(b, &own); err != nil {
			return err
		}
		if c.contents = own.Contents; own.First == nil || c.first.Counted != nil {
			return nil
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
