"""The public headers as another version might have them.

    alter.py shorter|longer INCLUDE OUT

Structs lose the last 16 bytes of their members, or get 16 bytes more: what
a program sees that was built against an older or a newer header.
"""
import os
import re
import sys

# struct: the members that an older version did not have, or how the last one
# was shorter
SHORTER = {
    "lrgd_options": ("progress_user", "allocator"),
    "lrgd_problem": ("upper", "unanswered"),
    "lrgd_progress": ("seconds", "x"),
    "lrgd_result": {"message[256]": "message[240]"},
    "lrgd_phase": {"text[192]": "text[176]"},
    "lrgd_pool_options": ("tick_s", "before"),
    "lrgd_pool_counts": ("busy_s", "elapsed_s"),
    "lrgd_journal_options": ("must_exist", "jobs"),
    "lrgd_journal_summary": {"run_id[33]": "run_id[17]"},
    "lrgd_diagnosis_options": ("confidence", "trial_runs"),
    "lrgd_diagnosis_result": {"verdict[384]": "verdict[368]"},
    "lrgd_diagnosis_plan": ("exact_gradients", "probes"),
    "lrgd_space_ops": ("map_from_box", "agree"),
    "lrgd_slices": ("release", "user"),
}
LONGER = [*SHORTER, "lrgd_space_problem", "lrgd_question", "lrgd_scaling", "lrgd_logarithms",
          "lrgd_holder", "lrgd_journal_row", "lrgd_pool_event"]


def drop(body, name):
    """Without a member: the whole declaration, or its name in a list."""
    listed = re.sub(rf",\s*{name}\b(?=[,;])|\b{name},\s*", "", body)
    if listed != body:
        return listed
    called = re.sub(rf"\n  [\w ]+\(\*{name}\)\([^;]*;", "", body)
    if called != body:
        return called
    found = re.sub(rf"\n  [^;\n]*\b{name};(?:[^\n]*/\*(?:[^*]|\*(?!/))*\*/)?",
                   "", body)
    assert found != body, name
    return found


def shorter(name, body):
    cut = SHORTER[name]
    if isinstance(cut, tuple):
        for member in reversed(cut):
            body = drop(body, member)
        return body
    (old, new), = cut.items()
    assert old in body, old
    return body.replace(old, new)


def alter(how, text):
    """The text of a header, and the structs of it that were altered."""
    done = []
    for name in SHORTER if how == "shorter" else LONGER:
        match = re.search(rf"typedef struct {name} \{{(.*?)\n\}} {name};",
                          text, re.S)
        if not match:
            continue
        body = (shorter(name, match.group(1)) if how == "shorter"
                else match.group(1) + "\n  double extra[2];")
        text = text[:match.start(1)] + body + text[match.end(1):]
        done.append(name)
    return text, done


def main(how, include, out):
    os.makedirs(os.path.join(out, "lrgd"), exist_ok=True)
    done = []
    for name in ("lrgd.h", "space.h", "run.h", "analysis.h"):
        with open(os.path.join(include, "lrgd", name), encoding="utf-8") as f:
            text, here = alter(how, f.read())
        done += here
        with open(os.path.join(out, "lrgd", name), "w",
                  encoding="utf-8") as f:
            f.write(text)
    wanted = SHORTER if how == "shorter" else LONGER
    assert sorted(done) == sorted(wanted), set(wanted) ^ set(done)


if __name__ == "__main__":
    main(*sys.argv[1:])
