/* Input decks: text files with {{name}} in place of an input's value. */
#ifndef CLI_DECK_H
#define CLI_DECK_H

#include "inputs.h"

/* A place for an input: the text before it, and its width. */
typedef struct deck_place {
  size_t begin, end; /* where {{name}} begins and ends in the text */
  size_t input;      /* 0 is the first */
  size_t width;      /* letters to be filled; 0: as many as the number takes */
} deck_place;

typedef struct cli_deck {
  char *text; /* owned */
  size_t size;
  char *to; /* owned: where it is written, in the folder of an evaluation */
  deck_place *places;
  size_t count;
} cli_deck;

/* The names in the decks of --template in the order in which they first appear,
 * a newline after each, and how many: the inputs of a run that is told neither
 * names nor a dimension.  *names, owned by the caller, is NULL where they are
 * x1, x2, ..., or where there is no deck; *count is the last of these, or 0. */
LRGD_MUST_CHECK lrgd_status deck_list_names(const cli_flags *flags,
                                            char **names, size_t *count,
                                            lrgd_error *error);

/* Reads a deck IN:OUT.  used: for each of the p inputs whether a deck has it;
 * the inputs of this one are set. */
LRGD_MUST_CHECK lrgd_status deck_read(cli_deck *deck, const char *pair,
                                      const cli_inputs *inputs, size_t p,
                                      bool *used, lrgd_error *error);
void deck_free(cli_deck *deck);

/* Writes the deck for x into a folder.  false: the reason is in why, of size
 * letters. */
bool deck_write(const cli_deck *deck, const char *folder, const double *x,
                char *why, size_t size);

/* Whether a path stays inside the folder that it is relative to. */
bool path_is_inside(const char *path);

#endif
