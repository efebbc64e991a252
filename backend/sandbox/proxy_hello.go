package sandbox

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"time"
)

// encryptedHello is the extension in which a handshake may hide the name that it really means (RFC 9849).
const encryptedHello = 0xfe0d

// maxHello bounds the first message of a handshake.
const maxHello = 64 << 10

// readHello reads the first message of a TLS handshake and gives its bytes and the host that it names. The standard
// library's server reads it, on a connection that records and answers nothing, and is stopped there.
func readHello(r io.Reader) (hello []byte, name string, err error) {
	var seen *tls.ClientHelloInfo
	rec := &recorder{r: io.LimitReader(r, maxHello)}
	stop := errors.New("read")
	err = tls.Server(rec, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		seen = h
		return nil, stop
	}}).Handshake()
	switch {
	case seen == nil:
		return nil, "", errors.New("no TLS handshake")
	case slices.Contains(seen.Extensions, encryptedHello):
		return nil, "", errors.New("the handshake hides the host that it names")
	}
	return rec.bytes.Bytes(), seen.ServerName, nil
}

// recorder is a connection that is only read, and keeps what was.
type recorder struct {
	r     io.Reader
	bytes bytes.Buffer
}

func (c *recorder) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bytes.Write(p[:n])
	return n, err
}
func (c *recorder) Write(p []byte) (int, error)      { return 0, io.ErrClosedPipe }
func (c *recorder) Close() error                     { return nil }
func (c *recorder) LocalAddr() net.Addr              { return nil }
func (c *recorder) RemoteAddr() net.Addr             { return nil }
func (c *recorder) SetDeadline(time.Time) error      { return nil }
func (c *recorder) SetReadDeadline(time.Time) error  { return nil }
func (c *recorder) SetWriteDeadline(time.Time) error { return nil }
