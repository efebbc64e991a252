package app

import (
	"net"
	"strings"
	"testing"
	"time"
)

// A server of vectors that takes the call and says nothing costs the doctor two seconds, not ten.
func TestTheDoctorDoesNotWaitForADeadEmbedder(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := testCore(t)
	if _, err := c.change(func(s Settings) Settings {
		s.Embedder, s.BaseURLs = "openai/text-embedding-3-small", map[string]string{"openai": "http://" + silent.Addr().String() + "/v1"}
		return s
	}); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	checks := c.embedderCheck(t.Context())
	if took := time.Since(begin); took > embedderProbe+time.Minute || took < embedderProbe {
		t.Errorf("it took %s", took)
	}
	if len(checks) != 1 || checks[0].OK || !strings.Contains(checks[0].Detail, "did not answer within 2s") || checks[0].Fix == "" {
		t.Errorf("%+v", checks)
	}
}
