package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// demux splits an attached container's output into its two streams until the end.
//
// A frame is 8 bytes [stream, 0, 0, 0, length big-endian] and then length bytes; 0 and 1 are stdout, 2 is stderr, 3 is an
// error of the server. Frames cut lines and UTF-8 sequences anywhere. An end between two frames is a good end (nil).
func demux(r io.Reader, stdout, stderr io.Writer) error {
	var head [8]byte
	for {
		if _, err := io.ReadFull(r, head[:]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a frame's head: %w", err)
		}
		n := int64(binary.BigEndian.Uint32(head[4:]))
		if head[1]|head[2]|head[3] != 0 {
			return fmt.Errorf("reading a frame's head: % x is not one; is the output not in frames?", head)
		}
		w := stdout
		switch head[0] {
		case 0, 1:
		case 2:
			w = stderr
		case 3:
			msg, _ := io.ReadAll(io.LimitReader(r, min(n, 64<<10))) // what came is all there is to tell
			return fmt.Errorf("podman ended the output: %s", msg)
		default:
			return fmt.Errorf("reading a frame's head: unknown stream %d", head[0])
		}
		if _, err := io.CopyN(w, r, n); err != nil {
			return fmt.Errorf("reading a frame of %d bytes: %w", n, err)
		}
	}
}
