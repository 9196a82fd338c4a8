// Command datasets writes the data sets that bench.py reads, and their specs: go run ./python/datasets DIR in folder bench.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/tfrecord"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: datasets DIR")
	}
	for _, name := range []string{"ads", "text", "wide-fixed", "image"} {
		s, v, err := datasets.Find(name)
		if err != nil {
			log.Fatal(err)
		}
		files, err := s.WriteFiles(os.Args[1], s.Count, 2, tfrecord.None)
		if err != nil {
			log.Fatal(err)
		}
		spec, err := json.Marshal(v.Spec)
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], s.Name+".spec.json"), spec, 0o666)
		}
		if err != nil {
			log.Fatal(err)
		}
		log.Print(files)
	}
}
