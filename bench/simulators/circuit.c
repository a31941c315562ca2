/* The netlist, one run of ngspice, and the table it prints. */
#include "circuit.h"

#include <errno.h>
#include <math.h>
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
  SECTIONS = 12,
  PARTS = 6,
  INPUTS = SECTIONS * PARTS,
  ROWS = 41, /* ten a decade from 100 Hz to 1 MHz */
  NET_ROOM = 4096,
  OUT_ROOM = 8192
};

struct bench_circuit {
  lrgd_problem f;
  double start[INPUTS], lower[INPUTS], upper[INPUTS];
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

/* Section s: along the line a coil beside a capacitor (a trap) with its loss,
 * to ground a coil, a capacitor and a resistor in series.  Traps and shunts
 * are tuned one after the other over the band. */
static void say_section(text *to, int s, const double *x)
{
  double octave = pow(2, s), value[PARTS];
  static const double nominal[PARTS] = {20e-3, 4e-9, 300, 40e-3, 30e-9, 800};
  for (int i = 0; i < PARTS; i++) {
    bool tuned = i % 3 < 2; /* coils and capacitors */
    value[i] =
        nominal[i] * exp(x[s * PARTS + i]) / (tuned ? pow(octave, 0.5) : 1);
  }
  say(to, "l%da n%d a%d %.9e\n", s, s, s, value[0]);
  say(to, "r%da a%d n%d %.9e\n", s, s, s + 1, value[2]);
  say(to, "c%da n%d n%d %.9e\n", s, s, s + 1, value[1]);
  say(to, "l%db n%d b%d %.9e\n", s, s + 1, s, value[3]);
  say(to, "c%db b%d d%d %.9e\n", s, s, s, value[4]);
  say(to, "r%db d%d 0 %.9e\n", s, s, value[5]);
}

static void say_circuit(text *to, const double *x)
{
  to->used = 0;
  say(to, "ladder\nv1 in 0 dc 0 ac 1\nr1 in n0 600\n");
  for (int s = 0; s < SECTIONS; s++) say_section(to, s, x);
  say(to, "r2 n%d 0 600\n.ac dec 10 100 1meg\n.print ac vdb(n%d)\n.end\n",
      SECTIONS, SECTIONS);
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

/* The netlist is far shorter than what a pipe holds: written in one go before
 * anything is read. */
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

/* What a simulator that died leaves in the pipe must not end us. */
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

/* ---- what is printed ---- */

/* Rows "index frequency dB"; false where one is missing. */
static bool read_table(const char *printed, double *response)
{
  size_t next = 0;
  for (const char *line = printed; line && next < ROWS;
       line = strchr(line, '\n')) {
    unsigned long row;
    double frequency, level;
    if (*line == '\n') line++;
    if (sscanf(line, "%lu %lf %lf", &row, &frequency, &level) != 3) continue;
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

/* ---- life ---- */

int bench_circuit_there(void)
{
  double x[INPUTS] = {0}, response[ROWS];
  return respond(x, response);
}

/* True values: within a factor of some 1.5 of the nominal ones. */
static void draw_truth(uint64_t seed, double *x)
{
  uint64_t bits = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  for (size_t i = 0; i < INPUTS; i++) {
    double sum = 0;
    for (int k = 0; k < 4; k++) {
      bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407u;
      sum += (double)(bits >> 11) * 0x1p-53 - 0.5;
    }
    x[i] = 0.6 * sum; /* standard deviation 0.35 */
    x[i] = fmin(fmax(x[i], -0.9), 0.9);
  }
}

lrgd_status bench_circuit_make(bench_circuit **made, uint64_t seed,
                               lrgd_error *error)
{
  double truth[INPUTS];
  bench_circuit *c = calloc(1, sizeof *c);
  *made = c;
  if (!c) return LRGD_ERR_NOMEM;
  draw_truth(seed, truth);
  if (!respond(truth, c->measured)) {
    bench_circuit_free(made);
    snprintf(error->text, sizeof error->text,
             "ngspice cannot be started, or prints something else");
    return error->status = LRGD_ERR_SPAWN;
  }
  for (size_t i = 0; i < INPUTS; i++) {
    c->lower[i] = -1;
    c->upper[i] = 1;
  }
  c->f = lrgd_problem_default(INPUTS);
  c->f.value = value;
  c->f.lower = c->lower;
  c->f.upper = c->upper;
  c->f.user = c;
  return LRGD_OK;
}

void bench_circuit_free(bench_circuit **circuit)
{
  free(*circuit);
  *circuit = NULL;
}

const lrgd_problem *bench_circuit_problem(const bench_circuit *circuit)
{
  return &circuit->f;
}

const double *bench_circuit_start(const bench_circuit *circuit)
{
  return circuit->start;
}
