// Package detect finds out which type of message records contain. Records do not say it, and almost
// any bytes decode as an Example with unknown fields only.
package detect

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
)

// numFields returns the number of top-level fields of a message type.
func numFields(t example.MessageType) int32 {
	if t == example.TypeExample {
		return 1
	}
	return 2
}

// ReadsAll reports whether t has every top-level field of msg that any of the three message types
// has. For example, an Example has no field 2. ReadsAll does not report damage and stops there.
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

// Detect guesses the message type of records: the first of Example, SequenceExample and
// ExampleListWithContext that accepts every record and has every top-level field that any of the
// three has; if there is none, the first that accepts every record; else ok is false.
//
// Almost any bytes decode as one of the three with unknown fields only, so at least one record
// must contain a feature of that type: see [Shows]. Records that are empty or have only empty fields
// are an exception: they are Examples, as are no records.
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

// MostLikely is [Detect] for records of which some may be damaged or have another type. If no type
// accepts all of them, it returns the type that accepts most of the valid records. If none is valid, it
// returns the type whose features most of them contain.
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
	// Unread fields would be lost silently, so prefer the type that reads the most records completely.
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

// mostShown returns the type that most records show, damaged or not.
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
