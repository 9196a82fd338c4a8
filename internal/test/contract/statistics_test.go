package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

var update = flag.Bool("update", false, "write docs/json/stats.schema.json")

// TestStatistics holds that the schema of statistics is what the messages of
// proto/metadatapb/statistics.proto say, with the comments of that file.
func TestStatistics(t *testing.T) {
	source, err := os.ReadFile("../../../proto/metadatapb/statistics.proto")
	must(t, err)
	path, err := os.ReadFile("../../../proto/metadatapb/path.proto")
	must(t, err)
	derived, err := os.ReadFile("../../../proto/metadatapb/derived_feature.proto")
	must(t, err)
	g := &generator{comments: comments(slices.Concat(source, path, derived)), defs: map[string]any{}}
	list := (&metadatapb.DatasetFeatureStatisticsList{}).ProtoReflect().Descriptor()
	schema := g.message(list)
	schema["properties"].(map[string]any)["outside_slices"] = map[string]any{"type": "string", "pattern": "^[0-9]+$", "description": "How many records are in slices that were left out, for lack of memory or by --max-slices; one that is in several of them counts for each."}
	schema["$schema"], schema["$defs"] = draft, g.defs
	schema["title"] = "tfparse stats and stats merge with --format json or -o FILE.json"
	schema["description"] = "The statistics of a data set and of its slices: DatasetFeatureStatisticsList of TensorFlow Metadata in the JSON of protobuf, with the names of its fields. int64 and uint64 are strings of digits, and NaN and infinities are \"NaN\", \"Infinity\" and \"-Infinity\". Fields that are 0, \"\", false or empty are left out."
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	must(t, enc.Encode(schema))
	name := filepath.Join(docs, "json", "stats.schema.json")
	if *update {
		must(t, os.WriteFile(name, text.Bytes(), 0o666))
	}
	if b, err := os.ReadFile(name); err != nil || !bytes.Equal(b, text.Bytes()) {
		t.Errorf("%s is not what the messages say (%v): go test -run TestStatistics -update . writes it", name, err)
	}
}

// comments returns what stands above each message in .proto files.
func comments(source []byte) map[string]string {
	all := map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)((?:^ *//.*\n)+)^ *message (\w+)`).FindAllSubmatch(source, -1) {
		text := regexp.MustCompile(`(?m)^ *// ?`).ReplaceAllString(string(found[1]), "")
		all[string(found[2])] = strings.Join(strings.Fields(text), " ")
	}
	return all
}

// A generator makes schemas of messages as protobuf writes them in JSON, under the names of
// the fields in .proto files.
type generator struct {
	comments map[string]string
	defs     map[string]any
}

type schema = map[string]any

func (g *generator) message(m protoreflect.MessageDescriptor) schema {
	text := g.comments[string(m.Name())]
	if text == "" {
		text = "The message " + messageName(m) + " of TensorFlow Metadata."
	}
	props := schema{}
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		one := g.field(f)
		if f.IsList() {
			one = schema{"type": "array", "minItems": 1, "items": one}
		}
		one["description"] = "The field " + string(f.Name()) + " of " + messageName(m) + "."
		if f.ContainingOneof() != nil {
			one["description"] = "The field " + string(f.Name()) + " of " + messageName(m) + ", one of those of " + string(f.ContainingOneof().Name()) + "."
		}
		props[string(f.Name())] = one
	}
	return schema{"description": text, "type": "object", "additionalProperties": false, "properties": props}
}

func (g *generator) field(f protoreflect.FieldDescriptor) schema {
	switch f.Kind() {
	case protoreflect.MessageKind:
		name := messageName(f.Message())
		if name == "Any" {
			return schema{"type": "object", "required": []string{"@type"}, "additionalProperties": true,
				"properties": schema{"@type": schema{"type": "string", "description": "The type of the message whose fields stand beside it, as a URL."}}}
		}
		if g.defs[name] == nil {
			g.defs[name] = true // for messages that have themselves
			g.defs[name] = g.message(f.Message())
		}
		return schema{"$ref": "#/$defs/" + name}
	case protoreflect.Int64Kind, protoreflect.Uint64Kind:
		return schema{"type": "string", "pattern": "^-?[0-9]+$"}
	case protoreflect.Int32Kind:
		return schema{"type": "integer"}
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		return schema{"anyOf": []any{schema{"type": "number"}, schema{"enum": []string{"NaN", "Infinity", "-Infinity"}}}}
	case protoreflect.BoolKind:
		return schema{"type": "boolean"}
	case protoreflect.EnumKind:
		var names []string
		for i := range f.Enum().Values().Len() {
			names = append(names, string(f.Enum().Values().Get(i).Name()))
		}
		return schema{"enum": names}
	}
	return schema{"type": "string"}
}

// messageName is the name of a message behind that of the messages around it.
func messageName(m protoreflect.MessageDescriptor) string {
	name := string(m.Name())
	if outer, ok := m.Parent().(protoreflect.MessageDescriptor); ok {
		return messageName(outer) + "." + name
	}
	return name
}
