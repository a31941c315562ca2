/* Tiny simulators, most of them misbehaving: sim HOW [ARGUMENT].
 *
 * Each reads lines of numbers and answers the sum of (x_i - i)^2 and so on;
 * what goes wrong is its name.  With SIM_COUNT=FILE in the environment every
 * question that was read adds a byte to that file.  Knows nothing of lrgd. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char *line;
static size_t room;
static const char *argument = "";
static double *x;
static size_t p;
static int questions;

static void count_question(void)
{
  const char *file = getenv("SIM_COUNT");
  questions++;
  if (!file) return;
  int fd = open(file, O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (fd < 0 || write(fd, "x", 1) != 1) exit(99);
  close(fd);
}

static int read_question(void)
{
  if (getline(&line, &room, stdin) < 0) return 0;
  count_question();
  p = 0;
  char *at = line, *end;
  for (;;) {
    double value = strtod(at, &end);
    if (end == at) return 1;
    x = realloc(x, (p + 1) * sizeof *x);
    x[p++] = value;
    at = end;
  }
}

static double value(const double *at, size_t n)
{
  double f = 0;
  for (size_t i = 0; i < n; i++) {
    double t = at[i] - (double)(i % 7);
    f += t * t;
  }
  return f;
}

static void answer(void)
{
  printf("%.17g\n", value(x, p));
  fflush(stdout);
}

static void answer_gradient(void)
{
  printf("%.17g", value(x, p));
  for (size_t i = 0; i < p; i++) printf(" %.17g", 2 * (x[i] - (double)(i % 7)));
  printf("\n");
  fflush(stdout);
}

static void answer_slope(void)
{
  double d = 0;
  for (size_t i = 0; i < p / 2; i++)
    d += 2 * (x[i] - (double)(i % 7)) * x[p / 2 + i];
  printf("%.17g %.17g\n", value(x, p / 2), d);
  fflush(stdout);
}

/* x_i - i, and a product: m = p + 1.  At the N-th question, with the argument
 * nan:N a number is missing, with short:N there is one fewer, with huge:N the
 * squares overflow, with exit:N there is no answer, with line:N there is a line
 * too many after it, with wait:N each takes N milliseconds. */
static void answer_residuals(void)
{
  const char *colon = strchr(argument, ':');
  int now = colon && atoi(colon + 1) == questions;
  int is_short = now && argument[0] == 's';
  if (now && argument[0] == 'e') exit(5);
  if (colon && argument[0] == 'w') usleep((useconds_t)atoi(colon + 1) * 1000);
  for (size_t i = is_short; i < p; i++)
    printf("%.17g ", x[i] - (double)(i % 7));
  if (now && argument[0] == 'n')
    printf("nan\n");
  else
    printf("%.17g\n", now && argument[0] == 'h' ? 1e200 : x[0] * x[p - 1] / 9);
  fflush(stdout);
  if (!now || argument[0] != 'l') return;
  usleep(5000);
  printf("1 2 3 4 5 6\n");
  fflush(stdout);
}

static void sleep_ms(long ms)
{
  usleep((useconds_t)ms * 1000);
}

/* The text of the argument, \n and \0 understood. */
static void say(const char *text)
{
  for (; *text; text++) {
    int special = text[0] == '\\' && (text[1] == 'n' || text[1] == '0');
    putchar(!special ? *text : text[1] == 'n' ? '\n' : 0);
    text += special;
  }
  fflush(stdout);
}

static void flood(FILE *to)
{
  static char block[65536];
  memset(block, 'z', sizeof block);
  for (;;)
    if (fwrite(block, 1, sizeof block, to) != sizeof block) exit(0);
}

/* Leaves a process behind, whose number goes to the argument's file. */
static void leave_child(int new_session)
{
  pid_t child = fork();
  if (child == 0) {
    if (new_session) {
      setsid();
      if (fork() > 0) _exit(0);
    }
    /* whole or not at all: somebody reads it as soon as it is there */
    char whole[4096];
    (void)snprintf(whole, sizeof whole, "%s.%ld", argument, (long)getpid());
    FILE *file = fopen(whole, "w");
    if (file) fprintf(file, "%ld\n", (long)getpid());
    if (file) fclose(file);
    if (rename(whole, argument)) _exit(1);
    sleep(1000);
    _exit(0);
  }
  for (int i = 0; i < 1000 && access(argument, F_OK); i++) sleep_ms(1);
}

static void meddle(void)
{
  (void)umask(0);
  if (chdir("/")) exit(98);
  for (int fd = 3; fd < 100; fd++)
    if (fcntl(fd, F_GETFD) != -1) exit(97); /* something leaked into us */
  if (isatty(0)) exit(96);
  if (getpgrp() != getpid()) exit(95);
}

/* Behaviours before the first question. */
static void start(const char *how)
{
  if (!strcmp(how, "stderr-first"))
    for (int i = 0; i < 20000; i++) fprintf(stderr, "%060d\n", i);
  if (!strcmp(how, "banner")) say("hello\\n");
  if (!strcmp(how, "ignore-term")) signal(SIGTERM, SIG_IGN);
  if (!strcmp(how, "closes-stdin")) {
    close(0);
    sleep_ms(50);
    printf("1.5\n");
    exit(0);
  }
  if (!strcmp(how, "no-core")) setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

static void crash(const char *how)
{
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (!strcmp(how, "exit")) {
    fprintf(stderr, "first line\nthe mesh is \033[31mred\n");
    exit(atoi(argument));
  }
  if (!strcmp(how, "segv")) raise(SIGSEGV);
  if (!strcmp(how, "killed")) raise(SIGKILL);
  if (!strcmp(how, "hang") || !strcmp(how, "ignore-term")) sleep(1000);
  if (!strcmp(how, "flood")) flood(stdout);
  if (!strcmp(how, "flood-stderr")) flood(stderr);
}

/* 1: it has answered, in its way. */
static int reply_otherwise(const char *how)
{
  if (!strcmp(how, "gradient"))
    answer_gradient();
  else if (!strcmp(how, "slope"))
    answer_slope();
  else if (!strcmp(how, "residuals"))
    answer_residuals();
  else if (!strcmp(how, "say"))
    say(argument);
  else if (!strcmp(how, "flaky") && p > 1 && x[1] > 0.5)
    say("nan\\n");
  else
    return 0;
  return 1;
}

static void reply(const char *how)
{
  if (reply_otherwise(how)) return;
  if (!strcmp(how, "slow")) sleep_ms(atol(argument));
  if (!strcmp(how, "child")) leave_child(0);
  if (!strcmp(how, "escaped")) leave_child(1);
  if (!strcmp(how, "meddle")) meddle();
  if (!strcmp(how, "every") && questions % atoi(argument) == 0) exit(5);
  if (!strcmp(how, "stale")) {
    if (access("result", F_OK) == 0) exit(94);
    fclose(fopen("result", "w"));
  }
  /* faster for the later ones of a batch: answers overtake one another */
  if (!strcmp(how, "uneven")) sleep_ms((long)(value(x, p) * 1000) % 7);
  if (!strcmp(how, "stray-before") && questions == 3) {
    say(argument);
    sleep_ms(30);
  }
  answer();
  if (!strcmp(how, "twice")) answer();
  if (!strcmp(how, "stray-after") && questions == 3) {
    sleep_ms(5);
    say(argument);
  }
  if (!strcmp(how, "then-hang")) sleep(1000);
  if (!strcmp(how, "then-exit")) exit(1);
  if (!strcmp(how, "once")) exit(0);
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "ok";
  if (argc > 2) argument = argv[2];
  start(how);
  while (read_question()) {
    crash(how);
    reply(how);
  }
  if (!strcmp(how, "farewell")) say(argument);
  return 0;
}
