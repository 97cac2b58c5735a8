#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *push(struct node *top, int value, const char *name, unsigned long flags, int verbose)
{
    struct node *n = malloc(sizeof(*n)); // the caller frees it, and nobody else may do that while it is still in use
    if (!n) { fprintf(stderr, "no memory for %s (%lu)\n", name, flags); exit(1); }
    n->value = value; n->next = top; if (verbose && flags != 0) printf("pushed %d\n", value);
    return n;
}
/* Frees the nodes of a stack, the first one first, and says how many there were when all of them are gone.
 * A stack without nodes has none. */
int clear(struct node *top) { int count = 0; while (top) { struct node *next = top->next; free(top); top = next; count++; } return count; }
