package console

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"
)

// A Progress counts what has been done. A nil Progress counts nothing.
type Progress struct {
	Total   int64 // bytes that will be read; 0 when unknown
	more    atomic.Int64
	bytes   atomic.Int64
	records atomic.Int64
}

// Bytes adds n bytes read.
func (p *Progress) Bytes(n int) {
	if p != nil {
		p.bytes.Add(int64(n))
	}
}

// More adds n to the bytes that will be read, where that is found out while it is shown.
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

const redraw = 200 * time.Millisecond

// Show begins to draw p on a line of its own that every message displaces. The
// function it returns removes the line and must be called once.
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

// Hide takes the progress line off the screen; it may be drawn again.
func (c *Console) Hide() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}

// line says how far p has come, in less than the given number of columns: a line that goes
// on in the next row of a terminal cannot be taken off the screen.
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

// fit cuts a line, which has letters of ASCII only.
func fit(columns int, line string) string { return line[:max(0, min(len(line), columns-1))] }

// Amount is a number of bytes in the unit that suits another number.
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

// clock is a number of seconds as people write it: 0:07, 12:30, 1:02:03.
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

func (c *Console) draw(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Fprint(c.w, line)
	c.drawn = true
}

// clear takes the progress line off the screen. The caller holds c.mu.
func (c *Console) clear() {
	if c.drawn {
		fmt.Fprint(c.w, "\r\x1b[K")
		c.drawn = false
	}
}
