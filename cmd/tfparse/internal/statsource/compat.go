package statsource

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

var CompatNames = []string{"none", "tfdv"}

// A Compatibility says whose answers are wanted.
type Compatibility uint8

func (m Compatibility) MarshalText() ([]byte, error) { return []byte(CompatNames[m]), nil }

func (m *Compatibility) UnmarshalText(text []byte) error { return cli.SetName(m, CompatNames, text) }

func (m Compatibility) TFDV() bool { return m == 1 }
