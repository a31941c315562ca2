"""The picture that opens the benchmark's page, and its sentence, from the
tables of that page: how many times fewer evaluations than the best peer.

    benchplot.py benchmark.md PICTURE.svg SENTENCE.md
"""
import math
import re
import statistics
import sys

TOLERANCE = "1e-3"  # of the first gap; fits are told to 1e-1 / 1e-3 / 1e-6
LEFT, RIGHT, TOP, ROW, BOTTOM = 262, 24, 64, 38, 62
WIDTH = 860
LOW, HIGH = 0.1, 1000.0


def classes(lines):
    """[title, ratios] of each table that has a column `times fewer`."""
    found, title, column, fits = [], None, None, False
    for line in lines:
        fits = fits or line.startswith("### Fits")
        bold = re.match(r"\*\*(.+?)\*\*", line)
        if bold:
            title, column = bold.group(1), None
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "times fewer" in cells:
            column = cells.index("times fewer")
            found.append((("Fits: " + title[0].lower() + title[1:])
                          if fits else title, []))
        elif column and line.startswith("|") and not line.startswith("|---"):
            told = cells[column].split(" / ")[1 if fits else 0]
            if told != "–":
                found[-1][1].append(float(told.replace(",", "")))
        elif not line.startswith("|") and line.strip():
            column = None
    return [one for one in found if one[1]]


def place(ratio):
    share = math.log(min(max(ratio, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def drawing(rows):
    """The picture as lines of SVG."""
    height = TOP + ROW * len(rows) + BOTTOM
    foot = TOP + ROW * len(rows)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
           f'{height}" font-family="DejaVu Sans, Arial, sans-serif" '
           'font-size="13">')
    yield f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    yield ('<text x="14" y="26" font-size="16" font-weight="bold">How many '
           'times fewer evaluations than the best of its peers</text>')
    yield (f'<text x="14" y="46" fill="#555">one dot a problem, to {TOLERANCE} '
           'of the first gap; the bar is the median of its class</text>')
    for tick in (0.1, 1, 10, 100, 1000):
        x = place(tick)
        style = 'stroke="#333"' if tick == 1 else 'stroke="#ddd"'
        yield (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{foot}" '
               f'{style}/>')
        yield (f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="middle">'
               f'{tick:g}</text>')
    yield (f'<text x="{place(1) - 10:.1f}" y="{foot + 40}" text-anchor="end" '
           'fill="#555">← the peer needs fewer</text>')
    yield (f'<text x="{place(1) + 10:.1f}" y="{foot + 40}" fill="#555">'
           'lrgd needs fewer →</text>')
    for i, (title, ratios) in enumerate(rows):
        y = TOP + ROW * (i + 0.5)
        yield (f'<text x="{LEFT - 14}" y="{y + 4:.1f}" text-anchor="end">'
               f'{title}</text>')
        for ratio in ratios:
            yield (f'<circle cx="{place(ratio):.1f}" cy="{y:.1f}" r="5" '
                   'fill="#0072b2" fill-opacity=".45"/>')
        x = place(statistics.median(ratios))
        yield (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 12:.1f}" '
               f'y2="{y + 12:.1f}" stroke="#d55e00" stroke-width="4"/>')
    yield "</svg>"


def times(ratio):
    return f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def sentence(rows):
    every = [ratio for _, ratios in rows for ratio in ratios]
    ahead = sum(ratio > 1 for ratio in every)
    low = [statistics.median(ratios) for title, ratios in rows
           if "low rank" in title and "pprox" not in title]
    full = [statistics.median(ratios) for title, ratios in rows
            if "full rank" in title.lower()]
    return ("Where f has low rank, `lrgd` needs "
            f"{' to '.join(map(times, sorted(low)))} times fewer evaluations "
            "than the best of its peers on each problem; where it has full "
            f"rank the factor is {' to '.join(map(times, sorted(full)))} "
            f"(medians). It is ahead on {ahead} of {len(every)} problems.")


def main(page, picture, words):
    with open(page, encoding="utf-8") as file:
        rows = classes(file.read().split("\n"))
    with open(picture, "w", encoding="utf-8") as file:
        file.write("\n".join(drawing(rows)) + "\n")
    with open(words, "w", encoding="utf-8") as file:
        file.write(sentence(rows) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
