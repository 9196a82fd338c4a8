package serving

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// Model returns the verb model, which prints the signatures of a SavedModel.
func Model() *cli.Command {
	c := &modelVerb{}
	return &cli.Command{
		Name: "model",
		Flags: func(fs *pflag.FlagSet) {
			c.addInputs(fs, "the signature `NAME` [all; serving_default for --check]")
			cli.FileVar(fs, &c.checkFile, "check", "compare the inputs with `FILE`, a spec or records")
			cli.FormatVar(fs, &c.format)
		},
		Run: c.run,
	}
}

// A modelVerb holds the flags and the state of one run of the verb.
type modelVerb struct {
	feeder
	checkFile string // of --check
	format    cli.Format
}

func (c *modelVerb) run(e *cli.Env, args []string) error {
	if len(args) != 1 {
		return cli.Usagef("want one MODEL")
	}
	if c.checkFile == "" && (c.spec != "" || c.serialized != "" || c.columns != nil || c.convert != model.NoConversion) {
		return cli.Usagef("--spec, --serialized, --column and --convert are for --check")
	}
	m, err := openModel(args[0])
	if err != nil {
		return err
	}
	var sig *model.Signature
	if c.signature != "" || c.checkFile != "" {
		if sig, err = signatureOf(m, c.signature); err != nil {
			return err
		}
	}
	if c.checkFile != "" {
		if err := c.setSignature(e, sig); err != nil {
			return err
		}
		return c.runCheck()
	}
	out, err := e.Create("", args[0])
	if err != nil {
		return err
	}
	if c.format == cli.FormatJSON {
		out.JSON(newModelReport(args[0], m, sig))
	} else {
		printModel(out, m, sig)
	}
	return out.Finish(nil)
}

// shownSignatures returns the signatures to print: one, or all of a graph.
func shownSignatures(g *model.MetaGraph, one *model.Signature) []model.Signature {
	if one != nil {
		return []model.Signature{*one}
	}
	return g.Signatures
}

// shownGraphs returns the graphs to print: all, or the one with a signature.
func shownGraphs(m *model.Model, one *model.Signature) []model.MetaGraph {
	if one != nil && len(m.MetaGraphs) > 1 {
		for i := range m.MetaGraphs {
			for j := range m.MetaGraphs[i].Signatures {
				if &m.MetaGraphs[i].Signatures[j] == one {
					return m.MetaGraphs[i : i+1]
				}
			}
		}
	}
	return m.MetaGraphs
}

// printModel writes the text output.
func printModel(out *cli.Output, m *model.Model, one *model.Signature) {
	first := true
	for _, g := range shownGraphs(m, one) {
		if len(m.MetaGraphs) > 1 {
			fmt.Fprintf(out, "graph %s\n\n", console.OneLine(strings.Join(g.Tags, ", ")))
		}
		if len(g.Signatures) == 0 {
			fmt.Fprintln(out, "no signatures")
		}
		for _, sig := range shownSignatures(&g, one) {
			if !first {
				fmt.Fprintln(out)
			}
			first = false
			printSignature(out, &sig)
		}
	}
}

func printSignature(out *cli.Output, sig *model.Signature) {
	fmt.Fprintf(out, "%s", console.OneLine(sig.Name))
	if sig.Method != "" {
		fmt.Fprintf(out, " (%s)", console.OneLine(sig.Method))
	}
	fmt.Fprintln(out)
	var rows cli.Table
	for _, side := range []struct {
		title string
		specs []model.TensorSpec
	}{{"INPUT", sig.Inputs}, {"OUTPUT", sig.Outputs}} {
		rows.Row(side.title, "TYPE", "TENSORS")
		for _, t := range side.specs {
			rows.Row(t.Name(), t.Type(), tensorNames(t))
		}
	}
	out.Buf = rows.AppendTo(out.Buf)
	for _, t := range sig.Inputs {
		if t.Unknown != "" {
			fmt.Fprintf(out, "%s is unknown: %s\n", console.OneLine(t.Name()), console.OneLine(t.Unknown))
		}
	}
	for _, err := range cli.Joined(sig.CheckServing()) {
		fmt.Fprintf(out, "cannot be served as it is: %s\n", console.OneLine(problemText(sig, err)))
	}
}

// problemText returns an error about a signature without the name of the signature.
func problemText(sig *model.Signature, err error) string {
	return strings.TrimPrefix(err.Error(), fmt.Sprintf("model: signature %q: ", sig.Name))
}

// tensorNames returns the names of the components, or of their tensors in the graph if they have none.
func tensorNames(t model.TensorSpec) string {
	names := make([]string, len(t.Components))
	for i, c := range t.Components {
		if names[i] = console.OneLine(c.Name); c.Name == "" {
			names[i] = console.OneLine(c.Tensor)
		}
		if c.Optional {
			names[i] += " (optional)"
		}
	}
	return strings.Join(names, ", ")
}

// A modelReport is the JSON output.
type modelReport struct {
	Model  jsonscan.Name `json:"model"`
	Graphs []graphReport `json:"graphs"`
}

// A graphReport is the JSON output for a MetaGraph.
type graphReport struct {
	Tags       []string          `json:"tags"`
	TensorFlow string            `json:"tensorflow,omitempty"`
	Signatures []signatureReport `json:"signatures"`
}

// A signatureReport is the JSON output for a signature.
type signatureReport struct {
	Name     string         `json:"name"`
	Method   string         `json:"method,omitempty"`
	Inputs   []tensorReport `json:"inputs"`
	Outputs  []tensorReport `json:"outputs"`
	Problems []string       `json:"serving_problems"` // empty: TensorFlow Serving can call it
}

// A tensorReport is the JSON output for an input or output of a signature.
type tensorReport struct {
	Name       string            `json:"name"`
	Path       []string          `json:"path"`
	Form       string            `json:"form"` // or "unknown"
	DType      *tensor.DType     `json:"dtype"`
	Shape      tensor.Shape      `json:"shape"`
	RaggedRank int               `json:"ragged_rank,omitempty"`
	Splits     *tensor.DType     `json:"row_splits_dtype,omitempty"`
	Components []componentReport `json:"components"`
	Unknown    string            `json:"unknown,omitempty"`
}

// A componentReport is the JSON output for a component of a tensor.
type componentReport struct {
	Name     string       `json:"name"` // "" if it has none
	Part     model.Part   `json:"part"`
	Tensor   string       `json:"tensor"`
	DType    tensor.DType `json:"dtype"`
	Shape    tensor.Shape `json:"shape"`
	Optional bool         `json:"optional,omitempty"`
}

func newModelReport(name string, m *model.Model, one *model.Signature) modelReport {
	r := modelReport{Model: jsonscan.Name(name), Graphs: []graphReport{}}
	for _, g := range shownGraphs(m, one) {
		graph := graphReport{Tags: append([]string{}, g.Tags...), TensorFlow: g.TensorFlow, Signatures: []signatureReport{}}
		for _, sig := range shownSignatures(&g, one) {
			s := signatureReport{Name: sig.Name, Method: sig.Method, Inputs: tensorReports(sig.Inputs), Outputs: tensorReports(sig.Outputs), Problems: []string{}}
			for _, err := range cli.Joined(sig.CheckServing()) {
				s.Problems = append(s.Problems, problemText(&sig, err))
			}
			graph.Signatures = append(graph.Signatures, s)
		}
		r.Graphs = append(r.Graphs, graph)
	}
	return r
}

func tensorReports(specs []model.TensorSpec) []tensorReport {
	all := []tensorReport{}
	for _, t := range specs {
		r := tensorReport{Name: t.Name(), Path: t.Path, Form: "unknown", Unknown: t.Unknown, Components: []componentReport{}}
		if t.Unknown == "" {
			r.Form, r.DType, r.Shape, r.RaggedRank = t.Form.String(), &t.DType, t.Shape, t.RaggedRank
		}
		if t.Form == feature.RaggedForm && t.Unknown == "" {
			r.Splits = &t.SplitsDType
		}
		for _, c := range t.Components {
			r.Components = append(r.Components, componentReport(c))
		}
		all = append(all, r)
	}
	return all
}
