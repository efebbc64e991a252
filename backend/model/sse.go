package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// events reads server-sent events (WHATWG HTML, section 9.2), the stream form of OpenAI and Anthropic. It knows the
// fields that these use, event and data; lines end with LF or CRLF, as theirs do.
type events struct{ r *bufio.Reader }

func newEvents(r io.Reader) *events { return &events{bufio.NewReaderSize(r, 32<<10)} }

// next gives the next event's name and data. At the end of the stream it gives io.EOF, or io.ErrUnexpectedEOF where an
// event was cut; an event that is whole but lacks its last empty line counts.
func (e *events) next() (name string, data []byte, err error) {
	size := 0
	for {
		line, err := e.line(&size)
		if err != nil && (err != io.EOF || len(line) == 0 && len(data) == 0) {
			return "", nil, err
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "error": // how older llama.cpp servers tell of one, in place of data
			data = fmt.Appendf(data, `{"error":%s}`, value)
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		}
		if err == io.EOF {
			if isDone(data) || json.Valid(data) {
				return name, data, nil
			}
			return "", nil, io.ErrUnexpectedEOF
		}
		if len(line) == 0 {
			if data != nil {
				return name, data, nil
			}
			name = ""
		}
	}
}

// line gives the next line without its end. Size is the bytes read for this event so far.
func (e *events) line(size *int) ([]byte, error) {
	var line []byte
	for {
		part, err := e.r.ReadSlice('\n')
		line = append(line, part...)
		if *size += len(part); *size > maxAnswer {
			return nil, errLarge
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
	}
}

// eachEvent gives the data of events to take until the stream ends or take gives io.EOF. Once finish, which take sets, is
// not empty, the reply is whole: a stream that breaks while we wait for what follows costs no more than that.
func eachEvent(r io.Reader, finish *string, take func(data []byte) error) error {
	for ev := newEvents(r); ; {
		_, data, err := ev.next()
		if err == io.EOF || err != nil && *finish != "" {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(data); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// isDone says whether data is the sentinel that ends an OpenAI stream.
func isDone(data []byte) bool { return string(data) == "[DONE]" }
