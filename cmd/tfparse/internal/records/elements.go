package records

import (
	"bytes"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/tfmessage"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// findElements sets c.elements if the only argument is a directory of Dataset.save whose elements have several components. Then cat
// and head print an element as a line, and not a record. After damage it would be unknown which records belong together, and
// --type tensor asks for records.
func (c *cat) findElements(args []string) {
	plain := c.printing.typ == example.TypeAuto && c.printing.described == nil && c.spec == "" && !c.printing.filter.Given()
	if !c.joins || !plain || c.reading.OnError == cli.Skip || len(args) != 1 {
		return
	}
	if s, ok := scan.ReadSnapshot(args[0]); ok && len(s.DTypes) > 1 {
		c.elements = &s
	}
}

// printElements prints each element as an object with its components.
func (c *cat) printElements() error {
	opts := c.printing.opts
	opts.Position = false
	printer := tfmessage.NewPrinter(tfmessage.TensorProto, &opts)
	count := len(c.elements.DTypes)
	var line []byte
	var file string // of the components in line
	n := 0          // number of components in line
	incomplete := func() error {
		return fmt.Errorf("%s: the last element has %d of %d components", file, n, count)
	}
	err := c.src.Each(func(rec scan.Record) (err error) {
		switch {
		case n > 0 && rec.Name != file:
			return incomplete()
		case n > 0:
			line = append(line, ',')
		default:
			line = append(line[:0], '{')
			if c.printing.opts.Position {
				line = append(jsonscan.AppendPosition(line, rec.Name, rec.Record, rec.Offset), ',')
			}
		}
		file = rec.Name
		line = append(jsonscan.AppendName(line, []byte(c.elements.Component(n))), ':')
		if line, err = printer.Append(line, rec.Bytes, tfrecord.Position{}); err != nil {
			return c.src.Refuse(rec, err)
		}
		if n++; n < count {
			return nil
		}
		n = 0
		if line = append(line, '}', '\n'); c.style != (style{}) {
			return c.writeText(c.style.appendStyled(nil, bytes.Clone(line)))
		}
		return c.writeText(line)
	})
	if err == nil && n > 0 {
		err = incomplete()
	}
	return err
}
