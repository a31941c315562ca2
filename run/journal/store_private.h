/* Between the files of the store only: this is where SQLite is known. */
#ifndef LR_RUN_STORE_PRIVATE_H
#define LR_RUN_STORE_PRIVATE_H

#include "store.h"

#include <sqlite3.h>
#include <sys/stat.h>

typedef enum lr_statement {
  LR_PUT_VECTOR,
  LR_PUT_ROW,
  LR_PUT_SITTING,
  LR_DROP_SITTING,
  LR_PUT_SETTING,
  LR_PUT_NOTE,
  LR_PUT_PATH,
  LR_PUT_CHECK,
  LR_RETRACT_ROW,
  LR_GET_ROW,
  LR_GET_VECTOR,
  LR_STATEMENTS
} lr_statement;

typedef struct lr_own_index lr_own_index;

struct lr_store {
  sqlite3 *db;
  char *path;
  struct stat file;    /* as opened */
  int full;            /* the last failure may pass */
  int writes;          /* opened to write */
  int version;         /* of its format */
  int no_index;        /* its log has none beside it: keep one in memory */
  lr_own_index *index; /* owned; NULL: none */
  sqlite3_stmt *statements[LR_STATEMENTS];
};

/* The format that is written.  1 has no notes, 2 has one path only and no
 * checks: they are read as they are, and given what they lack in the
 * transaction that begins the next sitting. */
#define LR_STORE_VERSION 3
#define LR_STORE_APPLICATION 0x4c524744 /* "LRGD" */

/* Keeps the index of the log in memory, from the first look on: an SQLite
 * code. */
int lr_store_keep_index(lr_store *store);
/* Our status for SQLite's, with the sentence "cannot WHAT PATH: why". */
lrgd_status lr_store_fail(lr_store *store, int code, const char *what,
                          lrgd_error *error);
/* What could not be read for lack of memory looks like damage. */
int lr_store_lacks_memory(const lr_store *store);
lrgd_status lr_store_run(lr_store *store, const char *sql, lrgd_error *error);
/* The prepared statement, reset; NULL: error is set. */
sqlite3_stmt *lr_store_statement(lr_store *store, lr_statement which,
                                 lrgd_error *error);

uint64_t lr_store_sum_row(const lr_row *row);
uint64_t lr_store_sum_vector(int stream, const lr_coded *coded);
uint64_t lr_store_sum_setting(const lrgd_setting *setting, const char *blob,
                              size_t size);
uint64_t lr_store_sum_sitting(const lr_sitting *sitting);
uint64_t lr_store_sum_note(const lr_note *note);
uint64_t lr_store_sum_path(const lr_path *path);
uint64_t lr_store_sum_check(const lr_check *check);
uint64_t lr_store_sum_facts(const lr_run_facts *facts);

#endif
