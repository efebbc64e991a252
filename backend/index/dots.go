package index

// A compiler of C makes eight or more products at a time of a plain loop, on each processor; Go's makes one. SQLite needs C anyway.

// #cgo CFLAGS: -O3
// #include "dots.h"
import "C"

import (
	"slices"
	"unsafe"
)

// dots gives the products of a vector with rows of its length that follow one another, one for each place of out.
func dots(out []int32, rows []int8, query []int16) {
	if len(out) == 0 || len(query) == 0 {
		return
	}
	rows = rows[:len(out)*len(query)] // C does not look
	C.dots((*C.int32_t)(unsafe.SliceData(out)), C.long(len(out)), (*C.int8_t)(unsafe.SliceData(rows)), (*C.int16_t)(unsafe.SliceData(query)), C.long(len(query)))
}

// unpackNibbles appends the numbers of n vectors to rows, but for their scales.
func unpackNibbles(rows []int8, packed []byte, n, dim int) []int8 {
	if n == 0 || dim == 0 {
		return rows
	}
	size, at := nibbles(dim), len(rows)
	packed = packed[scaleBytes : n*size] // C does not look
	rows = slices.Grow(rows, n*dim)[:at+n*dim]
	C.unnibble((*C.int8_t)(unsafe.SliceData(rows[at:])), C.long(n), C.long(dim), (*C.uint8_t)(unsafe.SliceData(packed)), C.long(size))
	return rows
}
