package jsonscan

import "bytes"

// The members of the objects that are single values.
const (
	Base64Member = "b64"
	HexMember    = "hex"
	NaNMember    = "nan"
)

// Shape returns which of the single values the object at c is, {"b64": "…"},
// {"hex": "…"} or {"nan": "…"}, by its member, or "" if it is none.
func Shape(c Cursor) string {
	c.Open()
	if !c.More('}') {
		return ""
	}
	text, _ := c.Name()
	var name string
	switch {
	case bytes.Equal(text, []byte(Base64Member)):
		name = Base64Member
	case bytes.Equal(text, []byte(HexMember)):
		name = HexMember
	case bytes.Equal(text, []byte(NaNMember)):
		name = NaNMember
	default:
		return ""
	}
	if c.Peek() != '"' {
		return ""
	}
	if _, _, err := c.Text(nil); err == ErrGrammar || c.More('}') || c.Bad {
		return ""
	}
	return name
}
