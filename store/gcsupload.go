package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// gcsUpload uploads an object in one request, or in parts by a resumable upload.
type gcsUpload struct {
	*gcs
	at      address // of the new object
	session string  // URL of the resumable upload, which is a credential; "" before the first part
	sent    int64   // number of bytes that the server has
	rest    []byte  // data for complete
	crc     uint32  // CRC-32C of all data
	size    int64   // size of all data
	made    string  // generation of the new object
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (g *gcs) upload(at address) (upload, error) { return &gcsUpload{gcs: g, at: at}, nil }

func (u *gcsUpload) add(data []byte) {
	u.crc = crc32.Update(u.crc, castagnoli, data)
	u.size += int64(len(data))
}

// checksum returns the CRC-32C of all data in the format of the API.
func (u *gcsUpload) checksum() string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, u.crc))
}

func (u *gcsUpload) path() string { return "/upload/storage/v1/b/" + u.at.bucket + "/o" }

// putWhole implements upload.
func (u *gcsUpload) putWhole(ctx context.Context, data []byte) error {
	u.add(data)
	query := url.Values{"uploadType": {"media"}, "name": {u.at.key}, "fields": {gcsFields}}
	resp, err := u.send(ctx, &attempts{}, func() (*http.Request, error) {
		req, err := u.request(ctx, http.MethodPost, u.path(), query, bytes.NewReader(data))
		if err == nil {
			req.Header.Set("Content-Type", "application/octet-stream")
			req.Header.Set("X-Goog-Hash", "crc32c="+u.checksum())
		}
		return req, err
	})
	if err != nil {
		return err
	}
	return u.accept(resp)
}

// accept checks that the new object has the size and checksum of the data.
func (u *gcsUpload) accept(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return u.fail(resp)
	}
	defer resp.Body.Close()
	var o gcsObject
	if err := json.NewDecoder(resp.Body).Decode(&o); err != nil {
		return fmt.Errorf("invalid response: %w", withoutURL(err))
	}
	u.made = o.Generation
	if o.CRC32C != u.checksum() || o.Size != strconv.FormatInt(u.size, 10) {
		return fmt.Errorf("the server has other data: %s bytes with CRC-32C %s, want %d with %s", oneLine(o.Size), oneLine(o.CRC32C), u.size, u.checksum())
	}
	return nil
}

// begin starts a resumable upload.
func (u *gcsUpload) begin(ctx context.Context) error {
	query := url.Values{"uploadType": {"resumable"}, "name": {u.at.key}, "fields": {gcsFields}}
	resp, err := u.send(ctx, &attempts{}, func() (*http.Request, error) {
		req, err := u.request(ctx, http.MethodPost, u.path(), query, strings.NewReader("{}"))
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
		}
		return req, err
	})
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return u.fail(resp)
	}
	resp.Body.Close()
	session, err := resp.Location()
	if err != nil || session.Scheme != "https" && session.Scheme != "http" || session.Host == "" {
		return errors.New("the server did not start the upload")
	}
	u.session = session.String()
	return nil
}

// minPartSize implements upload.
func (u *gcsUpload) minPartSize() int { return partStep }

// putPart implements upload.
func (u *gcsUpload) putPart(ctx context.Context, data []byte) error {
	if u.session == "" {
		if err := u.begin(ctx); err != nil {
			return err
		}
	}
	u.add(data)
	return u.put(ctx, data, -1)
}

// putLast implements upload. The last byte creates the object, so the data is kept for complete.
func (u *gcsUpload) putLast(_ context.Context, data []byte) error {
	u.add(data)
	u.rest = data
	return nil
}

// complete implements upload.
func (u *gcsUpload) complete(ctx context.Context) error { return u.put(ctx, u.rest, u.size) }

// put sends data after the data that the server has. total is the size of the object if data is the last data, else -1. After an
// error, put asks the server how many bytes have arrived.
func (u *gcsUpload) put(ctx context.Context, data []byte, total int64) error {
	end := u.sent + int64(len(data))
	size := "*"
	if total >= 0 {
		size = strconv.FormatInt(total, 10)
	}
	var a attempts
	for ask := false; ; {
		span, body := "*", []byte(nil)
		if !ask && u.sent < end {
			span, body = fmt.Sprintf("%d-%d", u.sent, end-1), data[int64(len(data))-(end-u.sent):]
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, u.session, bytes.NewReader(body))
		if err != nil {
			return withoutURL(err)
		}
		req.Header.Set("Content-Range", "bytes "+span+"/"+size)
		if err := u.authorize(req); err != nil {
			return err
		}
		resp, err := u.do(&a, req)
		switch {
		case err != nil:
		case resp.StatusCode == http.StatusPermanentRedirect: // "resume incomplete"
			resp.Body.Close()
			before := u.sent
			if u.sent, err = u.received(resp.Header.Get("Range"), end); err != nil {
				return err
			}
			if u.sent == end && total < 0 {
				return nil
			}
			if u.sent > before {
				a.progress()
			}
			// Send the missing bytes; if the server accepted none, wait first.
			if ask = false; u.sent > before || span == "*" {
				continue
			}
			err = errors.New("the server accepts no data")
		case transientStatus(resp.StatusCode):
			a.after = retryAfter(resp.Header.Get("Retry-After"))
			err = newStatusError(resp)
		case total < 0:
			if resp.StatusCode < 300 {
				resp.Body.Close()
				return errors.New("the server created the object too early")
			}
			return u.fail(resp)
		default:
			return u.accept(resp)
		}
		if err = u.retry(ctx, &a, err); err != nil {
			return err
		}
		ask = true
	}
}

// received parses the number of bytes that the server has: "bytes=0-9" is 10, "" is 0.
func (u *gcsUpload) received(text string, end int64) (int64, error) {
	if text == "" {
		if u.sent > 0 {
			return 0, errors.New("the server lost data")
		}
		return 0, nil
	}
	last, err := strconv.ParseInt(strings.TrimPrefix(text, "bytes=0-"), 10, 64)
	if err != nil || last+1 < u.sent || last+1 > end {
		return 0, fmt.Errorf("the server has %q of the data, want %d to %d bytes", oneLine(text), u.sent, end)
	}
	return last + 1, nil
}

// cancel implements upload.
func (u *gcsUpload) cancel(ctx context.Context) error {
	if u.session == "" {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, u.session, nil)
	if err != nil {
		return withoutURL(err)
	}
	u.authorize(req)
	resp, err := u.do(&attempts{}, req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// remove implements upload. If the response of the server was lost, it recognizes the object by its checksum.
func (u *gcsUpload) remove(ctx context.Context) error {
	generation := u.made
	if generation == "" {
		var o gcsObject
		if err := u.call(ctx, objectPath(u.at), url.Values{"fields": {gcsFields}}, &o); err != nil {
			return err
		}
		if o.CRC32C != u.checksum() || o.Size != strconv.FormatInt(u.size, 10) {
			return fs.ErrNotExist // another object
		}
		generation = o.Generation
	}
	return u.removeIf(ctx, u.at, url.Values{"ifGenerationMatch": {generation}})
}

func (g *gcs) remove(ctx context.Context, at address) error { return g.removeIf(ctx, at, nil) }

// removeIf removes an object if a condition holds.
func (g *gcs) removeIf(ctx context.Context, at address, condition url.Values) error {
	resp, err := g.send(ctx, &attempts{}, func() (*http.Request, error) {
		return g.request(ctx, http.MethodDelete, objectPath(at), condition, nil)
	})
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 && resp.StatusCode != http.StatusPreconditionFailed {
		return g.fail(resp)
	}
	return resp.Body.Close()
}
