package cli

import (
	"encoding/xml"
	"strings"
)

// githubText and githubProperty escape texts of workflow commands.
var (
	githubText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// AppendGitHub appends a line that GitHub Actions shows as an annotation of a file. level is error, warning or notice.
func AppendGitHub(dst []byte, level, file, title, message string) []byte {
	dst = append(append(append(dst, "::"...), level...), " file="...)
	dst = append(dst, githubProperty.Replace(file)...)
	if title != "" {
		dst = append(append(dst, ",title="...), githubProperty.Replace(title)...)
	}
	return append(append(append(dst, "::"...), githubText.Replace(message)...), '\n')
}

// A TestCase is a test case of a JUnit test suite.
type TestCase struct {
	Name       string      `xml:"name,attr"`
	Class      string      `xml:"classname,attr"`
	Properties *Properties `xml:"properties"` // may be nil
	Outcomes   []Outcome   `xml:",any"`       // none: the case passed
}

// Properties are the XML element with the properties of a case.
type Properties struct {
	All []Property `xml:"property"`
}

// A Property is a named value of a case.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// An Outcome is a failure or an output of a case.
type Outcome struct {
	XMLName xml.Name
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
}

// outcomeFailure is the XML element of a failure.
const outcomeFailure = "failure"

// Failure is the outcome of a case that failed.
func Failure(kind, message string) Outcome {
	return Outcome{xml.Name{Local: outcomeFailure}, kind, message}
}

// Warned is the outcome of a case that passed with a warning.
func Warned(kind, message string) Outcome {
	return Outcome{xml.Name{Local: "system-out"}, kind, message}
}

// AppendJUnit appends a test suite in the XML that JUnit writes and CI systems read.
func AppendJUnit(dst []byte, name string, cases []TestCase) []byte {
	suite := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []TestCase `xml:"testcase"`
	}{Name: name, Tests: len(cases), Cases: cases}
	for _, c := range cases {
		for _, o := range c.Outcomes {
			if o.XMLName.Local == outcomeFailure {
				suite.Failures++
				break
			}
		}
	}
	b, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		panic(err) // cannot fail for strings and numbers
	}
	return append(append(append(dst, xml.Header...), b...), '\n')
}
