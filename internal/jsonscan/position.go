package jsonscan

import "strconv"

// AppendPosition appends the members that say where a record is: its file, its ordinal, and the offset of its
// header. It writes no comma before or after them.
func AppendPosition(dst []byte, file string, record, offset int64) []byte {
	dst = AppendName(append(dst, `"_file":`...), []byte(file))
	dst = strconv.AppendInt(append(dst, `,"_record":`...), record, 10)
	return strconv.AppendInt(append(dst, `,"_offset":`...), offset, 10)
}

// AppendPositions appends these members for n records. Each has a list of n values, and a comma after it.
func AppendPositions(dst []byte, n int, at func(i int) (file string, record, offset int64)) []byte {
	list := func(name string, each func(i int)) {
		dst = append(dst, name...)
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			each(i)
		}
		dst = append(dst, `],`...)
	}
	list(`"_file":[`, func(i int) { file, _, _ := at(i); dst = AppendName(dst, []byte(file)) })
	list(`"_record":[`, func(i int) { _, record, _ := at(i); dst = strconv.AppendInt(dst, record, 10) })
	list(`"_offset":[`, func(i int) { _, _, offset := at(i); dst = strconv.AppendInt(dst, offset, 10) })
	return dst
}
