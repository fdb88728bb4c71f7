// Charts as SVG. Each has its numbers as text too, in the table that it stands in or in a label.
"use strict";
(() => {
  const E = window.earmark;
  const { html } = window.htmPreact;

  // Scale of a metric: shares from 0 to 1, others from 0 to a round number above all of them.
  E.domain = (rows) => {
    const values = rows.flatMap((row) => [row.value, row.low, row.high]).filter((value) => Number.isFinite(value));
    const top = Math.max(...values, 0), bottom = Math.min(...values, 0);
    if (top <= 1 && bottom >= 0) return [0, 1];
    const step = 10 ** Math.floor(Math.log10(Math.max(top, -bottom, 1e-9)));
    return [Math.floor(bottom / step) * step, Math.ceil(top / step) * step];
  };

  const place = (value, [low, high], width) => ((value - low) / (high - low || 1)) * width;

  // An interval as a line with a dot; the chance level as a tick.
  E.Interval = ({ row, domain, width = 160, side = 0, zero = false }) => {
    const scale = (value) => Math.max(0, Math.min(width, place(value, domain, width)));
    const has = Number.isFinite(row.value);
    const label = has ? `${E.number(row.value)}, interval ${E.interval(row.low, row.high) || "none"}` : "no number";
    return html`<svg class=${`interval side-${side}`} viewBox=${`-4 0 ${width + 8} 16`} width=${width + 8} height="16" role="img" aria-label=${label}>
      <line class="axis" x1="0" x2=${width} y1="8" y2="8" />
      ${zero && html`<line class="chance" x1=${scale(0)} x2=${scale(0)} y1="1" y2="15" />`}
      ${Number.isFinite(row.guess_rate) && html`<line class="chance" x1=${scale(row.guess_rate)} x2=${scale(row.guess_rate)} y1="2" y2="14" />`}
      ${Number.isFinite(row.low) && Number.isFinite(row.high) && html`<line class="bar" x1=${scale(row.low)} x2=${scale(row.high)} y1="8" y2="8" />`}
      ${has && html`<circle cx=${scale(row.value)} cy="8" r="3.5" />`}
    </svg>`;
  };

  // A share as a bar, with another share as a tick.
  E.Bar = ({ value, of = 1, tick = null, width = 120, label = "" }) => html`
    <svg class="share" viewBox=${`0 0 ${width} 12`} width=${width} height="12" role="img" aria-label=${label || `${E.percent(value, of)}`}>
      <rect class="ground" x="0" y="2" width=${width} height="8" rx="2" />
      <rect class="filled" x="0" y="2" width=${Math.max(0, Math.min(1, of ? value / of : 0)) * width} height="8" rx="2" />
      ${tick !== null && html`<line class="chance" x1=${(of ? tick / of : 0) * width} x2=${(of ? tick / of : 0) * width} y1="0" y2="12" />`}
    </svg>`;

  const MARKS = ["circle", "square", "diamond", "triangle"];
  const Mark = ({ kind, x, y, side }) => {
    const name = `mark side-${side}`;
    if (kind === "square") return html`<rect class=${name} x=${x - 3.5} y=${y - 3.5} width="7" height="7" />`;
    if (kind === "diamond") return html`<path class=${name} d=${`M${x} ${y - 5}l5 5l-5 5l-5 -5z`} />`;
    if (kind === "triangle") return html`<path class=${name} d=${`M${x} ${y - 5}l5 9h-10z`} />`;
    return html`<circle class=${name} cx=${x} cy=${y} r="4" />`;
  };

  // Lines over a numeric axis: lines = [{ name, points: [{x, value, low, high}] }]; levels = [{ name, value }].
  E.Curves = ({ lines, levels = [], xLabel, yLabel, width = 460, height = 240, domain = null, xTicks = null, format = String }) => {
    const points = lines.flatMap((line) => line.points);
    if (!points.length) return null;
    const [left, right, top, bottom] = [44, 12, 10, 36];
    const ySpan = domain || E.domain([...points, ...levels]);
    const xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
    const xSpan = [xs[0], xs[xs.length - 1] === xs[0] ? xs[0] + 1 : xs[xs.length - 1]];
    const px = (x) => left + place(x, xSpan, width - left - right);
    const py = (y) => height - bottom - place(y, ySpan, height - top - bottom);
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => ySpan[0] + share * (ySpan[1] - ySpan[0]));
    const label = lines.map((line) => `${line.name}: ${line.points.map((point) => `${format(point.x)} ${E.number(point.value, 2)}`).join(", ")}`).join("; ");
    return html`<figure class="curves">
      <svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`${yLabel} by ${xLabel}. ${label}`}>
        ${ticks.map((tick) => html`<g class="grid"><line x1=${left} x2=${width - right} y1=${py(tick)} y2=${py(tick)} />
          <text x=${left - 6} y=${py(tick) + 4} text-anchor="end">${+tick.toFixed(2)}</text></g>`)}
        ${(xTicks || xs).map((x) => html`<text class="tick" x=${px(x)} y=${height - bottom + 16} text-anchor="middle">${format(x)}</text>`)}
        <text class="tick" x=${(left + width - right) / 2} y=${height - 4} text-anchor="middle">${xLabel}</text>
        ${levels.map((level, index) => {
          const near = levels.slice(0, index).filter((other) => Math.abs(py(other.value) - py(level.value)) < 13).length;
          return html`<line class="level" x1=${left} x2=${width - right} y1=${py(level.value)} y2=${py(level.value)} />
            <text class="tick" x=${left + 4 + near * 90} y=${py(level.value) - 4}>${level.name}</text>`;
        })}
        ${lines.map((line, index) => html`<g>
          ${line.points.map((point) => Number.isFinite(point.low) && html`<line class=${`whisker side-${index % 4}`} x1=${px(point.x)} x2=${px(point.x)} y1=${py(point.low)} y2=${py(point.high)} />`)}
          ${!line.alone && html`<polyline class=${`curve side-${index % 4}`} points=${line.points.map((point) => `${px(point.x)},${py(point.value)}`).join(" ")} />`}
          ${!line.plain && line.points.map((point) => html`<${Mark} kind=${MARKS[index % 4]} side=${index % 4} x=${px(point.x)} y=${py(point.value)} />`)}
        </g>`)}
      </svg>
      <figcaption>${lines.map((line, index) => html`<span class="legend"><svg viewBox="0 0 14 12" width="14" height="12" aria-hidden="true"><${Mark} kind=${MARKS[index % 4]} side=${index % 4} x=${7} y=${6} /></svg>${line.name}</span>`)}</figcaption>
    </figure>`;
  };
})();
