package jsonscan

import "bytes"

// The names of the members of objects that encode a single value.
const (
	Base64Member = "b64"
	HexMember    = "hex"
	NaNMember    = "nan"
)

// Shape returns the name of the member if the object at c encodes a single value: {"b64": "…"}, {"hex": "…"} or
// {"nan": "…"}. For any other object it returns "".
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
