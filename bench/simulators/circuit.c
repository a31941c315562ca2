/* The netlist, one run of ngspice, and the table it prints. */
#include "circuit.h"

#include <errno.h>
#include <inttypes.h>
#include <ladder.h>
#include <math.h>
#include <problems.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
  INPUTS = 72,
  SECTIONS = INPUTS / LR_LADDER_PARTS,
  ROWS = LR_LADDER_ROWS,
  NET_ROOM = 4096,
  OUT_ROOM = 8192
};

struct bench_circuit {
  lrgd_problem f;
  /* the same circuit by analytic formulas, for the true parts, the start and
   * the box */
  lr_problem *ladder;
  double measured[ROWS];
};

/* ---- the netlist ---- */

typedef struct text {
  char at[NET_ROOM];
  size_t used;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(text *to, const char *format, ...)
{
  va_list list;
  int length;
  va_start(list, format);
  length = vsnprintf(to->at + to->used, NET_ROOM - to->used, format, list);
  va_end(list);
  if (length > 0 && (size_t)length < NET_ROOM - to->used)
    to->used += (size_t)length;
}

/* Writes the parts of section s: those in series between the nodes s and s + 1,
 * and those from there to ground.  A node name is a letter and the number of
 * the section. */
static void say_section(text *to, size_t s, const double *x)
{
  double part[LR_LADDER_PARTS];
  for (size_t i = 0; i < LR_LADDER_PARTS; i++)
    part[i] = lr_ladder_nominal(s, i) * exp(x[LR_LADDER_PARTS * s + i]);
  say(to, "l%zua n%zu a%zu %.9e\n", s, s, s, part[0]);
  say(to, "r%zua a%zu n%zu %.9e\n", s, s, s + 1, part[1]);
  say(to, "c%zua n%zu n%zu %.9e\n", s, s, s + 1, part[2]);
  say(to, "l%zub n%zu b%zu %.9e\n", s, s + 1, s, part[3]);
  say(to, "c%zub b%zu d%zu %.9e\n", s, s, s, part[4]);
  say(to, "r%zub d%zu 0 %.9e\n", s, s, part[5]);
}

static void say_circuit(text *to, const double *x)
{
  to->used = 0;
  say(to, "ladder\nv1 in 0 dc 0 ac 1\nr1 in n0 %d\n", LR_LADDER_OHMS);
  for (size_t s = 0; s < SECTIONS; s++) say_section(to, s, x);
  say(to, "r2 n%d 0 %d\n.ac dec 10 100 1meg\n.print ac vdb(n%d)\n.end\n",
      SECTIONS, LR_LADDER_OHMS, SECTIONS);
}

/* ---- one run ---- */

typedef struct child {
  pid_t pid;
  int to, from;
} child;

static bool start(child *c)
{
  char name[] = "ngspice", plain[] = "-n", batch[] = "-b";
  char *words[] = {name, plain, batch, NULL};
  posix_spawn_file_actions_t actions;
  int in[2], out[2], code;
  if (pipe(in) != 0) return false;
  if (pipe(out) != 0) {
    close(in[0]);
    close(in[1]);
    return false;
  }
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  for (int i = 0; i < 2; i++) {
    posix_spawn_file_actions_addclose(&actions, in[i]);
    posix_spawn_file_actions_addclose(&actions, out[i]);
  }
  code = posix_spawnp(&c->pid, name, &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  c->to = in[1];
  c->from = out[0];
  if (code == 0) return true;
  close(c->to);
  close(c->from);
  return false;
}

/* Writes the netlist to the simulator.  It is far shorter than the capacity of
 * a pipe, so that writing all of it first cannot block. */
static bool hand_over(const child *c, const text *net)
{
  bool done = write(c->to, net->at, net->used) == (ssize_t)net->used;
  close(c->to);
  return done;
}

static size_t take(const child *c, char *room, size_t size)
{
  size_t used = 0;
  ssize_t got;
  while ((got = read(c->from, room + used, size - 1 - used)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    used += (size_t)got;
    if (used == size - 1) break;
  }
  room[used] = '\0';
  close(c->from);
  return used;
}

/* Runs the simulator once.  SIGPIPE is ignored, since a simulator that died may
 * leave a broken pipe. */
static bool simulate(const text *net, char *room, size_t size)
{
  child c;
  int status = 0;
  bool heard;
  signal(SIGPIPE, SIG_IGN);
  if (!start(&c)) return false;
  heard = hand_over(&c, net);
  heard = take(&c, room, size) > 0 && heard;
  while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR) continue;
  return heard && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- the simulator's output ---- */

/* Reads a row "index frequency dB"; false: the line is not such a row. */
static bool read_row(const char *line, unsigned long *row, double *level)
{
  char *end;
  const char *at = line;
  *row = strtoul(at, &end, 10);
  if (end == at) return false;
  at = end;
  (void)strtod(at, &end);
  if (end == at) return false;
  at = end;
  *level = strtod(at, &end);
  return end != at;
}

/* Reads all rows of the table; false: one is missing. */
static bool read_table(const char *printed, double *response)
{
  size_t next = 0;
  for (const char *line = printed; line && next < ROWS;
       line = strchr(line, '\n')) {
    unsigned long row;
    double level;
    if (*line == '\n') line++;
    if (!read_row(line, &row, &level)) continue;
    if (row != next || !isfinite(level)) return false;
    response[next++] = level;
  }
  return next == ROWS;
}

static bool respond(const double *x, double *response)
{
  char printed[OUT_ROOM];
  text net;
  say_circuit(&net, x);
  return simulate(&net, printed, sizeof printed) &&
         read_table(printed, response);
}

static double value(size_t p, const double *x, void *user)
{
  const bench_circuit *c = user;
  double response[ROWS], sum = 0;
  (void)p;
  if (!respond(x, response)) return NAN;
  for (size_t i = 0; i < ROWS; i++) {
    double far = response[i] - c->measured[i];
    sum += far * far;
  }
  return sum / ROWS;
}

/* ---- creation and destruction ---- */

int bench_circuit_there(void)
{
  double x[INPUTS] = {0}, response[ROWS];
  return respond(x, response);
}

static lrgd_status make_ladder(bench_circuit *c, uint64_t seed,
                               lrgd_error *error)
{
  char number[24];
  lr_setting setting = {"seed", number};
  snprintf(number, sizeof number, "%" PRIu64, seed);
  return lr_problem_create(&c->ladder, "ladder", &setting, 1, error);
}

lrgd_status bench_circuit_make(bench_circuit **made, uint64_t seed,
                               lrgd_error *error)
{
  bench_circuit *c = *made = calloc(1, sizeof *c);
  lrgd_status status = c ? make_ladder(c, seed, error) : LRGD_ERR_NOMEM;
  if (status == LRGD_OK &&
      !respond(lr_problem_minimiser(c->ladder), c->measured)) {
    snprintf(error->text, sizeof error->text,
             "ngspice cannot be started, or prints something else");
    status = error->status = LRGD_ERR_SPAWN;
  }
  if (status != LRGD_OK) {
    bench_circuit_free(made);
    return status;
  }
  c->f = lrgd_problem_default(INPUTS);
  c->f.value = value;
  c->f.lower = lr_problem_callbacks(c->ladder)->lower;
  c->f.upper = lr_problem_callbacks(c->ladder)->upper;
  c->f.user = c;
  return LRGD_OK;
}

void bench_circuit_free(bench_circuit **circuit)
{
  if (*circuit) lr_problem_destroy(&(*circuit)->ladder);
  free(*circuit);
  *circuit = NULL;
}

const lrgd_problem *bench_circuit_problem(const bench_circuit *circuit)
{
  return &circuit->f;
}

const double *bench_circuit_start(const bench_circuit *circuit)
{
  return lr_problem_start(circuit->ladder);
}
