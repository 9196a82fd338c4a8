// Package detect finds out which message records hold. Nothing in a record says it, and almost any
// message decodes as an Example that has unknown fields only.
package detect

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
)

// numFields is the number of top-level fields that the message has.
func numFields(t example.MessageType) int32 {
	if t == example.TypeExample {
		return 1
	}
	return 2
}

// ReadsAll reports whether no top-level field of msg is left unread that one of the messages
// of this package has: field 2 is, where an Example is read and the message is another one.
// It says nothing about damage, and looks at nothing behind it.
func ReadsAll(t example.MessageType, msg []byte) bool {
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 {
			return true
		}
		if f.Type == wire.TypeBytes && numFields(t) < f.Num && f.Num <= numFields(example.TypeExampleList) {
			return false
		}
		i = next
	}
	return true
}

// Detect guesses what records hold, since nothing in them says it: the first
// of Example, SequenceExample and ExampleListWithContext that accepts every
// record and leaves no top-level field unread that another one has; if none does,
// the first that accepts them at all; else false.
//
// Almost any message can be read as one of the three that has unknown fields only,
// so one of the records must show what it is, as [Shows] says. Records
// that are empty, or have nothing but empty fields, need not: no records, or empty
// ones, are Examples.
func Detect(records [][]byte) (example.MessageType, bool) {
	if Identify(records) != "" {
		return 0, false
	}
	var second example.MessageType
	for t := example.TypeExample; t <= example.TypeExampleList; t++ {
		accepts, readsAll, shows, empty := true, true, false, true
		for _, r := range records {
			if accepts = t.Validate(r) == nil; !accepts {
				break
			}
			readsAll = readsAll && ReadsAll(t, r)
			shows = shows || Shows(t, r)
			empty = empty && hasNothing(t, r)
		}
		switch {
		case !accepts || !shows && !empty:
		case readsAll:
			return t, true
		case second == 0:
			second = t
		}
	}
	return second, second != 0
}

// MostLikely is [Detect] for records that may be damaged in part or hold another message: where
// no type fits all, it is the one that fits most of those that show a type. Where none of the
// records is sound, it is what most of them show they were.
func MostLikely(records [][]byte) (example.MessageType, bool) {
	if t, ok := Detect(records); ok {
		return t, true
	}
	if Identify(records) != "" {
		return 0, false
	}
	var sound [][]byte
	for _, r := range records {
		if t, ok := Detect([][]byte{r}); ok && Shows(t, r) {
			sound = append(sound, r)
		}
	}
	if len(sound) == 0 {
		return mostShown(records)
	}
	if t, ok := Detect(sound); ok {
		return t, true
	}
	// What leaves fields unread would lose them in silence, so what is read in full counts first.
	var best example.MessageType
	bestFull, bestFits := -1, -1
	for t := example.TypeExample; t <= example.TypeExampleList; t++ {
		full, fits := 0, 0
		for _, r := range sound {
			if t.Validate(r) != nil {
				continue
			}
			fits++
			if ReadsAll(t, r) {
				full++
			}
		}
		if full > bestFull || full == bestFull && fits > bestFits {
			bestFull, bestFits, best = full, fits, t
		}
	}
	return best, true
}

// mostShown is the type that most records show, sound or not.
func mostShown(records [][]byte) (best example.MessageType, ok bool) {
	most := 0
	for t := example.TypeExample; t <= example.TypeExampleList; t++ {
		n := 0
		for _, r := range records {
			if Shows(t, r) {
				n++
			}
		}
		if n > most {
			most, best = n, t
		}
	}
	return best, most > 0
}
