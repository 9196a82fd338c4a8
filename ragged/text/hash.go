package text

import (
	"math"
	"math/bits"
	"runtime"
	"sync"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/fingerprint"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// HashBucketFast returns a bucket for every string: its FarmHash fingerprint modulo the
// number of buckets. The hash never changes. TensorFlow calls it to_hash_bucket_fast.
func HashBucketFast(t ragged.Tensor[string], buckets int64) (ragged.Tensor[int64], error) {
	return hashBucket("hash bucket fast", t, buckets, fingerprint.All)
}

// HashBucket is HashBucketFast with an older hash, for models that use it. TensorFlow calls
// it to_hash_bucket.
func HashBucket(t ragged.Tensor[string], buckets int64) (ragged.Tensor[int64], error) {
	return hashBucket("hash bucket", t, buckets, oneByOne(fingerprint.Murmur))
}

// HashBucketStrong is HashBucketFast with a keyed hash, SipHash: without the key it is not
// possible to choose strings for one bucket. TensorFlow calls it to_hash_bucket_strong.
func HashBucketStrong(t ragged.Tensor[string], buckets int64, key [2]uint64) (ragged.Tensor[int64], error) {
	return hashBucket("hash bucket strong", t, buckets, oneByOne(func(s string) uint64 { return fingerprint.Sip(key, s) }))
}

// hashBucket hashes the strings of large tensors on all processors.
func hashBucket(op string, t ragged.Tensor[string], buckets int64, hash func([]uint64, []string)) (ragged.Tensor[int64], error) {
	if buckets < 1 {
		return ragged.Tensor[int64]{}, argumentErrorf(op, "want at least 1 bucket, got %d", buckets)
	}
	values := t.Values()
	out := make([]int64, len(values))
	const worth = 1 << 15 // least number of strings for another goroutine
	workers := max(1, min(runtime.GOMAXPROCS(0), len(values)/worth))
	size := (len(values) + workers - 1) / workers
	var wait sync.WaitGroup
	for lo := size; lo < len(values); lo += size {
		hi := min(lo+size, len(values))
		wait.Go(func() { hashInto(out[lo:hi], values[lo:hi], uint64(buckets), hash) })
	}
	hashInto(out[:min(size, len(out))], values[:min(size, len(values))], uint64(buckets), hash)
	wait.Wait()
	return operand.Like(t, out)
}

// oneByOne returns a function that hashes many strings with a hash of one string.
func oneByOne(hash func(string) uint64) func([]uint64, []string) {
	return func(dst []uint64, values []string) {
		for i, s := range values {
			dst[i] = hash(s)
		}
	}
}

// hashInto writes hashes modulo n. Instead of dividing, it multiplies by 1/n, rounded down:
// the quotient is exact or 1 too small.
func hashInto(out []int64, values []string, n uint64, hash func([]uint64, []string)) {
	inverse := math.MaxUint64 / n
	var hashes [1024]uint64
	for len(values) > 0 {
		part := hashes[:min(len(hashes), len(values))]
		hash(part, values[:len(part)])
		dst := out[:len(part)]
		for i, h := range part {
			q, _ := bits.Mul64(h, inverse)
			h -= q * n
			if h >= n {
				h -= n
			}
			dst[i] = int64(h)
		}
		out, values = out[len(part):], values[len(part):]
	}
}
