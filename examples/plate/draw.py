"""Draws the thickness of a plate, from above, the clamped end on the left.

    draw.py ALONG ACROSS BEST.txt FILE.svg
"""
import sys

from mesh import LENGTH, WIDTH, inputs, nodes, shells

SCALE, MARGIN = 0.6, 40


def colour(share):
    """From light to dark."""
    low, high = (222, 235, 247), (8, 48, 107)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}"
                         for a, b in zip(low, high))


def main(along, across, best, picture):
    with open(best, encoding="ascii") as file:
        thickness = [float(line) for line in file]
    at = [thickness[t - 1] for t in inputs(along, across)]
    place = {n: (MARGIN + SCALE * x, MARGIN + SCALE * y)
             for n, x, y in nodes(along, across)}
    least, most = min(thickness), max(thickness)
    width, height = SCALE * LENGTH + 2 * MARGIN, SCALE * WIDTH + 2 * MARGIN
    rows = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} '
            f'{height:.0f}" font-family="sans-serif" font-size="13">',
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>']
    for _, *corners in shells(along, across):
        mean = sum(at[n - 1] for n in corners) / 4
        share = (mean - least) / (most - least) if most > least else 0
        points = " ".join("%.1f,%.1f" % place[n] for n in corners)
        rows.append(f'<polygon points="{points}" fill="{colour(share)}" '
                    'stroke="#fff" stroke-width="0.5"/>')
    rows.append(f'<text x="{MARGIN}" y="24" fill="#444">clamped on the left, '
                f'loaded at both corners on the right; {least:.1f} mm (light) '
                f'to {most:.1f} mm (dark)</text>\n</svg>\n')
    with open(picture, "w", encoding="ascii") as file:
        file.write("\n".join(rows))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
