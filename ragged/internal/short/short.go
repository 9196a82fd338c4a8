// Package short writes the values of short rows.
//
// Most rows are short, and the processor cannot predict their lengths. So loops over rows write a fixed number of values
// for each short row; the next row overwrites the surplus. Only long rows, and rows near the end of the memory, are written
// with their exact length.
package short

// Len is the number of values that are written for a short row.
const Len = 8

// Copy copies the first n values of src to dst. It may write up to Len values.
func Copy[T any](dst, src []T, n int) {
	if n <= Len && len(dst) >= Len && len(src) >= Len {
		*(*[Len]T)(dst) = *(*[Len]T)(src)
		return
	}
	copy(dst[:n], src[:n])
}

// Fill writes v n times to dst. It may write up to Len values.
func Fill[T any](dst []T, v T, n int) {
	if n <= Len && len(dst) >= Len {
		d := (*[Len]T)(dst)
		d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7] = v, v, v, v, v, v, v, v
		return
	}
	dst = dst[:n]
	for i := range dst {
		dst[i] = v
	}
}

// Pairs writes the row of every value and its position in the row to dst.
func Pairs(dst, splits []int64) {
	for r := range len(splits) - 1 {
		n, row := int(splits[r+1]-splits[r]), int64(r)
		i := 0
		if len(dst) >= 2*Len {
			d := (*[2 * Len]int64)(dst)
			d[0], d[2], d[4], d[6], d[8], d[10], d[12], d[14] = row, row, row, row, row, row, row, row
			d[1], d[3], d[5], d[7], d[9], d[11], d[13], d[15] = 0, 1, 2, 3, 4, 5, 6, 7
			i = Len
		}
		for ; i < n; i++ {
			dst[2*i], dst[2*i+1] = row, int64(i)
		}
		dst = dst[2*n:]
	}
}
