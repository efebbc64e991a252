// Package subtoken is the built-in embedder: a text is the weighted mean of one learned vector for each of its subtokens.
//
// It knows no order of words and no grammar, but it runs everywhere, costs microseconds, and learns from what people
// write of code (comments, messages of commits) that "discard" and "drop", or "path" and "file", are near: what a search
// by words cannot see. Words that ask and words of code have a weight of their own each, since "fix" says nothing in a
// message and a lot in a name. The table is made by Train; its corpus and figures are in build/docs/search.md.
package subtoken

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the table
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Side says who wrote a text.
type Side int

// The sides.
const (
	Words Side = iota // a person asks or tells
	Code              // a definition with its names and comments
)

//go:embed subtokens.bin
var builtIn []byte

// BuiltIn loads the table of the program.
func BuiltIn() (*Table, error) { return Load(builtIn) }

// Table holds the vectors. Safe for concurrent use.
type Table struct {
	dim     int
	names   []string
	ids     map[string]int32
	rows    []int8    // len(names) × dim
	scales  []float32 // what a row's numbers are multiplied by
	weights [2][]float32
	version string
}

// Version tells tables apart: the first bytes of the file's SHA-256.
func (t *Table) Version() string { return t.version }

// Dim is how many numbers a vector has.
func (t *Table) Dim() int { return t.dim }

// Len is how many subtokens are known.
func (t *Table) Len() int { return len(t.names) }

// ID gives the number of a subtoken; ok is false for one that is not known.
func (t *Table) ID(subtoken string) (id int32, ok bool) {
	id, ok = t.ids[subtoken]
	return id, ok
}

// Vector embeds a text, cut into its subtokens: a vector of length 1, or all zero where no subtoken is known. A subtoken
// that occurs n times counts √n.
func (t *Table) Vector(subtokens []string, s Side) []float32 {
	ids := make([]int32, 0, len(subtokens))
	for _, w := range subtokens {
		if id, ok := t.ids[w]; ok {
			ids = append(ids, id)
		}
	}
	v := make([]float32, t.dim)
	t.Sum(v, ids, s)
	normalise(v)
	return v
}

// Sum is Vector for the numbers of known subtokens, without making the length 1. It writes into v, and sorts the numbers.
func (t *Table) Sum(v []float32, ids []int32, s Side) {
	clear(v)
	slices.Sort(ids)
	for len(ids) > 0 {
		id, n := ids[0], 1
		for n < len(ids) && ids[n] == id {
			n++
		}
		ids = ids[n:]
		f := t.weights[s][id] * t.scales[id]
		if n > 1 {
			f *= float32(math.Sqrt(float64(n)))
		}
		addRow(v, t.rows[int(id)*t.dim:][:t.dim], f)
	}
}

// addRow adds the numbers of a row, each f times.
func addRow(v []float32, row []int8, f float32) {
	v = v[:len(row)]
	for i, x := range row {
		v[i] += f * float32(x)
	}
}

// normalise makes a vector's length 1 and gives what it was.
func normalise(v []float32) float32 {
	sum := float32(0)
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		return 0
	}
	n := float32(math.Sqrt(float64(sum)))
	for i := range v {
		v[i] /= n
	}
	return n
}

// magic begins a table's file; its last character is the form's version.
const magic = "redgreen subtokens 1\n"

// maxTable bounds what is read: 8 MiB of vectors and their names.
const maxTable = 16 << 20

var errForm = errors.New("no table of subtokens")

// Bytes is the table's file: magic, count and dim (uint32, little endian), the names by length byte and bytes, then
// float32 scales, weights of words, weights of code, and the rows.
func (t *Table) Bytes() []byte {
	b := []byte(magic)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.names)))
	b = binary.LittleEndian.AppendUint32(b, uint32(t.dim))
	for _, n := range t.names {
		b = append(append(b, byte(len(n))), n...)
	}
	for _, list := range [][]float32{t.scales, t.weights[Words], t.weights[Code]} {
		for _, f := range list {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
		}
	}
	for _, x := range t.rows {
		b = append(b, byte(x))
	}
	return b
}

// Load reads a table's file.
func Load(data []byte) (*Table, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(data) > maxTable || len(rest) < 8 {
		return nil, fmt.Errorf("%w: %d bytes", errForm, len(data))
	}
	n, dim := int(binary.LittleEndian.Uint32(rest)), int(binary.LittleEndian.Uint32(rest[4:]))
	rest = rest[8:]
	if n > maxTable || dim < 1 || dim > 1024 {
		return nil, fmt.Errorf("%w: %d rows of %d", errForm, n, dim)
	}
	sum := sha256.Sum256(data)
	t := &Table{dim: dim, version: hex.EncodeToString(sum[:6]), names: make([]string, 0, n), ids: make(map[string]int32, n)}
	for range n {
		if len(rest) == 0 || len(rest) < 1+int(rest[0]) {
			return nil, fmt.Errorf("%w: cut short", errForm)
		}
		name := string(rest[1 : 1+rest[0]])
		rest = rest[1+len(name):]
		t.ids[name] = int32(len(t.names))
		t.names = append(t.names, name)
	}
	if len(rest) != n*(12+dim) {
		return nil, fmt.Errorf("%w: %d bytes for %d rows of %d", errForm, len(rest), n, dim)
	}
	for _, list := range []*[]float32{&t.scales, &t.weights[Words], &t.weights[Code]} {
		*list = make([]float32, n)
		for i := range *list {
			(*list)[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
		}
		rest = rest[4*n:]
	}
	t.rows = make([]int8, len(rest))
	for i, x := range rest {
		t.rows[i] = int8(x)
	}
	return t, nil
}
