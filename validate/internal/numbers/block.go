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

// pack makes a block of keys, of which least and most are the ends.
func pack(keys []uint64, least, most uint64) block {
	width := widthOf(most - least)
	b := block{least: least, most: most, count: int32(len(keys)), width: int32(width)}
	if width == 0 {
		return b
	}
	data := make([]byte, width*len(keys))
	b.data = data
	switch width {
	case 1:
		for i, k := range keys {
			data[i] = byte(k - least)
		}
	case 4:
		for i, k := range keys {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(k-least))
		}
	case 8:
		for i, k := range keys {
			binary.LittleEndian.PutUint64(data[8*i:], k-least)
		}
	default:
		// Each is written with 8 bytes, of which the next one overwrites some.
		at := 0
		for ; at+8 <= len(data); at += width {
			binary.LittleEndian.PutUint64(data[at:], keys[at/width]-least)
		}
		for ; at < len(data); at += width {
			d := keys[at/width] - least
			for i := range width {
				data[at+i] = byte(d >> (8 * i))
			}
		}
	}
	return b
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
			out[i] = least + uint64(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case 8:
		for i := range out {
			out[i] = least + binary.LittleEndian.Uint64(data[8*i:])
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

// widthOf is how many bytes a distance takes.
func widthOf(distance uint64) int { return (bits.Len64(distance) + 7) / 8 }
