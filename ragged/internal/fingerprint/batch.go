package fingerprint

// All writes the fingerprint of every string to dst, which has the same length.
//
// The algorithm depends on the length of a string, and a mispredicted branch takes longer
// than hashing a short string. So the strings of a block are sorted by classes of length,
// and each class has its own loop.
func All(dst []uint64, values []string) {
	dst = dst[:len(values)]
	for len(values) > blockSize {
		hashBlock(dst[:blockSize], values[:blockSize])
		dst, values = dst[blockSize:], values[blockSize:]
	}
	if len(values) < blockSize/8 { // not worth sorting
		for i, s := range values {
			dst[i] = Of(s)
		}
		return
	}
	hashBlock(dst, values)
}

// blockSize is the number of strings in a block; their indices fit a byte.
const blockSize = 256

// The classes of lengths: 1 to 3, 4 to 7, and so on.
const (
	upTo3 = iota
	upTo7
	upTo16
	upTo32
	upTo64
	kinds
	others = kinds // not sorted
)

// kindOf is the class of every length up to 64, and of longer strings.
var kindOf = func() (t [66]uint8) {
	for n := range t {
		switch {
		case n == 0 || n > 64:
			t[n] = others
		case n <= 3:
			t[n] = upTo3
		case n <= 7:
			t[n] = upTo7
		case n <= 16:
			t[n] = upTo16
		case n <= 32:
			t[n] = upTo32
		default:
			t[n] = upTo64
		}
	}
	return t
}()

// hashBlock is All for at most blockSize strings.
func hashBlock(dst []uint64, values []string) {
	dst = dst[:len(values)]
	var places [kinds][blockSize]uint8
	var count [kinds]int
	for i, s := range values {
		k := kindOf[min(len(s), len(kindOf)-1)]
		if k == others {
			dst[i] = Of(s)
			continue
		}
		places[k][count[k]%blockSize] = uint8(i)
		count[k]++
	}
	for _, i := range places[upTo3][:count[upTo3]] {
		dst[i] = of3(values[i])
	}
	for _, i := range places[upTo7][:count[upTo7]] {
		dst[i] = of7(values[i])
	}
	for _, i := range places[upTo16][:count[upTo16]] {
		dst[i] = of16(values[i])
	}
	for _, i := range places[upTo32][:count[upTo32]] {
		dst[i] = of32(values[i])
	}
	for _, i := range places[upTo64][:count[upTo64]] {
		dst[i] = of64(values[i])
	}
}
