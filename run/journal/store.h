/* The journal's file: the only code that uses SQLite.  Rows in, rows out; the
 * journal interprets them. */
#ifndef LR_RUN_STORE_H
#define LR_RUN_STORE_H

#include "codec.h"

#include <lrgd/run.h>

typedef struct lr_store lr_store;

enum { LR_WHY_SIZE = sizeof((lrgd_journal_summary *)0)->path_why };

typedef enum lr_row_kind {
  LR_ROW_VALUE,
  LR_ROW_SLOPE,
  LR_ROW_GRADIENT,
  LR_ROW_COMPLEX, /* u is the imaginary part of the point */
  LR_ROW_RESIDUALS,
  LR_ROW_JACOBIAN,       /* residuals, then J row after row */
  LR_ROW_RESIDUAL_SLOPE, /* residuals, then their derivatives along u */
  LR_ROW_KINDS
} lr_row_kind;

/* The format that is written.  1 has no notes, 2 has one path only and no
 * checks, 3 no decisions: they are read as they are, and given what they lack
 * in the transaction that begins the next session.  (Rows of residuals came
 * later, without a number of their own, and those with derivatives later still:
 * a program that does not know them refuses the file, and reads all others.) */
#define LR_STORE_VERSION 4

/* The columns of the table of evaluations after the first, the sequence number:
 * X(column, type, declaration, member of lr_row, format).  A new one is a row
 * here, at the end, with a member of lr_row, which journal_rows.c sets, and a
 * higher LR_STORE_VERSION as its format.  Its declaration allows NULL, since it
 * is added to files of older formats; 0, NULL or empty means that it is not
 * set, and only where it is does the checksum cover it.
 * Types: COUNT, REAL, TEXT (or NULL), BLOB (and member_size); KIND is the
 * lr_row_kind, VALUE the first number of the answer, in a column of its own
 * only to find the lowest by, SUM the checksum of all but these two. */
#define LR_ROW_COLUMNS(X)                                                      \
  X(sitting, COUNT, "INTEGER NOT NULL", session, 1)                            \
  X(kind, KIND, "INTEGER NOT NULL", kind, 1)                                   \
  X(x, COUNT, "INTEGER NOT NULL", x, 1)                                        \
  X(u, COUNT, "INTEGER NOT NULL", u, 1)                                        \
  X(f, VALUE, "REAL", answer, 1)                                               \
  X(seconds, REAL, "REAL NOT NULL", seconds, 1)                                \
  X(sum, SUM, "INTEGER NOT NULL", sum, 1)                                      \
  X(why, TEXT, "TEXT", why, 1)                                                 \
  X(answer, BLOB, "BLOB NOT NULL", answer, 1)

/* An evaluation as stored.  answer: f, then d (a slope, a complex value), g (a
 * gradient) or the residuals, little-endian; empty: failed. */
typedef struct lr_row {
  uint64_t sequence, session;
  lr_row_kind kind;
  uint64_t x, u; /* vectors; u 0: none */
  double seconds;
  const char *answer;
  size_t answer_size;
  const char *why; /* NULL: did not fail */
} lr_row;

/* Whether the answers of a kind have residuals, and how many numbers they have
 * for each of these. */
static inline int lr_row_kind_has_residuals(lr_row_kind kind)
{
  return kind >= LR_ROW_RESIDUALS;
}
static inline size_t lr_row_kind_per_residual(lr_row_kind kind, size_t p)
{
  if (kind == LR_ROW_JACOBIAN) return 1 + p;
  return kind == LR_ROW_RESIDUAL_SLOPE ? 2 : 1;
}
/* The number of residuals of an answer; 0: it has none, or has failed. */
static inline size_t lr_row_residuals(const lr_row *row, size_t p)
{
  if (!lr_row_kind_has_residuals(row->kind) || row->answer_size <= 8) return 0;
  return (row->answer_size / 8 - 1) / lr_row_kind_per_residual(row->kind, p);
}

/* The session being written. */
typedef struct lr_journal_session {
  uint64_t id;
  char started[32];
  double seconds;
  uint64_t in_flight;
  char outcome[32];
} lr_journal_session;

/* The progress of the solver; phase "": unknown. */
typedef struct lr_note {
  char phase[192];
  uint64_t rank, iteration;
} lr_note;

/* A path: the evaluations of one solver, from its start on.  Its rows are those
 * after a sequence number, up to the next path's. */
typedef struct lr_path {
  uint64_t id, after;
  char started[32];
  char why[LR_WHY_SIZE]; /* why it differs from the path before; "": it is the
                            first */
} lr_path;

/* A stored point that was evaluated again. */
typedef struct lr_check {
  uint64_t of; /* sequence number */
  double f;    /* NaN: failed */
  double seconds;
} lr_check;

typedef struct lr_run_facts {
  char run_id[33];
  uint64_t dimension;
} lr_run_facts;

/* Opens an existing journal for reading and checks everything that does not
 * depend on the run.  *store is NULL and the status LRGD_OK where there is
 * nothing yet: no file, an empty one, or one without tables. recover: undoes a
 * transaction that a kill interrupted, which requires writing; without it such
 * a file cannot be read. */
LRGD_MUST_CHECK lrgd_status lr_store_open_read(lr_store **store,
                                               const char *path, int recover,
                                               lrgd_error *error);
/* The error that there is nothing to read: LRGD_ERR_STORAGE. */
lrgd_status lr_store_say_missing(const char *path, lrgd_error *error);
/* Opens to write; makes the tables where there are none. */
LRGD_MUST_CHECK lrgd_status lr_store_open_write(lr_store **store,
                                                const char *path,
                                                const lr_run_facts *facts,
                                                lrgd_error *error);
void lr_store_close(lr_store **store);

/* A transaction: begin, puts, commit.  After a failure nothing of it is kept
 * and it may be tried again from begin.  A full disk is LRGD_ERR_STORAGE with
 * *full set: it may pass. */
LRGD_MUST_CHECK lrgd_status lr_store_begin(lr_store *store, int *full,
                                           lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_put_vector(lr_store *store, int stream,
                                                const lr_coded *coded,
                                                lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_put_row(lr_store *store, const lr_row *row,
                                             lrgd_error *error);
/* Recomputes f of every answer of residuals by `cost`. */
LRGD_MUST_CHECK lrgd_status lr_store_value_rows(lr_store *store, size_t p,
                                                lrgd_cost_fn cost, void *user,
                                                lrgd_error *error);
/* Replaces the row's answer by a failure, for this reason. */
LRGD_MUST_CHECK lrgd_status lr_store_retract_row(lr_store *store,
                                                 uint64_t sequence,
                                                 const char *why,
                                                 lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_put_session(
    lr_store *store, const lr_journal_session *session, lrgd_error *error);
/* Removes a session without evaluations, in a transaction of its own. */
lrgd_status lr_store_drop_session(lr_store *store, uint64_t id,
                                  lrgd_error *error);
/* Decisions of the present path, numbered 1, 2, ... in order; number 0 is a
 * placeholder that is never dropped. store_decisions.c */
LRGD_MUST_CHECK lrgd_status lr_store_put_decision(lr_store *store, uint64_t id,
                                                  const lrgd_phase *phase,
                                                  lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_drop_decisions(lr_store *store,
                                                    lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_each_decision(lr_store *store,
                                                   lrgd_phase_fn fn, void *user,
                                                   lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_put_note(lr_store *store,
                                              const lr_note *note,
                                              lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_put_path(lr_store *store,
                                              const lr_path *path,
                                              lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_put_check(lr_store *store,
                                               const lr_check *check,
                                               lrgd_error *error);
/* Removes all settings: a new path has its own. */
LRGD_MUST_CHECK lrgd_status lr_store_clear_settings(lr_store *store,
                                                    lrgd_error *error);
/* Replaces the setting of that key, or appends it. */
LRGD_MUST_CHECK lrgd_status lr_store_put_setting(lr_store *store,
                                                 const lrgd_setting *setting,
                                                 lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_commit(lr_store *store, int *full,
                                            lrgd_error *error);
/* Rolls back a transaction, if there is one. */
void lr_store_abandon(lr_store *store);
/* Whether the last failure may pass (the disk is full). */
int lr_store_is_full(const lr_store *store);

/* Reading.  ERR_REFUSED: damaged.  Texts and blobs are borrowed until the next
 * call of the same function. */
LRGD_MUST_CHECK lrgd_status lr_store_facts(lr_store *store, lr_run_facts *facts,
                                           lrgd_error *error);
/* *found 0: there is none with that number. */
LRGD_MUST_CHECK lrgd_status lr_store_get_row(lr_store *store, uint64_t sequence,
                                             lr_row *row, int *found,
                                             lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_get_vector(lr_store *store, uint64_t id,
                                                lr_coded *coded,
                                                lrgd_error *error);
/* The rows from first on, until fn returns non-zero. */
typedef int (*lr_row_fn)(const lr_row *row, void *user);
LRGD_MUST_CHECK lrgd_status lr_store_each_row(lr_store *store, uint64_t first,
                                              lr_row_fn fn, void *user,
                                              lrgd_error *error);
typedef int (*lr_setting_fn)(const lrgd_setting *setting, void *user);
LRGD_MUST_CHECK lrgd_status lr_store_each_setting(lr_store *store,
                                                  lr_setting_fn fn, void *user,
                                                  lrgd_error *error);
typedef int (*lr_journal_session_fn)(const lr_journal_session *session,
                                     void *user);
LRGD_MUST_CHECK lrgd_status lr_store_each_session(lr_store *store,
                                                  lr_journal_session_fn fn,
                                                  void *user,
                                                  lrgd_error *error);
typedef int (*lr_path_fn)(const lr_path *path, void *user);
LRGD_MUST_CHECK lrgd_status lr_store_each_path(lr_store *store, lr_path_fn fn,
                                               void *user, lrgd_error *error);
/* Counts the stored checks, and verifies the checksum of each. */
LRGD_MUST_CHECK lrgd_status lr_store_count_checks(lr_store *store,
                                                  uint64_t *count,
                                                  lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_store_get_note(lr_store *store, lr_note *note,
                                              lrgd_error *error);
/* Reads what the codec refers to: the origin of sums and the last unit vectors
 * of a stream (points or directions). */
typedef int (*lr_vector_fn)(const lr_coded *coded, void *user);
LRGD_MUST_CHECK lrgd_status lr_store_each_basis(lr_store *store, int stream,
                                                size_t units, lr_vector_fn fn,
                                                void *user, lrgd_error *error);
/* The largest sequence number and the largest vector id; 0: none. */
LRGD_MUST_CHECK lrgd_status lr_store_ends(lr_store *store, uint64_t *sequence,
                                          uint64_t *vector, lrgd_error *error);
/* Checks the checksum of every row. */
LRGD_MUST_CHECK lrgd_status lr_store_verify(lr_store *store, lrgd_error *error);
/* Computes the summary's values of f in one pass; best_sequence 0: none.
 * path_rows and path_failures count from summary->path_first on. */
LRGD_MUST_CHECK lrgd_status lr_store_tally(lr_store *store,
                                           lrgd_journal_summary *summary,
                                           lrgd_error *error);
/* Is the file still the one that was opened? */
int lr_store_is_current(const lr_store *store);
uint64_t lr_store_bytes(const lr_store *store);

#endif
