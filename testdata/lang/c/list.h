#ifndef LIST_H
#define LIST_H

#include <stddef.h>

/* An open hash table. */
typedef struct table {
    size_t size;
} table;

int list_push(struct list *list, int value);

static inline size_t table_size(const table *t) { return t->size; }

#endif
