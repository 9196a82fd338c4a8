package stats_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

func record(e example.Example) []byte {
	b, err := e.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	return b
}

// Statistics of two parts of the data are computed separately and merged.
func ExampleAccumulator() {
	monday, err := stats.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	tuesday, err := stats.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	for acc, ages := range map[*stats.Accumulator][]int64{monday: {30, 41}, tuesday: {0, 25}} {
		for _, age := range ages {
			if err := acc.Add(record(example.Example{"age": {Int64s: []int64{age}}})); err != nil {
				log.Fatal(err)
			}
		}
	}
	part, err := tuesday.MarshalBinary() // could travel from another machine
	if err != nil {
		log.Fatal(err)
	}
	var other stats.Accumulator
	if err := other.UnmarshalBinary(part); err != nil {
		log.Fatal(err)
	}
	if err := monday.Merge(&other); err != nil {
		log.Fatal(err)
	}
	list, err := monday.Statistics()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range list.Datasets[0].Features {
		n := f.GetNumStats()
		fmt.Println(f.GetPath().GetStep(), n.CommonStats.NumNonMissing, "mean", n.Mean, "median", n.Median, "zeros", n.NumZeros)
	}
	// Output: [age] 4 mean 24 median 27.5 zeros 1
}

// A damaged record is rejected with an error that describes the damage.
func ExampleAccumulator_Add() {
	acc, err := stats.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	good := record(example.Example{"city": {Bytes: [][]byte{[]byte("Oslo")}}})
	for _, r := range [][]byte{good, good[:len(good)-1], good} {
		if err := acc.Add(r); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(acc.Examples(), "records,", acc.Bad(), "bad")
	// Output:
	// example: unexpected EOF at byte 0: want 18 bytes, got 17 left
	// 2 records, 1 bad
}
