"""Draws an airfoil over the one it began as.

    draw.py BEST.txt FILE.svg
"""
import sys

from airfoil import shape

WIDTH, HEIGHT, MARGIN = 760, 230, 30
SCALE = WIDTH - 2 * MARGIN


def path(points):
    steps = [f"{MARGIN + SCALE * x:.1f},{0.55 * HEIGHT - SCALE * y:.1f}"
             for x, y in points]
    return "M" + " L".join(steps)


def main(best, picture):
    with open(best, encoding="utf-8") as file:
        amounts = [float(line) for line in file]
    before, _ = shape([0.0] * len(amounts))
    after, thick = shape(amounts)
    with open(picture, "w", encoding="utf-8") as file:
        file.write(f'''<svg xmlns="http://www.w3.org/2000/svg"
  viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>
<path d="{path(before)}" fill="none" stroke="#999" stroke-dasharray="5 4"/>
<path d="{path(after)}" fill="none" stroke="#06c" stroke-width="2"/>
<text x="{MARGIN}" y="24" fill="#666">dashed: NACA 2412</text>
<text x="{MARGIN + 170}" y="24" fill="#06c">least drag found, {100 * thick:.1f} % thick</text>
</svg>
''')


if __name__ == "__main__":
    main(*sys.argv[1:])
