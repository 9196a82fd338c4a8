package cli

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
)

// mostFailed is how many features that fail a check are named.
const mostFailed = 20

// Failed makes the answer negative if features fail the check --fail-above, and prints a line on standard error for each of the
// first 20, and how many others there are. The place comes before each line; it may be empty.
func (e *Env) Failed(place string, lines []string) {
	if len(lines) > 0 {
		e.Raise(ExitNegative)
	}
	for _, line := range lines[:min(len(lines), mostFailed)] {
		e.Console.Print(console.OneLine(place + line))
	}
	if n := len(lines) - mostFailed; n > 0 {
		e.Console.Print(console.OneLine(place) + fmt.Sprintf("and %s above --fail-above", Plural(int64(n), "more feature")))
	}
}
