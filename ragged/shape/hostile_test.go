package shape_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/shape"
)

func second[T any](_ T, err error) error { return err }

// TestHugeShapes makes shapes of any size that fits an int, which takes no memory, and checks that
// tensors of these shapes are refused.
func TestHugeShapes(t *testing.T) {
	const huge = 1 << (strconv.IntSize - 6)
	s := check(shape.New([]int{huge}))
	if s.NumElements() != huge || s.String() != fmt.Sprintf("<DynamicRaggedShape lengths=[%d] num_row_partitions=0>", huge) {
		t.Errorf("%v", s)
	}
	wide := check(shape.FromLengths(shape.Uniform(1), shape.Uniform(huge)))
	if got := check(shape.Broadcast(s, wide)); !got.Equal(wide) {
		t.Errorf("broadcast: %v", got)
	}
	if got := check(wide.WithPartitions(1)); !got.Equal(wide) || check(got.Size(1)) != huge {
		t.Errorf("with a partition: %v", got)
	}
	for name, err := range map[string]error{
		"fill":             second(shape.Fill(s, 1)),
		"zeros":            second(shape.Zeros[int64](s)),
		"broadcast to":     second(shape.BroadcastTo(ragged.Scalar("x"), s)),
		"more than counts": second(shape.New([]int{huge, huge})),
		"rows of nothing":  second(shape.FromLengths(shape.Uniform(huge), shape.Uniform(0))),
		"negative":         second(shape.FromLengths(shape.Uniform(math.MinInt))),
		"negative rows":    second(shape.FromLengths(shape.Uniform(-1), shape.Ragged())),
		"negative lengths": second(shape.FromLengths(shape.Uniform(1), shape.Ragged(math.MinInt))),
		"lengths":          second(shape.FromLengths(shape.Uniform(2), shape.Ragged(math.MaxInt, math.MaxInt))),
		"no partitions":    second(shape.FromPartitions()),
		"reshape":          second(shape.ReshapeDense(ragged.Vector(1), huge, huge, -1)),
		"two unknown":      second(shape.ReshapeDense(ragged.Vector(1), -1, -1)),
		"an axis":          second(s.Size(math.MinInt)),
		"not uniform":      second(s.IsUniform(-1)),
		"partitions":       second(s.WithPartitions(math.MaxInt)),
		"merged":           second(s.MergeDims(0, math.MaxInt)),
	} {
		if !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrPartition) && !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := check(wide.Slice(math.MinInt, math.MaxInt)); !got.Equal(wide) {
		t.Errorf("all axes: %v", got)
	}
}

// TestFormat checks that %v of the shape of a large tensor is short.
func TestFormat(t *testing.T) {
	s := check(shape.FromLengths(shape.Uniform(1000), shape.Ragged(make([]int, 1000)...)))
	zeros := "0" + strings.Repeat(", 0", 9)
	if got, want := fmt.Sprintf("%v", s), "<DynamicRaggedShape lengths=[1000, ("+zeros+", ..., "+zeros+")] num_row_partitions=1>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := fmt.Sprintf("%+v", s); got != s.String() || len(got) < 3000 {
		t.Errorf("%d bytes", len(got))
	}
	if got := fmt.Sprintf("%d", s); got != "%!d(shape.Shape=[1000 -1])" {
		t.Error(got)
	}
}
