package feature

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// asAny returns a node in the form of encoding/json. twice reports a repeated member, of which encoding/json keeps
// the last.
func asAny(n *jsonNode) (v any, twice bool) {
	switch n.kind {
	case boolNode:
		return n.truth, false
	case numberNode:
		return json.Number(n.text), false
	case stringNode:
		return n.text, false
	case arrayNode:
		all := []any{}
		for _, i := range n.items {
			v, t := asAny(i)
			all, twice = append(all, v), twice || t
		}
		return all, twice
	case objectNode:
		all := map[string]any{}
		for _, m := range n.members {
			v, t := asAny(m.node)
			_, again := all[m.name]
			all[m.name], twice = v, twice || t || again
		}
		return all, twice
	}
	return nil, false
}

// A document is read like encoding/json reads it. It is refused if encoding/json refuses it, if it is nested too
// deep, or if it has text that is not Unicode.
func FuzzJSON(f *testing.F) {
	for _, doc := range []string{
		`{"features":{"a":{"fixed_len":{"dtype":"int64","shape":[2,3],"default":[1,-2.5e3,null,true,false]}}}}`,
		`{"a":"\u00e9\n\"\\","b":[[],{},[{"c":[]}]]}`, ` [ 1 , 2 ] `, `{"a":1,"a":2}`, `"\ud83d\ude00"`, `"\ud83d"`, `{} {}`, `[1,]`, `{"a"}`, `01`, `-`, `tru`, ``, "\xff",
		strings.Repeat("[", 65) + strings.Repeat("]", 65), strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		n, err := parseJSON(doc)
		dec := json.NewDecoder(bytes.NewReader(doc))
		dec.UseNumber()
		var want any
		sound := json.Valid(doc) && dec.Decode(&want) == nil && utf8.Valid(doc)
		switch {
		case err == nil && !sound:
			t.Fatalf("%q is read, and is no JSON", doc)
		case err != nil && sound && !strings.Contains(err.Error(), "nested deeper") && !strings.Contains(err.Error(), "surrogate"):
			t.Fatalf("%q: %v", doc, err)
		case err != nil:
			return
		}
		if got, twice := asAny(n); !twice && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v, want %v", doc, got, want)
		}
	})
}
