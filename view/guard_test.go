package view

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// attackRecords are records with hostile names and values.
func attackRecords(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, v := range []string{
		`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`,
		`<!doctype html><script>alert(1)</script>`,
		"\xff\xd8\xff\xe0<script>alert(1)</script>",
		"GIF89a/*<svg/onload=alert(1)>*/=1;",
		"\x00\x01\x02",
	} {
		rec, err := example.Example{"v": example.Strings(v), `<img src=x onerror=alert(1)>`: example.Strings(v), "\xff\"'</script>": example.Int64s(1)}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
	return all
}

// newServer serves a handler with a guard, and returns a client that has entered.
func newServer(t testing.TB, h http.Handler) (base string, client *http.Client) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	token := NewToken()
	s := &http.Server{Handler: Guard(h, token, []string{listener.Addr().String()})}
	go s.Serve(listener)
	t.Cleanup(func() { s.Close() })
	base = "http://" + listener.Addr().String()
	jar, _ := cookiejar.New(nil)
	client = &http.Client{Jar: jar, Timeout: time.Minute}
	resp, err := client.Get(base + "/?token=" + token)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 || resp.Header.Get("Refresh") != "0; url=/" {
		t.Fatalf("entering: status %d, Refresh %q", resp.StatusCode, resp.Header.Get("Refresh"))
	}
	cookie := resp.Header.Get("Set-Cookie")
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || strings.Contains(cookie, token) {
		t.Errorf("cookie %q", cookie)
	}
	return base, client
}

// An attack is a request that must be refused, or answered harmlessly.
type attack struct {
	name, method, path string
	host               string            // "": that of the server
	header             map[string]string //
	anonymous          bool              // without the cookie
	status             int               // wanted; 0: any that is not a success
}

func TestAttacks(t *testing.T) {
	h := newMemory(t, map[string][]byte{
		"f":      encodeRecords(t, tfrecord.None, attackRecords(t)),
		"secret": []byte("not named"),
	}, nil, "f")
	base, client := newServer(t, h)
	port := base[strings.LastIndexByte(base, ':'):]
	navigate := func(site string) map[string]string {
		return map[string]string{"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
	}
	attacks := []attack{
		{name: "foreign host", path: "/", host: "evil.com"},
		{name: "foreign host with the port", path: "/api/set", host: "evil.com" + port},
		{name: "prefix of a host", path: "/api/set", host: "localhost.evil.com" + port},
		{name: "suffix of a host", path: "/api/set", host: "evil.127.0.0.1" + port},
		{name: "host without the port", path: "/api/set", host: "127.0.0.1"},
		{name: "other port", path: "/api/set", host: "127.0.0.1:1"},
		{name: "decimal address", path: "/api/set", host: "2130706433" + port},
		{name: "trailing dot", path: "/api/set", host: "127.0.0.1." + port},
		{name: "forwarded host", path: "/api/set", host: "evil.com", header: map[string]string{"X-Forwarded-Host": base[7:], "Origin": base}},
		{name: "no cookie", path: "/", anonymous: true, status: 403},
		{name: "no cookie for data", path: "/api/set", anonymous: true, status: 403},
		{name: "no cookie for a script", path: "/app.js", anonymous: true, status: 403},
		{name: "wrong token", path: "/?token=" + strings.Repeat("0", 64), anonymous: true, status: 403},
		{name: "empty token", path: "/?token=", anonymous: true, status: 403},
		{name: "wrong cookie", path: "/api/set", anonymous: true, header: map[string]string{"Cookie": "tfparse-00000000=x; session=y"}, status: 403},
		{name: "POST", method: "POST", path: "/api/set", status: 405},
		{name: "PUT", method: "PUT", path: "/api/rows?file=0", status: 405},
		{name: "DELETE", method: "DELETE", path: "/", status: 405},
		{name: "OPTIONS", method: "OPTIONS", path: "/api/set", header: map[string]string{"Origin": "http://evil.com", "Access-Control-Request-Method": "GET"}, status: 405},
		{name: "odd method", method: "<script>", path: "/"},
		{name: "fetch of another site", path: "/api/set", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, status: 403},
		{name: "image in another site", path: "/api/bytes?file=0&record=0&feature=features:v&value=0", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}, status: 403},
		{name: "script in another site", path: "/app.js", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "script"}, status: 403},
		{name: "other port of the host", path: "/api/set", header: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, status: 403},
		{name: "frame in another site", path: "/", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, status: 403},
		{name: "navigation to data", path: "/api/set", header: navigate("cross-site"), status: 403},
		{name: "navigation to an export", path: "/api/export?as=tfrecord", header: navigate("cross-site"), status: 403},
		{name: "parent folder", path: "/../secret"},
		{name: "encoded parent folder", path: "/%2e%2e%2fsecret"},
		{name: "source of the page", path: "/view.go"},
		{name: "folder of the page", path: "/page/index.html"},
		{name: "absolute path", path: "//etc/passwd"},
		{name: "backslashes", path: "/..%5c..%5csecret"},
		{name: "NUL", path: "/index.html%00.js"},
		{name: "file by path", path: "/api/rows?file=secret"},
		{name: "file by path for a record", path: "/api/record?file=../secret&record=0"},
		{name: "number of a file that does not exist", path: "/api/rows?file=1"},
		{name: "negative file", path: "/api/rows?file=-1"},
		{name: "huge file", path: "/api/rows?file=99999999999999999999"},
		{name: "record that does not exist", path: "/api/record?file=0&record=1000000000", status: 404},
		{name: "negative record", path: "/api/record?file=0&record=-1"},
		{name: "largest record", path: "/api/record?file=0&record=9223372036854775807"},
		{name: "overflow", path: "/api/rows?file=0&from=9223372036854775807&count=200"},
		{name: "a billion rows", path: "/api/rows?file=0&from=0&count=1000000000"},
		{name: "negative count", path: "/api/rows?file=0&from=0&count=-5"},
		{name: "negative from", path: "/api/rows?file=0&from=-5&count=5"},
		{name: "many addresses", path: "/api/rows?at=" + strings.Repeat("0:0,", 500)},
		{name: "no address", path: "/api/rows?at=x:y"},
		{name: "huge query", path: "/api/check?where=" + strings.Repeat("a", 300<<10), status: 413},
		{name: "long expression", path: "/api/check?where=" + strings.Repeat("(", 60<<10), status: 200},
		{name: "bad expression", path: "/api/find?where=((", status: 400},
		{name: "bad start", path: "/api/find?where=&from=0", status: 400},
		{name: "negative start", path: "/api/find?where=&from=0:-1", status: 400},
		{name: "start in a file that does not exist", path: "/api/find?where=&from=7:0", status: 400},
		{name: "negative limit", path: "/api/find?where=&limit=-1", status: 400},
		{name: "other data set", path: "/api/find?where=&set=1", status: 400},
		{name: "unknown format", path: "/api/export?as=html", status: 400},
		{name: "format with a line break", path: "/api/export?as=csv%0d%0aSet-Cookie:%20x=y", status: 400},
		{name: "value that does not exist", path: "/api/bytes?file=0&record=0&feature=features:v&value=7"},
		{name: "negative value", path: "/api/bytes?file=0&record=0&feature=features:v&value=-1"},
		{name: "feature that does not exist", path: "/api/bytes?file=0&record=0&feature=features:none&value=0"},
		{name: "group that does not exist", path: "/api/bytes?file=0&record=0&feature=x:v&value=0"},
	}
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			resp, body := send(t, base, client, a)
			if a.status != 0 && resp.StatusCode != a.status || a.status == 0 && resp.StatusCode < 400 {
				t.Errorf("status %d, want %d: %.200s", resp.StatusCode, a.status, body)
			}
			if resp.StatusCode != 400 || resp.Header.Get("Content-Security-Policy") != "" { // else net/http refused it
				checkHeaders(t, resp)
			}
			if strings.Contains(string(body), "not named") {
				t.Error("the answer has another file")
			}
		})
	}
	for _, site := range []string{"cross-site", "same-site", "none"} {
		if resp, _ := send(t, base, client, attack{path: "/", header: navigate(site)}); resp.StatusCode != 200 {
			t.Errorf("navigation from %s: status %d", site, resp.StatusCode)
		}
	}
}

// send sends a request as it is, without cleaning its path.
func send(t testing.TB, base string, client *http.Client, a attack) (*http.Response, []byte) {
	t.Helper()
	u, _ := url.Parse(base)
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	var b strings.Builder
	host, method := a.host, a.method
	if host == "" {
		host = u.Host
	}
	if method == "" {
		method = "GET"
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", method, a.path, host)
	for k, v := range a.header {
		fmt.Fprintf(&b, "%s: %s\r\n", k, v)
	}
	if !a.anonymous {
		for _, c := range client.Jar.Cookies(u) {
			fmt.Fprintf(&b, "Cookie: %s\r\n", c)
		}
	}
	io.WriteString(conn, b.String()+"\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

// checkHeaders checks the headers that every answer has.
func checkHeaders(t testing.TB, resp *http.Response) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	csp := resp.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors"} {
		if !strings.Contains(csp, part) {
			t.Errorf("policy %q lacks %q", csp, part)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
		t.Errorf("policy %q", csp)
	}
}

// TestToken uses a token twice.
func TestToken(t *testing.T) {
	ok := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "in") })
	g := Guard(ok, "secret", []string{"h:1"})
	get := func(method, path, cookie string) *http.Response {
		r := httptest.NewRequest(method, path, nil)
		r.Host = "h:1"
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w.Result()
	}
	for _, path := range []string{"/", "/api/set?token=secret", "/?token=secre", "/?token=secretx", "/?Token=secret", "/?token="} {
		if resp := get("GET", path, ""); resp.StatusCode != 403 {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
	if resp := get("HEAD", "/?token=secret", ""); resp.StatusCode != 403 {
		t.Error("HEAD exchanges the token")
	}
	first := get("GET", "/?token=secret", "")
	cookie, _, _ := strings.Cut(first.Header.Get("Set-Cookie"), ";")
	if first.StatusCode != 200 || cookie == "" {
		t.Fatalf("status %d, cookie %q", first.StatusCode, cookie)
	}
	if resp := get("GET", "/?token=secret", ""); resp.StatusCode != 403 || resp.Header.Get("Set-Cookie") != "" {
		t.Error("the token works twice")
	}
	if resp := get("GET", "/?token=secret", cookie); resp.StatusCode != 200 || resp.Header.Get("Refresh") == "" {
		t.Error("reloading the link with the cookie fails")
	}
	if resp := get("GET", "/api/set", cookie); resp.StatusCode != 200 {
		t.Error("the cookie does not work")
	}
	if resp := get("GET", "/api/set", cookie+"x"); resp.StatusCode != 403 {
		t.Error("another cookie works")
	}
}

// TestHostileBytes checks that no value of a record gets a type that a browser runs.
func TestHostileBytes(t *testing.T) {
	h := newMemory(t, map[string][]byte{"f": encodeRecords(t, tfrecord.None, attackRecords(t))}, nil, "f")
	base, client := newServer(t, h)
	for i := range 5 {
		resp, err := client.Get(fmt.Sprintf("%s/api/bytes?file=0&record=%d&feature=features:v&value=0", base, i))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		checkHeaders(t, resp)
		switch typ := resp.Header.Get("Content-Type"); typ {
		case "image/jpeg", "image/gif", "application/json":
		case "application/octet-stream":
			if !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") {
				t.Errorf("record %d: not an attachment", i)
			}
		default:
			t.Errorf("record %d: type %q", i, typ)
		}
	}
	for _, path := range []string{"/api/set", "/api/rows?file=0&from=0&count=5", "/api/record?file=0&record=0", "/api/check?where=%3Cscript%3E(", "/api/find?where=has(v)", "/%3Cscript%3E"} {
		resp, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		checkHeaders(t, resp)
		if typ := resp.Header.Get("Content-Type"); typ != "application/json" && typ != "application/x-ndjson" {
			t.Errorf("%s: type %q", path, typ)
		}
		if bytes.Contains(body, []byte("<")) {
			t.Errorf("%s: the answer has unescaped markup: %.300s", path, body)
		}
		for line := range bytes.Lines(body) {
			if !json.Valid(line) {
				t.Errorf("%s: not JSON: %.300s", path, line)
			}
		}
	}
}
