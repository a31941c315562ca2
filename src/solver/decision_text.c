/* Makes the sentences of decisions; no other file does.  Sentences are for
 * people; code reads the members of lrgd_decision. */
#include "base/sized.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A word for scripts and a sentence for people.  In a sentence a '%' and a
 * letter stand for a member of the decision:
 *   %i  the input, by number and name     %s  "above" or "below", its side
 *   %n  what |grad f| is the norm of
 *   %c  count     %p  "s" unless count is 1     %q  count, of others
 *   %v3 value, %l3 level, %m3 limit, to so many digits (A: 10, F: 15)
 *   %V  value as a percentage             %L  level as a whole number
 *   %w  cause     %b  what f is beyond: cause and level
 *   %o  the option in row count           %f  why f had no value
 *   %g  likewise, and nothing where that is not known */
typedef struct row {
  const char *word, *sentence;
} row;

#define KIND(name) [LRGD_DECISION_KIND_##name]

static const row kinds[] = {
    KIND(NONE) = {"none",                   "nothing decided yet"                     },
    KIND(START_CLIPPED) = {"start_clipped",
                  "the start violates the bounds of %c input%p and is "
                           "projected onto them"                                      },
    KIND(WARM_START) = {"warm_start",
                  "%c evaluation%p known: starting at the lowest, "
                        "f = %v6"                                                     },
    KIND(START_MOVED) = {"start_moved",
                  "f is %v6 at the start and %l6 at another point: "
                         "starting there"                                             },
    KIND(NOISE_FOUND) = {"noise_found",
                  "noise of %v2 (standard deviation) found in f"                      },
    KIND(KNOWN_UNUSED) = {"known_unused",
                  "verbatim: the %c evaluation%p known are not used"                  },
    KIND(RESTART) = {"restart",                "restart %c: the lowest f so far is %vA"  },
    KIND(OPTION_UNUSED) = {"option_unused",
                  "%o is not used: this method chooses its own step "
                           "lengths"                                                  },
    KIND(SENTINEL) = {"sentinel",
                  "f is %v6 once more, far above its value at the start: "
                      "a failed evaluation from now on"                               },
    KIND(GRADIENT_DESCENT) = {"gradient_descent",
                  "gradient descent in %c dimension%p"                                },
    KIND(SUBSPACE_IDENTIFIED) = {"subspace_identified",
                  "%c direction%p identified from %lF "
                                 "gradients, smallest singular value %v3"             },
    KIND(SUBSPACE_COMPLETED) =
        {"subspace_completed",
                  "the gradients have rank %L: the other %c direction%p of "
         "the subspace are arbitrary"                                                 },
    KIND(SAMPLE_SKIPPED) =
        {"sample_skipped",
                  "the gradient at sample %c cannot be evaluated: it is left "
         "out"                                                                        },
    KIND(SUBSPACE_ROUNDS) = {"subspace_rounds",
                  "rounds of %c gradient step%p and a descent in "
                             "their span"                                             },
    KIND(SUBSPACE_GROWN) = {"subspace_grown",
                  "|grad f| is %v3: subspace enlarged to %c "
                            "direction%p"                                             },
    KIND(RANK_RAISED) = {"rank_raised",
                  "|grad f| is %v3: the rank is too low, raised to "
                         "%c"                                                         },
    KIND(EMBEDDING) = {"embedding",              "embedding in a growing random subspace%w"},
    KIND(EMBEDDING_DIRECTION) = {"embedding_direction",
                  "embedding: direction %c, %V of its curvature "
                                 "new, rank estimate %L"                              },
    KIND(EMBEDDING_RESTARTED) = {"embedding_restarted",
                  "noise of %v2 (standard deviation) found in "
                                 "f: the embedding starts over"                       },
    KIND(EMBEDDING_LEADS) = {"embedding_leads",
                  "embedding continues: f is %v6 there, %l6 with "
                             "quasi-Newton"                                           },
    KIND(EMBEDDING_TRAILS) = {"embedding_trails",
                  "embedding abandoned: f is %v6 there, %l6 with "
                              "quasi-Newton"                                          },
    KIND(EMBEDDING_ENDED) = {"embedding_ended",        "embedding ended: %w"                     },
    KIND(QUASI_NEWTON) = {"quasi_newton",
                  "quasi-Newton in the span of gradients%w"                           },
    KIND(POLYTOPE) = {"polytope",
                  "quasi-Newton on %c equation%p within bounds"                       },
    KIND(INTERPOLATION) = {"interpolation",
                  "trust region with a quadratic interpolation model"                 },
    KIND(INTERPOLATION_ENDED) = {"interpolation_ended",
                  "interpolation model ended: %w; f is %v6"                           },
    KIND(START_RETRIED) = {"start_retried",
                  "no step decreases f below %v6: quasi-Newton from "
                           "the start again"                                          },
    KIND(BEST_RETRIED) = {"best_retried",
                  "no lower f from the start: back to the best point, "
                          "f is %v6"                                                  },
    KIND(HIDDEN_BOUND) = {"hidden_bound",
                  "f %b where %i is %s %v6: hidden bound, kept as a "
                          "bound from now on"                                         },
    KIND(HIDDEN_BOUND_REMOVED) = {"hidden_bound_removed",
                  "%i may be %s %v6 here: hidden bound "
                                  "removed"                                           },
    KIND(HIDDEN_SURFACE) = {"hidden_surface",
                  "f %b beyond a surface across the inputs: hidden "
                            "constraint"                                              },
    KIND(HIDDEN_SURFACE_REFUTED) = {"hidden_surface_refuted",
                  "evaluations fail at scattered points: no "
                                    "hidden constraint"                               },
    KIND(HELD_BOUND) = {"held_bound",
                  "f %b where %i is %s %v6%q, the other inputs fixed"                 },
    KIND(HELD_SURFACE) = {"held_surface",
                  "f %b beyond a surface across the inputs"                           },
    KIND(GRADIENT_BOUND) = {"gradient_bound",
                  "%n <= %v3 with confidence %l3, tolerance %m3"                      },
    KIND(CONVERGED) = {"converged",              "%n is at most %v3 (confidence %l3)"      },
    KIND(CONSTANT) = {"constant",
                  "all answers are %vA: f is the same wherever it was "
                      "evaluated; does the program read its input?"                   },
    KIND(TARGET) = {"target",                 "f is %vA, which reaches the target %mA"  },
    KIND(EVALUATIONS_USED) = {"evaluations_used",
                  "%c of %mF evaluations used, and the next step "
                              "needs %lF"                                             },
    KIND(ITERATIONS_USED) = {"iterations_used",        "%c iteration%p are over"                 },
    KIND(SECONDS_USED) = {"seconds_used",           "%m6 seconds are over"                    },
    KIND(STOPPED) = {"stopped",                "on request"                              },
    KIND(UNBOUNDED) = {"unbounded",              "f fell to %v6: it is unbounded below"    },
    KIND(NO_STEP) = {"no_step",
                  "no step decreases f; %n is %v3, tolerance %m3"                     },
    KIND(NO_STEP_INSIDE) = {"no_step_inside",
                  "no step decreases f; |grad f| is %v3 in the "
                            "subspace, tolerance %m3, differences resolve "
                            "%l1"                                                     },
    KIND(NO_STEP_BOUND) = {"no_step_bound",
                  "no step decreases f; %n <= %v3 with confidence "
                           "%l3, as far as differences resolve it"                    },
    KIND(NO_DECREASE) = {"no_decrease",
                  "no decrease in the last %c iteration%p; |grad f| is "
                         "%v3 in the subspace, tolerance %m3"                         },
    KIND(SMALL_DECREASE) = {"small_decrease",
                  "a step decreased f by %v3, less than "
                            "stop_decrease, %m3"                                      },
    KIND(GRADIENT_ERROR) =
        {"gradient_error",
                  "%n is %v3; it cannot be resolved to better than %l3, "
         "tolerance %m3"                                                              },
    KIND(GRADIENT_NOISE) = {"gradient_noise",
                  "%n is %v3, which %w of %l2 in f explains; "
                            "tolerance %m3"                                           },
    KIND(
        AS_WRITTEN) = {"as_written",
                  "%n is %v3 as measured, at most the tolerance, %m3: the "
                       "paper's algorithm ends here, which certifies nothing"         },
    KIND(GRADIENT_PARTIAL) = {"gradient_partial",
                  "%n is at most %v3 along the directions in which "
                              "f can be evaluated; in others it cannot"               },
    KIND(LOWER_ELSEWHERE) = {"lower_elsewhere",
                  "%n is at most %v3 where f is %lA, but f was %mA "
                             "at another point, which is returned without a "
                             "certificate"                                            },
    KIND(ABOVE_START) = {"above_start",
                  "%n is at most %v3, but f is %l6 and was %m6 before"                },
    KIND(DIRECTIONS_USED) = {"directions_used",
                  "|grad f| is %v3, tolerance %m3, but only %c "
                             "direction%p allowed"                                    },
    KIND(START_FAILED) = {"start_failed",           "the start cannot be evaluated%f"         },
    KIND(START_SLOPES_FAILED) = {"start_slopes_failed",
                  "the directional derivatives at the start "
                                 "cannot be evaluated%f"                              },
    KIND(POINT_FAILED) = {"point_failed",
                  "a point on the way cannot be evaluated%f"                          },
    KIND(GRADIENT_FAILED) = {"gradient_failed",
                  "the gradient cannot be evaluated at iterate "
                             "%c%g"                                                   },
    KIND(SAMPLE_FAILED) = {"sample_failed",
                  "the gradient at sample %c cannot be evaluated%f"                   },
    KIND(STEP_FAILED) = {"step_failed",
                  "f cannot be evaluated on the way down, even with the "
                         "step halved %c times%g"                                     },
    KIND(FAILURES_USED) = {"failures_used",
                  "%c evaluation%p failed, %mF are allowed%g"                         },
    KIND(GRADIENT_TOO_LARGE) = {"gradient_too_large",
                  "|grad f| is %v3: divide f by that"                                 },
    KIND(GRADIENT_CONTRADICTED) =
        {"gradient_contradicted",
                  "no step decreases f, as the gradient is not that of f: along "
         "it f changes by %v4 per unit, and the "
         "gradient says %l4 (lrgd check finds the "
         "input)"                                                                     },
    KIND(LEAST_SQUARES) =
        {"least_squares",
                  "least squares: a model of %c residual%p in a growing random "
         "subspace"                                                                   },
    KIND(JACOBIAN_CONTRADICTED) =
        {"jacobian_contradicted",
                  "no step decreases f, as the Jacobian is not that of the residuals: "
         "along the last step it is wrong by %v2 of their change"                     },
    KIND(LEVENBERG_MARQUARDT) =
        {"levenberg_marquardt",
                  "Levenberg-Marquardt: %c residual%p, whose Jacobian is given at every "
         "point"                                                                      },
    KIND(CONSTRAINED) =
        {"constrained",
                  "trust region on models of all outputs, %c of which have limits"    },
    KIND(FEASIBLE) = {"feasible",
                  "within all limits after %c evaluation%p; f is %v6"                 },
    KIND(
        KKT_POINT) = {"kkt_point",
                  "the projected gradient of the Lagrangian is at most %v3 "
                      "(confidence %l3), all limits are met"                          },
    KIND(INFEASIBLE) =
        {"infeasible",
                  "no point within all limits was found: output %c stays outside, "
         "by %v3 of its scale where it is closest"                                    },
    KIND(KKT_STALLED) =
        {"kkt_stalled",
                  "no step is left; the projected gradient of the Lagrangian is "
         "%v3, tolerance %m3; all limits are met"                                     },
    KIND(NOT_FEASIBLE) =
        {"not_feasible",
                  "no point within all limits was evaluated: the closest is "
         "outside by %v3 of the scale of output %c"                                   },
    KIND(SURROGATE) =
        {"surrogate",
                  "f is %v6 at the start and %l6 at the middle of the box or a random "
         "point: a Gaussian process of all values"                                    },
    KIND(
        SURROGATE_ENDED) = {"surrogate_ended",
                  "Gaussian process ended with %c point%p; f is %v6"                  },
};

#define CAUSE(name) [LRGD_CAUSE_##name]

static const row causes[] = {
    CAUSE(NONE) = {"none",                ""                                       },
    CAUSE(UNEVALUABLE) = {"unevaluable",         "cannot be evaluated"                    },
    CAUSE(JUMP) = {"jump",                "jumps up"                               },
    CAUSE(SENTINEL) = {"sentinel",            "is %l6"                                 },
    CAUSE(NOISE) = {"noise",               "noise"                                  },
    CAUSE(ROUNDING) = {"rounding",            "rounding"                               },
    CAUSE(UNBOUNDED_VARIABLES) = {"unbounded_variables",
                   ", bounds removed by a change of variables"                     },
    CAUSE(GRADIENT_GIVEN) = {"gradient_given",
                   ", one evaluation for each gradient"                            },
    CAUSE(SMALL_GRADIENT) = {"small_gradient",
                   "the gradient in the unbounded variables is "
                             "small"                                               },
    CAUSE(NO_STEP) = {"no_step",             "no step decreases f any more"           },
    CAUSE(LOW_RANK_TAIL) = {"low_rank_tail",
                   "the gradient outside the subspace fell, then "
                            "stayed: low rank and a tail"                          },
    CAUSE(GRADIENT_OUTSIDE) = {"gradient_outside",
                   "the gradient outside the subspace does not "
                               "decrease"                                          },
    CAUSE(HIGH_RANK) = {"high_rank",
                   "the estimated rank is too high for a subspace"                 },
    CAUSE(BUDGET) = {"budget",
                   "its share of evaluations is used, and the estimated cost "
                     "is not below quasi-Newton's"                                 },
    CAUSE(RANK_EXCEEDED) = {"rank_exceeded",
                   "more directions than the rank estimated"                       },
    CAUSE(COST_EXCEEDED) = {"cost_exceeded",
                   "more evaluations than the rank estimate "
                            "predicted"                                            },
    CAUSE(UNEVALUABLE_STEPS) = {"unevaluable_steps",
                   "f cannot be evaluated at its trial points"                     },
    CAUSE(DIRECTIONS_USED) = {"directions_used",
                   "it has as many directions as are allowed"                      },
    CAUSE(START_UNEVALUABLE) = {"start_unevaluable",
                   "f cannot be evaluated around the start"                        },
    CAUSE(CONVERGED) = {"converged",           "little decrease is left in its steps"   },
    CAUSE(SLOW) = {"slow",                "too little decrease for its evaluations"},
};

static const row norms[] = {
    [LRGD_NORM_FULL] = {"full",      "|grad f|"                      },
    [LRGD_NORM_PROJECTED] = {"projected", "projected |grad f|"            },
    [LRGD_NORM_DOMAIN] = {"domain",    "|grad f| in the subspace given"},
    [LRGD_NORM_SUBSPACE] = {"subspace",  "|grad f| in the subspace"      },
};

static const char *sentence_of(lrgd_decision_kind kind)
{
  return (size_t)kind < LRGD_DECISION_KIND_COUNT ? kinds[kind].sentence : "";
}

const char *lrgd_decision_kind_text(lrgd_decision_kind kind)
{
  return (size_t)kind < LRGD_DECISION_KIND_COUNT ? kinds[kind].word
                                                 : "unknown decision";
}

const char *lrgd_cause_text(lrgd_cause cause)
{
  return (size_t)cause < LRGD_CAUSE_COUNT ? causes[cause].word
                                          : "unknown cause";
}

const char *lrgd_norm_text(lrgd_norm norm)
{
  return (size_t)norm < LRGD_NORM_COUNT ? norms[norm].word : "unknown norm";
}

/* Members that a letter in a sentence stands for. */
static const char *members_of(char letter)
{
  switch (letter) {
  case 'V': return "v";
  case 'p':
  case 'q':
  case 'o': return "c";
  case 'L': return "l";
  case 'b': return "wl";
  case 'f':
  case 'g': return "";
  default: return NULL; /* the member that the letter names */
  }
}

int lrgd_decision_kind_has(lrgd_decision_kind kind, char member)
{
  for (const char *at = sentence_of(kind); (at = strchr(at, '%')); at++) {
    const char *members = members_of(at[1]);
    if (members ? member && strchr(members, member) : at[1] == member) return 1;
  }
  return 0;
}

/* ---- writing ---- */

/* A sentence under construction. */
typedef struct writer {
  const lrgd_decision *d;
  lrgd_wording wording;
  char *text;
  size_t size, length;
} writer;

static void put(writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...)
{
  bool room = w->length < w->size;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(room ? w->text + w->length : NULL,
                    room ? w->size - w->length : 0, format, args);
  va_end(args);
  if (n > 0) w->length += (size_t)n;
}

static void put_template(writer *w, const char *sentence);

static int digits_of(char c)
{
  return c >= 'A' ? c - 'A' + 10 : c - '0';
}

static void put_input(writer *w)
{
  const lrgd_wording *words = &w->wording;
  const char *name = words->name ? words->name(w->d->input, words->user) : NULL;
  put(w, "input %zu", w->d->input);
  if (name) put(w, " (%s)", name);
}

static void put_others(writer *w)
{
  uint64_t n = w->d->count;
  if (n > 0) put(w, " (and so with %" PRIu64 " other%s)", n, n > 1 ? "s" : "");
}

static void put_option(writer *w)
{
  const lrgd_option *option = lrgd_option_at((size_t)w->d->count);
  put(w, "%s", option ? option->name : "an option");
}

static void put_failure(writer *w, const char *unknown)
{
  const char *failure = w->wording.failure ? w->wording.failure : unknown;
  if (failure) put(w, ": %s", failure);
}

static void put_row(writer *w, const row *rows, size_t n, size_t i)
{
  if (i < n) put_template(w, rows[i].sentence);
}

/* Writes what a letter stands for; returns the length of its code in the
 * template. */
static size_t put_member(writer *w, const char *at)
{
  const lrgd_decision *d = w->d;
  switch (*at) {
  case 'i': put_input(w); return 1;
  case 's': put(w, "%s", d->side > 0 ? "above" : "below"); return 1;
  case 'c': put(w, "%" PRIu64, d->count); return 1;
  case 'p': put(w, "%s", d->count == 1 ? "" : "s"); return 1;
  case 'q': put_others(w); return 1;
  case 'v': put(w, "%.*g", digits_of(at[1]), d->value); return 2;
  case 'l': put(w, "%.*g", digits_of(at[1]), d->level); return 2;
  case 'm': put(w, "%.*g", digits_of(at[1]), d->limit); return 2;
  case 'V': put(w, "%.0f %%", 100 * d->value); return 1;
  case 'L': put(w, "%.0f", d->level); return 1;
  case 'n': put_row(w, norms, LRGD_NORM_COUNT, (size_t)d->norm); return 1;
  case 'w':
  case 'b': put_row(w, causes, LRGD_CAUSE_COUNT, (size_t)d->cause); return 1;
  case 'o': put_option(w); return 1;
  case 'f': put_failure(w, "the answer is not finite"); return 1;
  case 'g': put_failure(w, NULL); return 1;
  default: return 0;
  }
}

static void put_template(writer *w, const char *sentence)
{
  while (*sentence) {
    size_t plain = strcspn(sentence, "%");
    put(w, "%.*s", (int)plain, sentence);
    sentence += plain;
    if (*sentence) sentence += 1 + put_member(w, sentence + 1);
  }
}

void lrgd_wording_init(lrgd_wording *wording, size_t size)
{
  static const lrgd_wording none = {.struct_size = sizeof none};
  lr_sized_give(wording, size, &none, sizeof none);
}

static writer begin(const lrgd_wording *wording, char *text, size_t size)
{
  writer w = {.text = text, .size = text ? size : 0};
  size_t n = wording ? wording->struct_size : 0;
  if (w.size > 0) text[0] = '\0';
  if (n > 0)
    memcpy(&w.wording, wording, n < sizeof w.wording ? n : sizeof w.wording);
  return w;
}

static void put_decision(writer *w, const lrgd_decision *d)
{
  if (!d) return; /* without a decision there is no sentence */
  w->d = d;
  put_template(w, sentence_of(d->kind));
}

size_t lrgd_decision_text(const lrgd_decision *decision,
                          const lrgd_wording *wording, char *text, size_t size)
{
  writer w = begin(wording, text, size);
  put_decision(&w, decision);
  return w.length;
}

size_t lrgd_end_text(const lrgd_decision *end, const lrgd_decision *held,
                     const lrgd_wording *wording, char *text, size_t size)
{
  writer w = begin(wording, text, size);
  if (held && held->kind != LRGD_DECISION_KIND_NONE) {
    bool surface = held->kind == LRGD_DECISION_KIND_HELD_SURFACE;
    put_decision(&w, held);
    put(&w, surface ? "; along it " : "; apart from that ");
  }
  put_decision(&w, end);
  return w.length;
}
