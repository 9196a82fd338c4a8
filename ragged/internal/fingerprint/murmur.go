package fingerprint

// Murmur returns the older hash of a string, that of TensorFlow's to_hash_bucket:
// MurmurHash64A with the seed 0xDECAFCAFFE.
func Murmur(s string) uint64 {
	const (
		seed = 0xdecafcaffe
		mul  = 0xc6a4a7935bd1e995
	)
	h := seed ^ uint64(len(s))*mul
	for ; len(s) >= 8; s = s[8:] {
		h = (h ^ shiftMix(fetch(s, 0)*mul)*mul) * mul
	}
	if len(s) > 0 {
		h = (h ^ tail(s)) * mul
	}
	return shiftMix(shiftMix(h) * mul)
}

// tail reads the number in less than 8 bytes.
func tail(s string) uint64 {
	v := uint64(0)
	for i := range len(s) {
		v |= uint64(s[i]) << (8 * i)
	}
	return v
}
