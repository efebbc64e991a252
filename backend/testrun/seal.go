package testrun

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// A report lies where the code under test can write too. So our reporters seal it: each line begins with the HMAC-SHA256
// (RFC 2104) of the seal before and the line, under a key that the reporter reads and removes before it lets any code of
// the folder run. Code in the same process can still dig for the key or patch the runner; code that only writes a file cannot.

// seal makes a key for this run's report and names the report to the reporter.
func (j *job) seal() error {
	j.key = make([]byte, 32)
	_, _ = rand.Read(j.key) // never fails
	if err := os.WriteFile(filepath.Join(j.out, j.name+".key"), j.key, 0o644); err != nil {
		return fmt.Errorf("writing the key of the test report: %w", err)
	}
	j.spec.Env["REDGREEN_REPORT"] = j.report()
	return nil
}

// unseal takes the seals off. tampered tells that a whole line does not have the seal that its place asks for; what comes
// before it is kept. A last line that was cut off is left out, and whole is false.
func unseal(report, key []byte) (lines []byte, whole, tampered bool) {
	mac := hmac.New(sha256.New, key)
	lines = make([]byte, 0, len(report))
	var last []byte
	sum := make([]byte, 0, sha256.Size)
	for len(report) > 0 {
		line, rest, ends := bytes.Cut(report, []byte("\n"))
		if !ends {
			return lines, false, false
		}
		seal, text, _ := bytes.Cut(line, []byte(" "))
		mac.Reset()
		mac.Write(last)
		mac.Write(text)
		sum = mac.Sum(sum[:0])
		given, err := hex.DecodeString(string(seal))
		if err != nil || !hmac.Equal(given, sum) {
			return lines, true, true
		}
		lines = append(append(lines, text...), '\n')
		last, report = seal, rest
	}
	return lines, true, false
}
