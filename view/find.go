package view

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf16"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
)

// serveCheck says whether an expression is valid, for each key that is pressed.
func (h *Handler) serveCheck(w http.ResponseWriter, r *http.Request) error {
	text := r.FormValue("where")
	_, err := h.compileWhere(text)
	if err == nil {
		return writeJSON(w, map[string]bool{"ok": true})
	}
	at, message := 0, err.Error()
	if e, ok := errors.AsType[*expr.SyntaxError](err); ok {
		message = e.Message
		for i, c := range []rune(text) { // the column counts characters, and JavaScript counts units of UTF-16
			if i >= e.Column-1 {
				break
			}
			at += max(1, utf16.RuneLen(c))
		}
	}
	return writeJSON(w, map[string]any{"ok": false, "error": visibleText(message), "at": at})
}

// compileWhere compiles a condition; nil for an empty one, which all records meet.
func (h *Handler) compileWhere(text string) (*expr.Filter, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if h.kind >= example.TypeRaw {
		return nil, fmt.Errorf("the records have no features that an expression can name")
	}
	return expr.Compile(text)
}

// A search reads the records of the files in order and selects those that meet a condition.
type search struct {
	h      *Handler
	where  *expr.Filter // nil: all records
	set    int          // the data set that is searched
	file   int          // file where the search begins
	record int64        // ordinal of its first record
	base   tailMark     // where reading of that file begins: before record, at a record

	work func() func(*searchBlock) error // what each worker does with a block in place of selectRecords; nil: selectRecords
	use  func(*searchBlock) error        // takes the blocks in order in place of useBlock; nil: useBlock

	read    int64 // number of records so far
	matches int64 // number of selected records
	misfits int64 // number of records that do not fit the condition
	damaged int64 // number of skipped ranges so far; each has a row of its own

	names nameSearch // the features of the condition

	total  int64          // bytes of the files from file on
	stored []atomic.Int64 // bytes that were read of each of them
}

// A match is a record that a search has selected. Its bytes are valid until the next one.
type match struct {
	file           int
	record, offset int64
	data           []byte
}

// A searchBlock is consecutive records, and which of them meet the condition.
type searchBlock struct {
	feed.Block
	selected []bool
	misfits  int64
	result   any // of search.work, for search.use
}

// Sizes of a search.
const (
	blockRecords = 256
	searchBudget = 24 << 20               // bytes of records that are read ahead
	reportEvery  = 200 * time.Millisecond // of api/find
	writeTimeout = 2 * time.Minute        // for a client that does not read what it asked for
	maxMatches   = 1_000_000              // of one answer of api/find
)

// newSearch returns a search with the parameters of a request.
func (h *Handler) newSearch(r *http.Request) (*search, error) {
	s := &search{h: h}
	var err error
	if s.where, err = h.compileWhere(r.FormValue("where")); err != nil {
		return nil, err
	}
	set, err := intParam(r, "set", 0)
	if err != nil || set >= int64(len(h.sets)) {
		return nil, cmp.Or(err, fmt.Errorf("no data set %d", set))
	}
	s.set = int(set)
	s.beginSet()
	if text := r.FormValue("from"); text != "" {
		from, err := h.parseAddress("from", text)
		if err != nil {
			return nil, err
		}
		s.file, s.record, s.set = from.file, from.number, h.files[from.file].set
	}
	return s, nil
}

// beginSet makes the search begin at the first file of its data set.
func (s *search) beginSet() {
	for s.file < len(s.h.files) && s.h.files[s.file].set != s.set {
		s.file++
	}
}

// run reads the records. It calls found for each match, in order, and tick (nil: none) after some hundred records. An error of either
// ends the search.
func (s *search) run(ctx context.Context, found func(match) error, tick func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var files []*recordFile
	for i := s.file; i < len(s.h.files) && s.h.files[i].set == s.set; i++ {
		files = append(files, s.h.files[i])
	}
	s.names.init(s.where)
	names := make([]string, len(files))
	s.stored = make([]atomic.Int64, len(files))
	for i, f := range files {
		names[i] = strconv.Itoa(i)
		if size, err := f.data.Size(); err == nil {
			s.total += size
		}
	}
	if len(files) == 0 {
		return nil
	}
	s.base = files[0].markBefore(s.record)
	stream := feed.New(ctx, feed.Config{Names: names, Readers: 2, Budget: searchBudget, Recover: true, Epochs: 1, Take: -1,
		Reader: tfrecord.ReaderOptions{MaxRecordSize: s.h.opts.MaxBytes},
		Open: func(ctx context.Context, name string) (io.ReadCloser, error) {
			i, _ := strconv.Atoi(name)
			size, err := files[i].data.Size()
			if err != nil {
				return nil, err
			}
			begin := int64(0)
			if i == 0 {
				begin = s.base.offset
			}
			src := &countedAt{ctx, files[i].data, size, &s.stored[i]}
			return io.NopCloser(io.NewSectionReader(src, begin, size-begin)), nil
		},
		FileError: func(_ string, err error) error { return err }})
	defer stream.Close(nil)

	work := s.work
	if work == nil {
		work = func() func(*searchBlock) error { return s.selectRecords }
	}
	pool := ordered.New(ctx, runtime.GOMAXPROCS(0), 8, work)
	defer func() {
		for _, b := range pool.Close() {
			b.Release()
		}
	}()
	submitted := make(chan error, 1)
	go func() {
		err := s.submitBlocks(stream, pool)
		pool.Finish()
		submitted <- err
	}()
	defer func() { // the goroutine uses stream and pool
		cancel()
		<-submitted
	}()
	for {
		b, err := pool.Next()
		if err == io.EOF {
			err = <-submitted
			submitted <- nil // for the deferred function
			return err
		} else if err != nil {
			return err
		}
		if s.use != nil {
			err = s.use(b)
		} else {
			err = s.useBlock(b, found)
		}
		b.Release()
		if err == nil && tick != nil {
			err = tick()
		}
		if err != nil {
			return err
		}
	}
}

// submitBlocks reads all records.
func (s *search) submitBlocks(stream *feed.Stream, pool *ordered.Pool[*searchBlock]) error {
	for {
		b := &searchBlock{}
		b.MarkBusy()
		err := stream.Append(&b.Block, blockRecords)
		if len(b.Items) > 0 || len(b.Events) > 0 {
			if err := pool.Submit(b); err != nil {
				b.Release()
				return err
			}
		} else {
			b.Release()
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// selectRecords evaluates the condition for the records of a block.
func (s *search) selectRecords(b *searchBlock) error {
	b.selected = make([]bool, len(b.Items))
	for i := range b.Items {
		ok, err := true, error(nil)
		if s.where != nil {
			s.names.look(s.h.kind, b.Items[i].Record)
			ok, err = s.where.Match(s.h.kind, b.Items[i].Record)
		}
		if err != nil {
			b.misfits++
		}
		b.selected[i] = ok && err == nil
	}
	return nil
}

// useBlock counts the records of a block and calls found for the matches.
func (s *search) useBlock(b *searchBlock, found func(match) error) error {
	s.misfits += b.misfits
	events := b.Events
	for i := range b.Items {
		for ; len(events) > 0 && events[0].At <= i; events = events[1:] {
			s.addDamage(&events[0])
		}
		item := &b.Items[i]
		m := match{file: s.file + item.File, record: item.Position.Record, offset: item.Offset, data: item.Record}
		if item.File == 0 {
			m.record += s.base.row
			m.offset += s.base.offset
			if m.record < s.record {
				continue
			}
		}
		s.read++
		if !b.selected[i] {
			continue
		}
		s.matches++
		if err := found(m); err != nil {
			return err
		}
	}
	for i := range events {
		s.addDamage(&events[i])
		if end := events[i].End; end != nil && end.Err != nil {
			return s.h.files[s.file+end.File].named(end.Err)
		}
	}
	return nil
}

// addDamage counts a skipped range from the first record of the search on.
func (s *search) addDamage(e *feed.Event) {
	if d := e.Skipped; d != nil && d.Record >= 0 && (d.File > 0 || s.base.row+d.Record >= s.record) {
		s.damaged++
	}
}

// findMatches returns the positions of the first rows of the first data set, or of the first records that meet a
// condition.
func (h *Handler) findMatches(ctx context.Context, where string, limit int) (matches []rowAddress, err error) {
	s := &search{h: h}
	if s.where, err = h.compileWhere(where); err != nil {
		return nil, err
	}
	if s.where == nil {
		for i, f := range h.files {
			known := int64(0)
			for more := f.set == 0; more && known < int64(limit-len(matches)); {
				h.scans.request(f)
				status, err := f.await(ctx, known, int64(limit-len(matches)))
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				known, more = status.known, err == nil && status.state < complete // the page shows the error beside the file
			}
			for n := range min(known, int64(limit-len(matches))) {
				matches = append(matches, rowAddress{i, n})
			}
		}
		return matches, nil
	}
	err = s.run(ctx, func(m match) error {
		matches = append(matches, rowAddress{m.file, m.record})
		if len(matches) >= limit {
			return errEnough
		}
		return nil
	}, nil)
	if err == errEnough {
		err = nil
	}
	if names := s.names.missing(); err == nil && s.matches == 0 && s.read > 0 && len(names) > 0 {
		err = &UnknownFeatureError{names}
	}
	return matches, err
}

// markBefore returns a record at or before one with the given number, where reading of the file can begin.
func (f *recordFile) markBefore(number int64) tailMark {
	s, _ := f.status()
	if s.rows == nil || s.rows.Index().Compression() != tfrecord.None {
		return tailMark{}
	}
	x := s.rows.Index()
	if s.tail != nil {
		if number >= s.tail.first {
			return s.tail.markBefore(number)
		}
	}
	if number <= 0 || number >= x.Len() || x.Load(number, number+1) != nil {
		return tailMark{}
	}
	offset, _ := x.Entry(number)
	return tailMark{number, offset}
}

// errEnough ends a search at the limit of its matches.
var errEnough = errors.New("enough matches")

// serveFind streams the matches of a search.
func (h *Handler) serveFind(w http.ResponseWriter, r *http.Request) error {
	s, err := h.newSearch(r)
	if err != nil {
		return withStatus(http.StatusBadRequest, err)
	}
	limit, err := intParam(r, "limit", maxMatches)
	if err != nil || limit == 0 {
		return withStatus(http.StatusBadRequest, cmp.Or(err, errors.New("limit: want a number above 0, got 0")))
	}
	limit = min(limit, maxMatches)
	w.Header().Set("Content-Type", "application/x-ndjson")
	if r.Method == http.MethodHead {
		return nil
	}
	lines, control := json.NewEncoder(w), http.NewResponseController(w)
	flush := func() error {
		extendWrite(control)
		if err := control.Flush(); !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		return nil
	}
	next := ""
	reported := time.Time{}
	err = s.run(r.Context(), func(m match) error {
		if s.matches > limit {
			s.matches--
			s.read--
			next = fmt.Sprintf("%d:%d", m.file, m.record)
			return errEnough
		}
		return lines.Encode(map[string]any{"match": [2]int64{int64(m.file), m.record}})
	}, func() error {
		if now := time.Now(); now.Sub(reported) >= reportEvery {
			reported = now
			return errors.Join(lines.Encode(map[string]any{"progress": s.progress()}), flush())
		}
		return nil
	})
	switch {
	case err == nil || err == errEnough:
		done := s.progress()
		if err == nil {
			done["share"] = 1
		}
		done["next"], done["misfits"], done["damaged"] = nil, s.misfits, s.damaged
		if unknown := s.names.missing(); err == nil && s.matches == 0 && s.read > 0 && len(unknown) > 0 {
			for i := range unknown {
				unknown[i] = visibleText(unknown[i])
			}
			done["unknown"] = unknown
		}
		if next != "" {
			done["next"] = next
		}
		lines.Encode(map[string]any{"done": done})
	case r.Context().Err() == nil:
		lines.Encode(map[string]any{"error": visibleText(err.Error())})
	}
	return flush()
}

// progress describes how far the search is.
func (s *search) progress() map[string]any {
	share := 1.0
	if s.total > 0 {
		share = min(1, float64(s.storedBytes())/float64(s.total))
	}
	return map[string]any{"read": s.read, "matches": s.matches, "share": share}
}

// storedBytes returns how many bytes of the files were read.
func (s *search) storedBytes() (n int64) {
	for i := range s.stored {
		n += s.stored[i].Load()
	}
	return n
}

// extendWrite gives a client that reads its answer more time.
func extendWrite(control *http.ResponseController) {
	control.SetWriteDeadline(time.Now().Add(writeTimeout))
}
