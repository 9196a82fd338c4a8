//go:build every

package num_test

import "testing"

// TestCastsOfEvery is TestCasts for the dtypes that it leaves out. Section every of .ci/run sets the tag.
func TestCastsOfEvery(t *testing.T) {
	castsFrom[int16](t)
	castsFrom[int32](t)
	castsFrom[int](t)
	castsFrom[uint8](t)
	castsFrom[uint16](t)
	castsFrom[uint32](t)
	castsFrom[uint](t)
}
