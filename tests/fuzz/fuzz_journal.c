/* Any file given as a journal is read or refused with a sentence, by who only
 * looks and by who would go on; one that is refused is left as it was.  Three
 * ways to make a file: any bytes; a good journal with some bytes changed; any
 * rows, each with its right checksum, which only sense can refuse. */
#include "journal/store.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { P = 140, MOST_FILE = 1 << 18, QUESTIONS = 12 };

/* Nobody cuts the power here: SQLite need not wait for the disk. */
#define SEEN __attribute__((visibility("default")))
SEEN int fdatasync(int fd);
SEEN int fsync(int fd);

int fdatasync(int fd)
{
  (void)fd;
  return 0;
}

int fsync(int fd)
{
  (void)fd;
  return 0;
}

static char path[80];
static char good[MOST_FILE], before[MOST_FILE], after[MOST_FILE];
static size_t good_size;

/* ---- files ---- */

static void forget(void)
{
  static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char name[100];
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    (void)unlink(name);
  }
}

static size_t get_file(char *to)
{
  int fd = open(path, O_RDONLY);
  ssize_t n = fd < 0 ? 0 : read(fd, to, MOST_FILE);
  if (fd >= 0) (void)close(fd);
  return n > 0 ? (size_t)n : 0;
}

static void put_file(const void *bytes, size_t size)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
  (void)close(fd);
}

/* ---- a run ---- */

static double value(size_t p, const double *x, void *user)
{
  (void)user;
  return x[0] + (double)p;
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  for (size_t j = 0; j < k; j++) d[j] = U[j * p];
  return value(p, x, user);
}

static void play(lrgd_journal *journal, size_t p)
{
  static double x[P], u[P];
  double d;
  lrgd_error error = {.text = ""};
  lrgd_problem problem = {.struct_size = sizeof problem,
                          .dimension = p,
                          .value = value,
                          .slopes = slopes};
  if (lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) != LRGD_OK)
    return;
  for (int q = 0; q < QUESTIONS; q++) {
    for (size_t i = 0; i < p; i++) {
      x[i] = 1 + (q / 3) * (i % 2 ? 0.5 : 0.25) + (q % 3 == 1 && i == 3);
      u[i] = q % 2 ? 1 : (double)i;
    }
    if (q % 4 == 3)
      (void)problem.slopes(p, x, 1, u, &d, problem.user);
    else
      (void)problem.value(p, x, problem.user);
  }
  if (lrgd_journal_status(journal, &error) != LRGD_OK && !error.text[0])
    abort();
}

static const double logs[] = {2, 5};
static const lrgd_setting the_setting = {
    .key = LRGD_SETTING_LOG, .numbers = logs, .count = 2};

static lrgd_status go_on(lrgd_error *error)
{
  lrgd_journal *journal = NULL;
  lrgd_journal_options options = lrgd_journal_options_default();
  options.dimension = P;
  options.settings = &the_setting;
  options.setting_count = 1;
  lrgd_status status = lrgd_journal_open(&journal, path, &options, error);
  if (status == LRGD_OK) play(journal, P);
  lrgd_journal_close(&journal);
  return status;
}

/* ---- three ways to make a file ---- */

typedef struct input {
  const uint8_t *at;
  size_t left;
} input;

static uint64_t take(input *in, size_t bytes)
{
  uint64_t value = 0;
  for (; bytes > 0; bytes--) {
    value = value << 8 | (in->left ? *in->at : 0);
    if (in->left) in->at++, in->left--;
  }
  return value;
}

static void make_changed(input *in)
{
  memcpy(before, good, good_size);
  while (in->left) {
    size_t at = (size_t)take(in, 3) % good_size;
    before[at] = (char)take(in, 1);
  }
  put_file(before, good_size);
}

/* Of a size that makes sense, mostly; small numbers in its words: ids. */
static const char *take_bytes(input *in, size_t *size)
{
  static const size_t sizes[] = {0, 8, 16, 32, 8 * P};
  static char bytes[8 * P];
  size_t way = (size_t)take(in, 1);
  *size = way < 250 ? sizes[way % 5] : take(in, 2) % sizeof bytes;
  memset(bytes, 0, sizeof bytes);
  for (size_t i = 0; i < *size && in->left; i += way & 128 ? 1 : 8)
    bytes[i] = (char)take(in, 1);
  return bytes;
}

static lrgd_status put_any(lr_store *store, input *in, uint64_t number,
                           lrgd_error *error)
{
  uint8_t what = (uint8_t)take(in, 1);
  uint64_t a = take(in, 1), b = take(in, 1);
  size_t size;
  const char *bytes = take_bytes(in, &size);
  if (what % 3 == 0) {
    lr_row row = {number, 1,    (lr_row_kind)(what / 3 % 5), a, b, 0.5,
                  bytes,  size, size ? NULL : "why"};
    return lr_store_put_row(store, &row, error);
  }
  if (what % 3 == 1) {
    lr_coded coded = {number, a, (lr_code_kind)(what / 3 % 7), bytes, size};
    return lr_store_put_vector(store, (int)(b % 3), &coded, error);
  }
  double numbers[4] = {(double)a, (double)b - 3, NAN, 5};
  lrgd_setting setting = {.key = what / 3 % 2 ? LRGD_SETTING_LOG : "seed",
                          .numbers = numbers,
                          .count = 1 + b % 4};
  return lr_store_put_setting(store, (size_t)number, &setting, error);
}

static void make_rows(input *in)
{
  lrgd_error error;
  lr_store *store = NULL;
  int full;
  lr_run_facts facts = {.dimension = take(in, 1) % 8 ? P : take(in, 8)};
  memset(facts.run_id, 'a', 32);
  lr_journal_session session = {.id = 1, .started = "x"};
  if (lr_store_open_write(&store, path, &facts, &error) != LRGD_OK) abort();
  lrgd_status status = lr_store_put_session(store, &session, &error);
  if (status == LRGD_OK && take(in, 1) % 8)
    status = lr_store_put_setting(store, 0, &the_setting, &error);
  for (uint64_t n = 1; status == LRGD_OK && in->left && n < 40; n++)
    status = put_any(store, in, n, &error);
  if (status != LRGD_OK || lr_store_commit(store, &full, &error) != LRGD_OK)
    lr_store_abandon(store);
  lr_store_close(&store);
}

/* ---- looking, and going on ---- */

static int count_row(const lrgd_journal_row *row, void *user)
{
  *(uint64_t *)user = row->sequence;
  return 0;
}

static void look(void)
{
  lrgd_error error = {.text = ""};
  lrgd_journal *journal = NULL;
  lrgd_journal_summary summary;
  uint64_t last = 0;
  static double x[P];
  lrgd_status status = lrgd_journal_open_readonly(&journal, path, &error);
  if (status != LRGD_OK) {
    if (!error.text[0] || journal) abort();
    return;
  }
  if (lrgd_journal_summarize(journal, &summary, &error) == LRGD_OK &&
      summary.dimension <= P) {
    if (lrgd_journal_rows(journal, 1, count_row, &last, &error) == LRGD_OK)
      for (uint64_t n = 1; n <= last && n < 40; n++)
        if (lrgd_journal_point(journal, n, x, &error) && !error.text[0])
          abort();
    play(journal, summary.dimension);
  }
  lrgd_journal_close(&journal);
}

static void begin(void)
{
  lrgd_error error = {.text = ""};
  snprintf(path, sizeof path, "%s/lrgd-fuzz-%d.db",
           access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (int)getpid());
  forget();
  if (go_on(&error) != LRGD_OK) abort();
  good_size = get_file(good);
  if (good_size < 4096 || good_size == MOST_FILE) abort();
  (void)atexit(forget);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  lrgd_error error = {.text = ""};
  input in = {data, size};
  if (good_size == 0) begin();
  forget();
  uint64_t way = take(&in, 1) % 4;
  if (way == 0)
    put_file(in.at, in.left);
  else if (way == 1)
    make_changed(&in);
  else
    make_rows(&in);
  size_t had = get_file(before);
  look();
  lrgd_status status = go_on(&error);
  if (status != LRGD_OK && !error.text[0]) abort();
  if (status == LRGD_ERR_REFUSED &&
      (get_file(after) != had || memcmp(before, after, had) != 0))
    abort();
  return 0;
}
