/* Shared by the files of the store only: the only code that knows SQLite. */
#ifndef LR_RUN_STORE_PRIVATE_H
#define LR_RUN_STORE_PRIVATE_H

#include "store.h"

#include <sqlite3.h>
#include <sys/stat.h>

typedef enum lr_statement {
  LR_PUT_VECTOR,
  LR_PUT_ROW,
  LR_PUT_SESSION,
  LR_DROP_SESSION,
  LR_PUT_SETTING,
  LR_PUT_NOTE,
  LR_PUT_PATH,
  LR_PUT_CHECK,
  LR_PUT_DECISION,
  LR_DROP_DECISIONS,
  LR_RETRACT_ROW,
  LR_VALUE_ROW,
  LR_GET_ROW,
  LR_GET_VECTOR,
  LR_STATEMENTS
} lr_statement;

typedef struct lr_own_index lr_own_index;

struct lr_store {
  sqlite3 *db;
  char *path;
  struct stat file; /* the file as it was opened */
  int full;         /* the last failure was a full disk, and may pass */
  int writes;       /* opened to write */
  int version;      /* version of the file's format */
  int no_index;     /* no index file beside the log: keep the index in memory */
  lr_own_index *index; /* owned; NULL: none */
  sqlite3_stmt *statements[LR_STATEMENTS];
};

#define LR_STORE_APPLICATION 0x4c524744 /* "LRGD" */

/* Keeps the index of the log in memory, from the first read on; returns an
 * SQLite code. */
int lr_store_keep_index(lr_store *store);
/* Converts an SQLite code to a status, with the text "cannot WHAT PATH: why".
 */
lrgd_status lr_store_fail(lr_store *store, int code, const char *what,
                          lrgd_error *error);
/* Whether memory is out: a failed read must not be reported as damage. */
int lr_store_lacks_memory(const lr_store *store);
lrgd_status lr_store_run(lr_store *store, const char *sql, lrgd_error *error);
/* The prepared statement, reset; NULL: error is set. */
sqlite3_stmt *lr_store_statement(lr_store *store, lr_statement which,
                                 lrgd_error *error);

/* The statement that inserts a row, every column in the order of the list. */
#define LR_NAMED(column, type, declaration, member, format) ", " #column
#define LR_MARKED(column, type, declaration, member, format) ", ?"
#define LR_INSERT_ROW                                                          \
  "INSERT INTO evaluations(sequence" LR_ROW_COLUMNS(                           \
      LR_NAMED) ") VALUES(?" LR_ROW_COLUMNS(LR_MARKED) ")"

/* Room for the statements that follow from the list of columns. */
enum { LR_ROWS_SQL = 1024 };

/* Writes the schema of the table of evaluations in that format; and the
 * statement that reads its rows, NULL for columns that the file lacks, followed
 * by `where`.  Both return sql. */
const char *lr_store_rows_schema(int format, char sql[LR_ROWS_SQL]);
const char *lr_store_rows_query(const lr_store *store, const char *where,
                                char sql[LR_ROWS_SQL]);

/* Adds the columns that the table of an older format lacks. */
lrgd_status lr_store_add_columns(lr_store *store, int format,
                                 lrgd_error *error);

int lr_store_bind_text(sqlite3_stmt *put, int i, const char *text);
int lr_store_bind_blob(sqlite3_stmt *put, int i, const char *data, size_t size);

/* Prepares a statement for one pass over its rows; its parameter, where it has
 * one, is `first`.  Then steps it; then ends it with SQLite's last code, or
 * with a status that is no LRGD_OK. */
lrgd_status lr_store_prepare(lr_store *store, const char *sql, uint64_t first,
                             sqlite3_stmt **rows, lrgd_error *error);
lrgd_status lr_store_ended(lr_store *store, sqlite3_stmt *rows, int code,
                           lrgd_status status, lrgd_error *error);

/* Runs a statement that writes, code being that of binding its values. */
lrgd_status lr_store_finish(lr_store *store, sqlite3_stmt *put, int code,
                            lrgd_error *error);
/* The refusal of a file with a row whose checksum does not match. */
lrgd_status lr_store_damaged(const lr_store *store, const char *what,
                             uint64_t id, lrgd_error *error);

/* Adds a text (or NULL) or a number to a checksum. */
uint64_t lr_store_sum_text(uint64_t sum, const char *text);
uint64_t lr_store_sum_double(uint64_t sum, double value);
uint64_t lr_store_sum_vector(int stream, const lr_coded *coded);
uint64_t lr_store_sum_setting(const lrgd_setting *setting, const char *blob,
                              size_t size);
uint64_t lr_store_sum_session(const lr_journal_session *session);
uint64_t lr_store_sum_note(const lr_note *note);
uint64_t lr_store_sum_path(const lr_path *path);
uint64_t lr_store_sum_check(const lr_check *check);
uint64_t lr_store_sum_facts(const lr_run_facts *facts);

#endif
