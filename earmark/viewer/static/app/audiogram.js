// Hearing thresholds: a table, the curves, and the trials of each track.
"use strict";
(() => {
  const E = window.earmark;
  const { html } = window.htmPreact;

  const value = (number, unit) => (number === null || number === undefined ? "–" : `${+number.toPrecision(3)} ${unit}`);

  const Curve = ({ result }) => {
    const points = result.points.map((point) => ({ x: point.level, value: point.right / Math.max(1, point.asked) }));
    const fitted = result.fitted.map(([x, value]) => ({ x, value }));
    const lines = [{ name: "share right", points, alone: true }, ...(fitted.length ? [{ name: "fitted curve", points: fitted, plain: true }] : [])];
    const ticks = [points[0].x, points[points.length - 1].x];
    const levels = [{ name: "guessing", value: 0.5 }];
    return html`<div><h3>${E.text(result.dimension)}</h3><${E.Curves} lines=${lines} xTicks=${ticks} levels=${levels} domain=${[0, 1]} format=${(x) => String(Math.round(x))} xLabel=${`level, hard to easy (${value(result.hardest, result.unit)} to ${value(result.easiest, result.unit)})`} yLabel="share right" width=${380} height=${220} /></div>`;
  };

  E.pages.audiogram = ({ params }) => {
    const run = params.get("run");
    const state = E.useData("audiogram", E.toParams({ run }));
    const data = state.data;
    if (!data) return html`<${E.Status} state=${state} what="the audiogram" />`;
    const columns = [
      { label: "dimension", cell: (row) => html`<b>${E.text(row.dimension)}</b><span class="what">${E.text(row.question)}</span>` },
      { label: "threshold", numeric: true, cell: (row) => value(row.threshold, row.unit) },
      { label: "95 % interval", cell: (row) => (row.threshold === null ? E.text(row.outcome) : `${value(row.low, row.unit)} to ${value(row.high, row.unit)}`) },
      { label: "people", numeric: true, title: "published threshold of listeners", cell: (row) => value(row.human, row.unit) },
      { label: "trials", numeric: true, cell: (row) => html`<a href=${E.href("items", { run, task: row.dimension })}>${E.count(row.trials)}</a>` },
      { label: "of a track", cell: (row) => Array.from({ length: data.tracks }, (_, index) => html`<a href=${E.href("items", { run, task: row.dimension, search: `${row.dimension}-${index + 1}-` })} aria-label=${`trials of ${row.dimension}, track ${index + 1}`}>${index + 1}</a> `) },
      { label: "right at the easiest", numeric: true, cell: (row) => `${row.at_easiest.count} of ${row.at_easiest.total}` },
      { label: "unparsed", numeric: true, cell: (row) => row.states.unparsed + row.states.refused || "–" },
      { label: "failed", numeric: true, cell: (row) => row.states["request-failed"] + row.states["sound-failed"] || "–" },
    ];
    return html`<p class="crumbs"><a href=${E.href("runs")}>Runs</a> <span aria-hidden="true">›</span> <code>${E.text(run)}</code></p>
      <h1>Audiogram of <${E.Name} value=${data.model} size=${50} /></h1>
      <p class="facts"><${E.Badge} kind=${data.finished ? "done" : "open"}>${data.finished ? "finished" : "unfinished"}<//><span>condition ${E.text(data.condition)}</span><span>${data.tracks} tracks of ${data.trials} answers, seed ${data.seed}</span></p>
      ${data.remarks.length > 0 && html`<ul class="notes">${data.remarks.map((remark) => html`<li>${E.text(remark)}</li>`)}</ul>`}
      <${E.Section} id="thresholds" title="Thresholds"><${E.Table} caption="Thresholds" columns=${columns} rows=${data.results} />
        <ul class="notes">${data.results.flatMap((row) => row.remarks.map((remark) => html`<li>${E.text(row.dimension)}: ${E.text(remark)}</li>`))}</ul><//>
      <${E.Section} id="curves" title="Curves" note="Share of right answers at each level."><div class="charts">${data.results.filter((row) => row.points.length > 1).map((row) => html`<${Curve} result=${row} />`)}</div><//>
      <p><a class="button" href=${E.href("items", { run })}>All trials, with their sound</a></p>`;
  };
})();
