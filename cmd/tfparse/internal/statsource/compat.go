package statsource

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/validate/stats"
)

var compatNames = []string{"none", "tfdv"}

// A Compatibility is the value of --compat: the program whose results are reproduced.
type Compatibility uint8

// TFDV reports whether results are those of TensorFlow Data Validation.
func (m Compatibility) TFDV() bool { return m == 1 }

// CompatVar defines --compat.
func CompatVar(fs *pflag.FlagSet, p *Compatibility) {
	cli.ChoiceVar(fs, p, "compat", compatNames, "results as of `PROGRAM`: none or tfdv")
}

// BadOptions turns an error about options, [stats.ErrOptions], into an error of usage. It returns nil for other errors.
func BadOptions(err error) error {
	if !errors.Is(err, stats.ErrOptions) {
		return nil
	}
	return cli.Usagef("%s", strings.TrimPrefix(err.Error(), stats.ErrOptions.Error()+": "))
}

// MaxFeaturesVar defines --max-features.
func MaxFeaturesVar(fs *pflag.FlagSet, p *int) {
	cli.NumberVar(fs, p, "max-features", stats.DefaultMaxFeatures, 1, "fail at more than `N` features")
}
