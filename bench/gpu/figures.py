"""The figures of one run of beside.py as tables, for docs/gpu.md."""

OPERATIONS = (("inner products Uᵀg, 11 columns read", "dot (U'g)"),
              ("x += U c, 11 columns read, one written", "add (x += U c)"),
              ("y = x + t u", "axpy_into"),
              ("copy of a column", "copy"),
              ("norm", "measure"))

SLOPES = (("lrgd, TF32", "lrgd TF32"),
          ("lrgd, TF32, directions that are in no cache", "lrgd TF32, cold"),
          ("lrgd, FP32", "lrgd FP32"),
          ("the first layer's product alone, PyTorch, TF32",
           "first product TF32"),
          ("the same, FP32", "first product FP32"),
          ("reading the tangents once", "reading the tangents once"),
          ("JAX, jit of vmap of jvp", "JAX jit"),
          ("PyTorch, compiled", "PyTorch compiled"),
          ("PyTorch", "PyTorch"))


def number(x, digits=0):
    return f"{x:,.{digits}f}" if x is not None else "–"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(row) + " |\n" for row in lines)


def slopes(found):
    few, many = (found[f"k = {k}, microseconds"] for k in (10, 100))
    rows = [(what, number(few[key]), number(many[key]))
            for what, key in SLOPES if key in few]
    for what, key in (("lrgd over the product alone, TF32",
                       "first product TF32"), ("JAX over lrgd", "JAX jit")):
        over = [row["lrgd TF32"] / row[key] if row.get(key) else None
                for row in (few, many)]
        if key == "JAX jit":
            over = [1 / x if x else None for x in over]
        rows.append((what, *(number(x, 2) for x in over)))
    errors = found["errors"]
    return (table(("", "10 slopes", "100 slopes"), rows) +
            f"\nOver 40 random networks of two to four layers slopes differ "
            f"from double precision by at most {errors['TF32']:.1e} of their "
            f"norm in TF32, {errors['FP32']:.1e} in FP32.\n")


def vectors(found):
    rows = [(what, *(number(found[f"{key}, {scalar}, share of a copy"], 2)
                     for scalar in ("double", "float")))
            for what, key in OPERATIONS]
    return (f"A copy moves {found['copy, GB/s'] / 1e3:.2f} TB/s, bytes read "
            "and written; as a share of it:\n\n" +
            table(("operation, ten directions", "double", "float"), rows))


def training(found):
    rows = [(name, number(row["seconds"], 2),
             number(100 * row["accuracy"], 2) + " %")
            for name, row in found.items() if isinstance(row, dict)]
    return table((f"{found['epochs']} epochs", "seconds", "test images right"),
                 rows)


def minimize(found):
    rows = []
    for name in dict.fromkeys(key.split(", ")[0] for key in found
                              if ", " in key):
        card, host = (found[f"{name}, {device}"]["passes a second"]
                      for device in ("cuda", "cpu"))
        rows.append((name, number(card), number(host), number(card / host)))
    return table(("passes a second", "card",
                  f"host, {found['processors']} processors", "ratio"), rows)


def page(found):
    parts = [("slopes", slopes), ("training", training), ("vectors", vectors),
             ("minimize", minimize)]
    text = ("<!-- written by bench/gpu/beside.py (make bench-gpu) -->\n"
            "<!-- run -->\n"
            f"One run on an {found['card']} with PyTorch {found['torch']}"
            f" and JAX {found['jax'] or '(absent)'}.\n")
    for name, make in parts:
        body = make(found[name]) if found.get(name) else "(not measured)\n"
        text += f"<!-- {name} -->\n{body}"
    return text + "<!-- end -->\n"
