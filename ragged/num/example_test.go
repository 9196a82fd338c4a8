package num_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// check panics on an error.
func check[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// The operators of Python are functions here.
func Example_operators() {
	x := check(ragged.FromSlices[int32]([][]int32{{1, 2}, {3}, {4, 5, 6}}))
	y := check(ragged.FromSlices[int32]([][]int32{{1, 1}, {2}, {3, 3, 3}}))
	fmt.Println(check(num.Add(x, y)))
	fmt.Println(check(num.Add(x, ragged.Scalar[int32](3))))
	fmt.Println(check(num.FloorMod(num.Neg(x), y)))
	fmt.Println(check(num.Greater(x, ragged.Scalar[int32](2))))
	// Output:
	// [[2, 3], [5], [7, 8, 9]]
	// [[4, 5], [6], [7, 8, 9]]
	// [[0, 0], [1], [2, 1, 0]]
	// [[false, false], [true], [true, true, true]]
}

// The digits of TensorFlow's guide.
func ExampleAdd() {
	digits := check(ragged.FromSlices[int32]([][]int32{{3, 1, 4, 1}, {}, {5, 9, 2}, {6}, {}}))
	fmt.Println(check(num.Add(digits, ragged.Scalar[int32](3))))
	more := check(ragged.FromSlices[int32]([][]int32{{1, 2, 3, 4}, {}, {5, 6, 7}, {8}, {}}))
	fmt.Println(check(num.Add(digits, more)))

	words := check(ragged.FromSlices[string]([][]string{{"a", "b"}, {"c"}}))
	fmt.Println(check(num.Add(words, ragged.Scalar("!"))))
	// Output:
	// [[6, 4, 7, 4], [], [8, 12, 5], [9], []]
	// [[4, 3, 7, 5], [], [10, 15, 9], [14], []]
	// [['a!', 'b!'], ['c!']]
}

func ExampleMul() {
	x := check(ragged.FromSlices[float32]([][]float32{{1, 4, 3}, {2}}))
	fmt.Println(check(num.Mul(x, ragged.Scalar[float32](100))).Values())
	// Output: [100 400 300 200]
}

// One value per row, a vector for the innermost axis, and shapes that do not fit.
func Example_broadcasting() {
	x := check(ragged.FromSlices[int32]([][]int32{{10, 87, 12}, {19, 53}, {12, 32}}))
	perRow := check(ragged.FromSlices[int32]([][1]int32{{1000}, {2000}, {3000}}))
	fmt.Println(check(num.Add(x, perRow)))

	deep := check(ragged.FromSlices[int32]([][][][1]int32{{{{1}, {2}}, {}, {{3}}, {{4}}}, {{{5}, {6}}, {{7}}}}))
	fmt.Println(check(num.Add(deep, ragged.Vector[int32](10, 20, 30))))

	pairs := check(ragged.FromSlices[int32]([][][2]int32{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}}}))
	fmt.Println(check(num.Add(pairs, check(ragged.Dense([]int32{10}, 1, 1)))))

	dense := check(ragged.FromSlices[int32]([][4]int32{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}))
	_, err := num.Add(x, dense)
	fmt.Println(err)

	other := check(ragged.FromSlices[int32]([][]int32{{10, 20, 30}, {40}, {50, 60}}))
	_, err = num.Add(x, other)
	fmt.Println(err)

	couples := check(ragged.FromSlices[int32]([][][]int32{{{1, 2}, {3, 4}}, {{7, 8}}}))
	triples := check(ragged.FromSlices[int32]([][][]int32{{{1, 2, 0}, {3, 4, 0}}, {{7, 8, 0}}}))
	_, err = num.Add(couples, triples)
	fmt.Println(err)
	// Output:
	// [[1010, 1087, 1012], [2019, 2053], [3012, 3032]]
	// [[[[11, 21, 31], [12, 22, 32]], [], [[13, 23, 33]], [[14, 24, 34]]], [[[15, 25, 35], [16, 26, 36]], [[17, 27, 37]]]]
	// [[[11, 12], [13, 14], [15, 16]], [[17, 18]]]
	// add: ragged: values do not fit the shape: broadcast: axis 1, row 0: lengths 3 and 4
	// add: ragged: values do not fit the shape: broadcast: axis 1, row 1: lengths 2 and 1
	// add: ragged: values do not fit the shape: broadcast: axis 2, row 0: lengths 2 and 3
}

func ExampleFloorDiv() {
	x, y := ragged.Vector(-7, 7, -6, 0), ragged.Vector(2, -2, 3, 5)
	fmt.Println(check(num.FloorDiv(x, y)), check(num.FloorMod(x, y)))
	fmt.Println(check(num.TruncDiv(x, y)), check(num.TruncMod(x, y)))
	fmt.Println(check(num.Div[float64](x, y)).Values())
	_, err := num.FloorDiv(x, ragged.Scalar(0))
	fmt.Println(err)
	// Output:
	// [-4, -4, -2, 0] [1, -1, 0, 0]
	// [-3, -3, -2, 0] [-1, 1, 0, 0]
	// [-3.5 -3.5 -2 0]
	// ragged: value not accepted: floor divide: at [0]: want a divisor other than 0, got 0
}

func ExampleAnd() {
	x := check(ragged.FromSlices[float64]([][]float64{{0.5, -1}, {}, {7}}))
	inside := check(num.And(check(num.Greater(x, ragged.Scalar(0.0))), check(num.Less(x, ragged.Scalar(1.0)))))
	fmt.Println(inside, num.Not(inside))
	// Output: [[true, false], [], [false]] [[false, true], [], [true]]
}

func ExampleCast() {
	x := check(ragged.FromSlices[float32]([][]float32{{1.9, -1.9}, {300}}))
	fmt.Println(check(num.Cast[int32](x)))
	_, err := num.Cast[uint8](x)
	fmt.Println(err)
	fmt.Println(check(num.SaturateCast[uint8](x)))
	// Output:
	// [[1, -1], [300]]
	// ragged: value not accepted: cast: at [0 1]: want a number that fits uint8, got -1.9
	// [[1, 0], [255]]
}

func ExampleBitcast() {
	x := check(ragged.FromSlices[int64]([][]int64{{1, 2}, {3}}))
	fmt.Println(check(num.Bitcast[int32](x)))
	fmt.Println(check(num.Bitcast[float32](ragged.Vector[int32](1065353216))).Values())
	// Output:
	// [[[1, 0], [2, 0]], [[3, 0]]]
	// [1]
}

// A function of the flat values gets the values of all rows.
func ExampleMapFlat() {
	digits := check(ragged.FromSlices[int32]([][]int32{{3, 1, 4, 1}, {}, {5, 9, 2}, {6}, {}}))
	fmt.Println(check(num.MapFlat(digits, func(flat ragged.Tensor[int32]) (ragged.Tensor[int32], error) {
		return num.Add(check(num.Mul(flat, ragged.Scalar[int32](2))), ragged.Scalar[int32](1))
	})))

	// Sums over the innermost axis, which is below the partitions.
	triples := check(ragged.FromSlices[int32]([][][3]int32{{{2, 3, 3}, {4, 5, 6}, {5, 5, 3}}, {}, {{7, 8, 1}, {9, 8, 8}}}))
	fmt.Println(check(num.MapFlat(triples, func(flat ragged.Tensor[int32]) (ragged.Tensor[int32], error) {
		return num.Sum(flat, num.Over(1))
	})))
	// Output:
	// [[7, 3, 9, 3], [], [11, 19, 5], [13], []]
	// [[8, 15, 13], [], [16, 25]]
}

func ExampleAddN() {
	x := check(ragged.FromSlices[int]([][]int{{1, -2}, {8}}))
	y := check(ragged.FromSlices[int]([][]int{{4, 4}, {2}}))
	fmt.Println(check(num.AddN(x, y, x)))
	// Output: [[6, 0], [18]]
}

func ExampleClip() {
	x := check(ragged.FromSlices[int]([][]int{{-2, 3}, {}, {-3}}))
	fmt.Println(num.Clip(x, 0, 2))
	// Output: [[0, 2], [], [0]]
}

func ExampleCheckNumerics() {
	x := check(ragged.FromSlices[float64]([][]float64{{1, 2}, {}, {3}}))
	logs := num.Log(check(num.Sub(x, ragged.Scalar(2.0))))
	fmt.Println(num.CheckNumerics(x), num.CheckNumerics(logs))
	// Output: <nil> ragged: value not accepted: check numerics: at [0 0]: want a finite number, got NaN
}

func ExampleFilledLike() {
	x := check(ragged.FromSlices[string]([][]string{{"a", "b", "c"}, {}, {"d"}}))
	fmt.Println(num.FilledLike[int32](x, 1), num.FilledLike(x, true))
	// Output: [[1, 1, 1], [], [1]] [[true, true, true], [], [true]]
}
