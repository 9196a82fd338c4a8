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

// The classes of lengths in bytes: 1 to 3, 4 to 7, and so on.
const (
	upTo3 = iota
	upTo7
	upTo16
	upTo32
	upTo64
	classes
	unsorted = classes // no bytes, or more than 64
)

// classOf has the class of every length from 0 to 64, and last the class of longer strings.
var classOf = func() (t [66]uint8) {
	for n := range t {
		switch {
		case n == 0 || n > 64:
			t[n] = unsorted
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
	var indices [classes][blockSize]uint8
	var count [classes]int
	for i, s := range values {
		k := classOf[min(len(s), len(classOf)-1)]
		if k == unsorted {
			dst[i] = Of(s)
			continue
		}
		indices[k][count[k]%blockSize] = uint8(i)
		count[k]++
	}
	for _, i := range indices[upTo3][:count[upTo3]] {
		dst[i] = of3(values[i])
	}
	for _, i := range indices[upTo7][:count[upTo7]] {
		dst[i] = of7(values[i])
	}
	for _, i := range indices[upTo16][:count[upTo16]] {
		dst[i] = of16(values[i])
	}
	for _, i := range indices[upTo32][:count[upTo32]] {
		dst[i] = of32(values[i])
	}
	for _, i := range indices[upTo64][:count[upTo64]] {
		dst[i] = of64(values[i])
	}
}
