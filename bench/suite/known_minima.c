/* Reads results of earlier runs from files written by --csv, so that peers need
 * not run again where only one of our methods has changed. */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 2048, MORE = 17 + BENCH_MARKS, FIELDS = MORE + 3 };

/* Cuts a line at its commas and removes quotes; returns the number of
 * fields. */
static size_t cut(char *line, char *fields[FIELDS])
{
  size_t count = 0;
  char *at = line;
  line[strcspn(line, "\r\n")] = '\0';
  while (at && count < FIELDS) {
    char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
    if (end) {
      *end++ = '\0';
      fields[count++] = at + 1;
      at = *end == ',' ? end + 1 : NULL;
      continue;
    }
    fields[count++] = at;
    at = strchr(at, ',');
    if (at) *at++ = '\0';
  }
  return count;
}

static double real(const char *text)
{
  return *text ? strtod(text, NULL) : NAN;
}

static uint64_t whole(const char *text)
{
  return strtoull(text, NULL, 10);
}

/* Reads the columns in the order in which csv.c writes them. */
static void read_record(bench_record *r, char *const *f)
{
  *r = (bench_record){.spent = whole(f[7]), .gap = real(f[8])};
  for (size_t t = 0; t < 2; t++) {
    r->hits[t] = whole(f[4 + t]);
    r->hits[2 + t] = whole(f[MORE + t]);
  }
  r->dimension = whole(f[MORE + 2]);
  snprintf(r->outcome, sizeof r->outcome, "%s", f[6]);
  r->seconds = real(f[9]);
  r->function_seconds = r->seconds - real(f[10]);
  r->outside = whole(f[11]);
  r->rank = whole(f[12]);
  r->bound = real(f[13]);
  r->gradient = real(f[14]);
  r->small_gradient = whole(f[15]);
  r->start = real(f[16]);
  for (size_t i = 0; i < BENCH_MARKS; i++) r->marks[i] = real(f[17 + i]);
}

static void take(bench_task *tasks, size_t count, char *const *f)
{
  for (size_t i = 0; i < count; i++) {
    if (tasks[i].seed != whole(f[3]) || strcmp(tasks[i].spec, f[2]) != 0 ||
        strcmp(tasks[i].from->label, f[1]) != 0 ||
        strcmp(bench_class_name(tasks[i].from->class), f[0]) != 0)
      continue;
    read_record(&tasks[i].record, f);
    tasks[i].known = true;
  }
}

void bench_take_known(bench_task *tasks, size_t count, const char *path)
{
  char line[LINE_ROOM], *fields[FIELDS];
  FILE *file = fopen(path, "r");
  if (!file) bench_die("cannot read %s: %s", path, strerror(errno));
  while (fgets(line, sizeof line, file))
    if (cut(line, fields) == FIELDS && whole(fields[3]) > 0)
      take(tasks, count, fields);
  (void)fclose(file);
}
