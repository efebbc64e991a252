#include "list.h"

#define LIST_EMPTY(l) ((l)->head == NULL)

/* A node of the list. */
struct node {
    struct node *next;
    int value;
};

typedef struct {
    struct node *head;
    size_t length;
} list_t;

typedef struct tree {
    struct tree *left, *right;
} tree_t;

enum order { ASCENDING, DESCENDING };

union word {
    int i;
    float f;
};

static int compare(const int *a, const int *b);

/* Adds a value at the front.
 * Returns 0, or -1 without memory. */
int list_push(list_t *list, int value)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return -1;
    n->next = list->head;
    list->head = n;
    return 0;
}

// Finds a value.
struct node *list_find(list_t *list, int value) {
    struct node *n;
    for (n = list->head; n; n = n->next)
        if (n->value == value)
            return n;
    return NULL;
}

static inline char **list_names(void) { return 0; }

#ifdef DEBUG
void list_dump(list_t *list) {
    printf("%zu\n", list->length);
}
#endif

#define LIST_MAX 64
#define LIST_MIN 2
static const char *const names[] = { "a", "b" };
int counter = 0, *last = NULL;
