/* Reads A and b of A x = b.  An error names file and line. */
#include "equations.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "cli/base/npy.h"
#include "cli/base/vector_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n,";

/* Reads the numbers of one line into a row of A. */
static lrgd_status read_row(char *line, double *row, size_t p, const char *path,
                            size_t number, lrgd_error *error)
{
  size_t count = 0;
  char *rest = NULL;
  for (char *word = strtok_r(line, blanks, &rest); word != NULL;
       word = strtok_r(NULL, blanks, &rest)) {
    if (count == p)
      return fail(error, LRGD_ERR_INVALID,
                  "%s:%zu: more than %zu numbers; the problem has %zu inputs",
                  path, number, p, p);
    if (!text_number(word, &row[count++]))
      return fail(error, LRGD_ERR_INVALID,
                  "%s:%zu: \"%.40s\" is not a finite number", path, number,
                  word);
  }
  if (count == p) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "%s:%zu: %zu numbers; the problem has %zu inputs", path, number,
              count, p);
}

static bool is_blank(const char *line)
{
  return line[strspn(line, blanks)] == '\0';
}

static lrgd_status read_rows(cli_equations *equations, FILE *file,
                             const char *path, size_t p, lrgd_error *error)
{
  char *line = NULL;
  size_t room = 0, number = 0;
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK && getline(&line, &room, file) >= 0) {
    number++;
    if (is_blank(line)) continue;
    double *grown =
        realloc(equations->A, (equations->count + 1) * p * sizeof *grown);
    if (grown == NULL) {
      status = fail_memory(error);
      break;
    }
    equations->A = grown;
    status =
        read_row(line, grown + equations->count * p, p, path, number, error);
    equations->count++;
  }
  if (status == LRGD_OK && ferror(file))
    status = fail(error, LRGD_ERR_INVALID, "%s: %s", path, strerror(errno));
  free(line);
  return status;
}

static lrgd_status read_npy(cli_equations *equations, FILE *file,
                            const char *path, size_t p, lrgd_error *error)
{
  size_t count = 0;
  lrgd_status status = npy_read(file, path, &equations->A, &count, error);
  if (status != LRGD_OK) return status;
  equations->count = count / p;
  if (count % p == 0) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "%s: %zu numbers are no whole number of rows of %zu", path, count,
              p);
}

static lrgd_status read_matrix(cli_equations *equations, const char *path,
                               size_t p, lrgd_error *error)
{
  FILE *file = file_open(path, "r");
  if (file == NULL)
    return fail(error, LRGD_ERR_INVALID, "--equal: \"%s\" cannot be read: %s",
                path, file_trouble());
  lrgd_status status = npy_begins(file)
                           ? read_npy(equations, file, path, p, error)
                           : read_rows(equations, file, path, p, error);
  fclose(file);
  if (status == LRGD_OK && equations->count == 0)
    return fail(error, LRGD_ERR_INVALID, "%s: no numbers in it", path);
  return status;
}

static lrgd_status read_values(cli_equations *equations, const char *name,
                               const char *path, lrgd_error *error)
{
  cli_vector b;
  lrgd_status status = vector_read(&b, name, path, 0, false, error);
  if (status != LRGD_OK) return status;
  equations->b = b.entries;
  if (b.count == equations->count) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID, "--%s: A has %zu rows and b %zu numbers",
              name, equations->count, b.count);
}

lrgd_status equations_read(cli_equations *equations, const cli_flags *flags,
                           flag_id flag, size_t p, lrgd_error *error)
{
  const char *name = flag == FLAG_EQUAL ? "equal" : "at-most";
  size_t cursor = 0, given = flags_count(flags, flag);
  *equations = (struct cli_equations){0};
  if (given == 0) return LRGD_OK;
  if (given > 2)
    return fail(error, LRGD_ERR_INVALID,
                "--%s is given once: one file of rows, one of right sides",
                name);
  if (flags_has(flags, FLAG_LOG) || flags_has(flags, FLAG_BASIS))
    return fail(error, LRGD_ERR_INVALID,
                "--%s is about x: give it without --%s", name,
                flags_has(flags, FLAG_LOG) ? "log" : "basis");
  lrgd_status status =
      read_matrix(equations, flags_next(flags, flag, &cursor), p, error);
  if (status == LRGD_OK)
    status =
        read_values(equations, name, flags_next(flags, flag, &cursor), error);
  if (status != LRGD_OK) equations_free(equations);
  return status;
}

void equations_free(cli_equations *equations)
{
  free(equations->A);
  free(equations->b);
  *equations = (struct cli_equations){0};
}

lrgd_status equations_set(const cli_equations *equations, size_t p,
                          const double *scale, lrgd_solver *solver,
                          lrgd_error *error)
{
  size_t m = equations->count;
  double *A = malloc(m * p * sizeof *A);
  if (A == NULL) return fail_memory(error);
  for (size_t i = 0; i < m * p; i++)
    A[i] = equations->A[i] * (scale != NULL ? scale[i % p] : 1);
  lrgd_status status =
      lrgd_solver_set_constraints(solver, m, A, equations->b, error);
  free(A);
  return status;
}
