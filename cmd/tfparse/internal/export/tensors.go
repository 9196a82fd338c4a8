package export

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// completeTensors replaces x.parser if its spec leaves open the dtype or shape of decoded tensors, which the types of columns
// depend on: the dtype and rank are those of the first tensor. Without one in the first records the spec stays as it is, and
// the format refuses it.
func (x *export) completeTensors(src *scan.Source) error {
	spec, open := x.parser.Spec(), false
	for _, features := range spec.Groups() {
		for _, f := range features {
			d, ok := feature.DecodeOf(f).(feature.DecodeTensor)
			open = open || ok && (d.DType == tensor.Invalid || d.Shape == nil)
		}
	}
	if !open {
		return nil
	}
	first, err := x.firstRows(src)
	if err != nil {
		return err
	}
	for _, c := range first.Columns().All() {
		d, ok := feature.DecodeOf(c.Spec()).(feature.DecodeTensor)
		values, _ := feature.FlatOf[string](c)
		if !ok || len(values) == 0 {
			continue
		}
		t, err := tensor.Decode([]byte(values[0]))
		if err != nil {
			return err // not reached: the parser has decoded it
		}
		d.DType = t.DType
		if d.Shape == nil {
			d.Shape = make(tensor.Shape, len(t.Shape))
			for i := range d.Shape {
				d.Shape[i] = -1
			}
		}
		(*spec.Group(c.Group()))[c.Name()] = summary.WithDecode(c.Spec(), d)
	}
	opts := x.parser.Options()
	x.parser, err = feature.NewParser(spec, &opts)
	return err
}

// firstRows returns the rows of the first records, up to a batch of them. Records that do not fit are left out.
func (x *export) firstRows(src *scan.Source) (b *feature.Batch, err error) {
	if x.partial() && scan.ReadTwice(x.reading.AllInputs) { // all parts have the same columns
		opts := &scan.Options{Type: x.parser.Message(), Spec: true, Features: true, Fault: func(*scan.Fault) error { return nil }}
		if src, err = x.reading.Open(x.env, x.reading.AllInputs, opts); err != nil {
			return nil, err
		}
		defer src.Close()
	}
	b = x.parser.NewBatch()
	err = src.First(columnBytes, func(rec scan.Record) bool {
		_ = b.Append(rec.Bytes) // an error is reported when the record is exported
		return b.Size() < rowsBytes
	})
	return b, err
}
