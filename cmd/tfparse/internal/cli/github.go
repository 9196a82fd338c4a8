package cli

import "strings"

var (
	githubText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// AppendGitHub appends a line that GitHub Actions show as an annotation of a file. level is error or warning.
func AppendGitHub(dst []byte, level, file, title, message string) []byte {
	dst = append(append(append(dst, "::"...), level...), " file="...)
	dst = append(dst, githubProperty.Replace(file)...)
	if title != "" {
		dst = append(append(dst, ",title="...), githubProperty.Replace(title)...)
	}
	return append(append(append(dst, "::"...), githubText.Replace(message)...), '\n')
}
