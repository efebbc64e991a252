package model

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// readEvents gives the events of a stream as "name|data", and the error that ended it.
func readEvents(r io.Reader) ([]string, error) {
	var got []string
	for ev := newEvents(r); ; {
		name, data, err := ev.next()
		if err != nil {
			return got, err
		}
		got = append(got, name+"|"+string(data))
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []string
		err      error
	}{
		{"plain", "data: {}\n\ndata: [DONE]\n\n", []string{"|{}", "|[DONE]"}, io.EOF},
		{"named", "event: ping\ndata: {\"a\": 1}\n\n", []string{`ping|{"a": 1}`}, io.EOF},
		{"CRLF", "event: x\r\ndata: {}\r\n\r\n", []string{"x|{}"}, io.EOF},
		{"no space", "data:{}\n\n", []string{"|{}"}, io.EOF},
		{"two spaces", "data:  {}\n\n", []string{"| {}"}, io.EOF},
		{"many lines", "data: {\ndata: }\n\n", []string{"|{\n}"}, io.EOF},
		{"comments and other fields", ": keep-alive\n\nid: 7\nretry: 3\ndata: {}\n\n", []string{"|{}"}, io.EOF},
		{"a name without data is nothing", "event: x\n\ndata: {}\n\n", []string{"|{}"}, io.EOF},
		{"no last empty line", "data: {}\n", []string{"|{}"}, io.EOF},
		{"no last line end", "data: [DONE]", []string{"|[DONE]"}, io.EOF},
		{"cut within", "data: {}\n\ndata: {\"a\": \"b", []string{"|{}"}, io.ErrUnexpectedEOF},
		{"cut in a field", "data: {}\n\nda", []string{"|{}"}, io.ErrUnexpectedEOF},
		{"empty", "", nil, io.EOF},
		{"a line without end", "data: " + strings.Repeat("x", maxAnswer), nil, errLarge},
		{"lines without end", strings.Repeat("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", maxAnswer/32), nil, errLarge},
	} {
		for kind, r := range map[string]io.Reader{"whole": strings.NewReader(c.in), "half reads": iotest.HalfReader(strings.NewReader(c.in))} {
			got, err := readEvents(r)
			if diff := cmp.Diff(c.want, got); diff != "" || !errors.Is(err, c.err) {
				t.Errorf("%s, %s: ended with %v: %s", c.name, kind, err, diff)
			}
		}
	}
	_, err := readEvents(io.MultiReader(strings.NewReader("data: {}\n\n"), iotest.ErrReader(io.ErrClosedPipe)))
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a read that fails ends with %v", err)
	}
}

// FuzzEvents holds that a stream reads the same however it arrives.
func FuzzEvents(f *testing.F) {
	f.Add("data: {}\n\nevent: x\r\ndata: 1\r\n\r\n: c\n\ndata: [DONE]")
	f.Add("data\n\ndata:\n\n\xff: \n")
	f.Fuzz(func(t *testing.T, in string) {
		whole, err1 := readEvents(strings.NewReader(in))
		bytes, err2 := readEvents(iotest.OneByteReader(strings.NewReader(in)))
		if diff := cmp.Diff(whole, bytes); diff != "" || err1 != err2 {
			t.Errorf("%v and %v: %s", err1, err2, diff)
		}
	})
}
