/* IDX files, whole and broken, plain and compressed; the tiny set. */
#include "check.h"
#include "idx.h"
#include "images.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { ROOM = 256 };

/* Writes a head and the bytes 0, 1, 2 ... modulo 10; returns its size. */
static size_t make_file(uint8_t *bytes, uint32_t magic, uint32_t count,
                        uint32_t side, size_t data)
{
  uint32_t head[4] = {magic, count, side, side};
  size_t words = (magic & 0xff) == 3 ? 4 : 2, size = 0;
  for (size_t i = 0; i < words; i++)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes[size++] = (uint8_t)(head[i] >> shift);
  for (size_t i = 0; i < data; i++) bytes[size++] = (uint8_t)(i % 10);
  return size;
}

static void refused(lr_idx_kind kind, size_t size, const uint8_t *bytes,
                    const char *says)
{
  lr_idx idx;
  lrgd_error error = {.text = ""};
  uint8_t *exact = malloc(size + 1); /* so that reading too far is seen */
  memcpy(exact, bytes, size);
  check(lr_idx_parse(&idx, kind, "some file", size, exact, &error) ==
            LRGD_ERR_INVALID,
        "refused: %s", says);
  check(strstr(error.text, says) && strstr(error.text, "some file"),
        "\"%s\" has \"%s\"", error.text, says);
  free(exact);
}

TEST("a whole file is read as it is")
{
  uint8_t bytes[ROOM];
  lr_idx idx;
  lrgd_error error;
  size_t size = make_file(bytes, 0x803, 5, 3, 45);
  require(lr_idx_parse(&idx, LR_IDX_IMAGES, "f", size, bytes, &error) ==
              LRGD_OK,
          "images");
  check(idx.count == 5 && idx.rows == 3 && idx.cols == 3, "sizes");
  check(idx.data == bytes + 16, "data");
  size = make_file(bytes, 0x801, 7, 0, 7);
  require(lr_idx_parse(&idx, LR_IDX_LABELS, "f", size, bytes, &error) ==
              LRGD_OK,
          "labels");
  check(idx.count == 7 && idx.data[6] == 6, "labels");
}

TEST("truncated, mislabelled and oversized files are refused precisely")
{
  uint8_t bytes[ROOM];
  size_t size = make_file(bytes, 0x803, 5, 3, 45);
  refused(LR_IDX_IMAGES, 0, bytes, "0 bytes are too few");
  refused(LR_IDX_IMAGES, 3, bytes, "3 bytes are too few");
  refused(LR_IDX_IMAGES, 11, bytes, "cut off after 11 bytes");
  refused(LR_IDX_IMAGES, size - 1, bytes,
          "cut off: 5 images take 45 bytes, there are 44");
  refused(LR_IDX_IMAGES, size + 1, bytes,
          "left over: 5 images take 45 bytes, there are 46");
  refused(LR_IDX_LABELS, size, bytes, "0x00000803, not 0x00000801 of labels");
  size = make_file(bytes, 0x801, 5, 3, 5);
  refused(LR_IDX_IMAGES, size, bytes, "that is a file of labels");
  size = make_file(bytes, 0x1f8b0803, 5, 3, 45);
  refused(LR_IDX_IMAGES, size, bytes, "it is no IDX file");
  size = make_file(bytes, 0x803, 0xffffffff, 28, 45);
  refused(LR_IDX_IMAGES, size, bytes, "4294967295 images; there must be");
  size = make_file(bytes, 0x803, 5, 0x10000000, 45);
  refused(LR_IDX_IMAGES, size, bytes, "268435456 x 268435456");
  size = make_file(bytes, 0x803, 0, 3, 0);
  refused(LR_IDX_IMAGES, size, bytes, "0 images");
}

/* ---- folders ---- */

static const char *const stems[] = {
    "train-images-idx3-ubyte", "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

typedef struct folder {
  char name[64];
} folder;

static folder make_folder(void)
{
  folder f = {"/tmp/lrgd-idx-XXXXXX"};
  if (mkdtemp(f.name) == NULL) abort();
  return f;
}

static void path_of(char *path, const folder *f, size_t which, const char *end)
{
  snprintf(path, ROOM, "%s/%s%s", f->name, stems[which], end);
}

static void put(const folder *f, size_t which, bool packed, size_t size,
                const uint8_t *bytes)
{
  char path[ROOM];
  path_of(path, f, which, packed ? ".gz" : "");
  gzFile file = gzopen(path, packed ? "wb" : "wbT");
  if (file == NULL || gzwrite(file, bytes, (unsigned)size) != (int)size)
    abort();
  gzclose(file);
}

static void fill_folder(const folder *f, bool packed)
{
  uint8_t bytes[ROOM];
  for (size_t i = 0; i < 4; i++) {
    uint32_t count = i < 2 ? 6 : 4;
    size_t size = i % 2 == 0 ? make_file(bytes, 0x803, count, 3, 9 * count)
                             : make_file(bytes, 0x801, count, 0, count);
    put(f, i, packed, size, bytes);
  }
}

static void remove_folder(const folder *f)
{
  char path[ROOM];
  for (size_t i = 0; i < 4; i++) {
    path_of(path, f, i, "");
    unlink(path);
    path_of(path, f, i, ".gz");
    unlink(path);
  }
  rmdir(f->name);
}

static void folder_refused(const folder *f, const char *says)
{
  lr_dataset set;
  lrgd_error error = {.text = ""};
  check(lr_dataset_read(&set, f->name, &error) == LRGD_ERR_INVALID,
        "refused: %s", says);
  check(strstr(error.text, says), "\"%s\" has \"%s\"", error.text, says);
}

TEST("plain and compressed files give the same images")
{
  for (int packed = 0; packed < 2; packed++) {
    folder f = make_folder();
    lr_dataset set;
    lrgd_error error = {.text = ""};
    fill_folder(&f, packed);
    if (check(lr_dataset_read(&set, f.name, &error) == LRGD_OK, "%s",
              error.text)) {
      check(set.train.count == 6 && set.test.count == 4 &&
                set.train.pixels == 9 && set.classes == 10,
            "sizes");
      check(set.train.data[53] == 3 && set.train.labels[5] == 5, "contents");
      lr_dataset_free(&set);
    }
    remove_folder(&f);
  }
}

TEST("files that do not belong together are refused")
{
  uint8_t bytes[ROOM];
  folder f = make_folder();
  folder_refused(&f, "neither train-images-idx3-ubyte nor");
  fill_folder(&f, false);
  put(&f, 1, false, make_file(bytes, 0x801, 5, 0, 5), bytes);
  folder_refused(&f, "6 images, but 5 labels");
  fill_folder(&f, false);
  size_t size = make_file(bytes, 0x801, 4, 0, 4);
  bytes[size - 1] = 11;
  put(&f, 3, false, size, bytes);
  folder_refused(&f, "label 11 of image 3; there are 10 classes");
  fill_folder(&f, false);
  put(&f, 2, false, make_file(bytes, 0x803, 4, 2, 16), bytes);
  folder_refused(&f, "training images have 9 pixels, test images 4");
  remove_folder(&f);
}

TEST("a compressed file that is cut off is refused")
{
  folder f = make_folder();
  char path[ROOM];
  fill_folder(&f, true);
  path_of(path, &f, 0, ".gz");
  if (truncate(path, 30) != 0) abort();
  folder_refused(&f, "train-images-idx3-ubyte.gz: ");
  remove_folder(&f);
}

/* ---- the tiny set, shuffles ---- */

TEST("the tiny set has every class and is the same every time")
{
  lr_dataset one, two;
  lrgd_error error;
  require(lr_dataset_draw(&one, 8, 4, 200, 50, 1, &error) == LRGD_OK, "one");
  require(lr_dataset_draw(&two, 8, 4, 200, 50, 1, &error) == LRGD_OK, "two");
  size_t seen[4] = {0};
  for (size_t i = 0; i < 200; i++) seen[one.train.labels[i]]++;
  for (size_t c = 0; c < 4; c++)
    check(seen[c] > 30, "class %zu has %zu of 200", c, seen[c]);
  check(memcmp(one.train.data, two.train.data, 200 * 64) == 0, "the same");
  check(memcmp(one.train.data, one.test.data, 50 * 64) != 0,
        "test images are others");
  lr_dataset_free(&one);
  lr_dataset_free(&two);
}

TEST("a shuffle is a permutation, another one for every round")
{
  enum { N = 1000 };
  uint32_t order[N], other[N];
  bool seen[N] = {false};
  size_t still = 0, same = 0;
  lr_shuffle(1, 0, N, order);
  lr_shuffle(1, 1, N, other);
  for (size_t i = 0; i < N; i++) {
    check(order[i] < N && !seen[order[i]], "%zu", i);
    seen[order[i]] = true;
    still += order[i] == i;
    same += order[i] == other[i];
  }
  check(still < 10 && same < 10, "%zu stay, %zu the same", still, same);
}
