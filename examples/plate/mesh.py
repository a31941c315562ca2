"""Writes the deck of a console plate for CalculiX, with its thickness left open.

    mesh.py ALONG ACROSS      writes plate.inp.in, names.txt, start.txt

A steel plate of 1100 mm by 400 mm is clamped at one end, and carries 1.5 kN at
each corner of the other.  ALONG x ACROSS nodes span its shells.  The plate is
symmetric: nodes on both sides of its axis have the same thickness, which is
named at both, so that there are ALONG x (ACROSS + 1) / 2 inputs t1, t2, ...
"""
import sys

LENGTH, WIDTH = 1100.0, 400.0  # mm
LOAD = 1500.0  # N at each corner


def nodes(along, across):
    """Number, x and y of each."""
    return [(1 + i + along * j, LENGTH * i / (along - 1),
             WIDTH * j / (across - 1))
            for j in range(across) for i in range(along)]


def shells(along, across):
    """Number and corners of each, along first."""
    for j in range(across - 1):
        for i in range(along - 1):
            first = 1 + i + along * j
            yield (1 + i + (along - 1) * j, first, first + 1,
                   first + along + 1, first + along)


def inputs(along, across):
    """The number of the input that each node has."""
    return [1 + i + along * min(j, across - 1 - j)
            for j in range(across) for i in range(along)]


def deck(along, across):
    last = along * across
    rows = ["*NODE, NSET=ALL"]
    rows += [f"{n}, {x:.6g}, {y:.6g}, 0" for n, x, y in nodes(along, across)]
    rows.append("*ELEMENT, TYPE=S4, ELSET=PLATE")
    rows += [", ".join(map(str, shell)) for shell in shells(along, across)]
    rows.append("*NSET, NSET=CLAMPED")
    rows += [f"{1 + along * j}" for j in range(across)]
    rows.append("*ELSET, ELSET=ROOT")
    rows += [f"{1 + (along - 1) * j}" for j in range(across - 1)]
    rows += [f"*NSET, NSET=TIP\n{along}",
             "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000, 0.3",
             "*DENSITY\n7.85e-9",  # t/mm3
             "*SHELL SECTION, ELSET=PLATE, MATERIAL=STEEL, NODAL THICKNESS\n1",
             "*NODAL THICKNESS"]
    rows += [f"{n}, {{{{t{t}}}}}"
             for n, t in enumerate(inputs(along, across), 1)]
    rows += ["*BOUNDARY\nCLAMPED, 1, 6", "*STEP\n*STATIC", "*CLOAD",
             f"{along}, 3, {-LOAD}\n{last}, 3, {-LOAD}",
             "*EL PRINT, ELSET=PLATE, TOTALS=ONLY\nEVOL",
             "*NODE PRINT, NSET=TIP\nU", "*EL PRINT, ELSET=ROOT\nS",
             "*END STEP"]
    return "\n".join(rows) + "\n"


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def main(along, across):
    write("plate.inp.in", deck(along, across))
    p = max(inputs(along, across))
    write("names.txt", "".join(f"t{n}\n" for n in range(1, p + 1)))
    write("start.txt", "25\n" * p)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
