package session

import (
	"context"
	"fmt"
	"time"
)

// watchEvery is how often Watch asks whether another process wrote. The question is one read of the file's header.
const watchEvery = 250 * time.Millisecond

// Watch tells the subscribers of what other processes write too, until ctx ends: so a second window or terminal follows a
// session live. Blocks; run it in a goroutine of its own. Its notices come on that goroutine.
func (s *Store) Watch(ctx context.Context) error {
	conn, err := s.read.Conn(ctx) // data_version tells what changed since the same connection last asked
	if err != nil {
		return fmt.Errorf("watching the session store: %w", explain(s.path, err))
	}
	defer conn.Close()
	var version int64
	var since int64 // Unix nanoseconds: sessions written before are known
	if err := conn.QueryRowContext(ctx, `SELECT coalesce(max(updated), 0) FROM sessions`).Scan(&since); err != nil {
		return fmt.Errorf("watching the session store: %w", explain(s.path, err))
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var now int64
		if err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&now); err != nil || now == version {
			if ctx.Err() == nil && err != nil {
				return fmt.Errorf("watching the session store: %w", explain(s.path, err))
			}
			continue
		}
		version = now
		if since, err = s.tellNews(ctx, since); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// tellNews gives notice of the events at or after a time that this process neither wrote nor told of yet, and gives the
// time of the newest.
func (s *Store) tellNews(ctx context.Context, since int64) (int64, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT s.id, e.seq, e.kind, s.updated FROM sessions s JOIN events e ON e.session = s.key AND e.time >= ?
		WHERE s.updated >= ? ORDER BY s.key, e.seq`, since, since)
	if err != nil {
		return since, fmt.Errorf("watching the session store: %w", explain(s.path, err))
	}
	var news []Notice
	newest := since
	for rows.Next() {
		var n Notice
		var updated int64
		if err := rows.Scan(&n.Session, &n.Seq, &n.Kind, &updated); err != nil {
			rows.Close()
			return since, fmt.Errorf("watching the session store: %w", explain(s.path, err))
		}
		newest = max(newest, updated)
		news = append(news, n)
	}
	if err := rows.Close(); err != nil {
		return since, fmt.Errorf("watching the session store: %w", explain(s.path, err))
	}
	if err := rows.Err(); err != nil {
		return since, fmt.Errorf("watching the session store: %w", explain(s.path, err))
	}
	for _, n := range news {
		if s.isNews(n) {
			s.notify(n)
		}
	}
	return newest, nil
}

// isNews reports whether subscribers do not know of an event yet.
func (s *Store) isNews(n Notice) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return n.Seq > s.told[n.Session]
}
