package view

import (
	"encoding/base64"
	"unicode/utf8"
)

// Encoded begins the step of a path whose name is not UTF-8.
const Encoded = "b64:"

// Step is the name of a feature as a step of a path: one that is not UTF-8 becomes "b64:"
// and its base64.
func Step(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return Encoded + base64.StdEncoding.EncodeToString([]byte(name))
}
