"""Draws lines over a few named places as SVG, with the standard library alone: the same bytes on every machine."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 860, 460
LEFT, RIGHT, TOP, BOTTOM = 70, 160, 40, 60
# Told apart with every kind of colour vision (Okabe and Ito), then once more with dashes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def tick_text(value):
    return f"{value:g}"


def ticks(low, high):
    """1, 2 and 5 of each power of ten, or the powers alone where these would be many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    wanted = (1,) if len(powers) > 4 else (1, 2, 5)
    return [m * 10.0 ** p for p in powers for m in wanted if low <= m * 10.0 ** p * 1.0001 and m * 10.0 ** p <= high * 1.0001]


def text(x, y, words, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(words)}</text>'


def apart(places, room):
    """Labels of lines that end close together, moved down until none covers another; in the order they were given."""
    order, moved, last = sorted(range(len(places)), key=lambda i: places[i]), list(places), -math.inf
    for i in order:
        last = moved[i] = max(places[i], last + room)
    return moved


def plot(described, lines):
    """described: title, x, y, labels (what stands along the axis); lines: (name, a number or None for each label)."""
    all_numbers = [value for _, numbers in lines for value in numbers if value is not None]
    low, high = min(all_numbers) / 1.15, max(all_numbers) * 1.15
    labels = described["labels"]
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x_of(i):
        return LEFT + 20 + (right - LEFT - 40) * i / (len(labels) - 1)

    def y_of(value):
        return bottom - (bottom - TOP) * math.log(value / low) / math.log(high / low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#222">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', text(LEFT, 24, described["title"], ' font-size="15"')]
    for value in ticks(low, high):
        y = y_of(value)
        out += [f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#ddd"/>', text(LEFT - 8, y + 4, tick_text(value), ' text-anchor="end"')]
    for i, label in enumerate(labels):
        out += [f'<path d="M{x_of(i):.1f} {TOP}V{bottom}" stroke="#eee"/>', text(x_of(i), bottom + 18, label, ' text-anchor="middle"')]
    out += [text((LEFT + right) / 2, HEIGHT - 14, described["x"], ' text-anchor="middle"'),
            text(-(TOP + bottom) / 2, 16, described["y"], ' text-anchor="middle" transform="rotate(-90)"')]
    ends = apart([y_of([value for value in numbers if value is not None][-1]) for _, numbers in lines], 15)
    for k, (name, numbers) in enumerate(lines):
        colour = COLOURS[k % len(COLOURS)]
        points = [(x_of(i), y_of(value)) for i, value in enumerate(numbers) if value is not None]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = ' stroke-dasharray="6 4"' if k >= len(COLOURS) else ""
        if described.get("joined", True):
            out.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
        out.append(f'<path d="M{points[-1][0] + 6:.1f} {points[-1][1]:.1f}L{right + 14} {ends[k]:.1f}" stroke="{colour}" stroke-width="0.7"/>')
        out.append(text(right + 18, ends[k] + 4, name, f' fill="{colour}"'))
    return "\n".join([*out, "</svg>", ""])
