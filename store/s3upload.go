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

// s3Upload uploads an object in one request, or in parts by a multipart upload.
type s3Upload struct {
	*s3
	at   address  // of the object
	id   string   // ID of the multipart upload; "" before the first part
	tags []string // ETags of the parts
	made string   // ETag of the new object
	sum  string   // ETag of the object if it is uploaded in one request: its MD5 in quotes; see ours
}

func (s *s3) upload(at address) (upload, error) { return &s3Upload{s3: s, at: at}, nil }

// remove implements backend. The service does not report whether the object existed.
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

// putWhole implements upload. The signature covers the checksum of the body.
func (u *s3Upload) putWhole(ctx context.Context, data []byte) error {
	sum := md5.Sum(data)
	u.sum = `"` + hex.EncodeToString(sum[:]) + `"`
	resp, err := u.call(ctx, http.MethodPut, nil, data)
	if err != nil {
		return err
	}
	u.made = resp.Header.Get("ETag")
	return resp.Body.Close()
}

// minPartSize implements upload.
func (u *s3Upload) minPartSize() int { return min(5<<20, u.partSize) }

// putPart implements upload.
func (u *s3Upload) putPart(ctx context.Context, data []byte) error {
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
			return errors.New("the server did not start the upload")
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
		return fmt.Errorf("the response to part %d has no ETag", number)
	}
	u.tags = append(u.tags, tag)
	return nil
}

// putLast implements upload.
func (u *s3Upload) putLast(ctx context.Context, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return u.putPart(ctx, data)
}

// complete implements upload. A response with status 200 may contain an error.
func (u *s3Upload) complete(ctx context.Context) error {
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
				return nil // made by an attempt whose response was lost
			}
			return err
		}
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		resp.Body.Close()
		var answer struct {
			XMLName xml.Name // other servers than Amazon's do not always call it CompleteMultipartUploadResult
			ETag    string
		}
		if err == nil && xml.Unmarshal(text, &answer) == nil && answer.XMLName.Local != "Error" {
			u.made = answer.ETag
			return nil
		}
		a.host = resp.Request.URL.Host
		code, message := errorText(text)
		if code != "" && code != "InternalError" && code != "SlowDown" && code != "ServiceUnavailable" {
			return fmt.Errorf("the server cannot join the parts: %s: %s", code, message)
		}
		if err == nil {
			err = fmt.Errorf("the server cannot join the parts: %s %s", code, message)
		}
		if err = u.retry(ctx, &a, withoutURL(err)); err != nil {
			return err
		}
	}
}

// isMade reports whether the object exists and consists of the parts.
func (u *s3Upload) isMade(ctx context.Context) bool {
	a, err := u.stat(ctx, u.at)
	if err != nil || !u.ours(a.version) {
		return false
	}
	u.made = a.version
	return true
}

// ours reports whether an ETag belongs to the new object. If the response of the server was lost, it compares the checksum.
func (u *s3Upload) ours(tag string) bool {
	switch {
	case u.made != "":
		return tag == u.made
	case u.id != "":
		return tag == u.partsTag()
	}
	return tag == u.sum
}

// partsTag returns the ETag of an object from parts: the MD5 of the MD5s of the parts, and their number. A server that encrypts with
// its own keys has other ETags; then the object is not recognized and is not removed.
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
		return fs.ErrNotExist // another object
	}
	return u.s3.remove(ctx, u.at)
}
