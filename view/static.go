package view

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// PageOptions are the settings of WritePage. A nil *PageOptions and zero fields select the defaults.
type PageOptions struct {
	Where string // an expression that selects records; "": all records, and the damage between them
	Limit int    // number of records; 0: 200
	// MaxBytes is the limit for the records in the page, and again for the images and sounds; 0: 32 MiB. The page
	// says what it omits.
	MaxBytes int64
	// OnDamage is called with an error about each damaged place of the files, the first hundred, and with their number. It
	// may be nil.
	OnDamage func(first []error, all int64)
}

// A staticPage is the data of a page without a server, as JSON: what a server would have answered.
type staticPage struct {
	Set     map[string]any             `json:"set"`
	Answers map[string]json.RawMessage `json:"answers"` // by the path and query of a request
	Bytes   map[string]string          `json:"bytes"`   // data: URLs by link
	Pages   map[string]string          `json:"pages"`   // HTML for frames
	Notes   []string                   `json:"notes"`   // parts omitted because of limits
}

const (
	chunkRows     = 100     // rows that the page asks for at once
	maxStaticCopy = 8 << 10 // bytes of a record that can be copied from the page
)

// ErrNoRecords is the error of WritePage without a record to show.
var ErrNoRecords = errors.New("no records")

// WritePage writes the page as one file of HTML that needs no server, with some of the records in it.
func (h *Handler) WritePage(ctx context.Context, w io.Writer, opts *PageOptions) error {
	o := PageOptions{}
	if opts != nil {
		o = *opts
	}
	o.Limit, o.MaxBytes = cmp.Or(o.Limit, 200), cmp.Or(o.MaxBytes, 32<<20)
	at, err := h.findMatches(ctx, o.Where, o.Limit)
	if err != nil {
		return err
	}
	if len(at) == 0 {
		return ErrNoRecords
	}
	p := &staticPage{Answers: map[string]json.RawMessage{}, Bytes: map[string]string{}, Pages: map[string]string{}, Notes: []string{}}
	if at, err = p.addRecords(ctx, h, at, o.MaxBytes); err != nil {
		return err
	}
	if err := p.addSet(ctx, h, at); err != nil {
		return err
	}
	if o.OnDamage != nil {
		if first, all := h.listDamage(); all > 0 {
			o.OnDamage(first, all)
		}
	}
	return h.writeHTML(w, p)
}

// listDamage returns the first damage in the files, and the number of all damaged places. Records of an unknown type have
// no analysis, which reads all of them.
func (h *Handler) listDamage() (first []error, all int64) {
	h.analyses.mu.Lock()
	defer h.analyses.mu.Unlock()
	for _, a := range h.analyses.of {
		a.mu.Lock()
		for _, d := range a.damage {
			if d.record >= 0 {
				first = append(first, d.err)
			}
		}
		all += a.skipped
		a.mu.Unlock()
	}
	if len(h.analyses.of) == 0 {
		for _, f := range h.files {
			s, _ := f.status()
			if all += s.damaged; s.damaged > 0 {
				first = append(first, f.named(fmt.Errorf("%d damaged records", s.damaged)))
			}
		}
	}
	return first, all
}

// addRecords adds the answers about the records, up to a limit for their size, and the bytes that they link to.
func (p *staticPage) addRecords(ctx context.Context, h *Handler, at []rowAddress, limit int64) (added []rowAddress, err error) {
	size, binary, missing := int64(0), int64(0), 0
	for _, a := range at {
		query := fmt.Sprintf("?file=%d&record=%d", a.file, a.number)
		b, _, err := h.answerPath(ctx, "api/record"+query)
		if err != nil {
			return nil, err
		}
		if size += int64(len(b)); size > limit {
			p.Notes = append(p.Notes, fmt.Sprintf("%d of %d records are left out: the page is limited to %s of records", len(at)-len(added), len(at), sizeText(limit)))
			break
		}
		p.Answers["api/record"+query] = b
		added = append(added, a)
		missing += p.addBytes(ctx, h, b, &binary, limit)
		var record struct{ Bytes int }
		if json.Unmarshal(b, &record) == nil && record.Bytes <= maxStaticCopy {
			for _, form := range copyForms {
				size += p.addText(ctx, h, "api/copy"+query+"&as="+form)
			}
		}
	}
	for chunk := range slices.Chunk(added, chunkRows) {
		var list []string
		for _, a := range chunk {
			list = append(list, fmt.Sprintf("%d:%d", a.file, a.number))
		}
		path := "api/rows?at=" + strings.Join(list, ",")
		b, _, err := h.answerPath(ctx, path)
		if err != nil {
			return nil, err
		}
		p.Answers[path] = b
		missing += p.addBytes(ctx, h, b, &binary, limit)
	}
	if missing > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d images and sounds are left out: the page is limited to %s of them", missing, sizeText(limit)))
	}
	return added, nil
}

// addText adds an answer that is text, unless it is an error, and returns its size.
func (p *staticPage) addText(ctx context.Context, h *Handler, path string) int64 {
	text, _, err := h.answerPath(ctx, path)
	if err != nil {
		return 0
	}
	p.Answers[path], _ = json.Marshal(string(text))
	return int64(len(text))
}

// addBytes adds what an answer links to and a browser can show, and returns how many are left out.
func (p *staticPage) addBytes(ctx context.Context, h *Handler, answer []byte, size *int64, limit int64) (missing int) {
	var v any
	if json.Unmarshal(answer, &v) != nil {
		return 0
	}
	for _, link := range imageLinks(nil, v) {
		if p.Bytes[link] != "" {
			continue
		}
		b, header, err := []byte(nil), http.Header{}, error(nil)
		if *size < limit {
			b, header, err = h.answerPath(ctx, link)
		}
		if *size >= limit || *size+int64(len(b)) > limit {
			missing++
		} else if typ := header.Get("Content-Type"); err == nil && typ != anyBytes {
			*size += int64(len(b))
			p.Bytes[link] = "data:" + typ + ";base64," + base64.StdEncoding.EncodeToString(b)
		}
	}
	return missing
}

// imageLinks appends the links to images, sounds and pictures in an answer.
func imageLinks(links []string, v any) []string {
	switch v := v.(type) {
	case []any:
		for _, part := range v {
			links = imageLinks(links, part)
		}
	case map[string]any:
		if href, ok := v["href"].(string); ok && (v["image"] == true || v["audio"] == true) {
			links = append(links, href)
		}
		if picture, ok := v["picture"].(string); ok {
			links = append(links, picture)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			links = imageLinks(links, v[name])
		}
	}
	return links
}

// addSet adds the description of the data set, its spec and its pages of statistics.
func (p *staticPage) addSet(ctx context.Context, h *Handler, at []rowAddress) error {
	b, _, err := h.answerPath(ctx, "api/set")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &p.Set); err != nil {
		return err
	}
	matches := make([][2]int64, len(at))
	for i, a := range at {
		matches[i] = [2]int64{int64(a.file), a.number}
	}
	p.Set["static"], p.Set["matches"], p.Set["exports"] = true, matches, []string{}
	files, _ := p.Set["files"].([]any)
	for _, f := range files { // nothing goes on in a file of HTML, also if the number of records is not known
		if f, ok := f.(map[string]any); ok && f["state"] == "scanning" {
			f["state"] = "complete"
		}
	}
	names, _ := p.Set["pages"].([]any)
	for set := 0; set < len(h.sets) && len(names) > 0; set++ {
		select {
		case <-h.analysis(set).ended: // until then a page shows the first records
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	pages := []string{}
	for _, n := range names {
		name := fmt.Sprint(n)
		if page, _, err := h.answerPath(ctx, name+"?static=1"); err == nil {
			pages = append(pages, name)
			p.Pages[name] = string(page)
		}
	}
	p.Set["pages"] = pages
	if h.parser == nil {
		return nil
	}
	for _, form := range copyForms {
		p.addText(ctx, h, "api/spec?as="+form)
	}
	return nil
}

// A recordedAnswer is an http.ResponseWriter that keeps the answer.
type recordedAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recordedAnswer) Header() http.Header         { return a.header }
func (a *recordedAnswer) WriteHeader(status int)      { a.status = cmp.Or(a.status, status) }
func (a *recordedAnswer) Write(b []byte) (int, error) { return a.body.Write(b) }

// answerPath returns what the handler answers to a request.
func (h *Handler) answerPath(ctx context.Context, path string) ([]byte, http.Header, error) {
	u, err := url.Parse("/" + path)
	if err != nil {
		return nil, http.Header{}, err
	}
	a := &recordedAnswer{header: http.Header{}}
	h.ServeHTTP(a, (&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}, Host: "localhost"}).WithContext(ctx))
	if a.status != 0 && a.status != http.StatusOK {
		return nil, a.header, errors.New(strings.TrimSpace(a.body.String()))
	}
	return a.body.Bytes(), a.header, nil
}

var (
	styleLink  = regexp.MustCompile(`<link rel="?stylesheet"? href="?([a-z.]+)"?>`)
	scriptLink = regexp.MustCompile(`<script(?: type="?module"?| defer)* src="?([a-z.]+)"?(?: type="?module"?| defer)*></script>`)
	importLine = regexp.MustCompile(`(?m)^import \{[^}]*\} from '\./([a-z]+\.js)';?\n`)
	exportWord = regexp.MustCompile(`(?m)^export `)
	inlineText = regexp.MustCompile(`(?s)<(script|style)(?: type="?module"?)?>(.*?)</(?:script|style)>`)
)

// joinModules returns a module and all that it imports as one script: the imported ones first, without the lines that
// import and the words that export. Names at the top of a module are unique among all modules of the page.
func joinModules(name string, done map[string]bool) ([]byte, error) {
	if done[name] {
		return nil, nil
	}
	done[name] = true
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	var joined []byte
	for _, m := range importLine.FindAllSubmatch(text, -1) {
		imported, err := joinModules(string(m[1]), done)
		if err != nil {
			return nil, err
		}
		joined = append(joined, imported...)
	}
	return append(joined, exportWord.ReplaceAll(importLine.ReplaceAll(text, nil), nil)...), nil
}

// writeHTML writes the shell with its style, its script and the data in it.
func (h *Handler) writeHTML(w io.Writer, p *staticPage) error {
	page, err := pageFiles.ReadFile("page/index.html")
	if err != nil {
		return err
	}
	style, err := pageFiles.ReadFile("page/style.css")
	if err != nil {
		return err
	}
	script, err := joinModules("app.js", map[string]bool{})
	if err != nil {
		return err
	}
	// encoding/json escapes <, > and &, so that the data cannot end the element that they are in.
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	page = styleLink.ReplaceAllLiteral(page, slices.Concat([]byte("<style>"), style, []byte("</style>")))
	page = scriptLink.ReplaceAllLiteral(page, slices.Concat([]byte(`<script type="module">`), script, []byte("</script>")))
	// Frames with the pages of statistics inherit the policy of the page, so it allows their styles and scripts too.
	policy := pagePolicy(append([]string{string(page)}, slices.Collect(maps.Values(p.Pages))...))
	head, rest, ok := bytes.Cut(page, []byte("<head>"))
	body, end, ok2 := bytes.Cut(rest, []byte("<script type=\"module\">"))
	if !ok || !ok2 {
		return errors.New("view: the page has no head or no script")
	}
	for _, part := range [][]byte{head, []byte("<head><meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">"), body,
		[]byte(`<script type="application/json" id="data">`), data, []byte("</script>\n<script type=\"module\">"), end} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// pagePolicy returns the Content-Security-Policy of a page and of the pages in its frames, with the hashes of their scripts
// and styles.
func pagePolicy(pages []string) string {
	hashes := map[string][]string{}
	for _, page := range pages {
		for _, m := range inlineText.FindAllStringSubmatch(page, -1) {
			sum := sha256.Sum256([]byte(m[2]))
			hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			if !slices.Contains(hashes[m[1]], hash) {
				hashes[m[1]] = append(hashes[m[1]], hash)
			}
		}
	}
	return "default-src 'none'; script-src " + strings.Join(hashes["script"], " ") + "; style-src " + strings.Join(hashes["style"], " ") +
		"; img-src data:; media-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'"
}
