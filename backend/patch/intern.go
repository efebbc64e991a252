package patch

import "hash/maphash"

// interner numbers lines from 0 in the order in which they first come; equal lines have the same number. It is a hash
// table with open addressing: a large file is looked through for every edit, and the map of the language costs three
// times as much. Nothing that depends on the random seed shows in the numbers.
type interner struct {
	seed  maphash.Seed
	slots []int32  // number + 1, 0 for none; a power of two of them
	sums  []uint64 // by number
	text  []string
}

// newInterner makes one that holds up to n different lines.
func newInterner(n int) *interner {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return &interner{seed: maphash.MakeSeed(), slots: make([]int32, size), sums: make([]uint64, 0, n), text: make([]string, 0, n)}
}

// look gives the slot of a line, which holds it or is free.
func (t *interner) look(line string, sum uint64) int {
	for i := int(sum) & (len(t.slots) - 1); ; i = (i + 1) & (len(t.slots) - 1) {
		if n := t.slots[i] - 1; n < 0 || t.sums[n] == sum && t.text[n] == line {
			return i
		}
	}
}

// number gives a line its number.
func (t *interner) number(line string) int32 {
	sum := maphash.String(t.seed, line)
	i := t.look(line, sum)
	if t.slots[i] == 0 {
		t.text, t.sums = append(t.text, line), append(t.sums, sum)
		t.slots[i] = int32(len(t.text))
	}
	return t.slots[i] - 1
}

// find gives the number of a line, -1 for one that has none.
func (t *interner) find(line string) int32 {
	return t.slots[t.look(line, maphash.String(t.seed, line))] - 1
}
