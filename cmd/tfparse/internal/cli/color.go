package cli

import (
	"os"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
)

// ColorVar defines --color.
func ColorVar(fs *pflag.FlagSet, p *When) {
	EnumVar(fs, p, "color", WhenNames, "colours `WHEN`: auto, always or never")
}

// Colored reports whether what is printed to standard output has colours. Without a flag that
// says so the variables count that other programs look at: https://no-color.org and
// https://bixense.com/clicolors.
func (e *Env) Colored(flag When) bool {
	forced := os.Getenv("CLICOLOR_FORCE")
	switch {
	case flag != WhenAuto:
		return flag == WhenAlways
	case os.Getenv("NO_COLOR") != "":
		return false
	case forced != "" && forced != "0":
		return true
	}
	return os.Getenv("CLICOLOR") != "0" && console.CanErase(e.Stdout)
}

// ColorOff ends a colour.
const ColorOff = "\x1b[0m"

// SeverityColors begin the colour of a severity.
var SeverityColors = map[string]string{"error": "\x1b[1;31m", "warning": "\x1b[1;33m"}
