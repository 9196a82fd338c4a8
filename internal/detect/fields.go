package detect

import (
	"iter"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// Shows reports whether msg shows that it is a message of type t: there is a feature in
// it, or a feature list, with its name. Damage does not matter: what is in front of it
// may show what msg was.
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

// showsMap reports whether there is an entry in a map of features, or of feature lists.
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
	for f, step := range fieldsOf(msg) {
		if f.Num == 1 && f.Type == wire.TypeBytes {
			return showsFeature(step)
		}
	}
	return len(msg) == 0 // without steps
}

func showsFeature(msg []byte) bool {
	for f := range fieldsOf(msg) {
		if f.Num <= int32(example.Int64List) && f.Type == wire.TypeBytes {
			return true
		}
	}
	return len(msg) == 0 // without kind
}

// Foreign reports whether msg is another message than t, although it may decode as one of
// type t that is empty: one that [Identify] knows, or that shows to be of another type of
// this package, or that has fields, but none of t, not even an empty one.
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
			return false // damage is for others to report
		}
		if has(t, f) && (f.Lo == f.Hi || hasMap(msg[f.Lo:f.Hi])) {
			return false
		}
		i = next
	}
	return true
}

// begins reports whether msg begins with a feature of some kind, as every writer writes
// it. Nearly all messages do, and need no closer look.
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

// hasMap reports whether field 1 is in a message, which in Features, FeatureLists and
// Example holds all there is.
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

// hasNothing reports whether msg has nothing but empty fields of t, or is empty itself.
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

// fieldsOf yields the fields of a message and their bodies as far as they are sound. A body
// that the end of the message cuts off is yielded as far as it is there.
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
