package session

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
)

// PutBody stores data once, compressed, with secrets replaced, and gives the hex SHA-256 of what was stored.
func (s *Store) PutBody(ctx context.Context, data []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("storing a body: %w", err)
	}
	clean, _ := s.redact(string(data))
	sum := sha256.Sum256([]byte(clean))
	hash := hex.EncodeToString(sum[:])
	_, err := s.write.ExecContext(context.WithoutCancel(ctx), `INSERT INTO bodies (hash, size, data) VALUES (?, ?, ?)
		ON CONFLICT (hash) DO NOTHING`, hash, len(clean), s.enc.EncodeAll([]byte(clean), nil))
	if err != nil {
		return "", fmt.Errorf("storing a body: %w", explain(s.path, err))
	}
	return hash, nil
}

// Body reads a body by its hash and checks that it is the one that was stored (ErrCorrupt); ErrNotFound where there is none.
func (s *Store) Body(ctx context.Context, hash string) ([]byte, error) {
	var packed []byte
	err := s.read.QueryRowContext(ctx, `SELECT data FROM bodies WHERE hash = ?`, hash).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("body %s: %w", hash, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("reading body %s: %w", hash, explain(s.path, err))
	}
	data, err := s.dec.DecodeAll(packed, []byte{})
	if err != nil {
		return nil, fmt.Errorf("%w: body %s cannot be unpacked: %w", ErrCorrupt, hash, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("%w: body %s is not what was stored", ErrCorrupt, hash)
	}
	return data, nil
}
