package scan

import "github.com/tfparse/tfparse/example"

// A FreeList has the merged parts of a [Sum], to be reused for their buffers and the names that they have learned.
type FreeList[S interface{ Type() example.MessageType }] []S

// Reuse takes a part for records of a type from the list, or returns a new part.
func (l *FreeList[S]) Reuse(newPart func() S, t example.MessageType) S {
	for n := len(*l) - 1; n >= 0; n-- {
		s := (*l)[n]
		if *l = (*l)[:n]; s.Type() == t {
			return s
		}
	}
	return newPart()
}
