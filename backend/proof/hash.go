package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// timely are a certificate's fields that say when it was made and how long it took. They are no part of the proof.
var timely = []string{"hash", "issued", "baseline_ms", "patched_ms"}

// Hash names a certificate, given as JSON, by all that it says but its times: SHA-256 in hex over the rest of its fields as
// JSON without blanks, keys sorted. Two proofs of the same inputs have the same; "" where the text is no certificate.
func Hash(cert []byte) string {
	dec := json.NewDecoder(bytes.NewReader(cert))
	dec.UseNumber()
	var fields map[string]any
	if dec.Decode(&fields) != nil || fields["state"] == nil {
		return ""
	}
	for _, name := range timely {
		delete(fields, name)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(fields) != nil {
		return ""
	}
	sum := sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return hex.EncodeToString(sum[:])
}

// Read gives the certificate of JSON text with the hash of what the text says, whatever it says of that itself: one that was
// changed, or is from before certificates had hashes, gets its own. ok is false where there is none.
func Read(text []byte) (c Certificate, ok bool) {
	if len(text) == 0 || json.Unmarshal(text, &c) != nil || c.State == "" {
		return Certificate{}, false
	}
	c.Hash = Hash(text)
	return c, true
}

// seal gives a certificate that says all it has to say its hash.
func (c *Certificate) seal() {
	text, err := json.Marshal(c)
	if err == nil { // a certificate is plain data
		c.Hash = Hash(text)
	}
}
