#include <stdint.h>

// dots multiplies n rows of dim numbers with a query.
void dots(int32_t *out, long n, const int8_t *rows, const int16_t *query, long dim);

// unnibble writes n rows of dim numbers, of packed ones that are size bytes apart.
void unnibble(int8_t *rows, long n, long dim, const uint8_t *packed, long size);
