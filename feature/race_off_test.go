//go:build !race

package feature_test

const race = false
