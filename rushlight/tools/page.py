# SPDX-License-Identifier: BSD-3-Clause
"""The report as one HTML file: no scripts from elsewhere, no fonts, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from rushlight.tools.drawing import (
    Block,
    Step,
    family,
    graph,
    memory_timeline,
    nice_bytes,
    nice_us,
    time_by_op,
)

STYLE = """
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6678;--paper:#fbfaf7;--card:#fff;--line:#e3e1da;
--conv:#3b6fb6;--matmul:#6a4fb0;--pointwise:#d98e2b;--pool:#3c9a78;--norm:#b34f7c;--move:#8a93a3;--delegate:#b5482f}
@media(prefers-color-scheme:dark){:root{--ink:#e8e6e0;--soft:#9aa3b2;--paper:#15181e;--card:#1d2129;--line:#333946}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1140px;margin:0 auto;padding:28px 20px 60px}h1{font-size:27px;margin:0 0 2px;letter-spacing:-.01em}
h2{font-size:18px;margin:38px 0 4px}p{color:var(--soft);margin:2px 0 12px;max-width:80ch}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:10px;margin:18px 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:9px;padding:10px 13px}
.card b{display:block;font-size:20px;font-variant-numeric:tabular-nums;white-space:nowrap}.card span{color:var(--soft);font-size:13px}
.panel{background:var(--card);border:1px solid var(--line);border-radius:9px;padding:12px;overflow:auto}
.tall{max-height:680px}svg{display:block;max-width:100%;height:auto}svg.graph{max-width:none;margin:0 auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:14px}
th{text-align:left;color:var(--soft);font-weight:500}td,th{padding:5px 10px 5px 0;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right}tr:last-child td{border-bottom:0}code{font-size:13px}
.grid{stroke:var(--line)}.tick{fill:var(--soft);font-size:12px}.label,.value{fill:var(--ink);font-size:13px}
.value{fill:var(--soft)}.mark{fill:var(--ink);font-size:12px}.arena{stroke:var(--ink);stroke-width:1.3}
.bound{stroke:var(--ink);stroke-dasharray:6 4}.edge{fill:none;stroke:var(--soft);stroke-opacity:.65;stroke-width:1.4}
rect{stroke:var(--card);stroke-width:.6}rect:hover{stroke:var(--ink);stroke-width:1.4}.op,.shape{fill:#fff;font-size:12.5px}
.op{font-weight:600}.shape{font-size:11px;fill-opacity:.88}.legend{display:flex;gap:16px;flex-wrap:wrap;margin:4px 0 10px;font-size:13px}
.legend i{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px;vertical-align:-1px}
"""
KINDS = ("conv", "matmul", "pointwise", "pool", "norm", "move", "delegate")
STYLE += "".join(
    f".{k}{{fill:var(--{k})}}.legend .{k}{{background:var(--{k})}}" for k in KINDS
)
NAMES = {
    "conv": "convolution",
    "matmul": "matrix product",
    "pointwise": "elementwise",
    "pool": "pool, pad, reduce",
    "norm": "norm, softmax",
    "move": "copy, index",
    "delegate": "delegate",
}


@dataclass
class Table:
    """A table of the page; numeric columns are right-aligned."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Sequence[int] = ()


@dataclass
class Report:
    """Everything on the page of one method. ``cards`` are (figure, what it is)."""

    title: str
    subtitle: str
    cards: Sequence[tuple[str, str]]
    blocks: Sequence[Block]
    steps: Sequence[Step]
    arena_nbytes: int
    lower_bound: int
    tables: list[Table] = field(default_factory=list)


def _legend(kinds: set[str]) -> str:
    items = (f'<span><i class="{k}"></i>{NAMES[k]}</span>' for k in KINDS if k in kinds)
    return f'<div class="legend">{"".join(items)}</div>'


def _table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        made = (
            f'<{tag} class="n">{escape(c)}</{tag}>'
            if i in table.numeric
            else f"<{tag}>{escape(c)}</{tag}>"
            for i, c in enumerate(cells)
        )
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(row(r, "td") for r in table.rows)
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    return f'<h2>{escape(table.title)}</h2>{note}<div class="panel"><table>{row(table.head, "th")}{body}</table></div>'


def _slowest(steps: Sequence[Step]) -> Table:
    timed = [(i, s) for i, s in enumerate(steps) if s.time_us is not None]
    timed.sort(key=lambda pair: -(pair[1].time_us or 0))
    whole = sum(s.time_us or 0 for _, s in timed) or 1.0
    rows = [
        (
            str(i),
            s.op,
            s.node,
            s.shape,
            s.source,
            nice_us(s.time_us or 0),
            f"{100 * (s.time_us or 0) / whole:.1f} %",
        )
        for i, s in timed[:15]
    ]
    head = ("#", "operator", "node", "result", "source", "time", "share")
    return Table("Slowest instructions", "", head, rows, (0, 5, 6))


def render(report: Report) -> str:
    """The page as text. Deterministic for equal reports."""
    cards = "".join(
        f'<div class="card"><b>{escape(a)}</b><span>{escape(b)}</span></div>'
        for a, b in report.cards
    )
    timeline = memory_timeline(
        report.blocks, len(report.steps), report.arena_nbytes, report.lower_bound
    )
    ratio = report.arena_nbytes / report.lower_bound if report.lower_bound else 1.0
    is_timed = any(s.time_us is not None for s in report.steps)
    parts = [
        f"<h1>{escape(report.title)}</h1><p>{escape(report.subtitle)}</p>",
        f'<div class="cards">{cards}</div>',
        *(_table(t) for t in report.tables),
        "<h2>Memory</h2>",
        f"<p>Every planned buffer to scale: time runs to the right, one step per instruction; height is its place in the "
        f"arena. {nice_bytes(report.arena_nbytes)} are planned, {ratio:.3f} × the lower bound.</p>",
        _legend({family(b.op) for b in report.blocks}),
        f'<div class="panel">{timeline}</div>',
    ]
    if is_timed:
        parts += [
            "<h2>Time per operator</h2>",
            f'<div class="panel">{time_by_op(report.steps)}</div>',
        ]
        parts.append(_table(_slowest(report.steps)))
    parts += [
        "<h2>Graph</h2>",
        "<p>Instructions in the order in which they run; point at one for its node, source line and cost.</p>",
        _legend({family(s.op) for s in report.steps}),
        f'<div class="panel tall">{graph(report.steps)}</div>',
    ]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(report.title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{STYLE}</style><main>{''.join(parts)}</main></html>"
    )


def make_page(
    compiled: Any,
    title: str,
    subtitle: str = "",
    cards: Sequence[tuple[str, str]] = (),
    traces: Sequence[Sequence[Any]] = (),
    method: str = "forward",
) -> Report:
    """The report of one method of a CompiledProgram; ``traces`` are events of measured runs."""
    from rushlight.tools.steps import median_times_us, read_blocks, read_steps

    made = compiled.report()
    report = made.methods[method]
    times = median_times_us(traces, len(report.steps)) if traces else []
    steps = read_steps(compiled.buffer, method, report.steps, times)
    figures = [
        (nice_bytes(made.file_nbytes), "file"),
        (nice_bytes(report.arena_nbytes), "planned memory"),
        (f"{report.ratio:.3f} ×", "of the lower bound"),
        (str(len(steps)), "instructions"),
    ]
    return Report(
        title=title,
        subtitle=subtitle,
        cards=[*cards, *figures],
        blocks=read_blocks(report.blocks, steps),
        steps=steps,
        arena_nbytes=report.arena_nbytes,
        lower_bound=report.lower_bound_nbytes,
    )


def write_page(path: Path, compiled: Any, title: str) -> None:
    """Write the page of a CompiledProgram's first method."""
    method = next(iter(compiled.report().methods))
    path.write_text(render(make_page(compiled, title, method=method)), "utf8")
