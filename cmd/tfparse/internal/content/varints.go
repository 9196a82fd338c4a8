package content

import (
	"encoding/binary"

	"github.com/tfparse/tfparse/internal/wire"
)

// countShortest counts the varints of b[i:]. It is not ok if one is not sound or has padding: a last
// byte of 0 behind a byte with the continuation bit.
func countShortest(b []byte, i int) (n int, ok bool) {
	n, ok = wire.CountSound(b, i)
	if !ok {
		if _, next := wire.CheckVarints(b[i:]); next < 0 {
			return 0, false
		}
		n = wire.CountVarints(b[i:])
	}
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	for i++; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		zeros := ^((w&low + low) | w | low) // the high bit of every byte that is 0
		if zeros&binary.LittleEndian.Uint64(b[i-1:])&high != 0 {
			return 0, false
		}
	}
	for ; i < len(b); i++ {
		if b[i] == 0 && b[i-1] >= 0x80 {
			return 0, false
		}
	}
	return n, true
}
