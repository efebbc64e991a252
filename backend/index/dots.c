#include "dots.h"

// Where the linker can choose (glibc), a processor with twice as wide registers gets a loop for these.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx2", "default")))
#endif
void dots(int32_t *out, long n, const int8_t *rows, const int16_t *query, long dim) {
	for (long i = 0; i < n; i++, rows += dim) {
		int32_t sum = 0;
		for (long j = 0; j < dim; j++)
			sum += (int32_t)query[j] * (int16_t)rows[j];
		out[i] = sum;
	}
}

void unnibble(int8_t *rows, long n, long dim, const uint8_t *packed, long size) {
	for (long i = 0; i < n; i++, rows += dim, packed += size) {
		for (long j = 0; j < dim / 2; j++) {
			rows[2 * j] = (int8_t)((packed[j] & 15) - 8);
			rows[2 * j + 1] = (int8_t)((packed[j] >> 4) - 8);
		}
		if (dim % 2)
			rows[dim - 1] = (int8_t)((packed[dim / 2] & 15) - 8);
	}
}
