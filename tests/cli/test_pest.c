/* Parsers of PEST's files: what they read, and what they say of what is
 * wrong. */
#include "check.h"
#include "cli/pest/pest_model.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- files ---- */

static char folder[64];

static const char *path_of(const char *name)
{
  static char path[128];
  if (folder[0] == '\0') {
    strcpy(folder, "/tmp/test-pest-XXXXXX");
    if (mkdtemp(folder) == NULL) abort();
  }
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const char *text)
{
  FILE *file = fopen(path_of(name), "w");
  if (file == NULL || fputs(text, file) < 0) abort();
  fclose(file);
}

static void remove_files(void)
{
  static const char *const names[] = {"a",     "b",     "in", "case.pst",
                                      "t.tpl", "o.ins", "out"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    (void)unlink(path_of(names[i]));
  (void)rmdir(folder);
}

__attribute__((constructor)) static void clean(void)
{
  atexit(remove_files);
}

/* ---- words ---- */

TEST("numbers are read as Fortran writes them")
{
  const struct {
    const char *text;
    double value;
  } good[] = {
      {"12",       12       },
      {"-1.5",     -1.5     },
      {".5",       0.5      },
      {"3.",       3        },
      {"1.5D+03",  1500     },
      {"1.5d-3",   0.0015   },
      {"1.25-101", 1.25e-101},
      {"+2.E2",    200      }
  };
  static const char *const bad[] = {"",     ".",     "-",     "1e",
                                    "nan",  "inf",   "1.2.3", "1,2",
                                    "0x10", "1e999", "abc",   "1.5 "};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    double number = NAN;
    check(pest_number(good[i].text, strlen(good[i].text), &number) &&
              number == good[i].value,
          "%s is %g", good[i].text, number);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double number;
    check(!pest_number(bad[i], strlen(bad[i]), &number), "\"%s\"", bad[i]);
  }
}

TEST("a number is written with as many digits as its space takes")
{
  const struct {
    double number;
    size_t width;
    bool point;
    const char *text;
  } cases[] = {
      {1,             5,  true,  "   1."        },
      {1,             5,  false, "    1"        },
      {0.5,           2,  true,  ".5"           },
      {-0.5,          3,  true,  "-.5"          },
      {1234567.0,     5,  true,  "1.2e6"        },
      {1.0 / 3,       6,  true,  ".33333"       },
      {1e-7,          5,  true,  "1.e-7"        },
      {-2.5e-10,      8,  true,  "-2.5e-10"     },
      {123456789.125, 13, true,  "123456789.125"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[32] = "";
    check(
        pest_put_number(text, cases[i].width, cases[i].number, cases[i].point),
        "%g in %zu letters", cases[i].number, cases[i].width);
    const char *shown = text + strspn(text, " ");
    const char *wanted = cases[i].text + strspn(cases[i].text, " ");
    check(strlen(text) == cases[i].width && strcmp(shown, wanted) == 0,
          "\"%s\", wanted \"%s\"", text, cases[i].text);
  }
  char text[32];
  check(!pest_put_number(text, 3, -1e-10, true), "too narrow");
  check(!pest_put_number(text, 20, INFINITY, true), "infinite");
}

/* ---- templates ---- */

typedef struct named {
  char name[PEST_NAME_SIZE];
} named;

static pest_index index_of(const named *names, size_t count)
{
  pest_index index;
  const char *twice;
  if (!pest_index_make(&index, names[0].name, sizeof *names, count, &twice))
    abort();
  return index;
}

static const named parameters[] = {{"kx"}, {"rate"}};

TEST("a template keeps its text and fills its spaces")
{
  pest_index index = index_of(parameters, 2);
  pest_template made;
  bool used[2] = {false};
  lrgd_error error = {.text = ""};
  write_file("a", "ptf #\nk is # KX   #, twice #kx#\nrate#  rate  #end\n");
  require(pest_template_read(&made, path_of("a"), &index, used, &error) ==
              LRGD_OK,
          "%s", error.text);
  check(used[0] && used[1], "both parameters are in it");
  check(pest_template_write(&made, path_of("in"), (double[]){2.5, -3}, true,
                            &error) == LRGD_OK,
        "%s", error.text);
  char text[80] = "";
  FILE *file = fopen(path_of("in"), "r");
  require(file != NULL, "it is there");
  (void)!fread(text, 1, sizeof text - 1, file);
  fclose(file);
  check(strcmp(text, "k is      2.5, twice  2.5\nrate       -3.end\n") == 0,
        "\"%s\"", text);
  check(pest_template_write(&made, path_of("in"), (double[]){2.5e-100, 0}, true,
                            &error) == LRGD_ERR_INVALID &&
            strstr(error.text, ":2: ") != NULL,
        "what does not go in: %s", error.text);
  pest_template_free(&made);
  pest_index_free(&index);
}

TEST("wrong templates are refused with their line")
{
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"kx\n",            ":1: a template begins with"     },
      {"ptf ##\n",        ":1: a template begins with"     },
      {"ptf #\n\n# kx\n", ":3: the delimiter # opens"      },
      {"ptf #\n# ky #\n", ":2: \" ky \" between delimiters"},
      {"ptf #\n##\n",     ":2: \"\" between delimiters"    },
  };
  pest_index index = index_of(parameters, 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pest_template made;
    bool used[2] = {false};
    lrgd_error error = {.text = ""};
    write_file("a", cases[i].text);
    check(pest_template_read(&made, path_of("a"), &index, used, &error) ==
                  LRGD_ERR_INVALID &&
              strstr(error.text, cases[i].says) != NULL,
          "%s: %s", cases[i].says, error.text);
  }
  pest_index_free(&index);
}

/* ---- instructions ---- */

static const named observations[] = {{"o1"}, {"o2"}, {"o3"}};

/* Follows instructions through output; *status, and the values. */
static lrgd_status follow(const char *instructions, const char *output,
                          double values[3], lrgd_error *error)
{
  pest_index index = index_of(observations, 3);
  pest_instructions made;
  bool used[3] = {false};
  write_file("a", instructions);
  write_file("b", output);
  lrgd_status status =
      pest_instructions_read(&made, path_of("a"), &index, used, error);
  if (status == LRGD_OK) {
    char path[128];
    snprintf(path, sizeof path, "%s", path_of("b"));
    status = pest_instructions_follow(&made, path, values, error);
    pest_instructions_free(&made);
  }
  pest_index_free(&index);
  return status;
}

TEST("instructions find values in a model's output")
{
  static const struct {
    const char *instructions, *output;
    double values[3];
  } cases[] = {
      {"pif @\nl2 !o1! !o2!\nl1 !o3!\n",                 "x\n 1 2\n3\n",   {1, 2, 3}       },
      {"pif @\nl1 [o1]1:3 [o2]4:6 (o3)8:9\n",
       "1.5 25  -3.25 9\n",                                                {1.5, 25, -3.25}},
      {"pif @\n@time@ !o1!\n@time@ w !o2!\n& w !O3!\n",
       "\ntime 1\n\ntime 2 3\n",                                           {1, 2, 3}       },
      {"pif @\n@head@ @=@ !o1! @m@ @=@ !o2! @m@ !o3!\n",
       "head x\nhead = 1m, q =2m 3\n",                                     {1, 2, 3}       },
      {"pif $\nl1 !dum! !o1! t9 !o2! $:$ !o3!\n",        "abc 1    2:3\n", {1, 2, 3}       },
      {"pif @\nl1 !o1!@,@!o2!@,@!o3!\n",                 "1,2,3\n",        {1, 2, 3}       },
      {"pif @\nl1 w !o1! w !o2!\nL2 (o3)1:2\n",
       "a 1D0\t2\r\n\r\n 3x\n",                                            {1, 2, 3}       },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double values[3] = {NAN, NAN, NAN};
    lrgd_error error = {.text = ""};
    lrgd_status status =
        follow(cases[i].instructions, cases[i].output, values, &error);
    if (i == 6) { /* what stands there is "3x" */
      check(status == LRGD_ERR_ORACLE && strstr(error.text, "\"3x\"") != NULL,
            "%s", error.text);
      continue;
    }
    if (!check(status == LRGD_OK, "case %zu: %s", i, error.text)) continue;
    for (int k = 0; k < 3; k++)
      check_near(values[k], cases[i].values[k], 0, "case %zu, o%d", i, k + 1);
  }
}

TEST("wrong instructions are refused with their line")
{
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"pf @\n",                ":1: an instruction file begins"},
      {"pif !\n",               ":1: an instruction file begins"},
      {"pif @\nl1 !o4!\n",      ":2: \"o4\" is no observation"  },
      {"pif @\nl1 !o1! !o1!\n", "read a second time"            },
      {"pif @\nl1 !o1\n",       "without its second \"!\""      },
      {"pif @\nl1 [o1]5:3\n",   "has no columns"                },
      {"pif @\nl1 [o1 3:5\n",   "bracket is not closed"         },
      {"pif @\n\n@abc\n",       ":3: \"@abc\" is a marker"      },
      {"pif @\nw l1\n",         "is not first of its line"      },
      {"pif @\nl0\n",           "a whole number > 0"            },
      {"pif @\nx\n",            ":2: \"x\" is no instruction"   },
      {"pif @\n& w\n",          "continues no line"             },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double values[3];
    lrgd_error error = {.text = ""};
    check(follow(cases[i].text, "1 2 3\n", values, &error) ==
                  LRGD_ERR_INVALID &&
              strstr(error.text, cases[i].says) != NULL,
          "%s: %s", cases[i].says, error.text);
  }
}

TEST("an output without what is wanted names both files and their lines")
{
  static const struct {
    const char *instructions, *output, *says;
  } cases[] = {
      {"pif @\nl3 !o1!\n",      "1\n2\n", "the file ends before the line"     },
      {"pif @\n@abc@ !o1!\n",   "1\n2\n", "ends before a line has the primary"},
      {"pif @\nl1 @x@ !o1!\n",  "1 2\n",  "the marker is not there"           },
      {"pif @\nl1 !o1! !o2!\n", "1\n",    "the line ends before a number"     },
      {"pif @\nl1 [o1]5:9\n",   "1 2\n",  "nothing stands in the columns"     },
      {"pif @\nl1 !o1!\n",      "NaN\n",  "\"NaN\" is no number"              },
      {"pif @\nw !o1!\n",       "1\n",    "no line was reached"               },
      {"pif @\nl1 w !o1!\n",    "1  \n",  "no word follows"                   },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double values[3];
    lrgd_error error = {.text = ""};
    check(follow(cases[i].instructions, cases[i].output, values, &error) ==
                  LRGD_ERR_ORACLE &&
              strstr(error.text, cases[i].says) != NULL &&
              strstr(error.text, "/a:2)") != NULL,
          "%s: %s", cases[i].says, error.text);
  }
}

/* ---- control files ---- */

#define CONTROL "* control data\nrestart estimation\n"
#define SIZES "3 2 1 1 1\n1 1 double point 1 0 0\n5 2 0.3 0.01 10\n"
#define GROUPS "* parameter groups\ng relative 0.01 0 switch 2 parabolic\n"
#define PARAMETERS                                                             \
  "* parameter data\nk log factor 10 1 100 g 2 0.5 1\n"                        \
  "Q none relative -3 -5 5 g 1 0 1\nw tied factor 20 1 100 g 1 0 1\nw k\n"
#define OBSERVATIONS                                                           \
  "* observation groups\nheads\nregul\n* observation data\no1 1.5 2 heads\n"   \
  "o2 2.5D0 0 heads\n"
#define MODEL                                                                  \
  "* model command line\n./model\n* model input/output\nt.tpl in\no.ins out\n"
#define PRIOR "* prior information\npi1 2.0 * log(k) - 1 * q = 5 3 regul\n"

static lrgd_status read_case(pest_case *made, const char *text,
                             lrgd_error *error)
{
  write_file("case.pst", text);
  char path[128];
  snprintf(path, sizeof path, "%s", path_of("case.pst"));
  return pest_case_read(made, path, error);
}

TEST("a control file is read, with tied parameters and prior information")
{
  pest_case made;
  lrgd_error error = {.text = ""};
  require(read_case(
              &made,
              "pcf\n" CONTROL SIZES GROUPS PARAMETERS OBSERVATIONS MODEL PRIOR,
              &error) == LRGD_OK,
          "%s", error.text);
  double values[3];
  pest_case_values(&made, (double[]){50, 2}, values);
  check_int((int)made.adjustable_count, 2, "adjustable parameters");
  check(values[0] == 50 && values[1] == 2 && values[2] == 100,
        "w is twice k: %g", values[2]);
  check_near(pest_case_prior(&made, 0, (double[]){100, 1, 0}), 3, 1e-15,
             "2 log10(100) - 1");
  check(made.observations[1].value == 2.5 && made.observations[1].weight == 0,
        "the second observation");
  check(made.observations[2].value == 5 && made.observations[2].weight == 3 &&
            strcmp(made.observations[2].group, "regul") == 0,
        "prior information follows the observations");
  check(strcmp(made.command, "./model") == 0 && made.input_count == 1 &&
            strcmp(made.outputs[0].models, "out") == 0,
        "the model");
  check(strcmp(made.parameters[1].name, "q") == 0, "names are in lower case");
  pest_case_free(&made);
}

TEST("what is wrong in a control file is named with its line")
{
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"x\n",                                                                        ":1: a control file begins"                           },
      {"pcf\n* control data\nrestart regularisation\n",                              ":3: pestmode"                                        },
      {"pcf\n* control data\nrestart pareto\n",                                      ":3: pestmode \"pareto\""                             },
      {"pcf\n* control data keyword\n",                                              ":2: \"* control data keyword\" is of"                },
      {"pcf\n* derivatives command line\n",                                          ":2: the section"                                     },
      {"pcf\n" CONTROL "3 x\n",                                                      ":4: \"x\" is no whole number, which NOBS"            },
      {"pcf\n" CONTROL "1 1 1 0 1\n1 1 triple point\n",                              ":5: \"triple\""                                      },
      {"pcf\n" CONTROL "1 1 1 0 1\n1 1 double point 2\n",                            "NUMCOM 2"                                            },
      {"pcf\n" CONTROL "1 1 1 0 1\n1 1 double point 1 1\n",                          "JACFILE 1"                                           },
      {"pcf\n" CONTROL SIZES,                                                        "no section \"* parameter data\""                     },
      {"pcf\n" CONTROL SIZES "* parameter data\nk log factor 10 1\n\n\n",
       ":8: the line ends where PARUBND"                                                                                                   },
      {"pcf\n" CONTROL SIZES
       "* parameter data\nk log factor 10 0 100 g 1 0 1\n\n\n",               "k is log-transformed, and its lower bound is 0"      },
      {"pcf\n" CONTROL SIZES
       "* parameter data\nk log factor 0.1 1 100 g 1 0 1\n\n\n",              ":8: k starts at 0.1, outside"                        },
      {"pcf\n" CONTROL SIZES
       "* parameter data\nk root factor 10 1 100 g 1 0 1\n\n\n",              "\"root\" is none of none, log, fixed and tied"       },
      {"pcf\n" CONTROL SIZES
       "* parameter data\na tied f 1 1 1 g 1 0 1\nb none f 1 1 1 g 1 0 1\n"
       "c none f 1 1 1 g 1 0 1\n",                                            ":8: a is tied, and no line says to what"             },
      {"pcf\n" CONTROL SIZES
       "* parameter data\na none f 1 1 1 g 1 0 1\na none f 1 1 1 g 1 0 1\n"
       "c none f 1 1 1 g 1 0 1\n",                                            "the parameter \"a\" is there twice"                  },
      {"pcf\n" CONTROL SIZES PARAMETERS
       "* observation groups\nheads cov.mat\n* observation data\no1 1 1 g\n", "has a covariance matrix"                             },
      {"pcf\n" CONTROL SIZES PARAMETERS
       "* observation data\no1 1 -1 g\no2 1 1 g\n",                           "the weight of o1 is -1"                              },
      {"pcf\n" CONTROL SIZES PARAMETERS OBSERVATIONS MODEL
       "* prior information\npi1 2.0 * k = 5 3 regul\n",                      "k is log-transformed: prior information has log(...)"},
      {"pcf\n" CONTROL SIZES PARAMETERS OBSERVATIONS MODEL
       "* prior information\npi1 2.0 * w = 5 3 regul\n",                      "names w, which is tied"                              },
      {"pcf\n" CONTROL SIZES PARAMETERS OBSERVATIONS MODEL
       "* prior information\npi1 2.0 + q = 5 3 regul\n",                      "\"+\" stands where \"*\" should be"                  },
      {"pcf\n" CONTROL SIZES PARAMETERS OBSERVATIONS MODEL,
       "0 lines of prior information; the control data say 1"                                                                              },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pest_case made;
    lrgd_error error = {.text = ""};
    check(read_case(&made, cases[i].text, &error) == LRGD_ERR_INVALID &&
              strstr(error.text, cases[i].says) != NULL,
          "%s: %s", cases[i].says, error.text);
  }
}
