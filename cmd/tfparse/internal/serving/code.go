package serving

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
)

// A style is a form in which a model is printed.
type style uint8

const (
	styleText style = iota
	styleJSON
	stylePython
	styleGo
)

var styleNames = []string{"text", "json", "python", "go"}

func (s style) MarshalText() ([]byte, error) { return []byte(styleNames[s]), nil }

func (s *style) UnmarshalText(text []byte) error { return cli.SetName(s, styleNames, text) }

// checkCode returns an error for a signature that no program can call in that language.
func checkCode(s style, sig *model.Signature) error {
	for _, in := range sig.Inputs {
		for _, c := range in.Components {
			if c.Name == "" {
				return fmt.Errorf("signature %q has one key, %s, for the %d tensors of an input: nothing can call it by name", sig.Name, console.OneLine(in.Name()), len(in.Components))
			}
		}
	}
	if all, returned := outputs(sig); s == styleGo && len(all) > 0 && len(returned) == 0 {
		return fmt.Errorf("signature %q cannot be served as it is: %s", sig.Name, problem(sig, cli.Joined(sig.CheckServing())[0]))
	}
	return nil
}

// outputs returns the names of the outputs, and of those that TensorFlow Serving can return.
func outputs(sig *model.Signature) (all, returned []string) {
	for _, t := range sig.Outputs {
		all = append(all, t.Name())
		if sig.CheckServing(t.Name()) == nil {
			returned = append(returned, t.Name())
		}
	}
	return all, returned
}

// quoted writes a string as Go and Python both read it.
func quoted(s string) string { return strconv.Quote(s) }

// identifier makes a name of letters, digits and "_" of the name of a signature.
func identifier(name string) string {
	id := strings.Map(func(r rune) rune {
		if r == '_' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
	return "call_" + id
}

// goName is an identifier without "_", as Go has it: callServingDefault.
func goName(id string) string {
	words := strings.Split(id, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// printInputs writes a line for each input, as comments have them.
func printInputs(out io.Writer, prefix string, sig *model.Signature) {
	t := cli.Table{Indent: prefix}
	for _, in := range sig.Inputs {
		kind := in.Type()
		if in.Unknown != "" {
			kind += ": " + in.Unknown
		}
		t.Row(quoted(in.Name()), kind)
	}
	out.Write(t.AppendTo(nil))
}

// printPython writes a function that calls a signature with tensors as its function has them.
func printPython(out io.Writer, sig *model.Signature) {
	fmt.Fprintf(out, "import tensorflow as tf\n\n\ndef %s(loaded, inputs):\n", identifier(sig.Name))
	fmt.Fprintf(out, "    # loaded: what tf.saved_model.load returns; inputs: a dict of tensors.\n")
	printInputs(out, "    #   ", sig)
	fmt.Fprintf(out, "    return loaded.signatures[%s](**{\n", quoted(sig.Name))
	for _, in := range sig.Inputs {
		value := fmt.Sprintf("inputs[%s]", quoted(in.Name()))
		if in.Unknown != "" {
			fmt.Fprintf(out, "        # The model does not say what %s is: pass each of its tensors under its own name.\n", quoted(in.Name()))
		}
		for i, c := range in.Components {
			fmt.Fprintf(out, "        %s: %s,\n", quoted(c.Name), pythonPart(&in, i, &c, value))
		}
	}
	fmt.Fprint(out, "    })\n")
}

// pythonPart is one component of a value in Python.
func pythonPart(in *model.TensorSpec, i int, c *model.Component, value string) string {
	switch {
	case in.Unknown != "":
		return fmt.Sprintf("inputs[%s]", quoted(c.Name))
	case in.Form == feature.RaggedForm && c.Part == model.RowSplits:
		return fmt.Sprintf("tf.cast(%s.nested_row_splits[%d], tf.%v)", value, i-1, c.DType)
	case in.Form == feature.RaggedForm:
		return value + ".flat_values"
	case in.Form == feature.SparseForm:
		return value + "." + c.Part.String()
	}
	return value
}

// printGo writes a function that makes requests to a signature.
func printGo(out io.Writer, name string, sig *model.Signature) {
	p := goPrinter{out: out, sig: sig, function: goName(identifier(sig.Name))}
	p.spec = fmt.Sprintf("model.ModelSpec{Name: %s, Signature: %s}", quoted(nameOf(name)), quoted(sig.Name))
	all, returned := outputs(sig)
	if len(returned) < len(all) {
		for _, name := range returned {
			p.filter += ", " + quoted(name)
		}
		p.note = "//\n// TensorFlow Serving cannot return outputs that are ragged or sparse, so the request asks for the others only.\n"
	}
	switch only := sig.Inputs; {
	case sig.Call() != model.Predict:
		p.examples()
	case len(only) == 1 && only[0].Unknown == "" && only[0].Form == feature.DenseForm && only[0].DType == model.String && len(only[0].Shape) == 1:
		p.strings(only[0].Components[0].Name)
	default:
		p.batches()
	}
}

// A goPrinter prints functions of Go.
type goPrinter struct {
	out      io.Writer
	sig      *model.Signature
	function string
	spec     string // the ModelSpec
	filter   string // the last arguments of AppendPredictRequest
	note     string // about them
}

// examples prints a function for a signature that takes Examples.
func (p *goPrinter) examples() {
	message := "ClassificationRequest"
	if p.sig.Call() == model.Regress {
		message = "RegressionRequest"
	}
	fmt.Fprintf(p.out, `package main

import "github.com/tfparse/tfparse/model"

// %s makes a %s of encoded Examples.
func %[1]s(records ...[]byte) ([]byte, error) {
	return model.AppendExamplesRequest(nil, %[3]s, records...)
}
`, p.function, message, p.spec)
}

// strings prints a function for a signature whose only input is a vector of strings.
func (p *goPrinter) strings(component string) {
	fmt.Fprintf(p.out, `package main

import "github.com/tfparse/tfparse/model"

// %s makes a PredictRequest of a string for each row. They are encoded records, if the model parses
// them.
%sfunc %[1]s(rows []string) ([]byte, error) {
	feed := model.Feed{Name: %[3]s, DType: model.String, Shape: []int64{int64(len(rows))}, Strings: rows}
	return model.AppendPredictRequest(nil, %[4]s, []model.Feed{feed}%[5]s)
}
`, p.function, p.note, quoted(component), p.spec, p.filter)
}

// batches prints a function for a signature that takes columns.
func (p *goPrinter) batches() {
	fmt.Fprintf(p.out, `package main

import (
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
)

// %s returns a function that makes a PredictRequest of a batch. The spec has a feature for each
// input:
//
`, p.function)
	printInputs(p.out, "//\t", p.sig)
	fmt.Fprintf(p.out, `%sfunc %s(dir string, spec feature.Spec) (func(model.Batch) ([]byte, error), error) {
	m, err := model.Open(dir)
	if err != nil {
		return nil, err
	}
	sig, err := m.Signature(%s)
	if err != nil {
		return nil, err
	}
`, p.note, p.function, quoted(p.sig.Name))
	options := "nil"
	for i, in := range p.sig.Inputs {
		switch {
		case in.Unknown != "":
			p.unknown(i, &in)
		case in.DType != model.Int64 && in.DType != model.Float32 && in.DType != model.String:
			options = "&model.BindOptions{Convert: model.ExactValues}"
		}
	}
	fmt.Fprintf(p.out, `	binding, err := model.Bind(sig, spec, %s)
	if err != nil {
		return nil, err
	}
	to := %s
	return func(batch model.Batch) ([]byte, error) {
		feeds, err := binding.Feeds(nil, batch)
		if err != nil {
			return nil, err
		}
		return model.AppendPredictRequest(nil, to, feeds%s)
	}, nil
}
`, options, p.spec, p.filter)
}

// unknown prints what to fill in for an input that the model does not describe. It compiles as it is; then Bind returns an
// error.
func (p *goPrinter) unknown(i int, in *model.TensorSpec) {
	fmt.Fprintf(p.out, `	// The model does not say what %s is: fill it in, in a copy of the signature. For a ragged input:
	//
	//	known := *sig
	//	known.Inputs = slices.Clone(sig.Inputs)
	//	in := &known.Inputs[%d]
	//	in.Unknown, in.Form, in.DType, in.Shape = "", feature.RaggedForm, in.Components[0].DType, model.Shape{%s}
	//	in.RaggedRank, in.SplitsDType = %d, model.Int64
	//	sig = &known
`, quoted(in.Name()), i, strings.TrimSuffix(strings.Repeat("-1, ", len(in.Components)), ", "), len(in.Components)-1)
}
