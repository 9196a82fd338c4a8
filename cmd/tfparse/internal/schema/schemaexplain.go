package schema

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	schemas "github.com/tfparse/tfparse/validate/schema"
)

// A reasoning is the text of why a schema says what it says.
type reasoning struct {
	buf  []byte
	path string // that the last line is of
}

// begin says what the decisions were made of.
func (r *reasoning) begin(list *pb.DatasetFeatureStatisticsList) {
	if all := list.GetDatasets(); len(all) == 1 {
		r.buf = fmt.Appendf(r.buf, "%d examples\n", all[0].GetNumExamples())
	}
}

// add adds a decision. Those of one feature come together.
func (r *reasoning) add(d schemas.Decision) {
	if path := d.PathString(); path != r.path {
		r.path = path
		r.buf = fmt.Appendf(r.buf, "\n%s\n", console.OneLine(path))
	}
	r.buf = fmt.Appendf(r.buf, "  %-9s %s\n", d.About, console.OneLine(d.Chosen+": "+d.Why))
}

// deliver ends the output with what was made, and with why if that was asked for:
// then standard output has no more than that.
func (c *schema) deliver(out *cli.Output, text, why []byte) error {
	if !c.explain {
		out.Buf = append(out.Buf, text...)
		return out.Finish(nil)
	}
	if out.File != nil {
		out.Buf = append(out.Buf, text...)
		if err := out.Finish(nil); err != nil {
			return err
		}
	}
	std, err := c.env.Create("")
	if err != nil {
		return err
	}
	std.Buf = append(std.Buf, why...)
	return std.Finish(nil)
}
