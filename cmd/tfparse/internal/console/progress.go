package console

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"
)

// A Progress counts the bytes and records read. A nil Progress counts nothing.
type Progress struct {
	Total   int64        // expected number of bytes; 0: unknown
	more    atomic.Int64 // bytes added to Total by More
	bytes   atomic.Int64 // bytes read
	records atomic.Int64 // records read
}

// Bytes adds n bytes read.
func (p *Progress) Bytes(n int) {
	if p != nil {
		p.bytes.Add(int64(n))
	}
}

// More adds n to the expected number of bytes while progress is shown.
func (p *Progress) More(n int64) {
	if p != nil {
		p.more.Add(n)
	}
}

// Records adds n records.
func (p *Progress) Records(n int) {
	if p != nil {
		p.records.Add(int64(n))
	}
}

// redraw is the interval between updates of the progress line.
const redraw = 200 * time.Millisecond

// Show displays p on a line below the messages, and updates it. The caller must call hide once.
func (c *Console) Show(p *Progress) (hide func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	begin := time.Now()
	go func() {
		defer close(done)
		tick := time.NewTicker(redraw)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-tick.C:
				c.draw(p.line(now.Sub(begin), Width(c.w)))
			}
		}
	}()
	return func() {
		close(stop)
		<-done
		c.Hide()
	}
}

// Hide erases the progress line until the next update.
func (c *Console) Hide() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}

// line formats p in less than columns characters: a longer line wraps and cannot be erased.
func (p *Progress) line(elapsed time.Duration, columns int) string {
	read, records := p.bytes.Load(), p.records.Load()
	rate := float64(read) / max(elapsed.Seconds(), 1e-3)
	speed := Amount(rate, rate) + "/s"
	total := p.Total + p.more.Load()
	if total <= 0 {
		return fit(columns, fmt.Sprintf("%s  %d records  %s", Amount(float64(read), float64(read)), records, speed))
	}
	done := min(1, float64(read)/float64(total))
	percent := fmt.Sprintf("%3d%%", int(100*done))
	of := strings.Fields(Amount(float64(total), float64(total)))
	size := fmt.Sprintf("%s of %s %s", strings.Fields(Amount(float64(read), float64(total)))[0], of[0], of[1])
	left := ""
	if read > 0 && elapsed >= time.Second {
		left = "  " + clock(float64(total-min(read, total))/rate) + " left"
	}
	text := fmt.Sprintf("%s  %s%s", size, speed, left)
	if longer := fmt.Sprintf("%s  %d records  %s%s", size, records, speed, left); len(percent)+2+len(longer) < columns {
		text = longer
	}
	const most, least = 30, 5 // columns of the bar
	width := min(columns-1-len(percent)-len("  []  ")-len(text), most)
	if width < least {
		return fit(columns, percent+"  "+text)
	}
	full := int(done * float64(width))
	return percent + "  [" + strings.Repeat("#", full) + strings.Repeat("-", width-full) + "]  " + text
}

// fit truncates an ASCII line.
func fit(columns int, line string) string { return line[:max(0, min(len(line), columns-1))] }

// Amount formats n bytes in the unit that suits the number unit.
func Amount(n, unit float64) string {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}} {
		if unit >= u.bytes {
			return fmt.Sprintf("%.1f %s", n/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%.1f KiB", n/(1<<10))
}

// clock formats a number of seconds: 0:07, 12:30, 1:02:03.
func clock(seconds float64) string {
	const most = 100 * 3600
	if !(seconds < most) {
		return "over 100 hours"
	}
	n := int(math.Ceil(seconds))
	if n < 3600 {
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}

// draw replaces the progress line.
func (c *Console) draw(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Fprint(c.w, line)
	c.drawn = true
}

// clear erases the progress line. The caller holds c.mu.
func (c *Console) clear() {
	if c.drawn {
		fmt.Fprint(c.w, "\r\x1b[K")
		c.drawn = false
	}
}
