package serving

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
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

// checkCode returns an error for a signature that no program can call by the names of its inputs.
func checkCode(sig *model.Signature) error {
	for _, in := range sig.Inputs {
		for _, c := range in.Components {
			if c.Name == "" {
				return fmt.Errorf("signature %q has one key, %s, for the %d tensors of an input: nothing can call it by name", sig.Name, console.OneLine(in.Name()), len(in.Components))
			}
		}
	}
	return nil
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
func printInputs(out *cli.Output, prefix string, sig *model.Signature) {
	var lines strings.Builder
	w := tabwriter.NewWriter(&lines, 0, 8, 2, ' ', 0)
	for _, in := range sig.Inputs {
		kind := in.Type()
		if in.Unknown != "" {
			kind += ": " + console.OneLine(in.Unknown)
		}
		fmt.Fprintf(w, "%s\t%s\n", quoted(in.Name()), kind)
	}
	w.Flush()
	for line := range strings.Lines(lines.String()) {
		fmt.Fprint(out, prefix, line)
	}
}

// printPython writes a function that calls a signature with tensors as its function has them.
func printPython(out *cli.Output, sig *model.Signature) {
	fmt.Fprintf(out, "import tensorflow as tf\n\n\ndef %s(loaded, inputs):\n", identifier(sig.Name))
	fmt.Fprintf(out, "    # loaded: what tf.saved_model.load returns; inputs: a dict of tensors.\n")
	printInputs(out, "    #   ", sig)
	fmt.Fprintf(out, "    return loaded.signatures[%s](**{\n", quoted(sig.Name))
	for _, in := range sig.Inputs {
		value := fmt.Sprintf("inputs[%s]", quoted(in.Name()))
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

// printGo writes a function that makes requests of batches.
func printGo(out *cli.Output, name string, sig *model.Signature) {
	fmt.Fprintf(out, `package main

import (
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
)

// %s returns a function that makes a PredictRequest of a batch. The spec has a feature for each
// input:
//
`, goName(identifier(sig.Name)))
	printInputs(out, "//\t", sig)
	fmt.Fprintf(out, `func %s(dir string, spec feature.Spec) (func(model.Batch) ([]byte, error), error) {
	m, err := model.Open(dir)
	if err != nil {
		return nil, err
	}
	sig, err := m.Signature(%s)
	if err != nil {
		return nil, err
	}
	binding, err := model.Bind(sig, spec, nil)
	if err != nil {
		return nil, err
	}
	to := model.ModelSpec{Name: %s, Signature: %[2]s}
	return func(batch model.Batch) ([]byte, error) {
		feeds, err := binding.Feeds(nil, batch)
		if err != nil {
			return nil, err
		}
		return model.AppendPredictRequest(nil, to, feeds)
	}, nil
}
`, goName(identifier(sig.Name)), quoted(sig.Name), quoted(nameOf(name)))
}
