package cli

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// KindNames are the kinds of features as reports print them, by [example.Kind].
var KindNames = [4]string{example.BytesList: "string", example.FloatList: "float32", example.Int64List: "int64"}

// FeatureName prints a name as a line of JSON does, without the quotes where
// it can do without.
func FeatureName(name string) string {
	quoted := string(jsonscan.AppendName(nil, []byte(name)))
	if bare := quoted[1 : len(quoted)-1]; bare == console.OneLine(bare) && bare != "" && !strings.ContainsAny(bare, `\ `) {
		return bare
	}
	return console.OneLine(quoted)
}

// Percent is a share of a total, rounded so that only everything is 100%.
func Percent(n, of int64) string {
	if n == of {
		return "100%"
	}
	return fmt.Sprintf("%.1f%%", min(99.9, 100*float64(n)/float64(of)))
}
