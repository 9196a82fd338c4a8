// Command tfparse sees into files of TensorFlow training data.
package main

import "github.com/tfparse/tfparse/cmd/tfparse/command"

func main() { command.Main() }
