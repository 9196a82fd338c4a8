//go:build !race

package dataset

import "github.com/tfparse/tfparse/feature"

func spoil(*feature.Batch) {}
