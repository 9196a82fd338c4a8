package featurepb_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
)

// Parse records with their TensorFlow Extended schema.
func ExampleFromSchema() {
	schema := []byte(`
		feature { name: "fare" type: FLOAT presence { min_fraction: 1 } shape { } }
		feature { name: "stops" type: BYTES }
		feature { name: "stops_per_day" type: INT }
		tensor_representation_group {
			key: ""
			value {
				tensor_representation {
					key: "days"
					value { ragged_tensor { feature_path { step: "stops" } partition { row_length: "stops_per_day" } } }
				}
			}
		}`)
	spec, err := featurepb.FromSchema(schema)
	if err != nil {
		log.Fatal(err)
	}
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	record, err := example.Example{
		"fare":          example.Floats(12.5),
		"stops":         example.Strings("Loop", "Uptown", "Pilsen"),
		"stops_per_day": example.Int64s(2, 0, 1),
	}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	batch, err := p.Parse(record)
	if err != nil {
		log.Fatal(err)
	}
	days, err := feature.ColumnOf[string](batch.Columns(), "days")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(days)
	// Output:
	// [[['Loop', 'Uptown'], [], ['Pilsen']]]
}

func ExampleFromParserConfig() {
	spec, err := featurepb.FromParserConfig([]byte(`
		feature_map {
			key: "age"
			value {
				fixed_len_feature {
					dtype: DT_INT64
					shape { }
					default_value { dtype: DT_INT64 tensor_shape { } int64_val: -1 }
				}
			}
		}
		feature_map { key: "tags" value { var_len_feature { dtype: DT_STRING } } }`))
	if err != nil {
		log.Fatal(err)
	}
	b, err := spec.MarshalJSON()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(b))
	// Output:
	// {"features":{"age":{"fixed_len":{"dtype":"int64","shape":[],"default":[-1]}},"tags":{"var_len":{"dtype":"string"}}}}
}

func ExampleToSchema() {
	text, err := featurepb.ToSchema(feature.Spec{Features: feature.Features{"tags": feature.VarLen{DType: feature.String}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// feature {
	//   name: "tags"
	//   type: BYTES
	// }
	// tensor_representation_group {
	//   key: ""
	//   value {
	//     tensor_representation {
	//       key: "tags"
	//       value {
	//         varlen_sparse_tensor {
	//           column_name: "tags"
	//         }
	//       }
	//     }
	//   }
	// }
}
