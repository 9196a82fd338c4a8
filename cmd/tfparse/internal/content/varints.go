package content

import (
	"encoding/binary"

	"github.com/tfparse/tfparse/internal/wire"
)

// shortestVarints reports whether b is sound varints, none of which has padding: a last byte of
// 0 behind a byte with the continuation bit.
func shortestVarints(b []byte) bool {
	if _, ok := wire.CountSound(b, 0); !ok {
		if _, next := wire.CheckVarints(b); next < 0 {
			return false
		}
	}
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	i := 1
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		zeros := ^((w&low + low) | w | low) // the high bit of every byte that is 0
		if zeros&binary.LittleEndian.Uint64(b[i-1:])&high != 0 {
			return false
		}
	}
	for ; i < len(b); i++ {
		if b[i] == 0 && b[i-1] >= 0x80 {
			return false
		}
	}
	return true
}
