package tfparse_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

func Example() {
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{"steps": feature.Ragged{
		DType: feature.String, ValueKey: "steps/words",
		Partitions: []feature.Partition{feature.RowSplits("sections/splits"), feature.RowLengths("steps/lengths")}}}}, nil)
	check(err)
	file, err := tfrecord.Open("testdata/recipes.tfrecord", nil)
	check(err)
	defer file.Close()
	for batch, err := range parser.Batches(file.All(), 100) {
		check(err)
		steps, err := feature.ColumnOf[string](batch.Columns(), "steps") // shape [rows, sections, steps, words]
		check(err)
		fmt.Println(steps.Len(), "recipes; the first begins", steps.Row(0).Row(0).Row(0).Values())
	}

	// Output:
	// 12 recipes; the first begins [whisk flour milk eggs and salt]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
