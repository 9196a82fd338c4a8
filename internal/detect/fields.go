package detect

import (
	"iter"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// Shows reports whether msg contains a feature or a feature list with a name, at the place where a
// message of type t has them. msg may be damaged: the bytes before the damage count.
func Shows(t example.MessageType, msg []byte) bool {
	for f, body := range fieldsOf(msg) {
		switch {
		case !has(t, f):
		case t == example.TypeExampleList && Shows(example.TypeExample, body), t != example.TypeExampleList && showsMap(body, f.Num == 2):
			return true
		}
	}
	return false
}

// showsMap reports whether a map of features, or of feature lists, has an entry.
func showsMap(msg []byte, lists bool) bool {
	for f, entry := range fieldsOf(msg) {
		if f.Num != 1 || f.Type != wire.TypeBytes {
			continue
		}
		keys, values := 0, 0
		for f, value := range fieldsOf(entry) {
			switch {
			case f.Type != wire.TypeBytes:
			case f.Num == 1:
				keys++
			case f.Num == 2 && (lists && showsList(value) || !lists && showsFeature(value)):
				values++
			}
		}
		if keys == 1 && values == 1 {
			return true
		}
	}
	return false
}

func showsList(msg []byte) bool {
	// showsList is called for a FeatureList; one without steps is valid.
	for f, step := range fieldsOf(msg) {
		if f.Num == 1 && f.Type == wire.TypeBytes {
			return showsFeature(step)
		}
	}
	return len(msg) == 0 // without steps
}

func showsFeature(msg []byte) bool {
	// showsFeature is called for a Feature; one without kind is valid.
	for f := range fieldsOf(msg) {
		if f.Num <= int32(example.Int64List) && f.Type == wire.TypeBytes {
			return true
		}
	}
	return len(msg) == 0 // without kind
}

// Foreign reports whether msg has another type than t, although it may decode as an empty message
// of type t: [Identify] recognizes it, or it shows another type of this module, or it has fields but
// none of t, not even an empty one.
func Foreign(t example.MessageType, msg []byte) bool {
	switch {
	case len(msg) == 0 || begins(t, msg):
		return false
	case Identify([][]byte{msg}) != "":
		return true
	case Shows(t, msg):
		return false
	}
	for other := example.TypeExample; other <= example.TypeExampleList; other++ {
		if Shows(other, msg) && other.Validate(msg) == nil {
			return true
		}
	}
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 {
			return false // the caller reports damage
		}
		if has(t, f) && (f.Lo == f.Hi || hasMap(msg[f.Lo:f.Hi])) {
			return false
		}
		i = next
	}
	return true
}

// begins is the fast path of Foreign: it reports whether msg begins with a feature with a name and
// a kind, as most messages of type t do.
func begins(t example.MessageType, msg []byte) bool {
	depth := 2 // the map, its entry
	if t == example.TypeExampleList {
		depth++
	}
	for range depth {
		if len(msg) == 0 || msg[0] != canonical.Tag1 {
			return false
		}
		lo, hi := wire.Length(msg, 1)
		if lo < 0 {
			return false
		}
		msg = msg[lo:hi]
	}
	if len(msg) == 0 || msg[0] != canonical.Tag1 {
		return false
	}
	lo, next := wire.Length(msg, 1)
	if lo < 0 || next == len(msg) || msg[next] != canonical.Tag2 {
		return false
	}
	lo, hi := wire.Length(msg, next+1)
	return 0 < lo && lo < hi && (msg[lo] == canonical.Tag1 || msg[lo] == canonical.Tag2 || msg[lo] == canonical.Tag3)
}

// has reports whether a top-level field is one of t.
func has(t example.MessageType, f wire.Field) bool {
	return f.Type == wire.TypeBytes && f.Num <= numFields(t)
}

// hasMap reports whether a message has a field 1, the first field of Features, FeatureLists and
// Example. Damage counts as a field.
func hasMap(msg []byte) bool {
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 || f.Num == 1 && f.Type == wire.TypeBytes {
			return true
		}
		i = next
	}
	return false
}

// hasNothing reports whether msg is empty or has only empty fields of t.
func hasNothing(t example.MessageType, msg []byte) bool {
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 || !has(t, f) || f.Lo != f.Hi && (t != example.TypeExampleList || !hasNothing(example.TypeExample, msg[f.Lo:f.Hi])) {
			return false
		}
		i = next
	}
	return true
}

// fieldsOf yields the fields of a message and their bodies, up to the first damage. A body that is
// truncated by the end of the message is yielded too.
func fieldsOf(msg []byte) iter.Seq2[wire.Field, []byte] {
	return func(yield func(f wire.Field, body []byte) bool) {
		for i := 0; i < len(msg); {
			f, next := wire.Next(msg, i)
			if next == wire.Truncated && f.Type == wire.TypeBytes {
				_, lo := wire.Varint(msg, i)
				_, f.Lo = wire.Varint(msg, lo)
				f.Hi, next = len(msg), len(msg)
				if f.Lo < 0 {
					return
				}
			}
			if next < 0 || !yield(f, msg[f.Lo:f.Hi]) {
				return
			}
			i = next
		}
	}
}
