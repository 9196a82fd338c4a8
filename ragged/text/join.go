package text

import (
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
)

// Join joins strings that stand at the same place, with a separator between them.
// Every operand is a scalar, or has the shape and partitions of the others, or is
// dense and has the shape of their flat values: nothing else broadcasts. TensorFlow
// calls it strings.join; ReduceJoin joins along an axis.
func Join(sep string, operands ...ragged.Tensor[string]) (ragged.Tensor[string], error) {
	const op = "join"
	var none ragged.Tensor[string]
	if len(operands) == 0 {
		return none, shapeErrorf(op, "no operands")
	}
	shape, err := common(op, operands)
	if err != nil {
		return none, err
	}
	n := shape.Size()
	bytes, err := joinedBytes(op, sep, n, operands)
	if err != nil {
		return none, err
	}
	a := newArena(n, bytes)
	for i := range n {
		for k, t := range operands {
			if k > 0 {
				a.write(sep)
			}
			if values := t.Values(); t.Rank() == 0 {
				a.write(values[0])
			} else {
				a.write(values[i])
			}
		}
		a.end()
	}
	return ragged.Like(shape, a.strings())
}

// joinedBytes returns how many bytes n joined strings have.
func joinedBytes(op, sep string, n int, operands []ragged.Tensor[string]) (int, error) {
	given := n
	for _, t := range operands {
		given += bytesIn(t.Values())
	}
	total, err := limit.Values[byte](given, n, len(sep), len(operands)-1)
	for _, t := range operands {
		size := bytesIn(t.Values())
		if err == nil && t.Rank() == 0 {
			size, err = limit.Values[byte](given, n, size)
		}
		if err == nil {
			total, err = limit.Values[byte](given, total+size)
		}
	}
	if err != nil {
		return 0, shapeErrorf(op, "%v", err)
	}
	return total, nil
}

// common returns the operand whose shape the result of Join has.
func common(op string, operands []ragged.Tensor[string]) (ragged.Tensor[string], error) {
	shape := operands[0]
	for _, t := range operands[1:] {
		if t.RaggedRank() > 0 && shape.RaggedRank() == 0 || t.RaggedRank() == shape.RaggedRank() && shape.Rank() == 0 {
			shape = t
		}
	}
	flat := shape.Flat()
	for i, t := range operands {
		switch {
		case t.Rank() == 0:
		case t.RaggedRank() > 0 && !ragged.SameShape(t, shape):
			return shape, shapeErrorf(op, "operand %d does not have the rows of the others", i)
		case !slices.Equal(t.Flat().Shape(), flat.Shape()):
			return shape, shapeErrorf(op, "operand %d has flat values of shape %v, others %v", i, t.Flat().Shape(), flat.Shape())
		}
	}
	return shape, nil
}
