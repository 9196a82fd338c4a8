package cli

import (
	"fmt"
	"strings"
)

// Exit codes. Where several apply, bad input comes before skipped data, and that
// before a check that failed.
const (
	ExitDone        = 0
	ExitNegative    = 1
	ExitUsage       = 2
	ExitSkipped     = 3
	ExitBadInput    = 4
	exitInterrupted = 130 // as shells report SIGINT
)

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

// exitText is a sentence with all exit codes.
func exitText() string {
	var all []string
	for _, x := range exitCodes {
		all = append(all, fmt.Sprintf("%d %s", x.code, x.meaning))
	}
	return "Exit codes: " + strings.Join(all, "; ") + ".\n"
}
