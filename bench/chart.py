"""Log-log line charts as plain SVG: text stays text, lines carry their own labels."""
import math
from xml.sax.saxutils import escape

# Okabe and Ito's colours, told apart with any kind of colour vision; dashes and marks help in grey.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8B7500"]
DASHES = ["", "", "7 3", "2 3", "", "7 3", "2 3", "9 3 2 3"]
WIDTH, HEIGHT = 890, 480
LEFT, RIGHT, TOP, BOTTOM = 84, 275, 58, 58


def power_label(value):
    exponent = round(math.log10(value))
    if value >= 1 and exponent <= 4:
        return f"{value:,.0f}"
    if value < 1 and exponent >= -3:
        return f"{value:.{-exponent}f}"
    sign = "−" if exponent < 0 else ""
    return f'10<tspan dy="-5" font-size="9">{sign}{abs(exponent)}</tspan>'


def seconds_label(value):
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms"), (math.inf, 1, "s")):
        if value < limit * 0.9999:
            return f"{value * factor:,.0f} {unit}"
    return ""


def spread(wanted, gap, low, high):
    """Positions in the order of `wanted`, at least `gap` apart, as close to it as a simple pass gets."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    placed = [0.0] * len(wanted)
    last = low - gap
    for k in order:
        placed[k] = last = max(wanted[k], last + gap)
    over = last - high
    if over > 0:
        limit = high
        for k in reversed(order):
            placed[k] = limit = min(placed[k], limit)
            limit -= gap
    return placed


def line_chart(path, title, subtitle, x_title, y_title, series, seconds=True):
    """series: [(name, [(x, y)])], drawn in this order with the first one bold."""
    series = [(name, sorted(points)) for name, points in series if points]
    if not series:
        return False
    xs = [x for _, points in series for x, _ in points]
    ys = [y for _, points in series for _, y in points]
    x0, x1 = math.log10(min(xs)), math.log10(max(xs))
    if x1 - x0 < 0.3:
        x0, x1 = x0 - 0.15, x1 + 0.15
    y0, y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    y1 = max(y1, y0 + 1)

    def px(x):
        return LEFT + (math.log10(x) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)

    def py(y):
        return HEIGHT - BOTTOM - (math.log10(y) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="12" role="img">',
           f"<title>{escape(title)}</title>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="{LEFT}" y="24" font-size="16" font-weight="bold">{escape(title)}</text>',
           f'<text x="{LEFT}" y="42" fill="#555">{escape(subtitle)}</text>']
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for exponent in range(y0, y1 + 1):
        y = py(10.0 ** exponent)
        out.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        label = seconds_label(10.0 ** exponent) if seconds else power_label(10.0 ** exponent)
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    ticks = sorted(set(xs))
    if x1 - x0 > 2.1:
        ticks = [10.0 ** e for e in range(math.ceil(x0 - 1e-9), math.floor(x1 + 1e-9) + 1)]
    for x in ticks:
        out.append(f'<line x1="{px(x):.1f}" x2="{px(x):.1f}" y1="{TOP}" y2="{bottom}" stroke="#eee"/>')
        label = power_label(x) if x1 - x0 > 2.1 else f"{x:,.0f}"
        out.append(f'<text x="{px(x):.1f}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    out.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#333"/>')
    out.append(f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x_title)}</text>')
    out.append(f'<text transform="translate(20 {(TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">'
               f"{escape(y_title)}</text>")
    labels = [0.0] * len(series)
    for x_end in {points[-1][0] for _, points in series}:  # a line's label stands where the line ends
        here = [k for k, (_, points) in enumerate(series) if points[-1][0] == x_end]
        for k, y in zip(here, spread([py(series[k][1][-1][1]) for k in here], 17, TOP + 6, bottom)):
            labels[k] = y
    for k, (name, points) in enumerate(series):
        colour, dash = COLOURS[k % len(COLOURS)], DASHES[k % len(DASHES)]
        style = f'stroke="{colour}" stroke-width="{3 if k == 0 else 1.8}"'
        style += f' stroke-dasharray="{dash}"' if dash else ""
        path_data = "M" + "L".join(f"{px(x):.1f} {py(y):.1f}" for x, y in points)
        out.append(f'<path d="{path_data}" fill="none" {style}/>')
        for x, y in points:
            out.append(f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="{4 if k == 0 else 3}" fill="{colour}"/>')
        x, y = px(points[-1][0]), py(points[-1][1])
        out.append(f'<path d="M{x + 5:.1f} {y:.1f}L{x + 14:.1f} {labels[k]:.1f}H{x + 30:.1f}" fill="none" '
                   f'stroke="{colour}" opacity="0.6"/>')
        weight = ' font-weight="bold"' if k == 0 else ""
        out.append(f'<text x="{x + 34:.1f}" y="{labels[k] + 4:.1f}" fill="{colour}"{weight} stroke="#fff" '
                   f'stroke-width="3" paint-order="stroke">{escape(name)}</text>')
    out.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")
    return True
