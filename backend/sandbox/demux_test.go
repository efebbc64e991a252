package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// frame makes one frame of an attached stream.
func frame(stream byte, payload string) string {
	head := [8]byte{stream}
	binary.BigEndian.PutUint32(head[4:], uint32(len(payload)))
	return string(head[:]) + payload
}

func TestDemux(t *testing.T) {
	t.Parallel()
	euro := "€"
	for _, c := range []struct {
		name, in, stdout, stderr, err string
	}{
		{"nothing", "", "", "", ""},
		{"both", frame(1, "a") + frame(2, "b") + frame(1, "c"), "ac", "b", ""},
		{"stream 0 is stdout", frame(0, "a"), "a", "", ""},
		{"empty frame", frame(1, "") + frame(1, "x"), "x", "", ""},
		{"a character in two frames", frame(1, euro[:1]) + frame(2, "!") + frame(1, euro[1:]), euro, "!", ""},
		{"cut in the head", frame(1, "a") + "\x01\x00", "a", "", "frame's head"},
		{"cut in the payload", frame(1, "abc")[:9], "a", "", "frame of 3 bytes"},
		{"server error", frame(1, "a") + frame(3, "boom"), "a", "", "boom"},
		{"unknown stream", frame(7, "a"), "", "", "unknown stream 7"},
		{"no frames", "plain text output", "", "", "not in frames"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{"whole": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in))} {
				var out, errs bytes.Buffer
				err := demux(r, &out, &errs)
				if out.String() != c.stdout || errs.String() != c.stderr {
					t.Errorf("%s: stdout %q stderr %q", name, out.String(), errs.String())
				}
				if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s: error %v, want %q", name, err, c.err)
				}
			}
		})
	}
	if err := demux(iotest.ErrReader(errors.New("reset")), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "reset") {
		t.Errorf("a reset connection gives %v", err)
	}
}

func FuzzDemux(f *testing.F) {
	f.Add([]byte(frame(1, "a") + frame(2, "b")))
	f.Add([]byte("\x01\x00\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out, errs bytes.Buffer
		_ = demux(bytes.NewReader(in), &out, &errs)
		if out.Len()+errs.Len() > len(in) {
			t.Errorf("%d bytes became %d", len(in), out.Len()+errs.Len())
		}
	})
}

func TestCapture(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		limit  int64
		writes []string
		want   string
		cut    bool
	}{
		{"fits", 10, []string{"hello", "world"}, "helloworld", false},
		{"one too many", 10, []string{"helloworld!"}, "hello\n[redgreen: 1 bytes left out here]\norld!", true},
		{"in pieces", 4, []string{"a", "b", "c", "d", "e", "f", "g"}, "ab\n[redgreen: 3 bytes left out here]\nfg", true},
		{"a big last write", 4, []string{"abc", "0123456789"}, "ab\n[redgreen: 9 bytes left out here]\n89", true},
		{"characters stay whole", 8, []string{"€€", "xxxx", "€€"}, "€\n[redgreen: 10 bytes left out here]\n€", true},
		{"limit 1", 1, []string{"ab"}, "a\n[redgreen: 1 bytes left out here]\n", true},
		{"binary", 4, []string{"\xff\xfe\xfd\xfc\xfb\xfa"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newCapture(c.limit, nil)
			for _, w := range c.writes {
				if n, err := k.Write([]byte(w)); n != len(w) || err != nil {
					t.Fatal(n, err)
				}
			}
			got, cut := k.bytes()
			if cut != c.cut || c.want != "" && string(got) != c.want {
				t.Errorf("got %q (cut %v), want %q", got, cut, c.want)
			}
		})
	}
}

func TestCaptureStops(t *testing.T) {
	t.Parallel()
	calls := 0
	k := newCapture(10, func() { calls++ })
	for range 100 {
		k.Write(bytes.Repeat([]byte("x"), 20))
	}
	if calls != 1 {
		t.Errorf("the hard limit was called %d times", calls)
	}
}

// FuzzCapture holds the capture against the obvious way to do it.
func FuzzCapture(f *testing.F) {
	f.Add([]byte("héllo wörld, this is long"), uint8(7), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, limit, step uint8) {
		k := newCapture(int64(limit)+1, nil)
		size := int(step) + 1
		for rest := in; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			k.Write(rest[:min(size, len(rest))])
		}
		got, cut := k.bytes()
		if cut != (len(in) > int(limit)+1) {
			t.Fatalf("%d bytes of %d kept, cut %v", limit, len(in), cut)
		}
		if !cut && !bytes.Equal(got, in) {
			t.Fatalf("%q became %q", in, got)
		}
		head, tail, _ := bytes.Cut(got, []byte("\n[redgreen: "))
		if cut {
			_, tail, _ = bytes.Cut(tail, []byte("here]\n"))
			if !bytes.HasPrefix(in, head) || !bytes.HasSuffix(in, tail) {
				t.Fatalf("%q became %q", in, got)
			}
			if utf8.Valid(in) && !utf8.Valid(got) {
				t.Fatalf("%q became %q, which is no text", in, got)
			}
		}
	})
}
