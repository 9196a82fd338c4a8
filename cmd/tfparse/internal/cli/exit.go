package cli

import (
	"fmt"
	"strings"
)

// Exit codes. Where several apply, bad input comes before lost data, and that
// before a negative answer.
const (
	ExitDone        = 0
	ExitNegative    = 1
	ExitUsage       = 2
	ExitLost        = 3
	ExitBadInput    = 4
	exitInterrupted = 130 // as shells report SIGINT
)

// exitCodes says what the exit codes mean, for help and manual pages.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{ExitDone, "done"},
	{ExitNegative, "the answer is negative"},
	{ExitUsage, "usage"},
	{ExitLost, "done, but data was skipped"},
	{ExitBadInput, "input unreadable, corrupt or not fitting, or output that cannot be written"},
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
