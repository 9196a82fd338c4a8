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
	n := a.block.Len()
	if a.block.Cap()-n < len(p) {
		a.next = min(max(2*a.block.Cap(), a.next, 64), maxBlock)
		a.block.Reset()
		a.block.Grow(max(a.next, len(p)))
		n = 0
	}
	a.block.Write(p) // there is room: it does not move
	a.used += len(p)
	return a.block.String()[n:]
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
