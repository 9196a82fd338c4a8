// Command tfparse is the command of the root module with names of objects: gs://, s3://, http:// and https://.
package main

import (
	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/store"
)

func main() {
	store.Register(nil)
	command.Main()
}
