package repo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Undo takes back what a receipt wrote, and nothing else: later edits of the person stay where they are apart from it,
// else ErrConflict names the lines. It gives the receipt that undoes the undo. Folders that Apply made are removed when they
// are empty again.
func (r *Repo) Undo(ctx context.Context, key string, rc Receipt) (Receipt, error) {
	undone, err := r.readJournal(filepath.Join(appliedDir, filepath.Base(rc.ID)+".json"))
	if err != nil {
		undone = nil // it only knows the folders to tidy up
	}
	done, err := r.apply(ctx, key, rc.Undo, undone)
	if err != nil {
		return Receipt{}, fmt.Errorf("undoing in %s: %w", r.dir, err)
	}
	return done, nil
}

// Written gives the receipt of the act with a key, where it was carried out whole and is still on record.
func (r *Repo) Written(key string) (Receipt, bool) {
	if r.state == "" || key == "" {
		return Receipt{}, false
	}
	records, _ := os.ReadDir(filepath.Join(r.state, appliedDir)) // none is fine
	for _, e := range records {
		if !strings.Contains(e.Name(), inID(key)+"-") {
			continue
		}
		if j, err := r.readJournal(filepath.Join(appliedDir, e.Name())); err == nil && j != nil && j.Key == key {
			return j.receipt(), true
		}
	}
	return Receipt{}, false
}

// inID is what stands for a key in the ID of its record.
func inID(key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return "-" + hex.EncodeToString(sum[:8])
}

// Receipts are the writes to this folder that are still on record, newest first: also those whose receipt a crash kept
// from its session.
func (r *Repo) Receipts() ([]Receipt, error) {
	if r.state == "" {
		return nil, nil
	}
	names, err := filepath.Glob(filepath.Join(r.state, appliedDir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("listing receipts: %w", err)
	}
	slices.Sort(names) // an ID begins with the time
	var list []Receipt
	for _, name := range slices.Backward(names) {
		if j, err := r.readJournal(filepath.Join(appliedDir, filepath.Base(name))); err == nil && j != nil {
			list = append(list, j.receipt())
		}
	}
	return list, nil
}
