package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// What a picture's file holds beside the picture (texts, the place and the camera, thumbnails, further frames, bytes after its
// end) is nothing that a person sees, and so nothing that may go to a model or into a record without their knowing. Of each
// format only the parts that draw the picture are taken over, byte by byte as they are: nothing is encoded anew. Colour profiles
// hold texts too, and a model tells no colours apart by them.

var errEarly = errors.New("it ends too early")

// odd is why a picture is not taken that is whole, and what to do.
type odd string

func (o odd) Error() string { return string(o) }

// barePNG takes over the chunks that every PNG reader must know, and transparency (PNG, third edition, 5.6).
func barePNG(data []byte) ([]byte, error) {
	out, rest := slices.Clone(data[:8]), data[8:]
	for len(rest) >= 12 {
		size := 12 + int64(binary.BigEndian.Uint32(rest))
		if size > int64(len(rest)) {
			break
		}
		kind := string(rest[4:8])
		switch kind {
		case "IHDR", "PLTE", "tRNS", "IDAT", "IEND":
			out = append(out, rest[:size]...)
		}
		if kind == "IEND" {
			return out, nil
		}
		rest = rest[size:]
	}
	return nil, errEarly
}

// mostScans bounds the passes over a JPEG: each takes time by the picture's size and not by its own. Encoders make about ten.
const mostScans = 100

// bareJPEG takes over tables, frames and scans, and of the application's segments that which way up the picture is and how its
// colours are meant (ITU T.81, annex B; JFIF 1.02; Exif 2.32, 4.6.4).
func bareJPEG(data []byte) ([]byte, error) {
	out, rest, scans := slices.Clone(data[:2]), data[2:], 0
	for len(rest) >= 2 {
		marker := rest[1]
		if rest[0] != 0xff || marker == 0 || marker == 0xff { // fill bytes, and what readers pass over
			rest = rest[1:]
			continue
		}
		if marker == 0xd9 { // the end
			return append(out, rest[:2]...), nil
		}
		if marker == 0x01 || marker >= 0xd0 && marker <= 0xd8 { // these have no length
			rest = rest[2:]
			continue
		}
		if len(rest) < 4 {
			break
		}
		size := 2 + int(binary.BigEndian.Uint16(rest[2:]))
		if size < 4 || size > len(rest) {
			break
		}
		if marker == 0xda { // a scan, and its data up to the next marker
			if scans++; scans > mostScans {
				return nil, odd(fmt.Sprintf("the JPEG picture is drawn in more than %d passes, which no camera or program does; save it anew", mostScans))
			}
			size += scanned(rest[size:])
		}
		out = append(out, keptJPEG(marker, rest[:size])...)
		rest = rest[size:]
	}
	return nil, errEarly
}

// scanned is the length of a scan's data.
func scanned(data []byte) int {
	for i := 0; i+1 < len(data); i++ {
		if next := data[i+1]; data[i] == 0xff && next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7) {
			return i
		}
	}
	return len(data)
}

// keptJPEG is what is taken over of a segment.
func keptJPEG(marker byte, segment []byte) []byte {
	body := segment[4:]
	switch {
	case marker >= 0xc0 && marker <= 0xcf, marker == 0xda, marker == 0xdb, marker == 0xdd:
		return segment
	case marker == 0xe0 && begins(body, "JFIF\x00"): // without its thumbnail
		return []byte("\xff\xe0\x00\x10JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00")
	case marker == 0xee && len(body) == 12 && begins(body, "Adobe"):
		return segment
	case marker == 0xe1 && begins(body, "Exif\x00\x00"):
		if way := orientation(body[6:]); way > 1 {
			return append([]byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), way, 0, 0, 0, 0, 0, 0)
		}
	}
	return nil
}

func begins(data []byte, with string) bool {
	return len(data) >= len(with) && string(data[:len(with)]) == with
}

// orientation is the tag of Exif that says which way up a picture is, 1 to 8, 0 where it says nothing.
func orientation(tiff []byte) byte {
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 0
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == 0x112 {
			if way := order.Uint16(entries[8:]); way <= 8 {
				return byte(way)
			}
			break
		}
		entries = entries[12:]
	}
	return 0
}

// bareGIF takes over the first picture, and which of its colours is transparent (GIF89a, 17 to 27).
func bareGIF(data []byte) ([]byte, error) {
	if len(data) < 13 {
		return nil, errEarly
	}
	head := 13 + gifTable(data[10])
	if head > len(data) {
		return nil, errEarly
	}
	out, rest, control := slices.Clone(data[:head]), data[head:], []byte(nil)
	for len(rest) > 10 {
		begin := 2 // an extension
		if rest[0] == 0x2c {
			begin = 11 + gifTable(rest[9])
		} else if rest[0] != 0x21 {
			return nil, errors.New("it holds no picture")
		}
		size := begin + gifBlocks(rest[min(begin, len(rest)):])
		if size > len(rest) {
			break
		}
		if rest[0] == 0x2c {
			return append(append(append(out, control...), rest[:size]...), 0x3b), nil
		}
		if rest[1] == 0xf9 && size == 8 {
			control = rest[:size]
		}
		rest = rest[size:]
	}
	return nil, errEarly
}

// gifTable is the length of a colour table, by the byte of flags that tells of it.
func gifTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// gifBlocks is the length of a row of blocks with its end; more than the data has where that is cut off.
func gifBlocks(data []byte) int {
	for at := 0; at < len(data); at += int(data[at]) + 1 {
		if data[at] == 0 {
			return at + 1
		}
	}
	return len(data) + 1
}

// bareWebP takes over the chunks of a still picture (RFC 9649, 2.5 to 2.7).
func bareWebP(data []byte) ([]byte, error) {
	const alpha, moves = 0x10, 0x02
	out, rest := slices.Clone(data[:12]), data[12:]
	for drawn := false; !drawn; {
		if len(rest) < 8 {
			return nil, errEarly
		}
		size := 8 + int64(binary.LittleEndian.Uint32(rest[4:]))
		padded := size + size&1
		if size > int64(len(rest)) {
			return nil, errEarly
		}
		chunk := slices.Clone(rest[:size])
		if size&1 == 1 {
			chunk = append(chunk, 0)
		}
		switch kind := string(chunk[:4]); kind {
		case "VP8X":
			if size < 18 {
				return nil, errEarly
			}
			if chunk[8]&moves != 0 {
				return nil, odd("the WebP picture moves, and only still ones are taken; save one moment of it as PNG")
			}
			chunk[8] &= alpha
			out = append(out, chunk...)
		case "VP8 ", "VP8L", "ALPH":
			out = append(out, chunk...)
			drawn = kind != "ALPH"
		}
		rest = rest[min(padded, int64(len(rest))):]
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out, nil
}
