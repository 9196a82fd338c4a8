package examples_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/examples"
	"github.com/tfparse/tfparse/validate/pbtext"
)

func ExampleSorter() {
	var schema metadatapb.Schema
	if err := pbtext.Unmarshal([]byte(`feature { name: 'age' type: INT int_domain { max: 120 } }`), &schema); err != nil {
		log.Fatal(err)
	}
	s, err := examples.New(&schema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, age := range []int64{33, 200, 41, 999} {
		msg, err := example.Example{"age": example.Int64s(age)}.MarshalBinary()
		if err != nil {
			log.Fatal(err)
		}
		reasons, err := s.Add(msg)
		fmt.Println(age, reasons, err)
	}
	list, err := s.Statistics()
	fmt.Println(list.GetDatasets()[0].GetName(), list.GetDatasets()[0].GetNumExamples(), s.Found(), err)
	// Output:
	// 33 [] <nil>
	// 200 [age_INT_TYPE_BIG_INT] <nil>
	// 41 [] <nil>
	// 999 [age_INT_TYPE_BIG_INT] <nil>
	// age_INT_TYPE_BIG_INT 2 2 <nil>
}
