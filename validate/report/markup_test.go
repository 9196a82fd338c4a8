package report_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// An element is part of a page, with the text in it and below it.
type element struct {
	name  string
	attr  map[string]string
	text  string
	below []*element
}

// parse parses a page as strict markup: every element is closed, except void elements of HTML.
func parse(t testing.TB, page string) *element {
	t.Helper()
	// The content of these elements is raw text in HTML, but not in XML.
	for _, tag := range []string{"style", "script"} {
		before, rest, _ := strings.Cut(page, "<"+tag+">")
		_, after, found := strings.Cut(rest, "</"+tag+">")
		if !found {
			t.Fatalf("no %s", tag)
		}
		page = before + "<" + tag + "></" + tag + ">" + after
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict = false
	d.AutoClose = []string{"meta", "link", "input", "wbr"}
	d.Entity = xml.HTMLEntity
	root := &element{}
	stack := []*element{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		top := stack[len(stack)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			top.below = append(top.below, e)
			stack = append(stack, e)
		case xml.EndElement:
			if token.Name.Local != top.name {
				t.Fatalf("</%s> ends <%s>", token.Name.Local, top.name)
			}
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].text += top.text
		case xml.CharData:
			top.text += string(token)
		}
	}
	if len(stack) != 1 {
		t.Fatalf("<%s> is not ended", stack[len(stack)-1].name)
	}
	return root
}

// all returns the matching elements below e, in the order of the page.
func (e *element) all(fits func(*element) bool) (found []*element) {
	for _, b := range e.below {
		if fits(b) {
			found = append(found, b)
		}
		found = append(found, b.all(fits)...)
	}
	return found
}

func (e *element) named(name string) []*element {
	return e.all(func(e *element) bool { return e.name == name })
}

func (e *element) class(name string) []*element {
	return e.all(func(e *element) bool { return strings.Contains(" "+e.attr["class"]+" ", " "+name+" ") })
}

func texts(all []*element) (t []string) {
	for _, e := range all {
		t = append(t, strings.TrimSpace(e.text))
	}
	return t
}

// section returns the section of the feature with a heading.
func (e *element) section(t testing.TB, name string) *element {
	t.Helper()
	for _, f := range e.class("feature") {
		if h := texts(f.named("h3")); len(h) == 1 && h[0] == name {
			return f
		}
	}
	t.Fatalf("there is no feature %q", name)
	return nil
}
