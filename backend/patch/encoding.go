package patch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// Encoding says how a file's bytes are written. The zero value is UTF-8, with or without a byte order mark; the mark is
// part of the text (U+FEFF at its start), so that it survives.
type Encoding string

// The encodings that are read beside UTF-8. A file that is not valid UTF-8 and has no mark is taken for Shift-JIS when it
// decodes as such and holds kana, else for Windows-1252, where every byte has a character: whatever it really is, its
// bytes come back as they were.
const (
	UTF8        Encoding = ""
	UTF16LE     Encoding = "utf-16le" // with a byte order mark only
	UTF16BE     Encoding = "utf-16be" // with a byte order mark only
	Windows1252 Encoding = "windows-1252"
	ShiftJIS    Encoding = "shift_jis"
)

// ErrBinary is returned for content that is not text.
var ErrBinary = errors.New("binary content")

// sniffed is how much of a file is looked at for a NUL byte, as git does.
const sniffed = 8 << 10

// mark is the byte order mark as text.
const mark = "\uFEFF"

// Decode gives the text of a file and the encoding that writes it back byte for byte. What a model is shown must come
// from here, since Resolve matches against the same text. It returns an error that wraps ErrBinary for a NUL byte within
// the first 8 KiB, and for UTF-16 that cannot be written back as it was.
func Decode(data []byte) (string, Encoding, error) {
	if order, enc := utf16Order(data); order != nil {
		text, ok := decode16(data, order)
		if !ok {
			return "", "", fmt.Errorf("reading %s text: %w", enc, ErrBinary)
		}
		return text, enc, nil
	}
	if bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0 {
		return "", "", ErrBinary
	}
	if utf8.Valid(data) {
		return string(data), UTF8, nil
	}
	if text, ok := readShiftJIS(data); ok && strings.ContainsFunc(text, kana) {
		return text, ShiftJIS, nil
	}
	return decode1252(data), Windows1252, nil
}

// Encode writes text in the encoding. It returns an error that names the first character the encoding does not have.
func (e Encoding) Encode(text string) ([]byte, error) {
	switch e {
	case UTF8:
		return []byte(text), nil
	case UTF16LE:
		return encode16(text, binary.LittleEndian), nil
	case UTF16BE:
		return encode16(text, binary.BigEndian), nil
	case Windows1252:
		return encode1252(text)
	case ShiftJIS:
		return encodeShiftJIS(text)
	}
	return nil, fmt.Errorf("unknown encoding %q", string(e))
}

// decodeAs reads data in a known encoding, where Encode wrote it.
func (e Encoding) decodeAs(data []byte) (string, error) {
	switch e {
	case UTF8:
		return string(data), nil
	case UTF16LE, UTF16BE:
		order := binary.ByteOrder(binary.LittleEndian)
		if e == UTF16BE {
			order = binary.BigEndian
		}
		if text, ok := decode16(data, order); ok {
			return text, nil
		}
	case Windows1252:
		return decode1252(data), nil
	case ShiftJIS:
		text, err := japanese.ShiftJIS.NewDecoder().Bytes(data)
		if err == nil {
			return string(text), nil
		}
	}
	return "", fmt.Errorf("reading %q text: %w", string(e), ErrBinary)
}

func utf16Order(data []byte) (binary.ByteOrder, Encoding) {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}) && !bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}):
		return binary.LittleEndian, UTF16LE
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return binary.BigEndian, UTF16BE
	}
	return nil, ""
}

// decode16 reports false for an odd length and for lone surrogates, which UTF-8 text cannot hold.
func decode16(data []byte, order binary.ByteOrder) (string, bool) {
	if len(data)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	text := string(utf16.Decode(units))
	return text, bytes.Equal(encode16(text, order), data)
}

func encode16(text string, order binary.ByteOrder) []byte {
	units := utf16.Encode([]rune(text))
	out := make([]byte, 2*len(units))
	for i, u := range units {
		order.PutUint16(out[2*i:], u)
	}
	return out
}

// decode1252 reads the five bytes that Windows-1252 leaves open as the control characters of the same number, as browsers
// do (WHATWG encoding standard), so that every byte comes back.
func decode1252(data []byte) string {
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	for _, c := range data {
		r := charmap.Windows1252.DecodeByte(c)
		if r == utf8.RuneError {
			r = rune(c)
		}
		b.WriteRune(r)
	}
	return b.String()
}

func encode1252(text string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		c, ok := charmap.Windows1252.EncodeRune(r)
		if !ok && (r == 0x81 || r == 0x8D || r == 0x8F || r == 0x90 || r == 0x9D) {
			c, ok = byte(r), true
		}
		if !ok {
			return nil, fmt.Errorf("%s has no character %q", Windows1252, r)
		}
		out = append(out, c)
	}
	return out, nil
}

// decodeAll reads several states of a file in one encoding. ASCII goes with any that is written in single bytes; where
// they differ more, all are read byte by byte, which shows odd letters but loses nothing.
func decodeAll(states ...[]byte) (texts []string, enc Encoding, err error) {
	texts = make([]string, len(states))
	seen, plain := map[Encoding]bool{}, false
	for i, data := range states {
		var e Encoding
		if texts[i], e, err = Decode(data); err != nil {
			return nil, "", err
		}
		if e == UTF8 && isASCII(texts[i]) {
			plain = plain || len(data) > 0
			continue
		}
		seen[e] = true
		enc = e
	}
	wide := seen[UTF16LE] || seen[UTF16BE]
	if len(seen) == 0 || len(seen) == 1 && (!wide || !plain) {
		return texts, enc, nil
	}
	if seen[ShiftJIS] && !wide { // a state may have lost its last kana
		if texts, ok := allShiftJIS(states); ok {
			return texts, ShiftJIS, nil
		}
	}
	for i, data := range states {
		texts[i] = decode1252(data)
	}
	return texts, Windows1252, nil
}

func allShiftJIS(states [][]byte) ([]string, bool) {
	texts := make([]string, len(states))
	for i, data := range states {
		var ok bool
		if texts[i], ok = readShiftJIS(data); !ok {
			return nil, false
		}
	}
	return texts, true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// readShiftJIS reports false for bytes that would not come back as they were.
func readShiftJIS(data []byte) (string, bool) {
	text, err := ShiftJIS.decodeAs(data)
	if err != nil {
		return "", false
	}
	back, err := encodeShiftJIS(text)
	return text, err == nil && bytes.Equal(back, data)
}

// kana reports the full-width syllables, which Japanese text does not do without; the half-width ones are single bytes
// that Windows-1252 uses for accented letters.
func kana(r rune) bool { return r >= 0x3040 && r <= 0x30FF }

func encodeShiftJIS(text string) ([]byte, error) {
	out, err := japanese.ShiftJIS.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s lacks a character of the text: %w", ShiftJIS, err)
	}
	return out, nil
}
