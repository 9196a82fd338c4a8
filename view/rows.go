package view

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
)

// Limits of an answer with rows.
const (
	maxRows     = 200 // rows
	maxCells    = 500 // cells of a row
	maxCellText = 120 // characters of a cell
)

// A rowAnswer is a row of the table as JSON.
type rowAnswer struct {
	File    int                    `json:"file"`
	Record  int64                  `json:"record"`
	Offset  int64                  `json:"offset"`
	Bytes   int                    `json:"bytes"`
	Error   *string                `json:"error"`
	Skipped *skippedAnswer         `json:"skipped"`
	Cells   map[string]*cellAnswer `json:"cells"`          // by ID of the feature
	More    int                    `json:"more,omitempty"` // number of features without a cell
}

// A cellAnswer is a feature of a row as JSON.
type cellAnswer struct {
	Kind  string `json:"kind"`
	N     int    `json:"n"` // number of values, of steps, or of examples that have the feature
	Text  string `json:"text"`
	Name  string `json:"name,omitempty"` // of the class
	Image bool   `json:"image,omitempty"`
	Audio bool   `json:"audio,omitempty"`
	Href  string `json:"href,omitempty"` // link to the first image or audio

	parts int  // number of features, steps or examples in Text
	full  bool // Text is at its limit
}

// serveRows answers with rows of a file, or with the rows of a list.
func (h *Handler) serveRows(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Has("at") {
		answers, err := h.chosenRows(r.Context(), r.URL.Query().Get("at"))
		if err != nil {
			return err
		}
		return writeJSON(w, map[string]any{"rows": answers, "end": false})
	}
	file, err1 := intParam(r, "file", 0)
	from, err2 := intParam(r, "from", 0)
	count, err3 := intParam(r, "count", 100)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return err
	}
	if count > maxRows {
		return withStatus(http.StatusBadRequest, fmt.Errorf("count: want at most %d, got %d", maxRows, count))
	}
	if file >= int64(len(h.files)) {
		return fmt.Errorf("%w: file %d of %d", errNoRecord, file, len(h.files))
	}
	rows, end, err := h.files[file].readRows(r.Context(), from, int(count))
	if err != nil {
		return err
	}
	answers := make([]rowAnswer, 0, len(rows))
	for _, row := range rows {
		answers = append(answers, h.answerRow(int(file), row))
	}
	return writeJSON(w, map[string]any{"rows": answers, "end": end})
}

// A rowAddress is the position of a row in the data set.
type rowAddress struct {
	file   int
	number int64
}

// parseAddresses reads a list of positions: FILE:RECORD,FILE:RECORD,….
func (h *Handler) parseAddresses(list string) ([]rowAddress, error) {
	if n := strings.Count(list, ",") + 1; n > maxRows {
		return nil, withStatus(http.StatusBadRequest, fmt.Errorf("at: want at most %d positions, got %d", maxRows, n))
	}
	var at []rowAddress
	for text := range strings.SplitSeq(list, ",") {
		a, err := h.parseAddress("at", text)
		if err != nil {
			return nil, err
		}
		at = append(at, a)
	}
	return at, nil
}

// parseAddress reads a position in a parameter: FILE:RECORD.
func (h *Handler) parseAddress(param, text string) (rowAddress, error) {
	f, n, _ := strings.Cut(text, ":")
	file, err1 := strconv.ParseUint(f, 10, 31)
	number, err2 := strconv.ParseUint(n, 10, 63)
	if err1 != nil || err2 != nil || file >= uint64(len(h.files)) {
		return rowAddress{}, withStatus(http.StatusBadRequest, fmt.Errorf("%s: want FILE:RECORD, got %q", param, shortText(text, 40)))
	}
	return rowAddress{int(file), int64(number)}, nil
}

// chosenRows returns the rows of a list, in its order. Rows that follow each other are read together.
func (h *Handler) chosenRows(ctx context.Context, list string) ([]rowAnswer, error) {
	at, err := h.parseAddresses(list)
	if err != nil {
		return nil, err
	}
	answers := make([]rowAnswer, 0, len(at))
	for len(at) > 0 {
		n := 1
		for n < len(at) && at[n] == (rowAddress{at[0].file, at[0].number + int64(n)}) {
			n++
		}
		rows, _, err := h.files[at[0].file].readRows(ctx, at[0].number, n)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%w: %d in file %d", errNoRecord, at[0].number, at[0].file)
		}
		for _, row := range rows {
			answers = append(answers, h.answerRow(at[0].file, row))
		}
		at = at[len(rows):] // rows may be fewer, if they are large
	}
	return answers, nil
}

// answerRow describes a record as a row of the table.
func (h *Handler) answerRow(file int, r row) rowAnswer {
	a := rowAnswer{File: file, Record: r.number, Offset: r.offset, Bytes: len(r.data), Error: errorText(r.err), Skipped: newSkippedAnswer(r),
		Cells: map[string]*cellAnswer{}}
	if r.err != nil {
		return a
	}
	p := valuePlace{file: file, record: r.number, step: -1, example: -1}
	err := error(nil)
	switch h.kind {
	case example.TypeSequence:
		err = h.addListCells(&a, r.data, p)
	case example.TypeExampleList:
		err = h.addExampleCells(&a, r.data, p)
	}
	m := h.topFeatures(r.data)
	for _, e := range m.entries {
		c := a.cell(m.group, e.name, &p)
		c.addFeature(e.value, p, h.opts.Classes[e.name])
		c.N, _ = e.value.Len()
	}
	a.More += m.more
	a.Error = errorText(cmp.Or(m.err, err))
	return a
}

// addListCells adds a cell for each feature list.
func (h *Handler) addListCells(a *rowAnswer, msg []byte, p valuePlace) error {
	lists := collectLists(msg)
	a.More += lists.more
	for _, e := range lists.entries {
		c := a.cell(groupLists, e.name, &p)
		s := e.value.Scan()
		for s.Next() {
			p.step = s.Index()
			c.addFeature(s.Feature(), p, nil)
			c.N++
		}
		if s.Err() != nil {
			c.setError(s.Err())
		}
	}
	return lists.err
}

// addExampleCells adds a cell for each name of a feature in the examples.
func (h *Handler) addExampleCells(a *rowAnswer, msg []byte, p valuePlace) error {
	s := example.ScanExamples(msg)
	for s.Next() {
		if len(s.Example()) == 0 { // a list may have millions of them
			continue
		}
		p.example = s.Index()
		m := collectFeatures(groupExamples, example.TypeExample.Scan(s.Example()))
		for _, e := range m.entries {
			c := a.cell(groupExamples, e.name, &p)
			c.addFeature(e.value, p, nil)
			c.N++
		}
		if m.err != nil {
			return m.err
		}
	}
	return s.Err()
}

// cell returns the cell of a feature, whose place p becomes. If the row is full, it is one that is not in the row.
func (a *rowAnswer) cell(group, name string, p *valuePlace) *cellAnswer {
	p.group, p.name = group, name
	id := featureID(group, name)
	c := a.Cells[id]
	if c == nil {
		c = &cellAnswer{Kind: kindName(example.Unset)}
		if c.full = len(a.Cells) == maxCells; c.full {
			a.More++
			return c
		}
		a.Cells[id] = c
	}
	return c
}

// setError makes an error the text of the cell.
func (c *cellAnswer) setError(err error) {
	c.Kind, c.Text, c.full = kindName(example.Malformed), shortText(err.Error(), maxCellText), true
}

// addFeature adds the values of a feature, a step or a feature of an example to the text.
func (c *cellAnswer) addFeature(f example.Feature, p valuePlace, classes []string) {
	if c.full {
		return
	}
	n, err := f.Len()
	if err != nil {
		c.setError(err)
		return
	}
	kind := f.Kind()
	if c.Kind == kindName(example.Unset) {
		c.Kind = kindName(kind)
	}
	if c.parts++; c.parts > 1 {
		c.write(" | ")
	}
	i := 0
	for _, v := range featureValues(f) {
		if c.full {
			break
		}
		if i > 0 {
			c.write(", ")
		}
		if kind == example.BytesList {
			d := describeBytes(v)
			if d.isText() {
				c.write(visibleText(strings.Map(oneLine, cutText(v, maxCellText+1))))
			} else {
				c.write(d.cellText())
			}
			if p.value = i; c.Href == "" && (d.Image || d.Audio) {
				c.Image, c.Audio, c.Href = d.Image, d.Audio, p.href("api/bytes")
			}
		} else {
			if n == 1 {
				c.Name = className(classes, kind, v)
			}
			c.write(numberText(kind, v))
		}
		i++
	}
}

// oneLine replaces control characters by spaces.
func oneLine(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// write adds text, up to the limit.
func (c *cellAnswer) write(s string) {
	if c.full {
		return
	}
	free := maxCellText - utf8.RuneCountInString(c.Text)
	if c.full = utf8.RuneCountInString(s) > free; c.full {
		s = strings.TrimRight(shortText(s, free), "… ") + "…"
	}
	c.Text += s
}

// intParam returns a parameter that is a number that JavaScript has, from 0, or fallback if the request does not have it.
func intParam(r *http.Request, name string, fallback int64) (int64, error) {
	values := r.URL.Query()[name]
	if len(values) == 0 && fallback >= 0 {
		return fallback, nil
	}
	text := strings.Join(values, ",")
	n, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return 0, withStatus(http.StatusBadRequest, fmt.Errorf("%s: want a number from 0, got %q", name, shortText(text, 40)))
	}
	return int64(n), nil
}

// choiceParam returns a parameter that is one of a list.
func choiceParam(r *http.Request, name string, choices ...string) (string, error) {
	text := r.URL.Query().Get(name)
	if !slices.Contains(choices, text) {
		return "", withStatus(http.StatusBadRequest, fmt.Errorf("%s: want one of %s, got %q", name, strings.Join(choices, ", "), shortText(text, 40)))
	}
	return text, nil
}
