package store

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// An objectServer implements the parts of Google's and of Amazon's API that package store uses. It is stricter than emulators, and
// fails requests that a test chooses.
type objectServer struct {
	mu       sync.Mutex
	objects  map[string][]byte // objects by bucket and name
	tags     map[string]string
	sessions map[string]*session // Google's resumable uploads
	uploads  map[string]*parts   // Amazon's multipart uploads
	count    int                 // number of sessions, uploads and objects created, for names and generations
	log      []string            // requests
	headers  []http.Header
	root     string // root element of Amazon's answer when parts are joined

	// fault may answer a request itself (handled), or make its answer get lost (lost).
	fault  func(what string, w http.ResponseWriter) (handled, lost bool)
	server *httptest.Server
}

type session struct {
	name string
	data []byte
	done bool
}

type parts struct {
	name string
	data map[int][]byte
}

func newObjectServer(t testing.TB) *objectServer {
	s := &objectServer{objects: map[string][]byte{}, tags: map[string]string{}, sessions: map[string]*session{}, uploads: map[string]*parts{}, root: "CompleteMultipartUploadResult"}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", s.server.URL)
	t.Setenv("AWS_ENDPOINT_URL_S3", s.server.URL)
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", exampleKey)
	return s
}

// exampleKey must not appear in any error.
const exampleKey = "SECRETaccessKEYofEXAMPLES"

// what returns the kind of a request, for faults.
func what(r *http.Request) string {
	q := r.URL.Query()
	switch {
	case q.Get("uploadType") == "media", r.Method == http.MethodPut && !q.Has("uploadId") && !strings.HasPrefix(r.URL.Path, "/session/"):
		return "whole"
	case q.Get("uploadType") == "resumable", q.Has("uploads"):
		return "begin"
	case strings.HasPrefix(r.URL.Path, "/session/") && r.Method == http.MethodDelete, r.Method == http.MethodDelete && q.Has("uploadId"):
		return "cancel"
	case strings.HasPrefix(r.Header.Get("Content-Range"), "bytes */*"):
		return "query"
	case strings.HasPrefix(r.Header.Get("Content-Range"), "bytes */"), r.Method == http.MethodPost && q.Has("uploadId"):
		return "finish"
	case strings.HasPrefix(r.URL.Path, "/session/"):
		if !strings.HasSuffix(r.Header.Get("Content-Range"), "/*") {
			return "finish"
		}
		return "part"
	case r.Method == http.MethodPut:
		return "part"
	case r.Method == http.MethodDelete:
		return "delete"
	}
	return "stat"
}

func (s *objectServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	is := what(r)
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, is)
	s.headers = append(s.headers, r.Header)
	if err != nil {
		return
	}
	lost := false
	if s.fault != nil {
		var handled bool
		fault := s.fault
		s.mu.Unlock()
		handled, lost = fault(is, w)
		s.mu.Lock()
		if handled {
			return
		}
	}
	answer := httptest.NewRecorder()
	if strings.HasPrefix(r.URL.Path, "/upload/") || strings.HasPrefix(r.URL.Path, "/session/") || strings.HasPrefix(r.URL.Path, "/storage/") {
		s.google(answer, r, body)
	} else {
		s.amazon(answer, r, body)
	}
	if lost {
		panic(http.ErrAbortHandler)
	}
	for k, v := range answer.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(answer.Code)
	if r.Method != http.MethodHead {
		w.Write(answer.Body.Bytes())
	}
}

// put creates an object.
func (s *objectServer) put(name string, data []byte, tag string) {
	s.count++
	s.objects[name] = data
	s.tags[name] = tag
	if tag == "" {
		s.tags[name] = strconv.Itoa(s.count)
	}
}

func (s *objectServer) describe(w http.ResponseWriter, name string) {
	data := s.objects[name]
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
	json.NewEncoder(w).Encode(map[string]string{"name": name, "size": strconv.Itoa(len(data)), "generation": s.tags[name], "crc32c": base64.StdEncoding.EncodeToString(sum)})
}

func (s *objectServer) google(w http.ResponseWriter, r *http.Request, body []byte) {
	q := r.URL.Query()
	bucket, object, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.EscapedPath(), "/upload"), "/storage/v1/b/"), "/o")
	object, _ = url.PathUnescape(strings.TrimPrefix(object, "/"))
	if object == "" {
		object = q.Get("name")
	}
	name := bucket + "/" + object
	at := s.sessions[r.URL.Path]
	switch is := what(r); {
	case is == "whole":
		s.put(name, body, "")
		s.describe(w, name)
	case is == "begin":
		s.count++
		path := fmt.Sprintf("/session/%d", s.count)
		s.sessions[path] = &session{name: name}
		w.Header().Set("Location", s.server.URL+path)
	case strings.HasPrefix(r.URL.Path, "/session/") && at == nil:
		w.WriteHeader(http.StatusNotFound)
	case is == "cancel":
		delete(s.sessions, r.URL.Path)
		w.WriteHeader(499)
	case at != nil && at.done:
		s.describe(w, at.name)
	case at != nil:
		span, total, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), "/")
		if first, _, ok := strings.Cut(span, "-"); ok {
			begin, _ := strconv.Atoi(first)
			if begin > len(at.data) {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			if total == "*" {
				// The server keeps whole quarters of a MiB, and sometimes not all data that it receives.
				body = body[:len(body)/(256<<10)*(256<<10)]
				if s.count++; s.count%3 == 0 && len(body) > 512<<10 {
					body = body[:len(body)-512<<10]
				}
			}
			at.data = append(at.data[:begin], body...)
		}
		if total != "*" && total == strconv.Itoa(len(at.data)) {
			at.done = true
			s.put(at.name, at.data, "")
			s.describe(w, at.name)
			return
		}
		if len(at.data) > 0 {
			w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(at.data)-1))
		}
		w.WriteHeader(http.StatusPermanentRedirect)
	case s.objects[name] == nil:
		w.WriteHeader(http.StatusNotFound)
	case is == "delete":
		if q.Get("ifGenerationMatch") != s.tags[name] {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		delete(s.objects, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.describe(w, name)
	}
}

func (s *objectServer) amazon(w http.ResponseWriter, r *http.Request, body []byte) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	q := r.URL.Query()
	sum := md5.Sum(body)
	tag := `"` + hex.EncodeToString(sum[:]) + `"`
	at := s.uploads[q.Get("uploadId")]
	switch is := what(r); {
	case name == "none" || strings.HasPrefix(name, "none/"):
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>")
	case strings.HasPrefix(name+q.Get("prefix"), "bucket/secret"):
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>not for you</Message><HostId>"+exampleKey+"</HostId></Error>")
	case q.Get("list-type") == "2":
		s.list(w, name, q)
	case is == "whole":
		s.put(name, body, tag)
		w.Header().Set("ETag", tag)
	case is == "begin":
		s.count++
		id := fmt.Sprintf("upload-%d", s.count)
		s.uploads[id] = &parts{name, map[int][]byte{}}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case q.Has("uploadId") && at == nil:
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "<Error><Code>NoSuchUpload</Code></Error>")
	case is == "cancel":
		delete(s.uploads, q.Get("uploadId"))
		w.WriteHeader(http.StatusNoContent)
	case is == "part":
		n, _ := strconv.Atoi(q.Get("partNumber"))
		at.data[n] = body
		w.Header().Set("ETag", tag)
	case is == "finish":
		var list struct {
			Part []struct {
				PartNumber int
				ETag       string
			}
		}
		if err := xml.Unmarshal(body, &list); err != nil || len(list.Part) != len(at.data) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var all, sums []byte
		for i, p := range list.Part {
			sum := md5.Sum(at.data[p.PartNumber])
			if p.PartNumber != i+1 || p.ETag != `"`+hex.EncodeToString(sum[:])+`"` || i < len(list.Part)-1 && len(at.data[i+1]) < testPart {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			all = append(all, at.data[p.PartNumber]...)
			sums = append(sums, sum[:]...)
		}
		tag := fmt.Sprintf(`"%x-%d"`, md5.Sum(sums), len(at.data))
		s.put(name, all, tag)
		delete(s.uploads, q.Get("uploadId"))
		fmt.Fprintf(w, "<%s><ETag>%s</ETag></%[1]s>", s.root, tag)
	case s.objects[name] == nil:
		w.WriteHeader(http.StatusNotFound)
	case is == "delete":
		delete(s.objects, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("ETag", s.tags[name])
		http.ServeContent(w, r, "", fixed, bytes.NewReader(s.objects[name]))
	}
}

// list lists keys as Amazon does: unescaped, which may be invalid XML, or escaped if the request asks for it. A page has two names.
func (s *objectServer) list(w http.ResponseWriter, bucket string, q url.Values) {
	encode, kind := func(key string) string { return key }, ""
	if q.Get("encoding-type") == "url" {
		encode, kind = url.QueryEscape, "<EncodingType>url</EncodingType>"
	}
	found := map[string]string{}
	for name := range s.objects {
		key, ok := strings.CutPrefix(name, bucket)
		rest, ok2 := strings.CutPrefix(key, q.Get("prefix"))
		if !ok || !ok2 {
			continue
		}
		if dir, _, ok := strings.Cut(rest, "/"); ok {
			found[q.Get("prefix")+dir+"/"] = "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>"
		} else {
			found[key] = "<Contents><Key>%s</Key><Size>" + strconv.Itoa(len(s.objects[name])) + "</Size><ETag>e</ETag></Contents>"
		}
	}
	fmt.Fprintf(w, "<ListBucketResult>%s", kind)
	keys := slices.Sorted(maps.Keys(found))
	from, _ := slices.BinarySearch(keys, q.Get("continuation-token"))
	for i, key := range keys[from:] {
		if i == 2 {
			fmt.Fprintf(w, "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>", key)
			break
		}
		fmt.Fprintf(w, found[key], encode(key))
	}
	fmt.Fprint(w, "</ListBucketResult>")
}
