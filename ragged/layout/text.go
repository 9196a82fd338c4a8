package layout

import "strconv"

// String returns XLA's text form of a shape. Padding is written as a tile. Two texts cannot be
// parsed: " padded [4,4]" for padding of an array with a size of 0, and "invalid" for the
// zero Shape.
func (s Shape) String() string { return string(s.appendText(nil, true)) }

// WithoutLayout returns the text form without layouts.
func (s Shape) WithoutLayout() string { return string(s.appendText(nil, false)) }

func (s Shape) appendText(b []byte, layouts bool) []byte {
	switch s.kind {
	case kindInvalid:
		return append(b, "invalid"...)
	case kindToken:
		return append(b, "token[]"...)
	case kindOpaque:
		return append(b, "opaque[]"...)
	case kindTuple:
		b = append(b, '(')
		for i, sub := range s.subs {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = sub.appendText(b, layouts)
		}
		return append(b, ')')
	}
	b = append(b, s.elem.String()...)
	b = append(b, '[')
	for i, d := range s.dims {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case d.Size == Unbounded:
			b = append(b, '?')
			continue
		case d.Dynamic:
			b = append(b, "<="...)
		}
		b = strconv.AppendInt(b, d.Size, 10)
	}
	b = append(b, ']')
	if layouts {
		b = s.appendLayout(b)
	}
	return b
}

func (s Shape) appendLayout(b []byte) []byte {
	l, asTile := s.lay, true
	if len(l.Padded) > 0 {
		if t, err := s.paddingAsTile(); err == nil {
			l = t.lay
		} else {
			asTile = false
		}
	}
	attributes := l.Tiles != nil || l.TailAlignment > 1 || l.ElementBits > 0 || l.MemorySpace > 0
	if len(s.dims) == 0 && !attributes {
		return b
	}
	b = append(b, '{')
	for i, d := range l.MinorToMajor {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(d), 10)
	}
	if attributes {
		b = append(b, ':')
	}
	if l.Tiles != nil {
		b = append(b, 'T')
		for _, t := range l.Tiles {
			b = appendInts(append(b, '('), t)
			b = append(b, ')')
		}
	}
	for _, a := range []struct {
		name   byte
		n, not int64
	}{{'L', max(l.TailAlignment, 1), 1}, {'E', l.ElementBits, 0}, {'S', l.MemorySpace, 0}} {
		if a.n != a.not {
			b = strconv.AppendInt(append(b, a.name, '('), a.n, 10)
			b = append(b, ')')
		}
	}
	b = append(b, '}')
	if !asTile {
		b = appendInts(append(b, " padded ["...), l.Padded)
		b = append(b, ']')
	}
	return b
}

func appendInts(b []byte, v []int64) []byte {
	for i, n := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return b
}
