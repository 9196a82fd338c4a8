package console

import (
	"fmt"
	"sync/atomic"
	"time"
)

// A Progress counts what has been done. A nil Progress counts nothing.
type Progress struct {
	Total   int64 // bytes that will be read; 0 when unknown
	bytes   atomic.Int64
	records atomic.Int64
}

// Bytes adds n bytes read.
func (p *Progress) Bytes(n int) {
	if p != nil {
		p.bytes.Add(int64(n))
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
				c.draw(p.line(now.Sub(begin)))
			}
		}
	}()
	return func() {
		close(stop)
		<-done
		c.mu.Lock()
		defer c.mu.Unlock()
		c.clear()
	}
}

// line says how far p has come.
func (p *Progress) line(elapsed time.Duration) string {
	read, mib := p.bytes.Load(), float64(1<<20)
	rate := float64(read) / mib / max(elapsed.Seconds(), 1e-3)
	if p.Total > 0 {
		return fmt.Sprintf("%3d%%  %.1f of %.1f MiB  %d records  %.1f MiB/s",
			min(100, int(100*float64(read)/float64(p.Total))), float64(read)/mib, float64(p.Total)/mib, p.records.Load(), rate)
	}
	return fmt.Sprintf("%.1f MiB  %d records  %.1f MiB/s", float64(read)/mib, p.records.Load(), rate)
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
