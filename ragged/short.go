package ragged

// Most rows are short, and the processor cannot predict their lengths. So loops over rows
// write a fixed number of values for each short row; the next row overwrites those that are
// too many. Values are counted for long rows and near the end of the memory only.
// TestShortRows compares both ways.

// few is the number of values that are written for a short row.
const few = 8

// copyShort copies the first n values of src to dst. It may write up to few values.
func copyShort[T any](dst, src []T, n int) {
	if n <= few && len(dst) >= few && len(src) >= few {
		*(*[few]T)(dst) = *(*[few]T)(src)
		return
	}
	copy(dst[:n], src[:n])
}

// fillShort writes v n times to dst. It may write up to few values.
func fillShort[T any](dst []T, v T, n int) {
	if n <= few && len(dst) >= few {
		d := (*[few]T)(dst)
		d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7] = v, v, v, v, v, v, v, v
		return
	}
	dst = dst[:n]
	for i := range dst {
		dst[i] = v
	}
}

// writePairs writes the row of every value and its position in the row to dst.
func writePairs(dst, splits []int64) {
	for r := range len(splits) - 1 {
		n, row := int(splits[r+1]-splits[r]), int64(r)
		i := 0
		if len(dst) >= 2*few {
			d := (*[2 * few]int64)(dst)
			d[0], d[2], d[4], d[6], d[8], d[10], d[12], d[14] = row, row, row, row, row, row, row, row
			d[1], d[3], d[5], d[7], d[9], d[11], d[13], d[15] = 0, 1, 2, 3, 4, 5, 6, 7
			i = few
		}
		for ; i < n; i++ {
			dst[2*i], dst[2*i+1] = row, int64(i)
		}
		dst = dst[2*n:]
	}
}
