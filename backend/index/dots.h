#include <stdint.h>

// dots multiplies n rows of dim numbers with a query.
void dots(int32_t *out, long n, const int8_t *rows, const int16_t *query, long dim);
