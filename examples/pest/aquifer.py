"""A steady groundwater model: aquifer.in -> heads.out, budget.out.

A valley of 24 x 12 cells of 100 m: a river along its western edge, hills in
the east, no flow through the other edges.  Water comes from recharge and goes
to the river and to wells.  It is solved twice: with the wells of today, and
with one more well in the middle of the valley.
"""
COLUMNS, ROWS, CELL = 24, 12, 100.0
WELLS = [(10, 3, 300.0), (17, 8, 200.0)]  # column, row, m3/d
NEW_WELL = (13, 9, 350.0)
BORES = [(3, 2), (6, 9), (8, 5), (11, 2), (11, 10), (14, 6), (15, 3), (18, 9),
         (19, 5), (21, 2), (22, 8), (23, 11)]
WETLAND = (12, 11)


def read_input():
    with open("aquifer.in") as file:
        words = file.read().split()
    at = {word: place for place, word in enumerate(words)}
    rows = words[at["transmissivity"] + 1:]
    return {"plain": float(words[at["recharge"] + 1]),
            "hill": float(words[at["recharge"] + 2]),
            "river": float(words[at["river"] + 1]),
            "level": float(words[at["river"] + 2]),
            "t": [float(word) for word in rows[:12]]}


def transmissivity(given, column, row):
    """Three rows of four zones, from the river to the hills."""
    return given["t"][4 * (3 * row // ROWS) + 4 * column // COLUMNS]


def equations(given, wells):
    """The water balance of every cell, from column to column: the band of the
    matrix above its diagonal, row by row, and the right side."""
    n = COLUMNS * ROWS
    band, right = [[0.0] * (ROWS + 1) for _ in range(n)], [0.0] * n
    for column in range(COLUMNS):
        for row in range(ROWS):
            i = column * ROWS + row
            here = transmissivity(given, column, row)
            rate = given["hill" if column >= 16 else "plain"]
            right[i] += rate / 365.25 / 1000 * CELL * CELL  # mm/a to m3/d
            if column == 0:
                band[i][0] += given["river"]
                right[i] += given["river"] * given["level"]
            for far, inside in ((1, row + 1 < ROWS),
                                (ROWS, column + 1 < COLUMNS)):
                if not inside:
                    continue
                j = i + far
                there = transmissivity(given, j // ROWS, j % ROWS)
                link = 2 * here * there / (here + there)
                band[i][far] -= link
                band[i][0] += link
                band[j][0] += link
    for column, row, rate in wells:
        right[column * ROWS + row] -= rate
    return band, right


def solve(given, wells):
    """Heads, by elimination within the band."""
    band, head = equations(given, wells)
    n = len(head)
    for i in range(n):
        for far in range(1, min(ROWS, n - 1 - i) + 1):
            share = band[i][far] / band[i][0]
            if share == 0:
                continue
            row = band[i + far]
            for k in range(far, ROWS + 1):
                row[k - far] -= share * band[i][k]
            head[i + far] -= share * head[i]
    for i in reversed(range(n)):
        for far in range(1, min(ROWS, n - 1 - i) + 1):
            head[i] -= band[i][far] * head[i + far]
        head[i] /= band[i][0]
    return head


def to_river(given, head):
    return sum(given["river"] * (head[row] - given["level"])
               for row in range(ROWS))


def main():
    given = read_input()
    today = solve(given, WELLS)
    later = solve(given, WELLS + [NEW_WELL])
    with open("heads.out", "w") as file:
        print("AQUIFER, steady state\n\nbore  column  row  head [m]",
              file=file)
        for number, (column, row) in enumerate(BORES, 1):
            print(f"b{number:02d} {column:8d} {row:4d}  "
                  f"{today[column * ROWS + row]:.12f}", file=file)
    wet = WETLAND[0] * ROWS + WETLAND[1]
    with open("budget.out", "w") as file:
        print(f"WELLS OF TODAY\n  to the river = {to_river(given, today):.9f}"
              f" m3/d\n  wetland: head {today[wet]:.12f}", file=file)
        print(f"WITH THE NEW WELL\n  to the river = "
              f"{to_river(given, later):.9f} m3/d\n  wetland: head "
              f"{later[wet]:.12f}", file=file)


if __name__ == "__main__":
    main()
