/* One row for each member of a decision: its letter in lrgd_decision_kind_has,
 * and its key in JSON. */
#include "decision_json.h"

static json_t *member(const lrgd_decision *d, char letter)
{
  switch (letter) {
  case 'i': return json_count(d->input);
  case 's': return json_string(d->side > 0 ? "upper" : "lower");
  case 'c': return json_count(d->count);
  case 'v': return json_double(d->value);
  case 'l': return json_double(d->level);
  case 'm': return json_double(d->limit);
  case 'n': return json_string(lrgd_norm_text(d->norm));
  default: return json_string(lrgd_cause_text(d->cause));
  }
}

void decision_json(json_t **object, const lrgd_decision *decision)
{
  static const struct {
    char letter;
    const char *key;
  } members[] = {
      {'w', "cause"},
      {'n', "norm" },
      {'i', "input"},
      {'s', "side" },
      {'c', "count"},
      {'v', "value"},
      {'l', "level"},
      {'m', "limit"},
  };
  json_put(object, "kind",
           json_string(lrgd_decision_kind_text(decision->kind)));
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (lrgd_decision_kind_has(decision->kind, members[i].letter))
      json_put(object, members[i].key, member(decision, members[i].letter));
}
