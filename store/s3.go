package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go/logging"
)

// s3 is the backend of Amazon S3 and compatible servers.
type s3 struct {
	*client

	once     sync.Once  // guards the fields up to signer
	err      error      // error in the configuration
	config   aws.Config // of the environment and the profile; Region is never ""
	endpoint string     // URL of a compatible server; "" for Amazon's
	signer   *v4.Signer // for paths of S3: see newSigner

	anonymous atomic.Pointer[string] // reason why requests have no credentials; nil if they have

	mu      sync.Mutex        // guards regions
	regions map[string]string // regions of buckets, if they differ from the configuration
}

func newS3(c *client) *s3 {
	own := *c // a copy, because trust may change its certificates
	return &s3{client: &own, regions: map[string]string{}}
}

func (s *s3) lists() bool                        { return true }
func (s *s3) public(name string) string          { return name }
func (s *s3) split(name string) (address, error) { return bucketAddress(name) }

// configure reads the configuration once.
func (s *s3) configure() error {
	s.once.Do(func() {
		ctx, cancel := background(time.Minute)
		defer cancel()
		// The logger of the SDK would write to standard error.
		s.config, s.err = config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}))
		if s.err != nil {
			s.err = fmt.Errorf("AWS configuration: %w", withoutURL(s.err))
			return
		}
		s.trust(s.config.HTTPClient)
		variable := "AWS_ENDPOINT_URL_S3"
		s.endpoint = os.Getenv(variable)
		if s.endpoint == "" && s.config.BaseEndpoint != nil {
			s.endpoint, variable = *s.config.BaseEndpoint, "AWS_ENDPOINT_URL (or endpoint_url of the profile)"
		}
		if s.endpoint != "" {
			if s.endpoint, s.err = endpoint(s.endpoint, variable); s.err != nil {
				return
			}
		}
		if s.config.Region == "" {
			s.config.Region = "us-east-1"
		}
		s.signer = newSigner()
	})
	return s.err
}

// newSigner returns a signer for the paths of S3, which are escaped once.
func newSigner() *v4.Signer {
	return v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
}

// trust uses the certificates of AWS_CA_BUNDLE.
func (s *s3) trust(configured aws.HTTPClient) {
	with, ok := configured.(*awshttp.BuildableClient)
	own, ok2 := s.http.Transport.(*http.Transport)
	if !ok || !ok2 || with.GetTransport().TLSClientConfig == nil || with.GetTransport().TLSClientConfig.RootCAs == nil {
		return
	}
	transport := own.Clone()
	if transport.TLSClientConfig == nil {
		transport.TLSClientConfig = &tls.Config{}
	}
	transport.TLSClientConfig.RootCAs = with.GetTransport().TLSClientConfig.RootCAs
	s.http = &http.Client{Transport: transport, CheckRedirect: checkRedirect}
}

// region returns the region of a bucket, by default that of the configuration.
func (s *s3) region(bucket string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.regions[bucket]; r != "" {
		return r
	}
	return s.config.Region
}

// escape encodes a key as signatures require.
func escape(key string) string {
	var b strings.Builder
	for _, c := range []byte(key) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// emptyHash is the SHA-256 of no bytes.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// request returns a signed request. The signature covers header.
func (s *s3) request(ctx context.Context, method string, at address, query url.Values, header http.Header, body []byte) (*http.Request, error) {
	if err := s.configure(); err != nil {
		return nil, err
	}
	region := s.region(at.bucket)
	var base string
	switch {
	case s.endpoint != "":
		base = s.endpoint + "/" + at.bucket
	case strings.Contains(at.bucket, "."): // the wildcard certificate does not match
		base = "https://s3." + region + ".amazonaws.com/" + at.bucket
	default:
		base = "https://" + at.bucket + ".s3." + region + ".amazonaws.com"
	}
	address := base + "/" + escape(at.key)
	if len(query) > 0 {
		address += "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, withoutURL(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	hash := emptyHash
	if len(body) > 0 {
		sum := sha256.Sum256(body)
		hash = hex.EncodeToString(sum[:])
	}
	return req, s.sign(req, hash, region)
}

// send sends a request. If the response says that the bucket is in another region, it sends the request again.
func (s *s3) send(ctx context.Context, a *attempts, bucket string, make func() (*http.Request, error)) (*http.Response, error) {
	for moved := false; ; moved = true {
		resp, err := s.client.send(ctx, a, make)
		if err != nil || moved || !s.move(bucket, resp) {
			return resp, err
		}
		resp.Body.Close()
	}
}

// move stores the region that a response names for a bucket, and reports whether it is another region.
func (s *s3) move(bucket string, resp *http.Response) bool {
	region := resp.Header.Get("X-Amz-Bucket-Region")
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusBadRequest, http.StatusForbidden:
	default:
		return false
	}
	if region == "" || region == s.region(bucket) || s.endpoint != "" || strings.ContainsAny(region, "/.:@?#") {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.regions[bucket] = region
	return true
}

func (s *s3) fetch(ctx context.Context, a *attempts, at address, make func() (*http.Request, error)) (*http.Response, error) {
	return s.send(ctx, a, at.bucket, make)
}

func (s *s3) get(ctx context.Context, method string, at address, version string) (*http.Request, error) {
	header := http.Header{"Accept-Encoding": {"identity"}}
	if version != "" {
		header.Set("If-Match", version)
	}
	return s.request(ctx, method, at, nil, header, nil)
}

func (s *s3) version(h http.Header) string { return h.Get("ETag") }

func (s *s3) stat(ctx context.Context, at address) (attributes, error) { return statByHead(ctx, s, at) }

// read sends a request and decodes the XML of the response.
func (s *s3) read(ctx context.Context, bucket string, result any, make func() (*http.Request, error)) error {
	resp, err := s.send(ctx, &attempts{}, bucket, make)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return s.fail(resp)
	}
	defer resp.Body.Close()
	if err := xml.NewDecoder(resp.Body).Decode(result); err != nil {
		return fmt.Errorf("invalid response: %w", withoutURL(err))
	}
	return nil
}

func (s *s3) list(ctx context.Context, at address, most int, token string) (page listPage, err error) {
	query := url.Values{"list-type": {"2"}, "prefix": {at.key}, "delimiter": {"/"}, "max-keys": {strconv.Itoa(most)},
		"encoding-type": {"url"}} // XML cannot contain control characters, but keys can
	if token != "" {
		query.Set("continuation-token", token)
	}
	var answer struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []struct {
			Key          string
			Size         int64
			ETag         string
			LastModified time.Time
		}
		CommonPrefixes        []struct{ Prefix string }
		EncodingType          string
		IsTruncated           bool
		NextContinuationToken string
	}
	err = s.read(ctx, at.bucket, &answer, func() (*http.Request, error) {
		return s.request(ctx, http.MethodGet, address{bucket: at.bucket}, query, nil, nil)
	})
	if err != nil {
		return page, err
	}
	decode := func(key string) string {
		if answer.EncodingType == "url" {
			var failed error
			key, failed = url.QueryUnescape(key)
			err = errors.Join(err, failed)
		}
		return key
	}
	for _, o := range answer.Contents {
		page.objects = append(page.objects, listedObject{decode(o.Key), attributes{size: o.Size, version: o.ETag, modTime: o.LastModified}})
	}
	for _, d := range answer.CommonPrefixes {
		page.dirs = append(page.dirs, decode(d.Prefix))
	}
	if err != nil {
		return page, fmt.Errorf("invalid encoding of a key in the listing: %w", err)
	}
	if answer.IsTruncated {
		if page.next = answer.NextContinuationToken; page.next == "" || page.next == token {
			return page, errors.New("the listing is truncated without a continuation token")
		}
	}
	return page, nil
}
