// Package jsonscan reads the JSON of this repository: lines of records and of rows, specs, and
// statistics. It also writes strings, names, byte strings and integers in the forms that it
// reads.
//
// A [Cursor] looks at each byte once, allocates nothing, and hands out views of the text. encoding/json decodes
// into values, and its Decoder makes an interface of every token. github.com/go-json-experiment/json/jsontext,
// which comes into the standard library as encoding/json/jsontext and is an experiment in Go 1.26, would fit, but
// reading tokens alone is slower with it than all of tfparse encode with a Cursor: 106 MB/s and 530 MB/s on lists
// of integers, 290 and 440 on strings, 220 and 335 on the lines of testdata/recipes.tfrecord, 134 and 161 on floats
// (one core, Go 1.26).
//
// Byte strings that are not UTF-8 are {"b64": "…"} or {"hex": "…"}; names of features that are not UTF-8, or begin
// with "b64:", are "b64:" and their base64; floats that are not finite are "NaN", "Infinity" and "-Infinity".
package jsonscan
