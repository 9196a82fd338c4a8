package tfparse_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

func Example() {
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"title": feature.FixedLen{DType: feature.String},
		"steps": feature.Ragged{DType: feature.String, ValueKey: "steps/words", Partitions: []feature.Partition{
			feature.RowSplits("sections/splits"), feature.RowLengths("steps/lengths")}},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	file, err := tfrecord.Open("testdata/recipes.tfrecord", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for batch, err := range parser.Batches(file.All(), 100) {
		if err != nil {
			log.Fatal(err)
		}
		titles, err := feature.ColumnOf[string](batch.Columns(), "title") // shape [rows]
		if err != nil {
			log.Fatal(err)
		}
		steps, err := feature.ColumnOf[string](batch.Columns(), "steps") // shape [rows, sections, steps, words]
		if err != nil {
			log.Fatal(err)
		}
		for i, sections := range steps.Rows() {
			fmt.Printf("%s begins: %s\n", titles.Values()[i], sections.Row(0).Row(0).Values())
		}
		batch.Release() // optional: its memory is used again
	}

	// Output:
	// Pancakes begins: [whisk flour milk eggs and salt]
	// Crème brûlée begins: [warm cream with vanilla]
	// Miso soup (味噌汁) begins: [heat dashi]
	// Käsespätzle begins: [beat flour eggs and water]
	// Tomato salad begins: [slice]
	// Borscht (борщ) begins: [simmer the vegetables for 90 minutes]
	// Chilli con carne begins: [brown the beef]
	// Toast begins: [toast]
	// Pesto begins: [grind nuts and basil]
	// Hummus begins: [blend until smooth]
	// Boiled egg begins: [boil for 6 minutes]
	// Apple crumble begins: [peel and slice apples]
}
