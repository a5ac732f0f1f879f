"""Draws memory and pace over time, as SVG: what `check_engine stream` printed, or `bench_live`.

usage: check_engine stream 20000000 | plot_stream.py > stream.svg
       bench_live --seconds 3600 | plot_stream.py > live.svg
"""
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 260, 56, 56, 24, 40


def read(lines):
    """One triple for each line of figures (how far, pace, MiB), and what the first two are."""
    points = []
    of = ("transactions so far, in millions", "µs a transaction")
    for line in lines:
        words = line.split()
        if len(words) == 4 and words[0].isdigit():
            points.append((int(words[0]) / 1e6, float(words[1]), float(words[3])))
        cells = [cell.strip() for cell in line.strip("| \n").split("|")]
        if len(cells) == 10 and cells[0].isdigit():
            points.append((int(cells[0]) / 60, float(cells[1]), float(cells[8])))
            of = ("minutes", "statements a second")
    if not points:
        sys.exit("plot_stream.py: nothing to draw: pipe the output of 'check_engine stream N' or "
                 "'bench_live' here")
    return points, of


def line_of(points, column, most, colour):
    last = points[-1][0]
    places = [(LEFT + (WIDTH - LEFT - RIGHT) * point[0] / last,
               HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * point[column] / most)
              for point in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'
                   for x, y in places)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}'


def text(x, y, words, anchor="middle", colour="#333"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def amount(number):
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def draw(points, of):
    across, pace = of
    bottom = HEIGHT - BOTTOM
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
             f'<path d="M{LEFT} {TOP} V{bottom} H{WIDTH - RIGHT} V{TOP}" fill="none" '
             'stroke="#999"/>']
    # Two straight lines shall not lie upon each other.
    for column, colour, unit, x, anchor, above in (
            (1, "#1565c0", pace, LEFT, "end", 1.25),
            (2, "#c62828", "MiB", WIDTH - RIGHT, "start", 2)):
        most = above * max(point[column] for point in points)
        parts.append(line_of(points, column, most, colour))
        shift = -6 if anchor == "end" else 6
        parts.append(text(x + shift, TOP + 4, amount(most), anchor, colour))
        parts.append(text(x + shift, bottom, "0", anchor, colour))
        parts.append(text(x, TOP - 10, unit, "start" if anchor == "end" else "end", colour))
    for point in (points[0], points[len(points) // 2], points[-1]):
        x = LEFT + (WIDTH - LEFT - RIGHT) * point[0] / points[-1][0]
        parts.append(text(f"{x:.0f}", bottom + 16, f"{point[0]:.3g}"))
    parts.append(text((LEFT + WIDTH - RIGHT) // 2, HEIGHT - 6, across))
    return "\n".join(parts) + "\n</svg>\n"


if __name__ == "__main__":
    sys.stdout.write(draw(*read(sys.stdin)))
