package scan

// IndentSpec writes a spec in JSON with a line for each feature.
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

// escaped reports whether what follows in a JSON string is escaped.
func escaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
