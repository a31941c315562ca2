/* Training with slopes on the tiny set: what is learned, what is paid. */
#include "check.h"
#include "descent.h"
#include "network_directions.h"
#include "tiny.h"

static lr_descent small(void)
{
  lr_descent how = lr_descent_default();
  how.rank = 20;
  how.inputs = 30; /* more than the hidden layer has */
  how.batch = 100;
  how.budget = 1500;
  return how;
}

/* Trains from the same start; checks the budget. */
static lr_descent_news train(const lr_descent *how, lr_score *before,
                             lr_score *after)
{
  tiny t;
  lrgd_error error = {.text = ""};
  lr_descent_news news = {0};
  if (!check(make_tiny(&t, LR_RELU), "made")) return news;
  *before = score(&t);
  check(lr_descend_network(&t.net, &t.set.train, how, t.x, &news, &error) ==
            LRGD_OK,
        "%s", error.text);
  *after = score(&t);
  check(news.passes <= how->budget, "%.0f passes of %.0f", (double)news.passes,
        (double)how->budget);
  free_tiny(&t);
  return news;
}

TEST("low-rank descent learns the tiny set without a backward pass")
{
  lr_descent how = small();
  lr_score before, after;
  lr_descent_news news = train(&how, &before, &after);
  check(after.accuracy >= 0.93, "accuracy %.3f", after.accuracy);
  check_int(news.gradients, 0, "gradients");
  check_int(news.passes, news.slopes + news.iterations,
            "a block of k slopes is k + 1 passes");
  check(news.subspaces <= news.iterations + 1, "each subspace is used once");
  check_int(news.dimension, 24 * 30 + 4 * 25, "of the subspace");
  check(news.passes + 21 > how.budget, "the budget is used: %.0f",
        (double)news.passes);
}

TEST("a network learns from random directions and gradients, which are counted")
{
  lr_descent how = small();
  lr_score before, after;
  how.from = LR_FROM_RANDOM;
  lr_descent_news news = train(&how, &before, &after);
  check(after.loss < 0.5 * before.loss, "random: loss %.3f of %.3f", after.loss,
        before.loss);
  check_int(news.dimension, 64 * 24 + 24 + 24 * 4 + 4, "all of R^p");
  how.from = LR_FROM_GRADIENTS;
  news = train(&how, &before, &after);
  check(after.loss < 0.5 * before.loss, "gradients: loss %.3f of %.3f",
        after.loss, before.loss);
  check(news.gradients > 0, "counted");
  check_int(news.passes, news.slopes + news.iterations + 3 * news.gradients,
            "a gradient is three passes");
}

TEST("every step rule of the library lowers the loss, subspaces are kept")
{
  for (int64_t step = LRGD_STEP_FIXED; step <= LRGD_STEP_ADAM; step++) {
    lr_descent how = small();
    lr_score before, after;
    how.step = step;
    how.from = LR_FROM_GRADIENTS;
    how.rank = 10;
    how.probes = 4;
    how.rate = step == LRGD_STEP_FIXED ? 0.3 : 0;
    lr_descent_news news = train(&how, &before, &after);
    check(after.loss < 0.8 * before.loss, "rule %d: loss %.3f of %.3f",
          (int)step, after.loss, before.loss);
    check(news.subspaces < news.iterations || news.iterations < 3,
          "rule %d: %.0f subspaces in %.0f iterations", (int)step,
          (double)news.subspaces, (double)news.iterations);
  }
}

TEST("the control variate costs what it says and still learns")
{
  lr_descent how = small();
  lr_score before, after;
  lrgd_error error = {.text = ""};
  how.step = LRGD_STEP_FIXED;
  how.rate = 0.3;
  how.from = LR_FROM_GRADIENTS;
  how.rank = 10;
  how.probes = 4;
  how.svrg = true;
  how.anchors = 5;
  lr_descent_news news = train(&how, &before, &after);
  check(after.loss < 0.8 * before.loss, "loss %.3f of %.3f", after.loss,
        before.loss);
  /* blocks: two in an iteration, and the anchors' */
  uint64_t blocks = news.passes - 3 * news.gradients - news.slopes;
  check(blocks >= 2 * news.iterations, "%.0f blocks, %.0f iterations",
        (double)blocks, (double)news.iterations);
  tiny t;
  how.probes = 0;
  require(make_tiny(&t, LR_RELU), "made");
  check(lr_descend_network(&t.net, &t.set.train, &how, t.x, NULL, &error) ==
            LRGD_ERR_INVALID,
        "without probes");
  check(strstr(error.text, "svrg needs"), "%s", error.text);
  free_tiny(&t);
}

static bool first_only(const lr_descent_news *news, void *user)
{
  (void)user;
  return news->iterations < 1;
}

/* One fixed step of length rate from the start, in a span of gradients;
 * moved = x - start, and the gradient of all images at the start. */
static void first_step(bool svrg, double rate, double *squared, double *along)
{
  enum { RANK = 20 }; /* so many batches of 30 are a round of the 600 images */
  tiny t;
  lrgd_error error = {.text = ""};
  lr_mlp_work *work;
  lr_gather all;
  lr_descent how = small();
  how.step = LRGD_STEP_FIXED;
  how.rate = rate;
  how.from = LR_FROM_GRADIENTS;
  how.rank = how.anchors = RANK;
  how.batch = 30;
  how.probes = 1;
  how.svrg = svrg;
  how.progress = first_only;
  require(make_tiny(&t, LR_TANH), "made");
  size_t p = t.net.p;
  require(lr_mlp_work_create(&work, &t.net, 600, 0, &error) == LRGD_OK &&
              lr_gather_create(&all, 600, 64, &error) == LRGD_OK,
          "room");
  float *g = malloc(p * sizeof *g), *start = malloc(p * sizeof *start);
  memcpy(start, t.x, p * sizeof *start);
  lr_batch batch = lr_gather_slice(&all, &t.set.train, 0, 600);
  (void)lr_mlp_gradient(&t.net, work, start, &batch, g);
  check(lr_descend_network(&t.net, &t.set.train, &how, t.x, NULL, &error) ==
            LRGD_OK,
        "%s", error.text);
  *squared = *along = 0;
  for (size_t i = 0; i < p; i++) {
    double moved = (double)t.x[i] - (double)start[i];
    *squared += moved * moved;
    *along += moved * (double)g[i];
  }
  free(g);
  free(start);
  lr_gather_destroy(&all);
  lr_mlp_work_destroy(&work);
  free_tiny(&t);
}

/* At the anchor a batch's slopes cancel and the anchor's are left: the step is
 * -rate U U'g with g the gradient of all images, so that step . g =
 * -|step|^2 / rate.  With the batch's own slopes it is not. */
TEST("at its anchor the control variate takes the batch's noise away")
{
  double squared, along, rate = 0.5;
  first_step(true, rate, &squared, &along);
  check_near(along, -squared / rate, 1e-3, "with");
  first_step(false, rate, &squared, &along);
  check(fabs(along + squared / rate) > 0.02 * squared / rate,
        "without, they differ: %.3g and %.3g", along, -squared / rate);
}

TEST("a subspace is kept until its probes say that it is stale")
{
  lr_descent how = small();
  lr_score before, after;
  how.step = LRGD_STEP_FIXED;
  how.rate = 0.3;
  how.from = LR_FROM_GRADIENTS;
  how.rank = 5;
  how.probes = 4;
  lr_descent_news news = train(&how, &before, &after);
  check(news.subspaces >= 2 && 3 * news.subspaces < news.iterations,
        "%.0f subspaces in %.0f iterations", (double)news.subspaces,
        (double)news.iterations);
  check_int(news.passes, news.slopes + news.iterations + 3 * news.gradients,
            "probes are slopes of the same block");
}

TEST("a run that goes on draws other directions and takes shorter steps")
{
  double moved[2];
  for (int i = 0; i < 2; i++) {
    tiny t;
    lrgd_error error = {.text = ""};
    lr_descent how = small();
    require(make_tiny(&t, LR_TANH), "made");
    float *start = malloc(t.net.p * sizeof *start);
    memcpy(start, t.x, t.net.p * sizeof *start);
    how.done = i == 0 ? 0 : 99 * 20 * (how.rank + 1); /* 1 / sqrt(1 + 99) */
    how.progress = first_only;
    check(lr_descend_network(&t.net, &t.set.train, &how, t.x, NULL, &error) ==
              LRGD_OK,
          "%s", error.text);
    moved[i] = 0;
    for (size_t j = 0; j < t.net.p; j++)
      moved[i] += pow((double)t.x[j] - (double)start[j], 2);
    free(start);
    free_tiny(&t);
  }
  double ratio = sqrt(moved[1] / moved[0]);
  check(ratio > 0.03 && ratio < 0.3 && fabs(ratio - 0.1) > 1e-6,
        "%.4f of the first step, along others", ratio);
}

TEST("two-point and forward-gradient steps agree to the difference's error")
{
  float *x[2];
  size_t p = 0;
  for (int i = 0; i < 2; i++) {
    tiny t;
    lrgd_error error;
    lr_descent how = small();
    require(make_tiny(&t, LR_TANH), "made");
    how.way = i == 0 ? LR_FORWARD_GRADIENT : LR_TWO_POINT;
    how.rate = 0.01;
    how.progress = first_only;
    lr_descent_news news;
    check(lr_descend_network(&t.net, &t.set.train, &how, t.x, &news, &error) ==
              LRGD_OK,
          "ran");
    check_int(news.passes, 2, "passes");
    p = t.net.p;
    x[i] = t.x;
    t.x = malloc(p * sizeof *t.x);
    lr_mlp_start(&t.net, 1, t.x);
    double moved = 0, apart = 0;
    for (size_t j = 0; j < p; j++) {
      moved += pow((double)x[i][j] - (double)t.x[j], 2);
      apart += pow((double)x[0][j] - (double)x[i][j], 2);
    }
    check(moved > 0 && apart < 1e-4 * moved, "apart by %.2g of the step",
          sqrt(apart / moved));
    free_tiny(&t);
  }
  free(x[0]);
  free(x[1]);
}

TEST("a run is the same every time, and ends on a rate that is too large")
{
  tiny one, two;
  lrgd_error error = {.text = ""};
  lr_descent how = small();
  how.budget = 200;
  require(make_tiny(&one, LR_RELU) && make_tiny(&two, LR_RELU), "made");
  check(lr_descend_network(&one.net, &one.set.train, &how, one.x, NULL,
                           &error) == LRGD_OK &&
            lr_descend_network(&two.net, &two.set.train, &how, two.x, NULL,
                               &error) == LRGD_OK,
        "ran");
  check(memcmp(one.x, two.x, one.net.p * sizeof *one.x) == 0, "the same");
  how.way = LR_FORWARD_GRADIENT;
  how.rate = 1e20;
  check(lr_descend_network(&one.net, &one.set.train, &how, one.x, NULL,
                           &error) == LRGD_ERR_NUMERIC,
        "no finite number");
  check(strstr(error.text, "rate 1e+20 is too large"), "%s", error.text);
  free_tiny(&one);
  free_tiny(&two);
}

/* The gradient's share in R^out (x) span of inputs: |P g|^2 / |g|^2, by the
 * mean of (u . g)^2 over Gaussian u of the subspace, which is |P g|^2. */
TEST("directions of the inputs' span hold most of the gradient")
{
  enum { DRAWS = 4000 };
  tiny t;
  lrgd_error error;
  lr_directions *some;
  require(make_tiny(&t, LR_RELU), "made");
  size_t p = t.net.p, looked;
  require(lr_directions_create(&some, &t.net, &t.set.train, 16, &error) ==
              LRGD_OK,
          "directions");
  check_int(lr_directions_dimension(some), 24 * 16 + 4 * 16, "dimension");
  require(lr_directions_refresh(some, t.x, &looked, &error) == LRGD_OK,
          "refreshed");
  check_int(looked, 600, "the hidden layer has 25 inputs, more than 16");
  float *g = malloc(p * sizeof *g), *u = malloc(p * sizeof *u);
  lr_batch batch = lr_gather_slice(&t.place, &t.set.train, 0, 100);
  (void)lr_mlp_gradient(&t.net, t.work, t.x, &batch, g);
  double whole = 0, inside = 0;
  for (size_t i = 0; i < p; i++) whole += (double)g[i] * (double)g[i];
  for (size_t j = 0; j < DRAWS; j++) {
    double slope = 0;
    lr_directions_draw(some, 1, j, u);
    for (size_t i = 0; i < p; i++) slope += (double)u[i] * (double)g[i];
    inside += slope * slope / DRAWS;
  }
  /* chi^2 with DRAWS degrees: 0.022 is its relative standard deviation */
  check(inside > 0.85 * whole && inside < 1.1 * whole,
        "%.3f of the gradient in %d of %zu dimensions", inside / whole,
        24 * 16 + 4 * 16, p);
  free(g);
  free(u);
  lr_directions_destroy(&some);
  free_tiny(&t);
}
