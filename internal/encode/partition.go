package encode

// EmptyLastRow is what the error of a partition in value_row_ids wants, where the last row has no items.
const EmptyLastRow = "items in the last row: value_row_ids cannot say that it is empty"

// Partition appends what a feature holds of a row partition whose rows end at splits[1:]
// and begin with splits[0]. The form is a name as specs have it, such as "row_lengths".
// ok is false if the partition cannot be said: see EmptyLastRow.
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
