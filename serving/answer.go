package serving

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tensor"
)

// An output is one JSON member of each row in the response.
type output struct {
	name   string   // as JSON
	values string   // output of the model
	splits []string // outputs of the model with its row_splits; none for a dense tensor
	read   func(r *model.Response, o *output) (rows, error)
}

// rows is a tensor of an answer, with a row for each record.
type rows interface {
	count() int // -1 for a scalar
	appendRow(dst []byte, i int) []byte
}

// bindOutputs finds the outputs of a signature. Without names it returns all outputs, as dense tensors.
func bindOutputs(sig *model.Signature, names map[string][]string) (outputs []output, err error) {
	dtypes := map[string]tensor.DType{}
	for _, t := range sig.Outputs {
		dtypes[t.Name()] = t.DType
	}
	if len(names) == 0 {
		names = map[string][]string{}
		for name := range dtypes {
			names[name] = []string{name}
		}
	}
	for _, name := range sortedNames(names) {
		quoted, _ := recordjson.AppendText(nil, name, recordjson.BytesAuto) // never fails with this mode
		o := output{name: string(quoted), values: names[name][0], splits: names[name][1:]}
		for i, want := range names[name] {
			dtype, ok := dtypes[want]
			switch {
			case !ok:
				err = errors.Join(err, fmt.Errorf("output %s: the signature has no %q; it has %q", o.name, want, sortedNames(dtypes)))
			case i > 0 && dtype != tensor.Int64 && dtype != tensor.Int32:
				err = errors.Join(err, fmt.Errorf("output %s: row_splits %q: want int32 or int64, got %v", o.name, want, dtype))
			case i == 0:
				if o.read = readers[dtype]; o.read == nil {
					err = errors.Join(err, fmt.Errorf("output %s: %q of dtype %v cannot be printed", o.name, want, dtype))
				}
			}
		}
		outputs = append(outputs, o)
	}
	return outputs, err
}

// readers has a function for each dtype, which makes rows of an output. Numbers and strings are printed as in package recordjson.
var readers = map[tensor.DType]func(*model.Response, *output) (rows, error){
	tensor.Float32: reader(func(dst []byte, v float32) []byte {
		dst, _ = recordjson.AppendFloat32(dst, v, recordjson.NaNString) // never fails with this mode
		return dst
	}),
	tensor.Float64: reader(func(dst []byte, v float64) []byte {
		dst, _ = recordjson.AppendFloat64(dst, v, recordjson.NaNString)
		return dst
	}),
	tensor.Int64: reader(func(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }),
	tensor.Int32: reader(func(dst []byte, v int32) []byte { return strconv.AppendInt(dst, int64(v), 10) }),
	tensor.Bool:  reader(strconv.AppendBool),
	tensor.String: reader(func(dst []byte, v string) []byte {
		dst, _ = recordjson.AppendText(dst, v, recordjson.BytesAuto) // never fails with this mode
		return dst
	}),
}

func reader[T tensor.Element](element func([]byte, T) []byte) func(*model.Response, *output) (rows, error) {
	return func(r *model.Response, o *output) (rows, error) {
		t, err := model.RaggedOutput[T](r, o.values, o.splits...)
		return tensorRows[T]{t, element}, err
	}
}

// tensorRows are the rows of a ragged tensor.
type tensorRows[T tensor.Element] struct {
	tensor  ragged.Tensor[T]
	element func([]byte, T) []byte
}

func (t tensorRows[T]) count() int {
	if t.tensor.Rank() == 0 {
		return -1
	}
	return t.tensor.Len()
}

func (t tensorRows[T]) appendRow(dst []byte, i int) []byte {
	return t.tensor.Row(i).AppendNested(dst, t.element)
}

// print appends one line of JSON for each of n records. The answer must have a row for each record.
func (s *Service) print(dst, answer []byte, n int) ([]byte, error) {
	response, err := model.ParseResponse(answer)
	if err != nil {
		return dst, err
	}
	tensors := make([]rows, len(s.outputs))
	for i := range s.outputs {
		o := &s.outputs[i]
		if tensors[i], err = o.read(response, o); err != nil {
			return dst, err
		}
		if got := tensors[i].count(); got < 0 {
			return dst, fmt.Errorf("output %s is a scalar: it has no row for each record", o.name)
		} else if got != n {
			return dst, fmt.Errorf("output %s: want %d rows, one for each record, got %d", o.name, n, got)
		}
	}
	for row := range n {
		for i := range tensors {
			sep := byte(',')
			if i == 0 {
				sep = '{'
			}
			dst = append(append(append(dst, sep), s.outputs[i].name...), ':')
			dst = tensors[i].appendRow(dst, row)
		}
		dst = append(dst, '}', '\n')
	}
	return dst, nil
}
