package numbers

import (
	"encoding/binary"
	"math/bits"
)

// A block is up to chunkSize keys: integers of the same order as the numbers. Each is
// kept as its distance from the least, in as many bytes as the largest distance has.
type block struct {
	least, most uint64
	count       int32
	width       int32 // bytes of a distance; 0 if all keys are the same
	data        []byte
}

// keys unpacks the keys into dst, and returns as much of it as they fill.
func (b *block) keys(dst *[chunkSize]uint64) []uint64 {
	out, data, least, width := dst[:b.count], b.data, b.least, int(b.width)
	switch width {
	case 0:
		for i := range out {
			out[i] = least
		}
	case 1:
		data = data[:len(out)]
		for i := range out {
			out[i] = least + uint64(data[i])
		}
	case 4:
		for i := range out {
			out[i] = least + uint64(binary.LittleEndian.Uint32(data[4*i:4*i+4]))
		}
	case 8:
		for i := range out {
			out[i] = least + binary.LittleEndian.Uint64(data[8*i:8*i+8])
		}
	default:
		mask := uint64(1)<<(8*width) - 1
		i, at := 0, 0
		for ; at+8 <= len(data); at += width {
			out[i] = least + binary.LittleEndian.Uint64(data[at:])&mask
			i++
		}
		for ; i < len(out); i++ {
			d := uint64(0)
			for k := range width {
				d |= uint64(data[i*width+k]) << (8 * k)
			}
			out[i] = least + d
		}
	}
	return out
}

// key unpacks one key.
func (b *block) key(i int) uint64 {
	width := int(b.width)
	at := i * width
	if at+8 <= len(b.data) {
		return b.least + binary.LittleEndian.Uint64(b.data[at:])&(1<<(8*width)-1)
	}
	d := uint64(0)
	for k, x := range b.data[at : at+width] {
		d |= uint64(x) << (8 * k)
	}
	return b.least + d
}

// widthOf is how many bytes a distance takes.
func widthOf(distance uint64) int { return (bits.Len64(distance) + 7) / 8 }
