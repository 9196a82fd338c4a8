package store

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// An s3Upload is an upload of parts, or for small objects one request.
type s3Upload struct {
	*s3
	at   address
	id   string   // of the upload; "" before the first part
	tags []string // ETags of the parts
	made string   // ETag of the object
	sum  string   // what the ETag of one request should be
}

func (s *s3) upload(at address) (upload, error) { return &s3Upload{s3: s, at: at}, nil }

// remove implements backend. The service does not say whether there was an object.
func (s *s3) remove(ctx context.Context, at address) error {
	resp, err := (&s3Upload{s3: s, at: at}).call(ctx, http.MethodDelete, nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// call sends a request for the object.
func (u *s3Upload) call(ctx context.Context, method string, query url.Values, body []byte) (*http.Response, error) {
	resp, err := u.send(ctx, &attempts{}, u.at.bucket, func() (*http.Request, error) {
		header := http.Header{}
		if method == http.MethodPut {
			header.Set("Content-Type", "application/octet-stream")
		}
		return u.request(ctx, method, u.at, query, header, body)
	})
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		return nil, u.fail(resp)
	}
	return resp, nil
}

// whole implements upload. The signature has the checksum of the body.
func (u *s3Upload) whole(ctx context.Context, data []byte) error {
	sum := md5.Sum(data)
	u.sum = `"` + hex.EncodeToString(sum[:]) + `"`
	resp, err := u.call(ctx, http.MethodPut, nil, data)
	if err != nil {
		return err
	}
	u.made = resp.Header.Get("ETag")
	return resp.Body.Close()
}

// least implements upload.
func (u *s3Upload) least() int { return min(5<<20, u.partSize) }

// part implements upload.
func (u *s3Upload) part(ctx context.Context, data []byte) error {
	if u.id == "" {
		resp, err := u.call(ctx, http.MethodPost, url.Values{"uploads": {""}}, nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		var answer struct {
			XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
			UploadID string   `xml:"UploadId"`
		}
		if err := xml.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.UploadID == "" {
			return errors.New("the server begins no upload")
		}
		u.id = answer.UploadID
	}
	number := len(u.tags) + 1
	const most = 10_000
	if number > most {
		return fmt.Errorf("an object has at most %d parts: write more shards", most)
	}
	resp, err := u.call(ctx, http.MethodPut, url.Values{"partNumber": {strconv.Itoa(number)}, "uploadId": {u.id}}, data)
	if err != nil {
		return err
	}
	resp.Body.Close()
	tag := resp.Header.Get("ETag")
	if tag == "" {
		return fmt.Errorf("the server gives part %d no ETag", number)
	}
	u.tags = append(u.tags, tag)
	return nil
}

// last implements upload.
func (u *s3Upload) last(ctx context.Context, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return u.part(ctx, data)
}

// finish implements upload. The status may be 200 and the body an error.
func (u *s3Upload) finish(ctx context.Context) error {
	type part struct {
		PartNumber int
		ETag       string
	}
	list := struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CompleteMultipartUpload"`
		Part    []part
	}{}
	for i, tag := range u.tags {
		list.Part = append(list.Part, part{i + 1, tag})
	}
	body, err := xml.Marshal(list)
	if err != nil {
		return err
	}
	var a attempts
	for {
		resp, err := u.call(ctx, http.MethodPost, url.Values{"uploadId": {u.id}}, body)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) && u.isMade(ctx) {
				return nil // by an attempt whose answer was lost
			}
			return err
		}
		text, err := io.ReadAll(io.LimitReader(resp.Body, mostErrorBody))
		resp.Body.Close()
		var answer struct {
			XMLName xml.Name // servers that are not Amazon's have other names than CompleteMultipartUploadResult
			ETag    string
		}
		if err == nil && xml.Unmarshal(text, &answer) == nil && answer.XMLName.Local != "Error" {
			u.made = answer.ETag
			return nil
		}
		a.host = resp.Request.URL.Host
		code, message := errorText(text)
		if code != "" && code != "InternalError" && code != "SlowDown" && code != "ServiceUnavailable" {
			return fmt.Errorf("the server does not put the parts together: %s: %s", code, message)
		}
		if err == nil {
			err = fmt.Errorf("the server does not put the parts together: %s %s", code, message)
		}
		if err = u.retry(ctx, &a, withoutURL(err)); err != nil {
			return err
		}
	}
}

// isMade reports whether the object is that of the parts.
func (u *s3Upload) isMade(ctx context.Context) bool {
	a, err := u.stat(ctx, u.at)
	if err != nil || !u.ours(a.version) {
		return false
	}
	u.made = a.version
	return true
}

// ours reports whether an ETag is that of the object that was written. Where the answer of the server was lost, it is known by
// the checksum.
func (u *s3Upload) ours(tag string) bool {
	switch {
	case u.made != "":
		return tag == u.made
	case u.id != "":
		return tag == u.partsTag()
	}
	return tag == u.sum
}

// partsTag is the ETag of an object of parts: the MD5 of the MD5s of the parts, and their number. A server that encrypts with
// keys of its own has other ETags; then the object is not recognized, and stays.
func (u *s3Upload) partsTag() string {
	var sums []byte
	for _, tag := range u.tags {
		sum, _ := hex.DecodeString(strings.Trim(tag, `"`))
		sums = append(sums, sum...)
	}
	return fmt.Sprintf(`"%x-%d"`, md5.Sum(sums), len(u.tags))
}

// cancel implements upload.
func (u *s3Upload) cancel(ctx context.Context) error {
	if u.id == "" {
		return nil
	}
	resp, err := u.call(ctx, http.MethodDelete, url.Values{"uploadId": {u.id}}, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// remove implements upload.
func (u *s3Upload) remove(ctx context.Context) error {
	a, err := u.stat(ctx, u.at)
	if err != nil {
		return err
	}
	if !u.ours(a.version) {
		return fs.ErrNotExist // it is another
	}
	return u.s3.remove(ctx, u.at)
}
