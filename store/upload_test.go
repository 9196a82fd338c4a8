package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
)

// patient returns a client with long time limits, for slow servers.
func patient() *client {
	c := newClient(&Options{Backoff: 2 * time.Millisecond, Attempts: 5})
	c.partSize = testPart
	return c
}

// testPart is the size of parts in these tests: parts of partSize take seconds with the race detector.
const testPart = 1 << 20

var fixed = time.Unix(1_700_000_000, 0)

// eachService runs a test for Google's API and for Amazon's.
func eachService(t *testing.T, test func(t *testing.T, s *objectServer, sys *cachedStore, root string)) {
	for scheme, make := range map[string]func(*client) backend{
		"gs": func(c *client) backend { return newGCS(c) },
		"s3": func(c *client) backend { return newS3(c) },
	} {
		t.Run(scheme, func(t *testing.T) {
			s := newObjectServer(t)
			c := patient()
			test(t, s, newCachedStore(c, make(c)), scheme+"://bucket/")
		})
	}
}

// sizes are the sizes of objects that are written in one request, in parts with a rest, and in parts without a rest.
var sizes = []int{0, 100_000, 2*testPart + 12_345, 2 * testPart}

func writeAll(out storage.Output, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), 300_000)
		if _, err := out.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	if err := out.Stage(); err != nil {
		return err
	}
	return out.Commit()
}

// nothing checks that the server stores no object and no part.
func (s *objectServer) nothing(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	left := len(s.uploads)
	for _, at := range s.sessions {
		if !at.done {
			left++
		}
	}
	if len(s.objects) > 0 || left > 0 {
		t.Errorf("%d objects and %d uploads are left\n%q", len(s.objects), left, s.log)
	}
}

// TestWritesThroughFaults checks that after transient errors of every kind the object has the written bytes, and no part is left.
func TestWritesThroughFaults(t *testing.T) {
	for name, fault := range map[string]func(try int) (status int, lost bool){
		"no fault":           func(int) (int, bool) { return 0, false },
		"503":                func(try int) (int, bool) { return 503 * (try % 3 % 2), false },
		"lost answers":       func(try int) (int, bool) { return 0, try%3 == 1 },
		"answers in a burst": func(try int) (int, bool) { return 429 * min(1, 3/(try+1)), false },
	} {
		t.Run(name, func(t *testing.T) {
			eachService(t, func(t *testing.T, s *objectServer, sys *cachedStore, root string) {
				tries := map[string]int{}
				s.fault = func(is string, w http.ResponseWriter) (bool, bool) {
					tries[is]++
					status, lost := fault(tries[is])
					if status > 0 && is != "cancel" {
						w.WriteHeader(status)
					}
					return status > 0, lost && is != "begin"
				}
				for _, size := range sizes {
					key := fmt.Sprintf("a b/%d", size)
					data := random(size)
					out, err := sys.Create(root + key)
					if err == nil {
						err = writeAll(out, data)
					}
					if err != nil {
						t.Fatalf("%d bytes: %v\n%q", size, err, s.log)
					}
					if got, ok := s.objects["bucket/"+key]; !ok || !bytes.Equal(got, data) {
						t.Fatalf("%d bytes: got %d\n%q", size, len(got), s.log)
					}
					out.Abort() // Abort has no effect after Commit
					if s.objects["bucket/"+key] == nil {
						t.Error("Abort removes what Commit has made")
					}
					if err := out.Undo(); err != nil {
						t.Errorf("Undo: %v", err)
					}
					s.nothing(t)
				}
			})
		})
	}
}

// TestWriteFails checks that a permanent error leaves no object and no part.
func TestWriteFails(t *testing.T) {
	for _, at := range []string{"whole", "begin", "part", "finish"} {
		for _, status := range []int{403, 503} {
			t.Run(fmt.Sprint(at, status), func(t *testing.T) {
				eachService(t, func(t *testing.T, s *objectServer, sys *cachedStore, root string) {
					s.fault = func(is string, w http.ResponseWriter) (bool, bool) {
						if is == at {
							w.WriteHeader(status)
							io.WriteString(w, "<Error><Code>Refused</Code><Message>it is so</Message><StringToSign>"+exampleKey+"</StringToSign></Error>")
						}
						return is == at, false
					}
					size := sizes[2]
					if at == "whole" {
						size = sizes[1]
					}
					out, err := sys.Create(root + "x")
					if err != nil {
						t.Fatal(err)
					}
					err = writeAll(out, random(size))
					if err == nil || !strings.Contains(err.Error(), "Refused: it is so") || !strings.Contains(err.Error(), root+"x") || strings.Contains(err.Error(), exampleKey) {
						t.Errorf("got %v", err)
					}
					s.fault = nil
					out.Abort()
					s.nothing(t)
				})
			})
		}
	}
}

// TestAbort checks that Abort from another goroutine ends an upload and leaves nothing: while a part is sent, during Commit when the
// server has already created the object, and before any request.
func TestAbort(t *testing.T) {
	for _, at := range []string{"part", "finish", "whole", "nothing"} {
		t.Run(at, func(t *testing.T) {
			eachService(t, func(t *testing.T, s *objectServer, sys *cachedStore, root string) {
				reached, hold := make(chan bool, 100), make(chan bool)
				var held atomic.Bool
				s.fault = func(is string, w http.ResponseWriter) (bool, bool) {
					if is == at && held.CompareAndSwap(false, true) {
						reached <- true
						if at != "part" {
							return false, true // the object is created and the answer is lost; the next attempt hangs
						}
						<-hold
						return true, false
					}
					if is == at {
						<-hold
						return true, false
					}
					return false, false
				}
				defer close(hold)
				size := sizes[2]
				if at == "whole" {
					size = sizes[1]
				}
				out, err := sys.Create(root + "x")
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				if at == "nothing" {
					out.Write(random(size))
					done <- errAborted
				} else {
					go func() { done <- writeAll(out, random(size)) }()
					<-reached
					time.Sleep(20 * time.Millisecond)
				}
				began := time.Now()
				out.Abort()
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
				if err := <-done; !errors.Is(err, errAborted) {
					t.Errorf("writing ends with %v", err)
				}
				if _, err := out.Write([]byte("x")); err == nil {
					t.Error("Write after Abort is no error")
				}
				s.nothing(t)
			})
		})
	}
}

// TestUndo checks that Undo removes the written object, but not an object that another writer has put in its place.
func TestUndo(t *testing.T) {
	eachService(t, func(t *testing.T, s *objectServer, sys *cachedStore, root string) {
		for _, size := range sizes {
			out, err := sys.Create(root + "x")
			if err == nil {
				err = writeAll(out, random(size))
			}
			if err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			s.put("bucket/x", []byte("of another"), `"other"`)
			s.mu.Unlock()
			out.Undo()
			if string(s.objects["bucket/x"]) != "of another" {
				t.Error("it removes what another has written")
			}
			delete(s.objects, "bucket/x")
			if err := out.Undo(); err != nil {
				t.Errorf("a second Undo: %v", err)
			}
		}
	})
}

// TestErrorIn200 checks an answer to joining parts with the status 200 and an error in the body.
func TestErrorIn200(t *testing.T) {
	s := newObjectServer(t)
	c := patient()
	sys := newCachedStore(c, newS3(c))
	code := "InternalError"
	times := 0
	s.fault = func(is string, w http.ResponseWriter) (bool, bool) {
		if is != "finish" || times == 0 {
			return false, false
		}
		times--
		io.WriteString(w, "<Error><Code>"+code+"</Code><Message>try again</Message></Error>")
		return true, false
	}
	for _, c := range []struct {
		code  string
		times int
		ok    bool
	}{{"InternalError", 2, true}, {"InvalidPart", 100, false}, {"InternalError", 100, false}} {
		code, times = c.code, c.times
		out, err := sys.Create("s3://bucket/x")
		if err == nil {
			err = writeAll(out, random(sizes[2]))
		}
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), c.code) {
			t.Errorf("%+v: %v", c, err)
		}
		out.Abort()
		if err == nil {
			out.Undo()
		}
		s.nothing(t)
	}
}

// TestManyOutputs checks that many open outputs have smaller parts, down to the minimum of the service.
func TestManyOutputs(t *testing.T) {
	eachService(t, func(t *testing.T, s *objectServer, sys *cachedStore, root string) {
		const outputs = 600
		var all []*output
		for i := range outputs {
			out, err := sys.Create(fmt.Sprint(root, i))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, out.(*output))
		}
		want := partStep
		if strings.HasPrefix(root, "s3:") {
			want = testPart
		}
		data := random(3*testPart + 5000)
		first := all[0]
		for begin := 0; begin < len(data); begin += 100_000 {
			if _, err := first.Write(data[begin:min(begin+100_000, len(data))]); err != nil {
				t.Fatal(err)
			}
			if held := cap(first.buf) + cap(first.spare); held > 2*want {
				t.Fatalf("an output of %d holds %d bytes, want %d", outputs, held, 2*want)
			}
		}
		if first.parts != len(data)/want {
			t.Errorf("%d parts were sent, want %d", first.parts, len(data)/want)
		}
		if err := errors.Join(first.Stage(), first.Commit()); err != nil || !bytes.Equal(s.objects["bucket/0"], data) {
			t.Errorf("the object has other bytes: %v", err)
		}
		for _, out := range all {
			out.Abort()
			out.Abort()
		}
		if n := sys.outputs.Load(); n != 0 {
			t.Errorf("%d outputs are open", n)
		}
		if got := all[0].sizeOfPart(); got != testPart {
			t.Errorf("one output has parts of %d bytes, want %d", got, testPart)
		}
	})
}

// TestCompleteOfOthers checks that answers of other servers with another root element mean success: moto 5.2 sends CompleteMultipartUploadResponse.
func TestCompleteOfOthers(t *testing.T) {
	for _, root := range []string{"CompleteMultipartUploadResponse", "ns:CompleteMultipartUploadResult", "Result"} {
		s := newObjectServer(t)
		c := patient()
		sys := newCachedStore(c, newS3(c))
		s.root = root
		out, err := sys.Create("s3://bucket/x")
		if err == nil {
			err = writeAll(out, random(sizes[2]))
		}
		if n := strings.Count(strings.Join(s.log, " "), "finish"); err != nil || n != 1 || len(s.objects["bucket/x"]) != sizes[2] {
			t.Errorf("%s: %v after %d attempts", root, err, n)
		}
		if err := out.Undo(); err != nil {
			t.Errorf("%s: Undo: %v", root, err)
		}
		s.nothing(t)
	}
}
