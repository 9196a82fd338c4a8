package raggedjson

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tensor"
)

// A Rendering says how the rows of a column print, beyond what its spec says.
type Rendering struct {
	DType  tensor.DType // int64 values are of Bool or Uint64; Invalid prints them as they are
	Labels []string     // an int64 value prints as the string of that index; other values as numbers
	Shape  []int        // shape of a row, with at most one dimension of -1; nil is that of the spec
	Name   string       // name to print; "" is that of the column
	Hidden bool         // rows do not have the column
}

// Render sets how the rows of a column print, if the printer has a column of Features with the name. Batches print as without it.
func (p *Printer) Render(name string, r Rendering) {
	for _, i := range p.groups[feature.InFeatures] {
		c := &p.columns[i]
		if c.plain != name {
			continue
		}
		if c.rendering = &r; r.Name != "" {
			c.name = append(jsonscan.AppendTopName(nil, []byte(r.Name)), ':')
		}
	}
}

// appendReshaped appends the values of row i of column c, in the shape of c.rendering.
func (p *Printer) appendReshaped(dst []byte, c *column, i int) ([]byte, error) {
	lo, hi := c.rowsAt(len(c.levels), i)*c.cell, c.rowsAt(len(c.levels), i+1)*c.cell
	reshaped := *c
	reshaped.shape = slices.Clone(c.rendering.Shape)
	known, open := 1, -1
	for k, d := range reshaped.shape {
		if d < 0 {
			open = k
		} else {
			known *= d
		}
	}
	if open >= 0 {
		reshaped.shape[open] = (hi - lo) / max(known, 1)
	}
	if lo == hi && known > maxEmptyLists {
		path := example.PathTo(part(c.group), c.plain)
		return dst, &recordjson.Error{Path: path, Err: fmt.Errorf("shape %v prints as more than %d empty lists", reshaped.shape, maxEmptyLists)}
	}
	return p.appendCell(dst, &reshaped, 0, lo)
}

// appendRendered appends int64 values as their rendering says.
func (p *Printer) appendRendered(dst []byte, r *Rendering, values []int64) ([]byte, error) {
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch {
		case v >= 0 && v < int64(len(r.Labels)):
			var err error
			if dst, err = recordjson.AppendText(dst, r.Labels[v], p.opts.Bytes); err != nil {
				return dst, err
			}
		case r.DType == tensor.Bool:
			dst = strconv.AppendBool(dst, v != 0)
		case r.DType == tensor.Uint64 && v < 0 && p.opts.Int64 == recordjson.Int64Number:
			dst = strconv.AppendUint(dst, uint64(v), 10)
		case r.DType == tensor.Uint64 && v < 0:
			dst = append(strconv.AppendUint(append(dst, '"'), uint64(v), 10), '"')
		default:
			dst = recordjson.AppendInt64(dst, v, p.opts.Int64)
		}
	}
	return dst, nil
}
