package feature

import "strings"

// maxBlock is the size of the largest block, unless one string needs more. A
// string that is kept keeps its block.
const maxBlock = 1 << 20

// An arena holds the bytes of many strings in few blocks. Strings are never taken
// back: what was handed out stays good.
type arena struct {
	block strings.Builder
	used  int // bytes of all blocks since reset
	next  int // size of the next block
}

func (a *arena) add(p []byte) string {
	if len(p) == 0 {
		return ""
	}
	n := a.reserve(len(p))
	a.block.Write(p) // it has the capacity: it does not move
	return a.block.String()[n:]
}

func (a *arena) addString(s string) string {
	if s == "" {
		return ""
	}
	n := a.reserve(len(s))
	a.block.WriteString(s)
	return a.block.String()[n:]
}

// reserve makes space for a string of n bytes and returns where it begins in the block.
func (a *arena) reserve(n int) int {
	a.used += n
	if at := a.block.Len(); a.block.Cap()-at >= n {
		return at
	}
	a.next = min(max(2*a.block.Cap(), a.next, 64), maxBlock)
	a.block.Reset()
	a.block.Grow(max(a.next, n))
	return 0
}

// reset begins anew, with a block as large as everything since the last reset, if there
// was anything.
func (a *arena) reset() {
	a.block.Reset()
	if a.used > 0 {
		a.next = min(a.used, maxBlock)
	}
	a.used = 0
}
