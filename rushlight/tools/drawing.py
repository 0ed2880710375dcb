# SPDX-License-Identifier: BSD-3-Clause
"""SVG pictures of a compiled method: its memory over time, its time per op, its graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Block:
    """One planned buffer: bytes ``[offset, offset + nbytes)`` of an arena, live over instructions ``first..last``."""

    name: str
    op: str
    nbytes: int
    first: int
    last: int
    offset: int
    arena: int = 1


@dataclass(frozen=True)
class Step:
    """One instruction: the op, the graph node and source line it came from, its inputs and time.

    ``inputs`` are indices of earlier steps, or names of method inputs. ``time_us`` is the
    median over the measured runs, or None where nothing was measured.
    """

    op: str
    node: str
    source: str
    inputs: tuple[int | str, ...]
    shape: str
    nbytes: int
    time_us: float | None = None


FAMILIES = {
    "conv": ("convolution",),
    "matmul": ("mm", "addmm", "bmm", "linear", "baddbmm"),
    "norm": ("norm", "softmax"),
    "pool": ("pool", "mean", "sum", "amax", "upsample", "_pad"),
    "move": ("copy", "cat", "slice", "index", "embedding", "select", "gather", "stack"),
}
"""Colour classes by what an op's name contains; everything else is elementwise."""


def family(op: str) -> str:
    """The colour class of an op name such as ``aten::add.out``."""
    name = op.rpartition("::")[2].split(".")[0]
    for kind, words in FAMILIES.items():
        if name in words or any(w in name for w in words if len(w) > 3 or w[0] == "_"):
            return kind
    return "delegate" if op.startswith("delegate") else "pointwise"


def nice_bytes(nbytes: float) -> str:
    """``4816896`` → ``4.59 MiB``; whole bytes below 1 KiB."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if nbytes < 1024 or unit == "GiB":
            return f"{nbytes:.0f} B" if unit == "B" else f"{nbytes:.2f} {unit}"
        nbytes /= 1024
    raise AssertionError


def nice_us(time_us: float) -> str:
    """``1234.5`` → ``1.23 ms``."""
    return f"{time_us / 1000:.2f} ms" if time_us >= 1000 else f"{time_us:.1f} µs"


def _ticks(top: float, count: int = 5) -> list[float]:
    if top <= 0:
        return [0.0]
    raw = top / count
    step = 10 ** len(str(int(raw))) / 10 if raw >= 1 else 1
    for factor in (1, 2, 2.5, 5, 10):
        if step * factor >= raw:
            step *= factor
            break
    return [i * step for i in range(int(top / step) + 1)]


def _axis_bytes(top: int, y_of: object, left: float, right: float) -> list[str]:
    unit = next((u for u in (1 << 20, 1 << 10, 1) if top >= 4 * u), 1)
    name = {1 << 20: "MiB", 1 << 10: "KiB", 1: "B"}[unit]
    out = []
    for tick in _ticks(top / unit):
        y = y_of(tick * unit)  # type: ignore[operator]
        out.append(
            f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        out.append(
            f'<text class="tick" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g} {name}</text>'
        )
    return out


def live_bytes(blocks: Sequence[Block], steps: int) -> list[int]:
    """Bytes live at each instruction: the sum over blocks whose lifetime covers it."""
    change = [0] * (steps + 1)
    for b in blocks:
        change[max(0, b.first)] += b.nbytes
        change[min(steps, b.last + 1)] -= b.nbytes
    out, total = [], 0
    for c in change[:steps]:
        total += c
        out.append(total)
    return out


def memory_timeline(
    blocks: Sequence[Block], steps: int, arena_nbytes: int, lower_bound: int
) -> str:
    """The arena to scale: x is the instruction, y the byte offset, one rectangle per buffer.

    The dashed line is the lower bound, the largest sum of simultaneously live bytes; the
    line above the rectangles is the arena's end.
    """
    width, height, left, top = 1080.0, 420.0, 84.0, 14.0
    plot_w, plot_h = width - left - 14, height - top - 40
    span = max(arena_nbytes, 1)

    def x_of(step: float) -> float:
        return left + plot_w * step / max(steps, 1)

    def y_of(offset: float) -> float:
        return top + plot_h * (1 - offset / (span * 1.04))

    out = [
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="memory timeline">'
    ]
    out += _axis_bytes(span, y_of, left, width - 14)
    for tick in _ticks(steps, 10):
        out.append(
            f'<text class="tick" x="{x_of(tick):.1f}" y="{height - 20}" text-anchor="middle">{tick:g}</text>'
        )
    for b in sorted(blocks, key=lambda b: -b.nbytes):
        x, y = x_of(b.first), y_of(b.offset + b.nbytes)
        w, h = x_of(b.last + 1) - x, y_of(b.offset) - y
        tip = f"{b.name} ({b.op})\n{nice_bytes(b.nbytes)} at offset {b.offset}\ninstructions {b.first} to {b.last}"
        out.append(
            f'<rect class="{family(b.op)}" x="{x:.2f}" y="{y:.2f}" width="{max(w, 0.8):.2f}" '
            f'height="{max(h, 0.6):.2f}"><title>{escape(tip)}</title></rect>'
        )
    for value, kind, text in (
        (arena_nbytes, "arena", "arena"),
        (lower_bound, "bound", "lower bound"),
    ):
        y = y_of(value)
        out.append(
            f'<line class="{kind}" x1="{left}" x2="{width - 14}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        dy = -5 if kind == "arena" else 14
        out.append(
            f'<text class="mark" x="{width - 18}" y="{y + dy:.1f}" text-anchor="end">{text} {nice_bytes(value)}</text>'
        )
    out.append(
        f'<text class="tick" x="{left + plot_w / 2:.0f}" y="{height - 4}" text-anchor="middle">instruction</text>'
    )
    return "".join([*out, "</svg>"])


def bars(rows: Sequence[tuple[str, str, float, str]], width: float = 1080.0) -> str:
    """Horizontal bars: (label, colour class, value, text at the end of the bar)."""
    left, line = 270.0, 24
    top_value = max((value for _, _, value, _ in rows), default=1.0) or 1.0
    height = line * len(rows) + 8
    out = [
        f'<svg viewBox="0 0 {width:g} {height}" role="img" aria-label="time per operator">'
    ]
    for i, (label, kind, value, text) in enumerate(rows):
        y = 4 + i * line
        w = (width - left - 170) * value / top_value
        out.append(
            f'<text class="label" x="{left - 8}" y="{y + 16}" text-anchor="end">{escape(label)}</text>'
        )
        out.append(
            f'<rect class="{kind}" x="{left}" y="{y + 3}" width="{max(w, 1):.1f}" height="{line - 6}" rx="2"/>'
        )
        out.append(
            f'<text class="value" x="{left + w + 8:.1f}" y="{y + 16}">{escape(text)}</text>'
        )
    return "".join([*out, "</svg>"])


def time_by_op(steps: Sequence[Step]) -> str:
    """Bars of measured time summed per op, longest first."""
    total: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    for s in steps:
        total[s.op] += s.time_us or 0.0
        count[s.op] += 1
    whole = sum(total.values()) or 1.0
    rows = []
    for op, us in sorted(total.items(), key=lambda item: -item[1]):
        rows.append(
            (
                f"{op} × {count[op]}",
                family(op),
                us,
                f"{nice_us(us)}  {100 * us / whole:.1f} %",
            )
        )
    return bars(rows[:16])


def _lanes(steps: Sequence[Step]) -> list[int]:
    """A column per step: a chain stays in its column, a branch opens the first free one.

    Where branches meet, the leftmost goes on; a skip past a chain opens no column.
    """
    last_use = list(range(len(steps)))
    for j, step in enumerate(steps):
        for parent in step.inputs:
            if isinstance(parent, int):
                last_use[parent] = j
    lanes: list[int] = []
    for i, step in enumerate(steps):
        parents = [p for p in step.inputs if isinstance(p, int)]
        if not i or i - 1 in parents:
            lanes.append(min((lanes[p] for p in parents), default=0))
            continue
        waiting = {lanes[j] for j in range(i) if last_use[j] > i and j not in parents}
        waiting.add(lanes[i - 1])
        lanes.append(next(c for c in range(i + 1) if c not in waiting))
    return lanes


def graph(steps: Sequence[Step]) -> str:
    """The instructions as a graph, top to bottom in execution order; side columns are live branches."""
    row, column, box_w, box_h = 46, 330, 300, 32
    lanes = _lanes(steps)
    width = column * (max(lanes, default=0) + 1) + 40
    height = row * len(steps) + 24
    out = [
        f'<svg class="graph" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    ]

    def corner(i: int) -> tuple[float, float]:
        return 20.0 + lanes[i] * column, 12.0 + i * row

    for i, step in enumerate(steps):
        x, y = corner(i)
        for parent in step.inputs:
            if isinstance(parent, int):
                px, py = corner(parent)
                x0, y0, x1, y1 = px + box_w / 2, py + box_h, x + box_w / 2, y
                bend = 14 if parent == i - 1 else 24 + 6 * (lanes[i] != lanes[parent])
                if (
                    parent != i - 1 and lanes[parent] == lanes[i]
                ):  # a skip past its neighbours
                    x0 = x1 = px + box_w
                    y0, y1, side = py + box_h / 2, y + box_h / 2, px + box_w + 26
                    path = f"M{x0} {y0} C{side} {y0} {side} {y1} {x1} {y1}"
                else:
                    path = f"M{x0} {y0} C{x0} {y0 + bend} {x1} {y1 - bend} {x1} {y1}"
                out.append(f'<path class="edge" d="{path}"/>')
    for i, step in enumerate(steps):
        out.append(_box(step, i, *corner(i), box_w, box_h))
    return "".join([*out, "</svg>"])


def _box(step: Step, index: int, x: float, y: float, width: int, height: int) -> str:
    op = step.op.rpartition("::")[2].split(".")[0]
    time = nice_us(step.time_us) if step.time_us is not None else ""
    tip = f"{index}: {step.op}\n{step.node}  {step.shape}\n{step.source}\n{nice_bytes(step.nbytes)} {time}"
    return (
        f'<g><title>{escape(tip)}</title><rect class="{family(step.op)}" x="{x}" y="{y}" width="{width}" '
        f'height="{height}" rx="5"/><text class="op" x="{x + 8}" y="{y + 14}">{escape(op)}</text>'
        f'<text class="shape" x="{x + 8}" y="{y + 27}">{escape(step.shape)}</text>'
        f'<text class="shape" x="{x + width - 8}" y="{y + 20}" text-anchor="end">{time}</text></g>'
    )
