package recordjson

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// slowEncode is a simple implementation of an Encoder with a type other than Auto. It converts the line to a tree
// with encoding/json, and the tree to an owned message. It reports whether a line is refused, but not why.
func slowEncode(typ example.MessageType, given kinds, line []byte) (msg []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if refused, ok := fault.(refusal); ok {
				err = errors.New(string(refused))
				return
			}
			panic(fault)
		}
	}()
	if !utf8.Valid(line) || !json.Valid(line) {
		refuse("not JSON")
	}
	s := slow{given}
	top := object(line)
	switch typ {
	case example.TypeSequence:
		seq := example.Sequence{Lists: map[string][]example.Value{}}
		for name, raw := range s.parts(top, "context", "feature_lists") {
			if name == "context" {
				seq.Context = s.features(object(raw))
				continue
			}
			for _, m := range object(raw) {
				name := decodedName(m.name)
				if _, ok := seq.Lists[name]; ok {
					refuse("twice")
				}
				seq.Lists[name] = s.steps(name, array(m.value))
			}
		}
		return seq.MarshalBinary()
	case example.TypeExampleList:
		var list example.ExampleList
		for name, raw := range s.parts(top, "context", "examples") {
			if name == "context" {
				list.HasContext, list.Context = true, s.features(object(raw))
				continue
			}
			for _, raw := range array(raw) {
				list.Examples = append(list.Examples, s.features(object(raw)))
			}
		}
		return list.MarshalBinary()
	case example.TypeRaw:
		parts := s.parts(top, "b64", "hex")
		if len(parts) != 1 {
			refuse("want one string")
		}
		for name, raw := range parts {
			msg = bytesOf(name, stringOf(raw))
		}
		return msg, nil
	}
	var features []member
	seen := map[string]bool{}
	for _, m := range top {
		if !jsonscan.IsPosition([]byte(m.name)) {
			features = append(features, m)
			continue
		}
		position(m, seen)
	}
	return s.features(features).MarshalBinary()
}

// A refusal is the reason why a line is refused.
type refusal string

func refuse(why string) { panic(refusal(why)) }

// A member of an object, which may have several members of one name.
type member struct {
	name  string
	value json.RawMessage
}

func object(raw json.RawMessage) (members []member) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, _ := d.Token(); t != json.Delim('{') {
		refuse("want an object")
	}
	for d.More() {
		before := d.InputOffset()
		token, _ := d.Token()
		surrogates(raw[before:d.InputOffset()])
		var value json.RawMessage
		if d.Decode(&value) != nil {
			refuse("not JSON")
		}
		members = append(members, member{token.(string), value})
	}
	return members
}

func array(raw json.RawMessage) (values []json.RawMessage) {
	if raw[0] != '[' || json.Unmarshal(raw, &values) != nil {
		refuse("want a list")
	}
	return values
}

func stringOf(raw json.RawMessage) (text string) {
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		refuse("want a string")
	}
	surrogates(raw)
	return text
}

// surrogates refuses escapes that are not Unicode. encoding/json replaces them by U+FFFD, so the string has more of
// these than the text.
func surrogates(raw []byte) {
	i := bytes.IndexByte(raw, '"')
	var text string
	json.Unmarshal(raw[i:], &text)
	said := strings.Count(string(raw), "\ufffd")
	for rest := raw; len(rest) > 1; rest = rest[1:] {
		if rest[0] == '\\' {
			if rest[1] == 'u' && strings.EqualFold(string(rest[2:6]), "fffd") {
				said++
			}
			rest = rest[1:]
		}
	}
	if strings.Count(text, "\ufffd") != said {
		refuse("half a surrogate pair")
	}
}

func position(m member, seen map[string]bool) {
	if seen[m.name] || m.value[0] == '[' || m.value[0] == '{' {
		refuse("position")
	}
	if m.value[0] == '"' {
		// The value is ignored, so its escapes are not checked.
		json.Valid(m.value)
	}
	seen[m.name] = true
}

func decodedName(printed string) string {
	if text, ok := strings.CutPrefix(printed, "b64:"); ok {
		return string(bytesOf("b64", text))
	}
	return printed
}

func bytesOf(form, text string) []byte {
	v, err := hex.DecodeString(text)
	if form == "b64" {
		v, err = base64.StdEncoding.Strict().DecodeString(text)
	}
	if err != nil || strings.ContainsAny(text, "\r\n") {
		refuse("not " + form)
	}
	return v
}

type slow struct{ given kinds }

// parts returns the members of a line of a type other than Example.
func (s *slow) parts(top []member, names ...string) map[string]json.RawMessage {
	found, seen := map[string]json.RawMessage{}, map[string]bool{}
	for _, m := range top {
		switch {
		case jsonscan.IsPosition([]byte(m.name)):
			position(m, seen)
			continue
		case found[m.name] != nil || m.name != names[0] && m.name != names[1]:
			refuse("no part")
		}
		found[m.name] = m.value
	}
	return found
}

func (s *slow) features(members []member) example.Example {
	e := example.Example{}
	for _, m := range members {
		name := decodedName(m.name)
		if _, ok := e[name]; ok {
			refuse("twice")
		}
		e[name] = s.feature(m.value, s.given[name])
	}
	return e
}

// feature reads a feature of the given kind. If that is Unset, the values determine the kind.
func (s *slow) feature(raw json.RawMessage, kind example.Kind) example.Value {
	if string(raw) == "null" {
		return example.Value{}
	}
	if raw[0] == '{' {
		var typed map[string]json.RawMessage
		members := object(raw)
		if json.Unmarshal(raw, &typed); len(members) != 1 {
			refuse("typed")
		}
		named, ok := ParseKind(members[0].name)
		if !ok || kind != example.Unset && kind != named {
			refuse("kind")
		}
		return s.values(array(members[0].value), named)
	}
	list := array(raw)
	if kind == example.Unset {
		if len(list) == 0 {
			return example.Value{}
		}
		kind, _ = kindOf(list)
	}
	return s.values(list, kind)
}

// kindOf returns the kind of values. clear is false if they may be strings or floats.
func kindOf(list []json.RawMessage) (kind example.Kind, clear bool) {
	ints, floats, specials, texts := 0, 0, 0, 0
	for _, raw := range list {
		switch c := raw[0]; {
		case c == '"':
			if _, ok := jsonscan.NotFinite([]byte(stringOf(raw))); ok {
				specials++
			} else {
				texts++
			}
		case c == '{':
			if m := object(raw); len(m) == 1 && m[0].name == "nan" {
				floats++
			} else {
				texts++
			}
		case c == '-' || '0' <= c && c <= '9':
			if bytes.ContainsAny(raw, ".eE") {
				floats++
			} else {
				ints++
			}
		default:
			refuse("no value")
		}
	}
	switch {
	case texts > 0 && ints+floats > 0:
		refuse("mixed")
	case texts > 0:
		return example.BytesList, true
	case floats > 0 || ints > 0 && specials > 0:
		return example.FloatList, true
	case ints > 0:
		return example.Int64List, true
	}
	return example.BytesList, false
}

func (s *slow) steps(name string, list []json.RawMessage) []example.Value {
	given := s.given[name]
	if given == example.Unset {
		kinds := map[example.Kind]bool{}
		plain, specials := false, false
		for _, raw := range list {
			if raw[0] == '{' {
				if m := object(raw); len(m) > 0 {
					if kind, ok := ParseKind(m[0].name); ok {
						kinds[kind] = true
					}
				}
			}
			if raw[0] != '[' {
				continue
			}
			plain = true
			values := array(raw)
			kind, clear := kindOf(values)
			if clear {
				kinds[kind] = true
			}
			specials = specials || !clear && len(values) > 0
		}
		if plain && (len(kinds) > 1 || specials && kinds[example.Int64List]) {
			refuse("steps of several kinds")
		}
		for kind := range kinds {
			given = kind
		}
		if len(kinds) == 0 && specials {
			given = example.BytesList
		}
	}
	steps := make([]example.Value, len(list))
	for i, raw := range list {
		if raw[0] == '{' {
			steps[i] = s.feature(raw, example.Unset)
		} else {
			steps[i] = s.feature(raw, given)
		}
	}
	return steps
}

func (s *slow) values(list []json.RawMessage, kind example.Kind) example.Value {
	ints, floats, texts := []int64{}, []float32{}, [][]byte{}
	for _, raw := range list {
		quoted := raw[0] == '"'
		switch kind {
		case example.Int64List:
			text := string(raw)
			if quoted {
				text = stringOf(raw)
			}
			v, err := strconv.ParseInt(text, 10, 64)
			if err != nil || text == "-0" || quoted && strconv.FormatInt(v, 10) != text {
				refuse("no int64")
			}
			ints = append(ints, v)
		case example.FloatList:
			floats = append(floats, slowFloat32(raw))
		default:
			if quoted {
				texts = append(texts, []byte(stringOf(raw)))
				continue
			}
			m := object(raw)
			if len(m) != 1 || m[0].name != "b64" && m[0].name != "hex" {
				refuse("no string")
			}
			texts = append(texts, bytesOf(m[0].name, stringOf(m[0].value)))
		}
	}
	switch kind {
	case example.Int64List:
		return example.Int64s(ints...)
	case example.FloatList:
		return example.Floats(floats...)
	}
	return example.Bytes(texts...)
}

func slowFloat32(raw json.RawMessage) float32 {
	switch raw[0] {
	case '"':
		bits, ok := jsonscan.NotFinite([]byte(stringOf(raw)))
		if !ok {
			refuse("no float")
		}
		return math.Float32frombits(bits)
	case '{':
		m := object(raw)
		if len(m) != 1 || m[0].name != "nan" {
			refuse("no float")
		}
		bits, err := jsonscan.ParseNaNBits([]byte(stringOf(m[0].value)))
		if err != nil {
			refuse("no NaN")
		}
		return math.Float32frombits(bits)
	}
	v, err := strconv.ParseFloat(string(raw), 32)
	digits, _, _ := strings.Cut(strings.ToLower(string(raw)), "e")
	if err != nil || v == 0 && strings.ContainsAny(digits, "123456789") {
		refuse("out of range")
	}
	return float32(v)
}
