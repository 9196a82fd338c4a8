package content

import (
	"encoding/binary"
	"math/bits"

	"github.com/tfparse/tfparse/internal/wire"
)

// countShortest counts the varints of b[i:]. It is not ok if one is not sound or has padding: a last
// byte of 0 behind a byte with the continuation bit.
func countShortest(b []byte, i int) (n int, ok bool) {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	if size := len(b) - i; 0 < size && size <= 8 && len(b) >= 8 { // most lists; no varint in them is too long
		w := binary.LittleEndian.Uint64(b[len(b)-8:]) >> (64 - 8*uint(size))
		zeros := ^((w&low + low) | w | low) // the high bit of every byte that is 0
		more := w & high
		return size - bits.OnesCount64(more), zeros&(more<<8) == 0 && b[len(b)-1] < 0x80
	}
	n, ok = wire.CountSound(b, i)
	if !ok {
		if _, next := wire.CheckVarints(b[i:]); next < 0 {
			return 0, false
		}
		n = wire.CountVarints(b[i:])
	}
	for i++; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		zeros := ^((w&low + low) | w | low)
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
