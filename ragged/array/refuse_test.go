package array_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
)

// TestRefuses calls every operation with arguments that it must refuse. The texts name the
// operation, the axis or row, and what was wanted and got.
func TestRefuses(t *testing.T) {
	x := must(ragged.FromSlices[int64]([][]int64{{1, 2}, {3}}))(t)
	deep := must(ragged.FromSlices[int64]([][][]int64{{{1}, {2, 3}}, {{4}}}))(t)
	dense := must(ragged.Dense([]int64{1, 2, 3, 4}, 2, 2))(t)
	words := must(ragged.FromSlices[string]([][]string{{"a"}}))(t)
	scalar, vector := ragged.Scalar[int64](1), ragged.Vector[int64](1, 2, 3)
	yes, wide := ragged.Vector(true, false), must(ragged.FromSlices[bool]([][]bool{{true}, {true}}))(t)
	failed := errors.New("not today")
	const huge = math.MaxInt / 2
	for name, c := range map[string]struct {
		run  func() error
		want string
	}{
		"stack nothing":             {func() error { _, err := array.Stack[int64](0); return err }, "stack: no operands"},
		"stack ranks":               {func() error { _, err := array.Stack(0, x, vector); return err }, "stack: operand 1 has rank 1, operand 0 has rank 2"},
		"stack axis":                {func() error { _, err := array.Stack(3, x, x); return err }, "stack: axis: want from -3 to 2, got 3"},
		"stack rows":                {func() error { _, err := array.Stack(1, x, deep.Items()); return err }, "want 2 rows, got 3"},
		"stack dense shapes":        {func() error { _, err := array.Stack(1, vector, ragged.Vector[int64](1)); return err }, "stack: "},
		"expand dims axis":          {func() error { _, err := array.ExpandDims(x, -4); return err }, "expand dims: axis: want from -3 to 2, got -4"},
		"squeeze axis":              {func() error { _, err := array.Squeeze(scalar, []int{0}); return err }, "squeeze: axis: want from 0 to -1, got 0"},
		"squeeze rows":              {func() error { _, err := array.Squeeze(x, []int{0}); return err }, "squeeze: axis 0: want size 1, got 2"},
		"squeeze ragged":            {func() error { _, err := array.Squeeze(x, []int{1}); return err }, "squeeze: axis 1, row 0: want length 1, got 2"},
		"squeeze inner":             {func() error { _, err := array.Squeeze(dense, []int{-1}); return err }, "squeeze: axis 1: want size 1, got 2"},
		"tile too few":              {func() error { _, err := array.Tile(x, 1); return err }, "tile: want 2 multiples, one per axis, got 1"},
		"tile negative":             {func() error { _, err := array.Tile(x, 1, -1); return err }, "tile: axis 1: want a multiple of at least 0, got -1"},
		"tile too often":            {func() error { _, err := array.Tile(x, huge, huge); return err }, "tile: "},
		"tile empty rows too often": {func() error { _, err := array.Tile(x, huge, 0); return err }, "tile: "},
		"reverse axis":              {func() error { _, err := array.Reverse(x, []int{2}); return err }, "reverse: axis: want from -2 to 1, got 2"},
		"reverse twice":             {func() error { _, err := array.Reverse(x, []int{1, -1}); return err }, "reverse: axis 1 is given twice"},
		"split ragged":              {func() error { _, err := array.Split(x, 1, 2); return err }, "split: axis 1 is ragged"},
		"split unevenly":            {func() error { _, err := array.Split(vector, 0, 2); return err }, "split: axis 0 of size 3 does not divide into 2 parts"},
		"split into nothing":        {func() error { _, err := array.Split(x, 0, 0); return err }, "split: want at least 1 part, got 0"},
		"split axis":                {func() error { _, err := array.Split(x, 2, 1); return err }, "split: axis: want from -2 to 1, got 2"},
		"split nothing often":       {func() error { _, err := array.Split(ragged.Vector[int64](), 0, huge); return err }, "split: "},
		"split sizes":               {func() error { _, err := array.SplitSizes(x, 0, 1, 2); return err }, "split: axis 0: want sizes that add up to 2, got 3"},
		"split sizes overflow":      {func() error { _, err := array.SplitSizes(x, 0, math.MaxInt, 3); return err }, "split: axis 0: want sizes that add up to 2, got more"},
		"split negative":            {func() error { _, err := array.SplitSizes(x, 0, 3, -1); return err }, "split: part 1: want a size of at least 0, got -1"},
		"gather a scalar":           {func() error { _, err := array.Gather(scalar, vector, nil); return err }, "gather: want fewer batch dimensions than the rank 0"},
		"gather axis":               {func() error { _, err := array.Gather(x, vector, &array.GatherOptions{Axis: 2}); return err }, "gather: axis: want from -2 to 1, got 2"},
		"gather above the batch":    {func() error { _, err := array.Gather(x, x, &array.GatherOptions{Axis: -2, BatchDims: 1}); return err }, "gather: want an axis of at least the 1 batch dimensions, got 0"},
		"gather batch dims":         {func() error { _, err := array.Gather(x, vector, &array.GatherOptions{BatchDims: -2}); return err }, "gather: batch dims: want from -2 to 1, got -2"},
		"gather batches":            {func() error { _, err := array.Gather(x, vector, &array.GatherOptions{BatchDims: 1}); return err }, "gather: axis 0: 2 rows, but 3 rows of indices"},
		"gather uniform batches": {func() error {
			_, err := array.Gather(deep, dense, &array.GatherOptions{BatchDims: 2})
			return err
		}, "gather: batch dimension 1 is uniform in one operand and ragged in the other"},
		"gather other batches": {func() error {
			other := must(ragged.FromSlices[int64]([][]int64{{1}, {0, 0}}))(t)
			_, err := array.Gather(deep, other, &array.GatherOptions{BatchDims: 2})
			return err
		}, "gather: axis 1, row 0: want length 2, got 1"},
		"gather below two batches": {func() error {
			_, err := array.Gather(deep, x, &array.GatherOptions{BatchDims: 2})
			return err
		}, "gather, axis 2, row 0: at [0]: want at least 0 and less than 1, got 1"},
		"batch gather a scalar":   {func() error { _, err := array.Gather(x, scalar, &array.GatherOptions{BatchDims: -1}); return err }, "gather: batch dims: "},
		"gather nd a scalar":      {func() error { _, err := array.GatherND(x, scalar); return err }, "gather nd: want indices of rank 1 or more, got a scalar"},
		"gather nd ragged":        {func() error { _, err := array.GatherND(x, x); return err }, "gather nd: the last axis of the indices is ragged"},
		"gather nd too deep":      {func() error { _, err := array.GatherND(x, vector); return err }, "gather nd: want at most 2 coordinates, got 3"},
		"gather or a scalar":      {func() error { _, err := array.BatchGatherOr(x, scalar, scalar); return err }, "want indices of rank 1 or more, got a scalar"},
		"gather or rank":          {func() error { _, err := array.BatchGatherOr(vector, x, scalar); return err }, "want a tensor of rank 2 or more, got rank 1"},
		"gather or shape":         {func() error { _, err := array.BatchGatherOr(x, x, vector); return err }, "want a default of shape [], got [3]"},
		"gather or batches":       {func() error { _, err := array.BatchGatherOr(x, deep.Items(), scalar); return err }, "axis 0: 2 rows, but 3 rows of indices"},
		"fill empty rows of rank": {func() error { _, _, err := array.FillEmptyRows(deep, 0); return err }, "fill empty rows: want ragged rank 1 and rank 2, got 2 and 3"},
		"mask by a scalar":        {func() error { _, err := array.BooleanMask(x, ragged.Scalar(true)); return err }, "boolean mask: the mask is a scalar"},
		"mask rank":               {func() error { _, err := array.BooleanMask(vector, wide); return err }, "boolean mask: want a mask of a rank of at most 1, got 2"},
		"mask rows":               {func() error { _, err := array.BooleanMask(vector, yes); return err }, "boolean mask: axis 0: want a mask of 3 rows, got 2"},
		"mask lengths":            {func() error { _, err := array.BooleanMask(x, wide); return err }, "boolean mask: axis 1, row 0: want length 2, got 1"},
		"where shapes":            {func() error { _, err := array.Where(wide, x, x); return err }, "where: "},
		"where rows":              {func() error { _, err := array.WhereRows([]bool{true}, x, x); return err }, "where rows: want 1 rows of both, got 2 and 2"},
		"where rows of ranks":     {func() error { _, err := array.WhereRows([]bool{true, false}, x, deep); return err }, "where rows: "},
		"range ranks":             {func() error { _, err := array.RangeTo(x); return err }, "range: want limits of rank 0 or 1, got rank 2"},
		"range lengths":           {func() error { _, err := array.Range(vector, ragged.Vector[int64](1), scalar); return err }, "range: want 3 limits, got 1"},
		"range delta":             {func() error { _, err := array.Range(vector, vector, ragged.Scalar[int64](0)); return err }, "range: row 0: want a delta other than 0"},
		"range too long":          {func() error { _, err := array.RangeTo(ragged.Vector[int64](1, math.MaxInt64)); return err }, "range: "},
		"range too long together": {func() error { _, err := array.RangeTo(ragged.Vector[int64](1<<45, 1<<45)); return err }, "range: "},
		"one hot depth":           {func() error { _, err := array.OneHot(x, -1, -1, 1, 0); return err }, "one hot: want a depth of at least 0, got -1"},
		"one hot too deep":        {func() error { _, err := array.OneHot(x, huge, -1, 1, 0); return err }, "one hot: "},
		"one hot axis":            {func() error { _, err := array.OneHot(x, 2, 1, 1, 0); return err }, "one hot: axis: want from 2 to 2, or -1, got 1"},
		"mask of too long rows":   {func() error { _, err := array.SequenceMask(x, huge); return err }, "sequence mask: "},
		"mask of a long row":      {func() error { _, err := array.SequenceMask(ragged.Vector[uint64](0, math.MaxUint64), -1); return err }, "sequence mask: "},
		"partitions":              {func() error { _, err := array.StackDynamicPartitions(x, vector, 4); return err }, "axis 0: want 2 partitions, got 3"},
		"partitions of rank":      {func() error { _, err := array.StackDynamicPartitions(vector, x, 4); return err }, "want partitions of a rank of at most 1, got 2"},
		"partitions of rows":      {func() error { _, err := array.StackDynamicPartitions(x, dense, 4); return err }, "axis 1, row 1: want length 1, got 2"},
		"negative partitions":     {func() error { _, err := array.DynamicPartition(x, x, -1); return err }, "want at least 0 partitions, got -1"},
		"too many partitions":     {func() error { _, err := array.DynamicPartition(x, x, huge); return err }, "stack dynamic partitions: "},
		"cross ranks":             {func() error { _, err := array.Cross(array.Ints(vector)); return err }, "cross: want features of rank 2, got rank 1"},
		"cross rows":              {func() error { _, err := array.Cross(array.Ints(x), array.Strings(words)); return err }, "cross: want 2 rows of every feature, got 1 of feature 1"},
		"cross buckets":           {func() error { _, err := array.CrossHashed(&array.CrossHashOptions{Buckets: -1}); return err }, "cross hashed: want at least 0 buckets, got -1"},
		"sparse rank":             {func() error { _, err := array.SparseRows(ragged.Sparse[string]{Shape: []int64{1}}); return err }, "sparse rows: want a matrix, got rank 1"},
		"sparse coordinates": {func() error {
			_, err := array.SparseRows(ragged.Sparse[string]{Shape: []int64{1, 1}, Values: []string{"a"}, Indices: []int64{0}})
			return err
		}, "sparse rows: want 2 coordinates for 1 values, got 1"},
		"sparse rows": {func() error {
			_, err := array.SparseRows(ragged.Sparse[string]{Shape: []int64{math.MaxInt, 1}})
			return err
		}, "sparse rows: "},
		"top k of inner axes": {func() error { _, _, err := array.TopK(dense, 1); return err }, "top k: want partitions and no inner shape, got ragged rank 0 and inner shape [2]"},
		"top k negative":      {func() error { _, _, err := array.TopK(x, -1); return err }, "top k: want a k of at least 0, got -1"},
		"unique of a vector":  {func() error { _, err := array.Unique(vector); return err }, "unique: want partitions and no inner shape"},
		"map rows of a scalar": {func() error {
			_, err := array.MapRows(scalar, 0, func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) { return row, nil })
			return err
		}, "map rows: a scalar has no rows"},
		"map rows to scalars": {func() error {
			_, err := array.MapRows(x, 0, func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) { return scalar, nil })
			return err
		}, "map rows: row 0: want a rank of at least 1, got a scalar"},
		"map rows to another rank": {func() error {
			_, err := array.MapRows(x, 0, func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) { return x, nil })
			return err
		}, "map rows: row 0: want ragged rank 0, got 1"},
		"map rows to other items": {func() error {
			_, err := array.MapRows(x, 0, func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) {
				return ragged.Dense([]int64{1, 2}, 1, row.Len(), 2/row.Len())
			})
			return err
		}, "map rows: row 1: want items of shape [2 1] as in row 0, got [1 2]"},
		"map rows to another shape": {func() error {
			_, err := array.MapRowsDense(x, func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) { return row, nil }, []int{2})
			return err
		}, "map rows: row 1: want shape [2], got [1]"},
		"map rows below zero": {func() error {
			_, err := array.MapRows(x, -1, func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) { return row, nil })
			return err
		}, "map rows: want a ragged rank of at least 0, got -1"},
		"map rows that fails": {func() error {
			_, err := array.MapRows(x, 0, func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) { return row, failed })
			if errors.Is(err, failed) {
				return err
			}
			return errors.New("the error is lost")
		}, "map rows: row 0: not today"},
	} {
		err := c.run()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}
