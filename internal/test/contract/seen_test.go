package contract

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// members are the members that schemas describe, and whether an output had them. A member of
// a definition that several schemas refer to counts once.
type members map[*jsonschema.Schema]bool

// add notes the members of a value, which fits the schema.
func (m members) add(s *jsonschema.Schema, v any) {
	if s.Ref != nil {
		m.add(s.Ref, v)
	}
	for _, one := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		if one.Validate(v) == nil {
			m.add(one, v)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if member := s.Properties[name]; member != nil {
				m[member] = true
				m.add(member, value)
			} else if other, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
				m.add(other, value)
			}
		}
	case []any:
		for _, value := range v {
			if s.Items2020 != nil {
				m.add(s.Items2020, value)
			}
		}
	}
}

// unseen lists the members below a schema that no output had.
func (m members) unseen(s *jsonschema.Schema, visited map[*jsonschema.Schema]bool) (all []string) {
	if s == nil || visited[s] {
		return nil
	}
	visited[s] = true
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		member := s.Properties[name]
		if !m[member] {
			_, place, _ := strings.Cut(member.Location, "/docs/json/")
			all = append(all, path.Clean(place))
		}
		all = append(all, m.unseen(member, visited)...)
	}
	for _, one := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf, []*jsonschema.Schema{s.Ref, s.Items2020}) {
		all = append(all, m.unseen(one, visited)...)
	}
	if other, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		all = append(all, m.unseen(other, visited)...)
	}
	return all
}
