// Command tfparse is the full build: the command of the root module, with names of objects (gs://, s3://, http:// and https://),
// Parquet and Arrow. Releases are built from it.
package main

import (
	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/full/formats"
	"github.com/tfparse/tfparse/store"
)

func main() {
	store.Register(nil)
	formats.Register()
	command.Main()
}
