/* Reading the journal's file.  Every row is checked against its checksum. */
#include "store_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lrgd_status lr_store_damaged(const lr_store *store, const char *what,
                             uint64_t id, lrgd_error *error)
{
  if (lr_store_lacks_memory(store))
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  return lr_run_fail(error, LRGD_ERR_REFUSED, "%.200s is damaged: %s %llu",
                     store->path, what, (unsigned long long)id);
}

static uint64_t column(sqlite3_stmt *row, int i)
{
  return (uint64_t)sqlite3_column_int64(row, i);
}

static const char *text(sqlite3_stmt *row, int i)
{
  return (const char *)sqlite3_column_text(row, i);
}

/* Whether a text has no embedded 0, which would make it look shorter than what
 * the checksum covers. */
static int text_is_whole(sqlite3_stmt *row, int i)
{
  const char *s = text(row, i);
  return !s || strlen(s) == (size_t)sqlite3_column_bytes(row, i);
}

/* ---- passes ---- */

lrgd_status lr_store_prepare(lr_store *store, const char *sql, uint64_t first,
                             sqlite3_stmt **rows, lrgd_error *error)
{
  int code = sqlite3_prepare_v2(store->db, sql, -1, rows, NULL);
  if (!code && sqlite3_bind_parameter_count(*rows) > 0)
    code = sqlite3_bind_int64(*rows, 1, (int64_t)first);
  return code ? lr_store_fail(store, code, "read", error) : LRGD_OK;
}

lrgd_status lr_store_ended(lr_store *store, sqlite3_stmt *rows, int code,
                           lrgd_status status, lrgd_error *error)
{
  (void)sqlite3_finalize(rows);
  if (status || code == SQLITE_DONE || code == SQLITE_ROW) return status;
  return lr_store_fail(store, code, "read", error);
}

/* ---- vectors ---- */

static int read_vector(sqlite3_stmt *from, lr_coded *coded)
{
  uint64_t kind = column(from, 2);
  *coded =
      (lr_coded){.id = column(from, 0),
                 .base = column(from, 3),
                 .kind = kind < LR_CODE_KINDS ? (lr_code_kind)kind : LR_DENSE,
                 .data = sqlite3_column_blob(from, 5),
                 .size = (size_t)sqlite3_column_bytes(from, 5)};
  int stream = sqlite3_column_int(from, 1);
  return kind < LR_CODE_KINDS &&
         lr_store_sum_vector(stream, coded) == column(from, 4);
}

lrgd_status lr_store_get_vector(lr_store *store, uint64_t id, lr_coded *coded,
                                lrgd_error *error)
{
  sqlite3_stmt *get = lr_store_statement(store, LR_GET_VECTOR, error);
  if (!get) return LRGD_ERR_STORAGE;
  int code = sqlite3_bind_int64(get, 1, (int64_t)id);
  if (!code) code = sqlite3_step(get);
  if (code == SQLITE_ROW && read_vector(get, coded)) return LRGD_OK;
  if (code == SQLITE_ROW || code == SQLITE_DONE) {
    (void)sqlite3_reset(get);
    return lr_store_damaged(store, "vector", id, error);
  }
  return lr_store_fail(store, code, "read", error);
}

static lrgd_status each_vector(lr_store *store, const char *sql, uint64_t first,
                               lr_vector_fn fn, void *user, lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  lrgd_status status = lr_store_prepare(store, sql, first, &rows, error);
  int code = SQLITE_DONE;
  while (!status && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    lr_coded coded;
    if (!read_vector(rows, &coded))
      status = lr_store_damaged(store, "vector", coded.id, error);
    else if (fn && fn(&coded, user))
      break;
  }
  return lr_store_ended(store, rows, code, status, error);
}

lrgd_status lr_store_each_basis(lr_store *store, int stream, size_t units,
                                lr_vector_fn fn, void *user, lrgd_error *error)
{
  char sql[300];
  (void)snprintf(sql, sizeof sql,
                 "SELECT id, stream, kind, base, sum, data FROM vectors "
                 "WHERE stream = ? AND kind = %d ORDER BY id LIMIT 1",
                 LR_DENSE);
  lrgd_status status =
      each_vector(store, sql, (uint64_t)stream, fn, user, error);
  if (status) return status;
  (void)snprintf(sql, sizeof sql,
                 "SELECT id, stream, kind, base, sum, data FROM vectors "
                 "WHERE id IN (SELECT id FROM vectors WHERE stream = ? AND "
                 "kind = %d ORDER BY id DESC LIMIT %zu) ORDER BY id",
                 LR_UNIT, units);
  return each_vector(store, sql, (uint64_t)stream, fn, user, error);
}

/* ---- settings, sessions, facts ---- */

static int read_setting(sqlite3_stmt *from, lrgd_setting *setting,
                        const char **blob, size_t *size)
{
  *blob = sqlite3_column_blob(from, 3);
  *size = (size_t)sqlite3_column_bytes(from, 3);
  if (sqlite3_column_type(from, 3) == SQLITE_NULL)
    *blob = NULL;
  else if (!*blob)
    *blob = ""; /* SQLite returns NULL for an empty blob */
  *setting = (lrgd_setting){.key = text(from, 0),
                            .text = text(from, 2),
                            .count = *size / 8,
                            .may_change = sqlite3_column_int(from, 1)};
  return setting->key && text_is_whole(from, 0) && text_is_whole(from, 2) &&
         *size % 8 == 0 &&
         lr_store_sum_setting(setting, *blob, *size) == column(from, 4);
}

static int give_setting(lrgd_setting *setting, const char *blob, size_t size,
                        lr_setting_fn fn, void *user)
{
  double *numbers = blob ? malloc(size + 1) : NULL;
  if (blob && !numbers) return 1;
  if (blob) lr_get_doubles(numbers, blob, setting->count);
  setting->numbers = numbers;
  int stop = fn(setting, user);
  free(numbers);
  return stop;
}

lrgd_status lr_store_each_setting(lr_store *store, lr_setting_fn fn, void *user,
                                  lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  lrgd_status status = lr_store_prepare(
      store,
      "SELECT key, may_change, text, numbers, sum FROM settings ORDER BY "
      "ordinal",
      0, &rows, error);
  int code = SQLITE_DONE;
  for (uint64_t i = 1; !status && (code = sqlite3_step(rows)) == SQLITE_ROW;
       i++) {
    lrgd_setting setting;
    const char *blob;
    size_t size;
    if (!read_setting(rows, &setting, &blob, &size))
      status = lr_store_damaged(store, "setting", i, error);
    else if (fn && give_setting(&setting, blob, size, fn, user))
      status = lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  }
  return lr_store_ended(store, rows, code, status, error);
}

lrgd_status lr_store_each_session(lr_store *store, lr_journal_session_fn fn,
                                  void *user, lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  lrgd_status status =
      lr_store_prepare(store,
                       "SELECT id, started, seconds, in_flight, outcome, sum "
                       "FROM sittings ORDER BY id",
                       0, &rows, error);
  int code = SQLITE_DONE;
  while (!status && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    lr_journal_session session = {.id = column(rows, 0),
                                  .seconds = sqlite3_column_double(rows, 2),
                                  .in_flight = column(rows, 3)};
    const char *started = text(rows, 1), *outcome = text(rows, 4);
    if (started)
      (void)snprintf(session.started, sizeof session.started, "%s", started);
    if (outcome)
      (void)snprintf(session.outcome, sizeof session.outcome, "%s", outcome);
    if (lr_store_sum_session(&session) != column(rows, 5))
      status = lr_store_damaged(store, "session", session.id, error);
    else if (fn && fn(&session, user))
      break;
  }
  return lr_store_ended(store, rows, code, status, error);
}

lrgd_status lr_store_get_note(lr_store *store, lr_note *note, lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  *note = (lr_note){0};
  if (store->version < 2) return LRGD_OK;
  lrgd_status status = lr_store_prepare(
      store, "SELECT phase, rank, iteration, sum FROM notes WHERE id = 1", 0,
      &rows, error);
  int code = status ? SQLITE_DONE : sqlite3_step(rows);
  if (code == SQLITE_ROW) {
    const char *phase = text(rows, 0);
    (void)snprintf(note->phase, sizeof note->phase, "%s", phase ? phase : "");
    note->rank = column(rows, 1);
    note->iteration = column(rows, 2);
    if (lr_store_sum_note(note) != column(rows, 3))
      status = lr_store_damaged(store, "note", 1, error);
  }
  return lr_store_ended(store, rows, code, status, error);
}

/* Files of the first two formats have one path only. */
lrgd_status lr_store_each_path(lr_store *store, lr_path_fn fn, void *user,
                               lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  lr_path path = {.id = 1};
  if (store->version < 3) {
    if (fn) (void)fn(&path, user);
    return LRGD_OK;
  }
  lrgd_status status = lr_store_prepare(
      store, "SELECT id, after, started, why, sum FROM paths ORDER BY id", 0,
      &rows, error);
  int code = SQLITE_DONE;
  uint64_t count = 0, after = 0;
  while (!status && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    const char *started = text(rows, 2), *why = text(rows, 3);
    path = (lr_path){.id = column(rows, 0), .after = column(rows, 1)};
    (void)snprintf(path.started, sizeof path.started, "%s",
                   started ? started : "");
    (void)snprintf(path.why, sizeof path.why, "%s", why ? why : "");
    if (lr_store_sum_path(&path) != column(rows, 4) || path.id != ++count ||
        path.after < after)
      status = lr_store_damaged(store, "path", path.id, error);
    else if (fn && fn(&path, user))
      break;
    after = path.after;
  }
  if (!status && code == SQLITE_DONE && count == 0)
    status = lr_store_damaged(store, "path", 1, error);
  return lr_store_ended(store, rows, code, status, error);
}

lrgd_status lr_store_count_checks(lr_store *store, uint64_t *count,
                                  lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  *count = 0;
  if (store->version < 3) return LRGD_OK;
  lrgd_status status = lr_store_prepare(
      store, "SELECT of, f, seconds, sum FROM checks", 0, &rows, error);
  int code = SQLITE_DONE;
  while (!status && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    lr_check check = {column(rows, 0), NAN, sqlite3_column_double(rows, 2)};
    if (sqlite3_column_type(rows, 1) != SQLITE_NULL)
      check.f = sqlite3_column_double(rows, 1);
    ++*count;
    if (lr_store_sum_check(&check) != column(rows, 3))
      status = lr_store_damaged(store, "check", *count, error);
  }
  return lr_store_ended(store, rows, code, status, error);
}

lrgd_status lr_store_facts(lr_store *store, lr_run_facts *facts,
                           lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  *facts = (lr_run_facts){0};
  lrgd_status status = lr_store_prepare(
      store, "SELECT run_id, dimension, sum FROM run WHERE id = 1", 0, &rows,
      error);
  int code = status ? SQLITE_DONE : sqlite3_step(rows);
  if (!status && code != SQLITE_ROW)
    status = lr_store_damaged(store, "the run", 1, error);
  if (!status) {
    const char *run_id = text(rows, 0);
    (void)snprintf(facts->run_id, sizeof facts->run_id, "%s",
                   run_id ? run_id : "");
    facts->dimension = column(rows, 1);
    if (lr_store_sum_facts(facts) != column(rows, 2) ||
        strspn(facts->run_id, "0123456789abcdef") != 32 ||
        facts->dimension < 1 || facts->dimension > 100000000)
      status = lr_store_damaged(store, "the run", 1, error);
  }
  return lr_store_ended(store, rows, code, status, error);
}

lrgd_status lr_store_ends(lr_store *store, uint64_t *sequence, uint64_t *vector,
                          lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  lrgd_status status =
      lr_store_prepare(store,
                       "SELECT (SELECT max(sequence) FROM evaluations), "
                       "(SELECT max(id) FROM vectors)",
                       0, &rows, error);
  int code = status ? SQLITE_DONE : sqlite3_step(rows);
  if (code == SQLITE_ROW) {
    *sequence = column(rows, 0);
    *vector = column(rows, 1);
  }
  return lr_store_ended(store, rows, code, status, error);
}

lrgd_status lr_store_tally(lr_store *store, lrgd_journal_summary *summary,
                           lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  summary->best_f = NAN;
  summary->best_sequence = 0;
  lrgd_status status =
      lr_store_prepare(store,
                       "SELECT count(*), count(why), min(f), "
                       "count(sequence) FILTER (WHERE sequence >= ?1), "
                       "count(why) FILTER (WHERE sequence >= ?1) "
                       "FROM evaluations",
                       summary->path_first, &rows, error);
  int code = status ? SQLITE_DONE : sqlite3_step(rows);
  if (code == SQLITE_ROW) {
    summary->rows = column(rows, 0);
    summary->failures = column(rows, 1);
    if (sqlite3_column_type(rows, 2) != SQLITE_NULL)
      summary->best_f = sqlite3_column_double(rows, 2);
    summary->path_rows = column(rows, 3);
    summary->path_failures = column(rows, 4);
  }
  status = lr_store_ended(store, rows, code, status, error);
  if (status || isnan(summary->best_f)) return status;
  rows = NULL;
  code = sqlite3_prepare_v2(store->db,
                            "SELECT min(sequence) FROM evaluations WHERE f = ?",
                            -1, &rows, NULL);
  if (!code) code = sqlite3_bind_double(rows, 1, summary->best_f);
  if (!code) code = sqlite3_step(rows);
  if (code == SQLITE_ROW) summary->best_sequence = column(rows, 0);
  return lr_store_ended(store, rows, code, LRGD_OK, error);
}

/* ---- checking and summing all rows ---- */

static int go_on(const lr_row *row, void *user)
{
  (void)row;
  (void)user;
  return 0;
}

lrgd_status lr_store_verify(lr_store *store, lrgd_error *error)
{
  lr_run_facts facts;
  lr_note note;
  uint64_t checks;
  lrgd_status status = lr_store_facts(store, &facts, error);
  if (!status) status = lr_store_get_note(store, &note, error);
  if (!status) status = lr_store_each_setting(store, NULL, NULL, error);
  if (!status) status = lr_store_each_session(store, NULL, NULL, error);
  if (!status) status = lr_store_each_path(store, NULL, NULL, error);
  if (!status) status = lr_store_count_checks(store, &checks, error);
  if (!status) status = lr_store_each_row(store, 0, go_on, NULL, error);
  if (status) return status;
  return each_vector(store,
                     "SELECT id, stream, kind, base, sum, data FROM vectors "
                     "WHERE id >= ? ORDER BY id",
                     0, NULL, NULL, error);
}
