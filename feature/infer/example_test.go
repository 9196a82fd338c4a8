package infer_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/tfrecord"
)

// Infer the spec of a file, and parse it.
func Example() {
	r, err := tfrecord.Open("../../testdata/recipes.tfrecord", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	in := infer.New(example.TypeExample, nil)
	for record, err := range r.All() {
		if err != nil {
			log.Fatal(err)
		}
		if err := in.Add(record); err != nil {
			log.Fatal(r.WrapError(err))
		}
	}
	spec, err := in.Spec()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(spec.Features["steps/words"])
	for _, p := range in.Report().Pairs {
		fmt.Printf("%T %v partitions %s in %d of %d records\n", p.Partition, p.Partition, p.Of, p.Records-p.Against, p.Records)
	}
	// Output:
	// {string  [sections/splits steps/lengths] <nil>}
	// feature.RowLengths allergens/lengths partitions allergens/words in 12 of 12 records
	// feature.RowSplits sections/splits partitions steps/lengths in 12 of 12 records
	// feature.RowLengths steps/lengths partitions steps/words in 12 of 12 records
}
