package store

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io/fs"
	"strings"
	"unicode"
)

// errorText returns the code and the message of an error of S3 (XML) or Google (JSON).
func errorText(body []byte) (code, message string) {
	body = bytes.TrimSpace(body)
	switch {
	case bytes.HasPrefix(body, []byte("{")):
		var e struct {
			Error struct {
				Message string
				Errors  []struct{ Reason string }
			}
		}
		if json.Unmarshal(body, &e) == nil {
			if len(e.Error.Errors) > 0 {
				code = e.Error.Errors[0].Reason
			}
			message = e.Error.Message
		}
	case bytes.HasPrefix(body, []byte("<")):
		var e struct {
			XMLName xml.Name `xml:"Error"`
			Code    string
			Message string
		}
		if xml.Unmarshal(body, &e) == nil {
			code, message = e.Code, e.Message
		}
	}
	return oneLine(code), oneLine(message)
}

// oneLine makes text of a server suitable for an error message.
func oneLine(text string) string {
	const most = 300
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// pathError adds the operation and the name to an error, as package os does. It does not change context.Canceled.
func pathError(op, name string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
