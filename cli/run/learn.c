/* Reads known evaluations from journals of the same function. */
#include "learn.h"

#include "cli/base/cli_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which journals ---- */

/* One line of the recorded list of sources. */
typedef struct recorded_source {
  char name[PATH_MAX];
  char run[33];
  unsigned long long rows;
} recorded_source;

static lrgd_status append(cli_learned *learned, const recorded_source *from,
                          lrgd_error *error)
{
  size_t before = learned->text != NULL ? strlen(learned->text) : 0;
  size_t room = before + strlen(from->name) + 64;
  char *longer = realloc(learned->text, room);
  if (longer == NULL) return fail_memory(error);
  learned->text = longer;
  (void)snprintf(longer + before, room - before, "%s\t%s\t%llu\n", from->name,
                 from->run, from->rows);
  return LRGD_OK;
}

/* The next line of a recorded text; NULL: there is none, or lrgd did not write
 * it. */
static const char *next_source(const char *text, recorded_source *from)
{
  size_t name = strcspn(text, "\t\n");
  if (text[name] != '\t' || name >= sizeof from->name) return NULL;
  memcpy(from->name, text, name);
  from->name[name] = '\0';
  int used = 0;
  if (sscanf(text + name, "\t%32[0-9a-f]\t%llu\n%n", from->run, &from->rows,
             &used) != 2)
    return NULL;
  return text + name + used;
}

/* Adopts the recorded decision whether a known point is evaluated again, where
 * minimize continues a journal that learned from the same sources: that
 * decision depends on whether the command differed when the journal was
 * begun. */
static void adopt(cli_learned *learned, const char *name)
{
  lrgd_journal *journal;
  struct stat file;
  if (name == NULL || learned->text == NULL || stat(name, &file) != 0) return;
  if (lrgd_journal_open_readonly(&journal, name, NULL) != LRGD_OK) return;
  if (strcmp(recorded_text(journal, "learned"), learned->text) == 0)
    learned->verify = *recorded_text(journal, "verified") != '\0';
  lrgd_journal_close(&journal);
}

/* Whether a journal's function is recorded as this problem is. */
static bool is_same(const lrgd_journal *journal, const cli_flags *flags,
                    const cli_source *source)
{
  const char *key = source->builtin != NULL ? "problem" : "command";
  return strcmp(recorded_text(journal, "kind"), source_kind(flags)) == 0 &&
         strcmp(recorded_text(journal, key), source->name) == 0;
}

/* ---- reading ---- */

static lrgd_status know(cli_learned *learned, size_t p, lrgd_error *error)
{
  if (learned->known != NULL) return LRGD_OK;
  return lrgd_knowledge_create(&learned->known, p, error);
}

/* Adds the first from->rows evaluations of an open journal. */
static lrgd_status add(cli_learned *learned, lrgd_journal *journal,
                       const recorded_source *from, size_t p, lrgd_error *error)
{
  lrgd_error why = {.text = ""};
  lrgd_status status = know(learned, p, error);
  if (status != LRGD_OK) return status;
  status = lrgd_knowledge_add(learned->known, journal, 1, from->rows, &why);
  if (status == LRGD_OK) return append(learned, from, error);
  return fail(error, status, "--learn-from %.200s: %s", from->name, why.text);
}

/* Refuses sources that cannot be used. */
static lrgd_status refuse(const cli_flags *flags, const char *name,
                          lrgd_error *error)
{
  const char *own = flags_text(flags, FLAG_JOURNAL);
  struct stat a, b;
  if (flags_has(flags, FLAG_BASIS) || flags_has(flags, FLAG_EQUAL))
    return fail(error, LRGD_ERR_INVALID,
                "--learn-from and --%s do not go together",
                flags_has(flags, FLAG_BASIS) ? "basis" : "equal");
  if (flags->options.verbatim)
    return fail(error, LRGD_ERR_INVALID,
                "--learn-from and --verbatim do not go together: the paper's "
                "algorithms know nothing beforehand");
  if (own == NULL || stat(own, &a) != 0 || stat(name, &b) != 0) return LRGD_OK;
  if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--learn-from %.200s: this is the journal of the run itself, "
              "which knows what it holds",
              name);
}

/* Reads a journal named on the command line. */
static lrgd_status read_named(cli_learned *learned, const char *name,
                              const cli_flags *flags, const cli_source *source,
                              lrgd_error *error)
{
  lrgd_journal *journal;
  lrgd_journal_summary summary;
  recorded_source from;
  lrgd_status status = refuse(flags, name, error);
  if (status == LRGD_OK)
    status = lrgd_journal_open_readonly(&journal, name, error);
  if (status != LRGD_OK) return status;
  status = lrgd_journal_summarize(journal, &summary, error);
  if (status == LRGD_OK && realpath(name, from.name) == NULL)
    status = fail(error, LRGD_ERR_STORAGE, "cannot find %.200s", name);
  if (status == LRGD_OK) {
    memcpy(from.run, summary.run_id, sizeof from.run);
    from.rows = summary.rows;
    learned->verify |= !is_same(journal, flags, source);
    status = add(learned, journal, &from, source->problem.dimension, error);
  }
  lrgd_journal_close(&journal);
  return status;
}

/* Reads a recorded source: the same evaluations as when it was recorded, or
 * none. */
static lrgd_status read_recorded(cli_learned *learned,
                                 const recorded_source *from,
                                 const cli_source *source, lrgd_error *error)
{
  lrgd_journal *journal;
  lrgd_error why = {.text = "it is another run's now"};
  lrgd_status status = LRGD_OK;
  bool found =
      lrgd_journal_open_readonly(&journal, from->name, &why) == LRGD_OK;
  if (found && strcmp(lrgd_journal_run_id(journal), from->run) == 0)
    status = add(learned, journal, from, source->problem.dimension, error);
  else
    say("what was learned from %.200s is not known any more: %.200s",
        from->name, why.text);
  if (found) lrgd_journal_close(&journal);
  return status;
}

lrgd_status learn_open(cli_learned *learned, const cli_flags *flags,
                       const cli_source *source, const char *recorded,
                       lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  size_t cursor = 0;
  const char *name;
  recorded_source from;
  *learned = (struct cli_learned){.text = NULL};
  if (recorded != NULL)
    while (status == LRGD_OK &&
           (recorded = next_source(recorded, &from)) != NULL)
      status = read_recorded(learned, &from, source, error);
  while (status == LRGD_OK &&
         (name = flags_next(flags, FLAG_LEARN_FROM, &cursor)) != NULL)
    status = read_named(learned, name, flags, source, error);
  if (status == LRGD_OK) adopt(learned, flags_text(flags, FLAG_JOURNAL));
  size_t count = lrgd_knowledge_count(learned->known);
  char text[TEXT_COUNT_SIZE];
  if (status == LRGD_OK && count > 0 && !flags_has(flags, FLAG_QUIET))
    say("%s evaluation%s known before", text_count(text, count),
        count == 1 ? " is" : "s are");
  return status;
}

lrgd_status learn_own(cli_learned *learned, lrgd_journal *journal,
                      uint64_t first, lrgd_error *error)
{
  lrgd_journal_summary summary;
  if (first <= learned->own + 1) return LRGD_OK;
  lrgd_status status = lrgd_journal_summarize(journal, &summary, error);
  if (status == LRGD_OK) status = know(learned, summary.dimension, error);
  if (status == LRGD_OK)
    status = lrgd_knowledge_add(learned->known, journal, learned->own + 1,
                                first - 1, error);
  learned->own = first - 1;
  return status;
}

void learn_trust(cli_learned *learned)
{
  learned->verify = false;
}

void learn_record(const cli_learned *learned, cli_record *record)
{
  record_add(record, "learned", learned->text);
  record_add(record, "verified", learned->verify ? "yes" : NULL);
}

void learn_close(cli_learned *learned)
{
  lrgd_knowledge_destroy(&learned->known);
  free(learned->text);
  *learned = (struct cli_learned){.text = NULL};
}

/* ---- passing evaluations on ---- */

/* The evaluations in other variables, owned by the caller, and the points z
 * that they borrow.  Values only: derivatives would need the chain rule. */
static lrgd_evaluation *move(const cli_learned *learned, size_t p,
                             const lrgd_variables *transform, double **z)
{
  size_t n = lrgd_knowledge_count(learned->known);
  const lrgd_evaluation *known = lrgd_knowledge_evaluations(learned->known);
  lrgd_evaluation *moved = calloc(n, sizeof *moved);
  *z = malloc(n * p * sizeof **z);
  for (size_t i = 0; moved != NULL && *z != NULL && i < n; i++) {
    lrgd_variables_into(transform, known[i].x, *z + i * p);
    moved[i].x = *z + i * p;
    moved[i].f = known[i].f;
  }
  return moved;
}

/* Passes the evaluations to a solver or to a diagnosis; the other is NULL. */
static lrgd_status hand_over(const cli_learned *learned, size_t p,
                             lrgd_solver *solver, lrgd_diagnosis *study,
                             const lrgd_variables *transform, lrgd_error *error)
{
  size_t n = lrgd_knowledge_count(learned->known);
  const lrgd_evaluation *known = lrgd_knowledge_evaluations(learned->known);
  lrgd_evaluation *moved = NULL;
  double *z = NULL;
  lrgd_status status = LRGD_OK;
  if (n == 0) return LRGD_OK;
  if (transform != NULL) known = moved = move(learned, p, transform, &z);
  if (known == NULL || (transform != NULL && z == NULL))
    status = fail_memory(error);
  else if (solver != NULL)
    status = lrgd_solver_learn(solver, n, known, learned->verify, error);
  else
    status = lrgd_diagnosis_learn(study, n, known, learned->verify, error);
  free(moved);
  free(z);
  return status;
}

lrgd_status learn_residuals(cli_learned *learned, size_t count,
                            lrgd_error *error)
{
  size_t n = lrgd_knowledge_count(learned->known);
  for (size_t i = 0; i < n; i++) {
    size_t m;
    if (lrgd_knowledge_residuals(learned->known, i, &m) == NULL)
      return fail(error, LRGD_ERR_INVALID,
                  "--learn-from: a run on residuals learns from others on "
                  "residuals; evaluation %zu answered f alone",
                  i + 1);
    if (count == 0) count = m;
    if (m != count)
      return fail(error, LRGD_ERR_INVALID,
                  "--learn-from: %zu residuals are asked for, and evaluation "
                  "%zu answered %zu",
                  count, i + 1, m);
    learned->residuals = m;
  }
  return LRGD_OK;
}

lrgd_status learn_teach_residuals(const cli_learned *learned, size_t p,
                                  lrgd_solver *solver,
                                  const lrgd_variables *transform,
                                  cli_misfit *misfit, lrgd_error *error)
{
  size_t n = lrgd_knowledge_count(learned->known), m = learned->residuals;
  const lrgd_evaluation *known = lrgd_knowledge_evaluations(learned->known);
  if (n == 0) return LRGD_OK;
  double *X = malloc(n * p * sizeof *X), *R = malloc(n * m * sizeof *R);
  lrgd_status status = X != NULL && R != NULL ? LRGD_OK : fail_memory(error);
  for (size_t i = 0; i < n && status == LRGD_OK; i++) {
    memcpy(X + i * p, known[i].x, p * sizeof *X);
    if (transform != NULL) lrgd_variables_into(transform, X + i * p, X + i * p);
    memcpy(R + i * m, lrgd_knowledge_residuals(learned->known, i, NULL),
           m * sizeof *R);
    if (misfit != NULL) misfit_know(misfit, known[i].x, m, R + i * m);
  }
  if (status == LRGD_OK)
    status =
        lrgd_solver_learn_residuals(solver, n, X, R, learned->verify, error);
  free(X);
  free(R);
  return status;
}

lrgd_status learn_teach(const cli_learned *learned, size_t p,
                        lrgd_solver *solver, const lrgd_variables *transform,
                        lrgd_error *error)
{
  return hand_over(learned, p, solver, NULL, transform, error);
}

lrgd_status learn_study(const cli_learned *learned, size_t p,
                        lrgd_diagnosis *study, const lrgd_variables *transform,
                        lrgd_error *error)
{
  return hand_over(learned, p, NULL, study, transform, error);
}
