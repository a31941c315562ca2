/* The evaluations in the journal's file: store.h lists the columns of their
 * table, and all statements are generated from that list. */
#include "store_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- statements ---- */

static void append(char sql[LR_ROWS_SQL], const char *text)
{
  size_t n = strlen(sql);
  (void)snprintf(sql + n, LR_ROWS_SQL - n, "%s", text);
}

const char *lr_store_rows_schema(int version, char sql[LR_ROWS_SQL])
{
  *sql = '\0';
  append(sql, "CREATE TABLE evaluations(sequence INTEGER PRIMARY KEY");
#define DECLARE(column, type, declaration, member, format)                     \
  if (version >= (format)) append(sql, ", " #column " " declaration);
  LR_ROW_COLUMNS(DECLARE)
#undef DECLARE
  append(sql, ") STRICT");
  return sql;
}

const char *lr_store_rows_query(const lr_store *store, const char *where,
                                char sql[LR_ROWS_SQL])
{
  *sql = '\0';
  append(sql, "SELECT sequence");
#define NAME(column, type, declaration, member, format)                        \
  append(sql, store->version >= (format) ? ", " #column : ", NULL");
  LR_ROW_COLUMNS(NAME)
#undef NAME
  append(sql, " FROM evaluations ");
  append(sql, where);
  return sql;
}

lrgd_status lr_store_add_columns(lr_store *store, int version,
                                 lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
#define ADD(column, type, declaration, member, format)                         \
  if (!status && version < (format))                                           \
    status = lr_store_run(                                                     \
        store, "ALTER TABLE evaluations ADD COLUMN " #column " " declaration,  \
        error);
  LR_ROW_COLUMNS(ADD)
#undef ADD
  return status;
}

/* ---- sums ---- */

/* Whether a column is set: one of a later format need not be. */
#define SET_COUNT(row, member) ((row)->member != 0)
#define SET_KIND SET_COUNT
#define SET_REAL SET_COUNT
#define SET_TEXT(row, member) ((row)->member != NULL)
#define SET_BLOB(row, member) ((row)->member##_size > 0)
#define SET_VALUE(row, member) 1
#define SET_SUM(row, member) 1

#define SUM_COUNT(sum, row, member) lr_sum_u64(sum, (uint64_t)(row)->member)
#define SUM_KIND SUM_COUNT
#define SUM_REAL(sum, row, member) lr_store_sum_double(sum, (row)->member)
#define SUM_TEXT(sum, row, member) lr_store_sum_text(sum, (row)->member)
#define SUM_BLOB(sum, row, member)                                             \
  lr_sum_bytes(sum, (row)->member, (row)->member##_size)
#define SUM_VALUE(sum, row, member) (sum) /* the first number of the answer */
#define SUM_SUM(sum, row, member) (sum)

static uint64_t sum_of(const lr_row *row)
{
  uint64_t sum = lr_sum_u64(1, row->sequence);
#define ADD(column, type, declaration, member, format)                         \
  if ((format) == 1 || SET_##type(row, member))                                \
    sum = SUM_##type(sum, row, member);
  LR_ROW_COLUMNS(ADD)
#undef ADD
  return sum;
}

/* ---- writing rows ---- */

/* The first number of an answer; NaN, which becomes NULL: it failed. */
static double value_of(const lr_row *row)
{
  double f = NAN;
  if (row->answer_size >= 8) lr_get_doubles(&f, row->answer, 1);
  return f;
}

#define PUT_COUNT(put, at, row, member)                                        \
  sqlite3_bind_int64(put, at, (int64_t)(row)->member)
#define PUT_KIND PUT_COUNT
#define PUT_REAL(put, at, row, member)                                         \
  sqlite3_bind_double(put, at, (row)->member)
#define PUT_TEXT(put, at, row, member)                                         \
  lr_store_bind_text(put, at, (row)->member)
#define PUT_BLOB(put, at, row, member)                                         \
  lr_store_bind_blob(put, at, (row)->member, (row)->member##_size)
#define PUT_VALUE(put, at, row, member)                                        \
  sqlite3_bind_double(put, at, value_of(row))
#define PUT_SUM(put, at, row, member)                                          \
  sqlite3_bind_int64(put, at, (int64_t)sum_of(row))

lrgd_status lr_store_put_row(lr_store *store, const lr_row *row,
                             lrgd_error *error)
{
  sqlite3_stmt *put = lr_store_statement(store, LR_PUT_ROW, error);
  if (!put) return LRGD_ERR_STORAGE;
  int at = 1, code = sqlite3_bind_int64(put, at, (int64_t)row->sequence);
#define BIND(column, type, declaration, member, format)                        \
  if (!code) code = PUT_##type(put, ++at, row, member);
  LR_ROW_COLUMNS(BIND)
#undef BIND
  return lr_store_finish(store, put, code, error);
}

lrgd_status lr_store_retract_row(lr_store *store, uint64_t sequence,
                                 const char *why, lrgd_error *error)
{
  lr_row row;
  int found;
  lrgd_status status = lr_store_get_row(store, sequence, &row, &found, error);
  if (status || !found) return status;
  row.answer_size = 0;
  row.why = why;
  uint64_t sum = sum_of(&row);
  (void)sqlite3_reset(store->statements[LR_GET_ROW]);
  sqlite3_stmt *put = lr_store_statement(store, LR_RETRACT_ROW, error);
  if (!put) return LRGD_ERR_STORAGE;
  int code = lr_store_bind_text(put, 1, why);
  if (!code) code = sqlite3_bind_int64(put, 2, (int64_t)sum);
  if (!code) code = sqlite3_bind_int64(put, 3, (int64_t)sequence);
  return lr_store_finish(store, put, code, error);
}

/* The row, whose answer is copied to room, and its f from the numbers there. */
static lrgd_status value_row(lr_store *store, lr_row row, size_t p,
                             lr_bytes *room, lrgd_cost_fn cost, void *user,
                             lrgd_error *error)
{
  size_t n = lr_row_residuals(&row, p);
  room->size = 0;
  double *r = malloc(n * sizeof *r);
  if (!r || !lr_bytes_reserve(room, row.answer_size)) {
    free(r);
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  }
  memcpy(room->data, row.answer, row.answer_size);
  lr_get_doubles(r, row.answer + 8, n);
  double f = cost(n, r, user);
  free(r);
  lr_put_doubles(room->data, &f, 1);
  row.answer = room->data;
  uint64_t sum = sum_of(&row), sequence = row.sequence;
  (void)sqlite3_reset(store->statements[LR_GET_ROW]);
  sqlite3_stmt *put = lr_store_statement(store, LR_VALUE_ROW, error);
  if (!put) return LRGD_ERR_STORAGE;
  int code = sqlite3_bind_double(put, 1, f);
  if (!code) code = lr_store_bind_blob(put, 2, room->data, row.answer_size);
  if (!code) code = sqlite3_bind_int64(put, 3, (int64_t)sum);
  if (!code) code = sqlite3_bind_int64(put, 4, (int64_t)sequence);
  return lr_store_finish(store, put, code, error);
}

lrgd_status lr_store_value_rows(lr_store *store, size_t p, lrgd_cost_fn cost,
                                void *user, lrgd_error *error)
{
  uint64_t last = 0, vector;
  lr_bytes room = {0};
  lrgd_status status = lr_store_ends(store, &last, &vector, error);
  for (uint64_t s = 1; s <= last && !status; s++) {
    lr_row row;
    int found;
    status = lr_store_get_row(store, s, &row, &found, error);
    if (!status && found && lr_row_residuals(&row, p) > 0)
      status = value_row(store, row, p, &room, cost, user, error);
  }
  lr_bytes_free(&room);
  return status;
}

/* ---- reading ---- */

/* Whether a text contains no 0, which would make it look shorter than the text
 * that the checksum covers. */
static int is_whole(sqlite3_stmt *from, int at, const char *text)
{
  return !text || strlen(text) == (size_t)sqlite3_column_bytes(from, at);
}

/* Each of these reads a member; `good` becomes 0 where the column has another
 * type. */
#define GET_COUNT(from, at, row, member)                                       \
  (row)->member = (uint64_t)sqlite3_column_int64(from, at)
#define GET_KIND(from, at, row, member)                                        \
  do {                                                                         \
    uint64_t kind = (uint64_t)sqlite3_column_int64(from, at);                  \
    good = good && kind < LR_ROW_KINDS;                                        \
    (row)->member = kind < LR_ROW_KINDS ? (lr_row_kind)kind : LR_ROW_VALUE;    \
  } while (0)
#define GET_REAL(from, at, row, member)                                        \
  (row)->member = sqlite3_column_double(from, at)
#define GET_TEXT(from, at, row, member)                                        \
  do {                                                                         \
    (row)->member = (const char *)sqlite3_column_text(from, at);               \
    good = good && is_whole(from, at, (row)->member);                          \
  } while (0)
#define GET_BLOB(from, at, row, member)                                        \
  do {                                                                         \
    (row)->member = sqlite3_column_blob(from, at);                             \
    (row)->member##_size = (size_t)sqlite3_column_bytes(from, at);             \
    good = good && (row)->member##_size % 8 == 0;                              \
  } while (0)
#define GET_VALUE(from, at, row, member) (void)(at)
#define GET_SUM(from, at, row, member)                                         \
  sum = (uint64_t)sqlite3_column_int64(from, at)

/* Reads a row; 0: it is damaged. */
static int read_row(sqlite3_stmt *from, lr_row *row)
{
  uint64_t sum = 0;
  int good = 1, at = 0;
  *row = (lr_row){.sequence = (uint64_t)sqlite3_column_int64(from, at)};
#define READ(column, type, declaration, member, format)                        \
  at++;                                                                        \
  GET_##type(from, at, row, member);
  LR_ROW_COLUMNS(READ)
#undef READ
  return good && sum_of(row) == sum;
}

lrgd_status lr_store_get_row(lr_store *store, uint64_t sequence, lr_row *row,
                             int *found, lrgd_error *error)
{
  *found = 0;
  sqlite3_stmt *get = lr_store_statement(store, LR_GET_ROW, error);
  if (!get) return LRGD_ERR_STORAGE;
  int code = sqlite3_bind_int64(get, 1, (int64_t)sequence);
  if (!code) code = sqlite3_step(get);
  if (code == SQLITE_DONE) (void)sqlite3_reset(get); /* ends the reading */
  if (code == SQLITE_DONE) return LRGD_OK;
  if (code != SQLITE_ROW) return lr_store_fail(store, code, "read", error);
  if (!read_row(get, row))
    return lr_store_damaged(store, "evaluation", sequence, error);
  *found = 1;
  return LRGD_OK;
}

lrgd_status lr_store_each_row(lr_store *store, uint64_t first, lr_row_fn fn,
                              void *user, lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  char sql[LR_ROWS_SQL];
  lr_store_rows_query(store, "WHERE sequence >= ? ORDER BY sequence", sql);
  lrgd_status status = lr_store_prepare(store, sql, first, &rows, error);
  int code = SQLITE_DONE;
  while (!status && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    lr_row row;
    if (!read_row(rows, &row))
      status = lr_store_damaged(store, "evaluation", row.sequence, error);
    else if (fn(&row, user))
      break;
  }
  return lr_store_ended(store, rows, code, status, error);
}
