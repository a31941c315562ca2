/* The sentences of decisions.  Here, and nowhere else, sentences are read. */
#include "check.h"

#include <lrgd/lrgd.h>

#include <string.h>

typedef struct sentence {
  lrgd_decision decision;
  const char *text;
} sentence;

static void says(const lrgd_decision *d, const lrgd_wording *wording,
                 const char *want)
{
  char text[256];
  size_t length = lrgd_decision_text(d, wording, text, sizeof text);
  check(strcmp(text, want) == 0, "\"%s\" is \"%s\"", text, want);
  check_int(length, strlen(want), "its length");
}

TEST("a sentence has the numbers of its decision")
{
  static const sentence all[] = {
      {{.kind = LRGD_DECISION_KIND_START_CLIPPED, .count = 1},
       "the start violates the bounds of 1 input and is projected onto them"},
      {{.kind = LRGD_DECISION_KIND_EMBEDDING_DIRECTION,
        .count = 12,
        .value = 0.034,
        .level = 9.6},
       "embedding: direction 12, 3 % of its curvature new, rank estimate 10"},
      {{.kind = LRGD_DECISION_KIND_EMBEDDING},
       "embedding in a growing random subspace"                             },
      {{.kind = LRGD_DECISION_KIND_EMBEDDING,
        .cause = LRGD_CAUSE_UNBOUNDED_VARIABLES},
       "embedding in a growing random subspace, bounds removed by a change of "
       "variables"                                                          },
      {{.kind = LRGD_DECISION_KIND_EMBEDDING_ENDED,
        .cause = LRGD_CAUSE_HIGH_RANK},
       "embedding ended: the estimated rank is too high for a subspace"     },
      {{.kind = LRGD_DECISION_KIND_EVALUATIONS_USED,
        .count = 998,
        .limit = 1000000,
        .level = 31},
       "998 of 1000000 evaluations used, and the next step needs 31"        },
      {{.kind = LRGD_DECISION_KIND_GRADIENT_BOUND,
        .norm = LRGD_NORM_PROJECTED,
        .value = 0.012345,
        .level = 0.95,
        .limit = 1e-3},
       "projected |grad f| <= 0.0123 with confidence 0.95, tolerance 0.001" },
      {{.kind = LRGD_DECISION_KIND_TARGET, .value = 1. / 3, .limit = 0.5},
       "f is 0.3333333333, which reaches the target 0.5"                    },
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    says(&all[i].decision, NULL, all[i].text);
}

TEST("what f is beyond a hidden bound is worded in three ways")
{
  lrgd_decision d = {.kind = LRGD_DECISION_KIND_HIDDEN_BOUND,
                     .input = 3,
                     .side = 1,
                     .value = 0.25,
                     .level = 1e10};
  d.cause = LRGD_CAUSE_UNEVALUABLE;
  says(&d, NULL,
       "f cannot be evaluated where input 3 is above 0.25: hidden bound, kept "
       "as a bound from now on");
  d.cause = LRGD_CAUSE_SENTINEL;
  d.side = -1;
  says(&d, NULL,
       "f is 1e+10 where input 3 is below 0.25: hidden bound, kept as a bound "
       "from now on");
  d.cause = LRGD_CAUSE_JUMP;
  d.kind = LRGD_DECISION_KIND_HIDDEN_SURFACE;
  says(&d, NULL,
       "f jumps up beyond a surface across the inputs: hidden constraint");
}

static const char *name_of(size_t input, void *user)
{
  const char *const *names = user;
  return names[input - 1];
}

TEST("inputs are named by number and name")
{
  static const char *names[] = {"span", "chord %v3", "sweep"};
  lrgd_wording wording = lrgd_wording_default();
  wording.name = name_of;
  wording.user = names;
  lrgd_decision d = {.kind = LRGD_DECISION_KIND_HIDDEN_BOUND_REMOVED,
                     .input = 2,
                     .side = 1,
                     .value = 7};
  says(&d, &wording,
       "input 2 (chord %v3) may be above 7 here: hidden bound "
       "removed");
}

TEST("the end of a run says what holds it there, and why f had no value")
{
  char text[256];
  lrgd_wording wording = lrgd_wording_default();
  lrgd_decision held = {.kind = LRGD_DECISION_KIND_HELD_BOUND,
                        .cause = LRGD_CAUSE_UNEVALUABLE,
                        .input = 1,
                        .side = 1,
                        .value = 3,
                        .count = 2};
  lrgd_decision end = {
      .kind = LRGD_DECISION_KIND_NO_STEP, .value = 0.5, .limit = 1e-6};
  (void)lrgd_end_text(&end, &held, NULL, text, sizeof text);
  check(strcmp(text,
               "f cannot be evaluated where input 1 is above 3 (and so with 2 "
               "others), the other inputs fixed; apart from that no step "
               "decreases f; |grad f| is 0.5, tolerance 1e-06") == 0,
        "%s", text);
  end = (lrgd_decision){.kind = LRGD_DECISION_KIND_START_FAILED};
  (void)lrgd_end_text(&end, NULL, NULL, text, sizeof text);
  check(strcmp(text,
               "the start cannot be evaluated: the answer is not "
               "finite") == 0,
        "%s", text);
  wording.failure = "exit status 2";
  (void)lrgd_end_text(&end, NULL, &wording, text, sizeof text);
  check(strcmp(text, "the start cannot be evaluated: exit status 2") == 0, "%s",
        text);
}

TEST("a sentence that does not fit is cut, and its length is returned")
{
  char text[8] = "";
  lrgd_decision d = {.kind = LRGD_DECISION_KIND_GRADIENT_DESCENT, .count = 5};
  check_int(lrgd_decision_text(&d, NULL, text, sizeof text), 32, "length");
  check(strcmp(text, "gradien") == 0, "%s", text);
  check_int(lrgd_decision_text(&d, NULL, NULL, 0), 32, "without any room");
}

TEST("every kind has a word of its own and a whole sentence that fits")
{
  for (int i = 0; i < LRGD_DECISION_KIND_COUNT; i++) {
    char text[sizeof((lrgd_phase *)NULL)->text];
    lrgd_decision d = {.kind = (lrgd_decision_kind)i,
                       .cause = LRGD_CAUSE_BUDGET,
                       .norm = LRGD_NORM_DOMAIN,
                       .input = 123456,
                       .count = 123456,
                       .value = -1.23456789012e-100,
                       .level = -1.23456789012e100,
                       .limit = -1.23456789012e-100};
    for (int j = 0; j < i; j++)
      check(strcmp(lrgd_decision_kind_text((lrgd_decision_kind)j),
                   lrgd_decision_kind_text(d.kind)) != 0,
            "words of %d and %d", i, j);
    if (lrgd_decision_kind_has(d.kind, 'l') &&
        i == LRGD_DECISION_KIND_EMBEDDING_DIRECTION)
      d.level = 1e6;
    check(lrgd_decision_text(&d, NULL, text, sizeof text) < sizeof text,
          "%s is too long", text);
    check(strchr(text, '%') == NULL ||
              i == LRGD_DECISION_KIND_EMBEDDING_DIRECTION,
          "%s", text);
    check(i == 0 || text[0] != '\0', "kind %d says nothing", i);
  }
}

TEST("a kind has the members that its sentence tells of")
{
  static const struct {
    lrgd_decision_kind kind;
    const char *members;
  } all[] = {
      {LRGD_DECISION_KIND_STOPPED,             ""      },
      {LRGD_DECISION_KIND_HIDDEN_BOUND,        "wlisv" },
      {LRGD_DECISION_KIND_HELD_BOUND,          "wlisvc"},
      {LRGD_DECISION_KIND_GRADIENT_BOUND,      "nvlm"  },
      {LRGD_DECISION_KIND_EMBEDDING_DIRECTION, "cvl"   },
      {LRGD_DECISION_KIND_OPTION_UNUSED,       "c"     },
      {LRGD_DECISION_KIND_START_FAILED,        ""      },
      {LRGD_DECISION_KIND_COUNT,               ""      },
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (const char *m = "iscvlmnw"; *m; m++)
      check(lrgd_decision_kind_has(all[i].kind, *m) ==
                (strchr(all[i].members, *m) != NULL),
            "%s, %c", lrgd_decision_kind_text(all[i].kind), *m);
}
