package scan

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/feature/tfds"
)

// SpecVar defines --spec.
func SpecVar(fs *pflag.FlagSet, p *string, usage string) {
	fs.StringVar(p, "spec", "", usage)
	fs.SetAnnotation("spec", cli.FilesNote, nil)
}

// ReadSpec reads a spec: JSON, a features.json of TensorFlow Datasets, a schema, or a parser configuration of TensorFlow, both
// as text or binary. The extension decides, or the content for an unknown extension.
func ReadSpec(name string) (feature.Spec, error) {
	var spec feature.Spec
	b, err := ReadNamed(name)
	if err != nil {
		return spec, cli.BadSpec(name, err)
	}
	if IsTFDS(name) {
		if spec, _, err = tfds.Spec(b, &tfds.Options{Ragged: true}); err != nil {
			return spec, BadFeatures(name, err)
		}
		return spec, nil
	}
	isJSON := bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{"))
	switch filepath.Ext(name) {
	case ".json":
		isJSON = true
	case ".pbtxt", ".pb":
		isJSON = false
	}
	if isJSON {
		if err := spec.UnmarshalJSON(b); err != nil {
			return spec, cli.BadSpec(name, err)
		}
		return spec, nil
	}
	if spec, err = featurepb.FromSchema(b); err == nil {
		return spec, nil
	}
	if spec, err := featurepb.FromParserConfig(b); err == nil {
		return spec, nil
	}
	return spec, cli.BadSpec(name, err)
}

// NewParser returns a parser for a spec, restricted to the features of --select and --drop; filter may be nil.
func NewParser(name string, filter *FeatureFilter, opts *feature.ParserOptions) (*feature.Parser, error) {
	spec, err := ReadSpec(name)
	if err != nil {
		return nil, err
	}
	if filter != nil && filter.Given() {
		printed, err := PrintedNames(name)
		if err != nil {
			return nil, err
		}
		if spec, err = filterSpec(spec, filter, printed); err != nil {
			return nil, err
		}
	}
	parser, err := feature.NewParser(spec, opts)
	if err != nil {
		return nil, cli.BadSpec(name, err)
	}
	return parser, nil
}

// filterSpec returns the columns of a spec that --select and --drop select, and those that hold sizes for their strings. The flags
// name a column by its own name or by that of PrintedNames.
func filterSpec(spec feature.Spec, filter *FeatureFilter, printed map[string]string) (feature.Spec, error) {
	names := map[string]bool{}
	for _, features := range spec.Groups() {
		for name := range features {
			names[name] = true
			names[cmp.Or(printed[name], name)] = true
		}
	}
	list, err := filter.List(names)
	if err != nil {
		return spec, err
	}
	for _, item := range list.Unmatched(names) {
		return spec, cli.Usagef("%s: the spec has no feature %q%s", FlagOf(item), item.Text, item.Question(slices.Collect(maps.Keys(names))))
	}
	chosen := feature.Spec{}
	if spec.Examples != nil {
		chosen.Examples = feature.Features{}
	}
	for group, features := range spec.Groups() {
		for name, f := range features {
			own, other := []byte(name), []byte(cmp.Or(printed[name], name))
			if !list.Selects(own) && !list.Selects(other) || list.LeavesOut(own) || list.LeavesOut(other) {
				continue
			}
			into := chosen.Group(group)
			if *into == nil {
				*into = feature.Features{}
			}
			(*into)[name] = f
		}
	}
	chosen.AddSizes(spec)
	return chosen, nil
}

// CheckType returns an error if --type is not the type of a parser.
func CheckType(t example.MessageType, parser *feature.Parser) error {
	if want := parser.Message(); t != example.TypeAuto && t != want {
		return cli.Usagef("--type %s: the spec is for records of type %s", t, want)
	}
	return nil
}

// IndentSpec formats the JSON of a spec with one line per feature.
func IndentSpec(text []byte) []byte {
	var out []byte
	depth, quoted := 0, false
	for i, b := range text {
		switch {
		case b == '"' && !escaped(text[:i]):
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			if depth--; depth <= 1 {
				out = append(append(out, '\n'), "  "[:2*depth]...)
			}
		}
		out = append(out, b)
		switch {
		case quoted:
		case b == ':':
			out = append(out, ' ')
		case b == ',' && depth > 2:
			out = append(out, ' ')
		case (b == ',' || b == '{') && depth > 0 && depth <= 2:
			out = append(append(out, '\n'), "    "[:2*depth]...)
		}
	}
	return append(out, '\n')
}

// escaped reports whether the character after text in a JSON string is escaped.
func escaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
