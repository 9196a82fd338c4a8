package encode

// EmptyLastRow says what the encoder wants, in the error for a value_row_ids partition whose last row is empty.
const EmptyLastRow = "items in the last row: value_row_ids cannot express an empty last row"

// Partition appends the values of a feature that holds a row partition: row i has the items from
// splits[i] to splits[i+1]. form is the name of the encoding in specs, such as "row_lengths". ok is
// false if form cannot express the partition: see EmptyLastRow.
func Partition(dst []int64, form string, splits []int64) (data []int64, ok bool) {
	base, n := splits[0], len(splits)-1
	switch form {
	case "row_lengths":
		for i := range n {
			dst = append(dst, splits[i+1]-splits[i])
		}
		return dst, true
	case "value_row_ids":
		for i := range n {
			for range splits[i+1] - splits[i] {
				dst = append(dst, int64(i))
			}
		}
		return dst, n == 0 || splits[n] > splits[n-1]
	case "row_starts":
		splits = splits[:n]
	case "row_limits":
		splits = splits[1:]
	}
	for _, s := range splits {
		dst = append(dst, s-base)
	}
	return dst, true
}
