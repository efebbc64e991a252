package index

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// sealFile holds the checksum of the file that lists the keyword segments, from Close to the next Open. bolt maps that
// file into memory and trusts it: one with flipped bits ends the process. A process that is killed leaves no seal; what
// it wrote is whole, since bolt writes pages before it points to them.
const sealFile = "seal"

func rootSum(dir string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(dir, keywordsDir, "store", "root.bolt"))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return sum[:], nil
}

// seal is called when the keyword index was closed.
func seal(dir string) error {
	sum, err := rootSum(dir)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, sealFile), sum, 0o600)
	}
	if err != nil {
		return fmt.Errorf("sealing the keyword index: %w", err)
	}
	return nil
}

// breakSeal compares and removes the seal. It is called before the keyword index is opened for writing.
func breakSeal(dir string) error {
	name := filepath.Join(dir, sealFile)
	want, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	sum, err := rootSum(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(sum, want) {
		return fmt.Errorf("%w: the keyword index changed while it was closed", errDamaged)
	}
	return os.Remove(name)
}
