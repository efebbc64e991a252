package index

import (
	"context"
	"math"
	"slices"

	"redgreen/backend/lang"
)

// The rank of a file is its share of a random walk over the references between files: from a file to those that define
// the names it says. Source: Brin, Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", 1998.
const (
	rankDamping = 0.85
	rankRounds  = 20
	// commonDefinition is in how many files a name may be defined and still point anywhere.
	commonDefinition = 20
	// shortName is too short to point anywhere: such names are variables, and defined by chance.
	shortName = 3
	// rerank is the part of the files that has to change before the ranks are computed anew.
	rerank = 0.05
)

// Rank says how central a file is, 1 the most central of the repository. It is 0 for a file that the index does not have.
func (ix *Index) Rank(ctx context.Context, path string) (float64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return 0, errClosed
	}
	files, err := ix.files.all(ctx, ix.store)
	if err != nil {
		return 0, ix.failed("ranking files", err)
	}
	i, ok := slices.BinarySearchFunc(files, path, func(f fileInfo, p string) int {
		switch {
		case f.path < p:
			return -1
		case f.path > p:
			return 1
		}
		return 0
	})
	if !ok {
		return 0, nil
	}
	return files[i].rank, nil
}

// edge says how much of a file's rank flows to another.
type edge struct {
	to     int32
	weight float32
}

// rankFiles computes and stores all ranks.
func (s *store) rankFiles(ctx context.Context) error {
	files, err := s.fileInfos(ctx)
	if err != nil {
		return err
	}
	at := make(map[int64]int32, len(files))
	for i, f := range files {
		at[f.id] = int32(i)
	}
	defined, err := s.definers(ctx, at)
	if err != nil {
		return err
	}
	graph := make([][]edge, 0, len(files))
	err = inOrderOf(ctx, files, func(f fileInfo) ([]edge, error) {
		if testPath(f.path) == 1 {
			return nil, nil
		}
		return s.edges(ctx, f, at[f.id], defined)
	}, func(_ fileInfo, edges []edge) bool {
		graph = append(graph, edges)
		return true
	})
	if err != nil {
		return err
	}
	return s.storeRanks(ctx, files, pageRank(graph))
}

// definers maps the names that few files define to those.
func (s *store) definers(ctx context.Context, at map[int64]int32) (map[string][]int32, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT DISTINCT name, file_id FROM chunks WHERE kind NOT IN ('module','lines','section','constant') AND test=0 AND length(name)>=?`, shortName)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string][]int32{}
	for rows.Next() {
		var name string
		var file int64
		if err := rows.Scan(&name, &file); err != nil {
			return nil, err
		}
		if list := out[name]; len(list) <= commonDefinition {
			out[name] = append(list, at[file])
		}
	}
	for name, list := range out {
		if len(list) > commonDefinition {
			delete(out, name)
		}
	}
	return out, rows.Err()
}

func (s *store) edges(ctx context.Context, f fileInfo, from int32, defined map[string][]int32) ([]edge, error) {
	src, err := s.content(ctx, f.id)
	if err != nil {
		return nil, err
	}
	packed, err := s.mentions(ctx, f.id)
	if err != nil {
		return nil, err
	}
	said := map[string]int{}
	err = eachMention(src, packed, func(m lang.Mention) {
		name := src[m.Start:m.End]
		if m.Kind != lang.Defines && len(defined[string(name)]) > 0 {
			said[string(name)]++
		}
	})
	if err != nil {
		return nil, err
	}
	to := map[int32]float64{}
	for name, n := range said {
		list := defined[name]
		if slices.Contains(list, from) {
			continue
		}
		for _, t := range list {
			to[t] += (1 + math.Log(float64(n))) / float64(len(list))
		}
	}
	sum := 0.0
	for _, w := range to {
		sum += w
	}
	out := make([]edge, 0, len(to))
	for t, w := range to {
		out = append(out, edge{t, float32(w / sum)})
	}
	slices.SortFunc(out, func(a, b edge) int { return int(a.to - b.to) })
	return out, nil
}

// pageRank walks, and scales so that the most central has 1. The rank of files that point nowhere is lost: only the
// order counts.
func pageRank(graph [][]edge) []float64 {
	rank, next := make([]float64, len(graph)), make([]float64, len(graph))
	for i := range rank {
		rank[i] = 1
	}
	for range rankRounds {
		for i := range next {
			next[i] = 1 - rankDamping
		}
		for i, edges := range graph {
			for _, e := range edges {
				next[e.to] += rankDamping * rank[i] * float64(e.weight)
			}
		}
		rank, next = next, rank
	}
	if len(rank) > 0 {
		most := slices.Max(rank)
		for i := range rank {
			rank[i] /= most
		}
	}
	return rank
}

func (s *store) storeRanks(ctx context.Context, files []fileInfo, ranks []float64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	st, err := tx.PrepareContext(ctx, `UPDATE files SET rank=? WHERE id=?`)
	if err != nil {
		return err
	}
	defer st.Close()
	rows := rowByRow(ctx)
	for i, f := range files {
		if _, err := st.ExecContext(rows, ranks[i], f.id); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO meta VALUES('unranked', '0') ON CONFLICT(key) DO UPDATE SET value='0'`); err != nil {
		return err
	}
	return tx.Commit()
}

// rankIfNeeded ranks anew when enough has changed since the last time, and then tidies up.
func (s *store) rankIfNeeded(ctx context.Context, changed int) error {
	if changed == 0 {
		return nil
	}
	var n, files int
	err := s.db.QueryRowContext(ctx, `INSERT INTO meta VALUES('unranked', ?) ON CONFLICT(key) DO UPDATE SET value=value+excluded.value RETURNING value`, changed).Scan(&n)
	if err == nil {
		err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM files WHERE status IN ('ok','broken')`).Scan(&files)
	}
	if err != nil || float64(n) <= rerank*float64(files) {
		return err
	}
	if err := s.forgetConstants(ctx); err != nil {
		return err
	}
	return s.rankFiles(ctx)
}
