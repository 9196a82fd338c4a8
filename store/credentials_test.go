package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// refusing starts a server that refuses all requests and counts them.
func refusing(t *testing.T) (address string, requests *atomic.Int64) {
	requests = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// metadata starts the metadata service of an instance, which answers every request with a status, and counts requests.
func metadata(t *testing.T, status int, body string) (address string, requests *atomic.Int64) {
	requests = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// withoutAWS clears the AWS configuration of this machine, and returns a directory for another configuration.
func withoutAWS(t *testing.T) (dir string) {
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, value) // restores the variable after the test
			os.Unsetenv(name)
		}
	}
	dir = t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	return dir
}

// TestBrokenCredentialsOfAWS checks that configured AWS credentials that fail give an error with the reason and without secrets, and that no
// request is sent.
func TestBrokenCredentialsOfAWS(t *testing.T) {
	const secret = "SECRETofThePROCESS"
	for _, c := range []struct {
		name, config string
		env          map[string]string
		want         string
	}{
		{"a process that fails", "[default]\ncredential_process = exit 3\n", nil, "credential_process: exit status 3"},
		{"a process that prints something else", "[default]\ncredential_process = echo " + secret + "\n", nil, "credential_process does not print credentials"},
		{"single sign-on without a session", "[default]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n[sso-session s]\nsso_region = us-east-1\nsso_start_url = https://example.invalid/start\n", nil, "SSO token"},
		{"a profile that is not there", "[default]\n", map[string]string{"AWS_PROFILE": "absent"}, "absent"},
		{"a key without its secret", "", map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE"}, "only one of"},
		{"a token file that is not there", "", map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "/nonexistent/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/r"}, "/nonexistent/token"},
		{"a container that does not answer", "", map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/" + secret}, "connection refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && c.config != "" && strings.Contains(c.config, "process = exit") {
				t.Skip("skipped: the text of exit codes is another on Windows")
			}
			write(t, filepath.Join(withoutAWS(t), "config"), c.config)
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			address, requests := refusing(t)
			t.Setenv("AWS_ENDPOINT_URL_S3", address)
			s := newS3(quick())
			_, err := newCachedStore(s.client, s).Open(context.Background(), "s3://bucket/x")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "AWS credentials: ") && !strings.Contains(err.Error(), "AWS configuration: ") || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if errors.Is(err, fs.ErrPermission) || requests.Load() > 0 {
				t.Errorf("%d anonymous requests were sent: %v", requests.Load(), err)
			}
		})
	}
}

// TestNoCredentialsOfAWS checks that requests are anonymous if no credentials are configured. That is found out once for all goroutines, and
// errors say it. A metadata service that fails to provide credentials is an error.
func TestNoCredentialsOfAWS(t *testing.T) {
	for _, c := range []struct {
		name      string
		status    int
		body      string
		anonymous bool
	}{
		{"no instance", 0, "", true},
		{"an instance without a role", http.StatusNotFound, "", true},
		{"an instance whose metadata is switched off", http.StatusForbidden, "", true},
		{"an instance that refuses", http.StatusBadRequest, "", false},
		{"an instance whose role has no keys", http.StatusOK, "{}", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			withoutAWS(t)
			var asked *atomic.Int64
			if c.status > 0 {
				var service string
				service, asked = metadata(t, c.status, c.body)
				t.Setenv("AWS_EC2_METADATA_DISABLED", "false")
				t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", service)
				t.Setenv("AWS_MAX_ATTEMPTS", "1")
			}
			address, requests := refusing(t)
			t.Setenv("AWS_ENDPOINT_URL_S3", address)
			s := newS3(quick())
			sys := newCachedStore(s.client, s)
			open := func() {
				_, err := sys.Open(context.Background(), "s3://bucket/x")
				if c.anonymous != errors.Is(err, fs.ErrPermission) || err == nil {
					t.Errorf("got %v", err)
				}
				if said := strings.Contains(err.Error(), "there are no AWS credentials"); said != c.anonymous {
					t.Errorf("got %v", err)
				}
			}
			open()
			if asked != nil && c.anonymous {
				asked.Store(0)
			}
			var all sync.WaitGroup
			for range 8 {
				all.Go(open)
			}
			all.Wait()
			if c.anonymous && asked != nil && asked.Load() > 0 {
				t.Errorf("the metadata service was asked %d more times", asked.Load())
			}
			if c.anonymous != (requests.Load() > 0) {
				t.Errorf("%d requests were sent", requests.Load())
			}
		})
	}
}

// TestNoMetadataWithKeys checks that the metadata service is not asked if the environment has keys.
func TestNoMetadataWithKeys(t *testing.T) {
	withoutAWS(t)
	service, asked := metadata(t, http.StatusNotFound, "")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "false")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", service)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", exampleKey)
	address, _ := refusing(t)
	t.Setenv("AWS_ENDPOINT_URL_S3", address)
	s := newS3(quick())
	_, err := newCachedStore(s.client, s).Open(context.Background(), "s3://bucket/x")
	if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "anonymous") || asked.Load() > 0 {
		t.Errorf("got %v, and the metadata service was asked %d times", err, asked.Load())
	}
}

// TestBrokenCredentialsOfGoogle checks that configured application default credentials that fail give an error with the reason, and that no
// request is sent.
func TestBrokenCredentialsOfGoogle(t *testing.T) {
	const secret = "SECRETrefreshTOKEN"
	dir := t.TempDir()
	known := filepath.Join(dir, ".config/gcloud/application_default_credentials.json")
	if runtime.GOOS == "windows" {
		known = filepath.Join(dir, "gcloud/application_default_credentials.json")
	}
	for _, c := range []struct{ name, variable, text, want string }{
		{"a file that is not there", filepath.Join(dir, "nonexistent.json"), "", "nonexistent.json"},
		{"a file that is not JSON", write(t, filepath.Join(dir, "bad.json"), "{"+secret), "", "invalid character"},
		{"a type that is not known", write(t, filepath.Join(dir, "type.json"), `{"type":"other","refresh_token":"`+secret+`"}`), "", "unknown credential type"},
		{"a broken file of gcloud", "", `{"refresh_token":"` + secret + `"`, "unexpected end of JSON input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HOME", dir)
			t.Setenv("APPDATA", dir)
			t.Setenv("STORAGE_EMULATOR_HOST", "")
			t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", c.variable)
			write(t, known, c.text)
			address, requests := refusing(t)
			g := newGCS(quick())
			g.base = address
			_, err := newCachedStore(g.client, g).Open(context.Background(), "gs://bucket/x")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "the application default credentials") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if errors.Is(err, fs.ErrPermission) || requests.Load() > 0 {
				t.Errorf("%d anonymous requests were sent: %v", requests.Load(), err)
			}
		})
	}
}

// TestEndpoint checks that the configured address of a server is validated before any request.
func TestEndpoint(t *testing.T) {
	withoutAWS(t)
	for _, bad := range []string{"not a url", "ftp://host", "https://", "https://user:" + exampleKey + "@host", "https://host?" + exampleKey} {
		t.Setenv("AWS_ENDPOINT_URL_S3", bad)
		t.Setenv("STORAGE_EMULATOR_HOST", bad)
		s, g := newS3(quick()), newGCS(quick())
		for variable, sys := range map[string]*cachedStore{"AWS_ENDPOINT_URL_S3": newCachedStore(s.client, s), "STORAGE_EMULATOR_HOST": newCachedStore(g.client, g)} {
			_, err := sys.Open(context.Background(), "x://bucket/x")
			if err == nil || !strings.Contains(err.Error(), variable+" is not the address of a server") || strings.Contains(err.Error(), exampleKey) {
				t.Errorf("%q: %v", bad, err)
			}
		}
	}
}
