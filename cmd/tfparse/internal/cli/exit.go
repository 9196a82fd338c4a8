package cli

import (
	"slices"
)

// Exit codes. Where several apply, [worse] chooses.
const (
	ExitDone        = 0
	ExitNegative    = 1
	ExitUsage       = 2
	ExitSkipped     = 3
	ExitBadInput    = 4
	exitInterrupted = 130 // as shells report SIGINT
)

// worse returns the exit code to report of two that apply: 4 before 1, and 1 before 3. A check
// that failed on what was read has failed whatever was skipped, and a script that looks for 1
// must not miss it. Bad input comes first, since it may have stopped the run before there was
// an answer.
func worse(a, b int) int {
	order := []int{ExitDone, ExitSkipped, ExitNegative, ExitBadInput}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// exitOrder is worse for people.
const exitOrder = "Where several apply, 4 comes before 1, and 1 before 3."

// exitCodes says what the exit codes mean, for help and manual pages.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{ExitDone, "success"},
	{ExitNegative, "a check failed"},
	{ExitUsage, "wrong usage"},
	{ExitSkipped, "success, but data was skipped"},
	{ExitBadInput, "input that is unreadable, damaged or does not fit, or output that cannot be written"},
	{exitInterrupted, "interrupted"},
}
