// Print_spec reads specs, one JSON document a line, and prints each as Python, one
// JSON string a line, for printed.py.
//
//	go run print_spec.go <specs.jsonl
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/specprint"
)

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var spec feature.Spec
		if err := in.Decode(&spec); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		text, err := specprint.Python(spec)
		if err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(string(text)); err != nil {
			log.Fatal(err)
		}
	}
}
