package contract

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// docs is the folder of the documents, from here.
const docs = "../../../docs"

// draft is the dialect that every schema names.
const draft = "https://json-schema.org/draft/2020-12/schema"

// schemas returns the schemas by the names of their files, compiled. The common one, which
// describes no output, is compiled as a part of the others.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(docs, "json", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	all := map[string]*jsonschema.Schema{}
	c := jsonschema.NewCompiler()
	for _, name := range names {
		s, err := c.Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		if base := filepath.Base(name); base != "common.schema.json" {
			all[base] = s
		}
	}
	return all
}

// TestSchemas holds the rules of all schemas: the dialect; a description of each member,
// which says what null stands for; members are declared, and others refused; a list has one
// type of items, and is [] where it has none.
func TestSchemas(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join(docs, "json", "*.json"))
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(file)
		file.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		root := doc.(map[string]any)
		if root["$schema"] != draft || root["title"] == nil || root["description"] == nil {
			t.Errorf("%s: want $schema %s, a title and a description", name, draft)
		}
		rules(t, filepath.Base(name), root)
	}
}

// rules checks a schema and those inside of it.
func rules(t *testing.T, at string, schema map[string]any) {
	for name, member := range object(schema["properties"]) {
		m := object(member)
		text, _ := m["description"].(string)
		if ref, _ := m["$ref"].(string); text == "" && ref == "" {
			t.Errorf("%s: %s has no description", at, name)
		}
		if nullable(m) && !strings.Contains(text, "null") {
			t.Errorf("%s: %s may be null, and the description does not say what that means", at, name)
		}
	}
	if props := schema["properties"]; props != nil && schema["additionalProperties"] == nil {
		t.Errorf("%s: other members are neither refused nor described", at)
	}
	if includes(schema["type"], "array") && includes(schema["type"], "null") && !mayBeNull[at] {
		t.Errorf("%s: a list that may be null: want [] for one without members", at)
	}
	if includes(schema["type"], "array") && schema["items"] == nil {
		t.Errorf("%s: a list without items", at)
	}
	for key, value := range schema {
		switch key {
		case "properties", "$defs":
			for name, one := range object(value) {
				rules(t, at+"/"+name, object(one))
			}
		case "items", "additionalProperties", "propertyNames":
			rules(t, at+"/"+key, object(value))
		case "anyOf", "oneOf":
			for _, one := range value.([]any) {
				rules(t, at+"/"+key, object(one))
			}
		}
	}
}

// mayBeNull are the lists that may be null, which is not an empty list there.
var mayBeNull = map[string]bool{
	"model.schema.json/shape":    true, // the rank is not known; [] is a scalar
	"record.schema.json/feature": true, // no kind
}

// object returns what v is as an object, which is empty if it is none.
func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

// nullable reports whether a schema by itself allows null.
func nullable(schema map[string]any) bool {
	if includes(schema["type"], "null") || includes(schema["enum"], nil) {
		return true
	}
	any, _ := schema["anyOf"].([]any)
	return slices.ContainsFunc(any, func(s interface{}) bool { return nullable(object(s)) })
}

// includes reports whether v is a value, or a list with it.
func includes(v, value any) bool {
	list, ok := v.([]any)
	return ok && slices.Contains(list, value) || v != nil && v == value
}

// A form is one kind of JSON output: a command line of docs/json.md, and the schema of it.
type form struct {
	verb   string
	flags  map[string]string // as a command line has them
	schema string            // the name of its file
	text   string
	seen   bool // an output of this form was checked
}

var (
	row  = regexp.MustCompile("^\\| (`.*`) \\| \\[.*\\]\\(json/(.*)\\) \\|")
	span = regexp.MustCompile("`([^`]+)`")
)

// forms reads the table of docs/json.md.
func forms(t *testing.T) []*form {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(docs, "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*form
	for line := range strings.Lines(string(page)) {
		found := row.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		for _, code := range span.FindAllStringSubmatch(found[1], -1) {
			words := strings.Fields(code[1])
			f := &form{schema: found[2], text: code[1]}
			f.verb, f.flags = arguments(words)
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		t.Fatal("docs/json.md has no table of outputs")
	}
	return all
}

// arguments divides a command line into its verb, of two words with merge behind it, and its flags with their values. A word
// behind a flag counts as its value, which does no harm where the flag has none.
func arguments(words []string) (verb string, flags map[string]string) {
	verb, words = words[0], words[1:]
	if len(words) > 0 && words[0] == "merge" {
		verb, words = verb+" merge", words[1:]
	}
	flags = map[string]string{}
	for i, word := range words {
		if !strings.HasPrefix(word, "-") || word == "-" || word == "--" {
			continue
		}
		name, value, ok := strings.Cut(word, "=")
		if !ok && i+1 < len(words) {
			value = words[i+1]
		}
		if name == "--output" {
			name = "-o"
		}
		flags[name] = value
	}
	return verb, flags
}

// match returns the form of a command line: the one with the most flags of those that it has
// all flags of. A value in capital letters stands for any, with the same extension.
func match(all []*form, words []string) (best *form) {
	verb, flags := arguments(words)
	for _, f := range all {
		ok := f.verb == verb
		for name, want := range f.flags {
			value, given := flags[name]
			ok = ok && given && (want == value || want == strings.ToUpper(want) ||
				filepath.Ext(want) != "" && filepath.Ext(want) == filepath.Ext(value))
		}
		if ok && (best == nil || len(f.flags) > len(best.flags)) {
			best = f
		}
	}
	return best
}

// TestTable holds that the table of docs/json.md names every schema, and every verb and
// format that prints JSON.
func TestTable(t *testing.T) {
	all, compiled := forms(t), schemas(t)
	named := map[string]bool{}
	for _, f := range all {
		named[f.schema] = true
		if compiled[f.schema] == nil {
			t.Errorf("docs/json.md: there is no docs/json/%s", f.schema)
		}
	}
	for name := range compiled {
		if !named[name] {
			t.Errorf("docs/json.md does not name docs/json/%s", name)
		}
	}
	command := build(t)
	format := regexp.MustCompile(`--format [A-Z]+([^(]*)`)
	list := command.text(t, "help")
	for _, verb := range []string{"count", "verify", "validate", "stats"} {
		list += "  " + verb + " merge  combines parts\n"
	}
	verbs := regexp.MustCompile(`(?m)^  ([a-z]+( merge)?)  `).FindAllStringSubmatch(list, -1)
	if len(verbs) < 20 {
		t.Fatalf("only %d verbs in the help: %q", len(verbs), list)
	}
	for _, v := range verbs {
		help := strings.Join(strings.Fields(command.text(t, append(strings.Fields(v[1]), "--help")...)), " ")
		found := format.FindStringSubmatch(help)
		if found == nil {
			continue
		}
		for _, word := range []string{"json", "sarif", "rest", "dense"} {
			if strings.Contains(found[1], word) && match(all, append(strings.Fields(v[1]), "--format", word)) == nil {
				t.Errorf("docs/json.md has no line for tfparse %s --format %s", v[1], word)
			}
		}
	}
}
