package simd

// Sums are what PackDistances adds up: of the lower and the higher 32 bits of each distance, and of
// their products, each of which is split into its lower 52 bits and those above.
type Sums struct {
	Low, High                 uint64
	LowLow, LowHigh, HighHigh [2]uint64
}
