// Two to four runs side by side: differences with intervals, and the items that only one of them got right.
"use strict";
(() => {
  const E = window.earmark;
  const { html, useState } = window.htmPreact;
  const LIMIT = 25;
  const FEW = 25; // rows of differences that are shown at once
  const PARTS = [["first", "only A right"], ["second", "only B right"], ["both", "both right"], ["neither", "neither right"]];

  const Differences = ({ runs, other }) => {
    const [all, setAll] = useState(false);
    const state = E.useData("differences", E.toParams({ run: [runs[0].run, other.run] }));
    if (!state.data) return html`<${E.Status} state=${state} what="the differences" />`;
    const rows = state.data.rows.map((row) => ({ ...row, ...row.difference, p_holm: row.p_holm }));
    const spans = {};
    for (const row of rows) spans[row.metric] = Math.max(spans[row.metric] || 0.05, Math.abs(row.low ?? 0), Math.abs(row.high ?? 0), Math.abs(row.value ?? 0));
    const shown = all ? rows : rows.slice(0, FEW);
    const columns = [
      { label: "task", cell: (row) => html`<${E.Name} value=${row.title} />` },
      { label: "condition", cell: (row) => html`<${E.Name} value=${row.condition} size=${24} />` },
      { label: "metric", cell: (row) => html`${E.text(row.metric)}${row.better === "lower" ? html` <span class="muted">(lower is better)</span>` : ""}` },
      { label: "A", numeric: true, cell: (row) => E.number(row.baseline) },
      { label: "B", numeric: true, cell: (row) => E.number(row.candidate) },
      { label: "B − A", cell: (row) => html`<span class="with-chart"><${E.Interval} row=${row} domain=${[-spans[row.metric], spans[row.metric]]} width=${140} zero=${true} side=${1} /> <b>${E.signed(row.value)}</b> <span class="muted">${E.signed(row.low)} to ${E.signed(row.high)}</span></span>` },
      { label: "p (Holm)", numeric: true, cell: (row) => E.p(row.p_holm) },
      { label: "n", numeric: true, cell: (row) => E.count(row.n) },
    ];
    return html`<${E.Table} caption=${`Differences: ${other.model} minus ${runs[0].model}`} columns=${columns} rows=${shown} empty="The runs have no question in common." />
      ${rows.length > shown.length && html`<p><button onClick=${() => setAll(true)}>Show all ${rows.length} rows</button></p>`}
      ${state.data.notes.length > 0 && html`<ul class="notes">${state.data.notes.map((note) => html`<li><${E.Text} value=${note} /></li>`)}</ul>`}`;
  };

  const CountTable = ({ caption, rows, first, link }) => html`<${E.Table} caption=${caption} rows=${rows.slice(0, 60)} columns=${[
    ...first,
    ...PARTS.map(([part, label]) => ({ label, numeric: true, cell: (row) => (row[part] ? html`<a href=${link(row, part)}>${E.count(row[part])}</a>` : "–") })),
  ]} />`;

  const Items = ({ params, names, data, change }) => {
    const query = E.change(E.listParams(params), { run: names, only: params.get("only") || "first", limit: String(LIMIT), sort: null });
    const state = E.useData("compare_items", query);
    if (!state.data) return html`<${E.Status} state=${state} what="the items" />`;
    const href = (row, index) => E.href("items", { run: names[index], beside: names.filter((_, at) => at !== index), sides: names, task: row.task, condition: row.condition, ...E.key(row) });
    const columns = [
      { label: "item", cell: ([first, second]) => { const row = first || second; return html`<b><${E.Name} value=${row.id} size=${28} /></b><span class="what">${E.text(row.task)}, ${E.text(row.condition)}</span>`; } },
      { label: "right answer", kind: "words", cell: ([first, second]) => html`<${E.Text} value=${(first || second).target} size=${60} />` },
      ...names.map((_, index) => ({ label: `${E.letter(index)} ${E.middle(data.runs[index].model, 24)}`, kind: "words", cell: (rows) => (rows[index] ? html`<a href=${href(rows[index], index)}><${E.MarkSign} row=${rows[index]} /> <${E.Text} value=${rows[index].reply || rows[index].failure || "(empty)"} size=${120} /></a>` : html`<span class="muted">not asked</span>`) })),
    ];
    return html`<${E.Pager} total=${state.data.total} offset=${Number(params.get("offset") || 0)} limit=${LIMIT} onMove=${(offset) => change({ offset: offset || null })} />
      <${E.Table} caption="Items, with the reply of each run" columns=${columns} rows=${state.data.rows} empty="No such item." />`;
  };

  E.pages.compare = ({ params }) => {
    const names = params.getAll("run");
    const filters = E.listParams(params);
    const state = E.useData("compare", E.change(filters, { run: names, limit: null, offset: null, sort: null }));
    const change = (changes) => E.go("compare", E.change(params, { offset: null, ...changes }), { replace: true });
    E.useKeys({ a: () => change({ only: "first" }), b: () => change({ only: "second" }) });
    const data = state.data;
    if (!data) return html`<${E.Status} state=${state} what="the comparison" />`;
    const only = params.get("only") || "first";
    const link = (row, part) => E.href("compare", E.change(params, { only: part, offset: null, ...(row.tag ? { tag: `${row.tag}=${row.value}` } : { task: row.task, condition: row.condition }) }));
    const columns = [
      { label: "", cell: (run) => html`<b class=${`letter side-${data.runs.indexOf(run)}`}>${E.letter(data.runs.indexOf(run))}</b>` },
      { label: "model", cell: (run) => html`<a href=${E.href("run", { run: run.run })}><${E.Name} value=${run.model} /></a><span class="what">${E.text(run.benchmark)}, ${run.date}</span>` },
      { label: "score", cell: (run) => html`<${E.HeadlineNumber} headline=${run.headline} why=${run.why} />` },
      { label: "n", numeric: true, cell: (run) => E.count(run.n) },
      { label: "refused", numeric: true, cell: (run) => run.refused || "–" },
      { label: "failed", numeric: true, cell: (run) => run.failed || "–" },
      { label: "cost", numeric: true, cell: (run) => E.cost(run.cost) },
      { label: "an answer", numeric: true, cell: (run) => (run.seconds ? E.seconds(run.seconds / Math.max(1, run.answers)) : "–") },
    ];
    const total = PARTS.reduce((sum, [part]) => sum + (data.counts[part] || 0), 0);
    return html`<p class="crumbs"><a href=${E.href("runs")}>Runs</a> <span aria-hidden="true">›</span> Compare</p>
      <h1>Compare ${data.runs.length} runs</h1>
      <${E.Table} caption="Runs that are compared" columns=${columns} rows=${data.runs} />
      ${names.length === 2 && html`<p><a href=${E.href("compare", E.change(params, { run: [names[1], names[0]], only: null }))}>Swap A and B</a></p>`}
      <${E.Section} id="items" title="Who got what right" note=${`A and B, over the ${E.count(total)} items that both were asked and that can be right or wrong${data.only_asked[0] + data.only_asked[1] ? `; ${E.count(data.only_asked[0])} only A was asked, ${E.count(data.only_asked[1])} only B` : ""}.`}>
        <div class="counts-grid" role="group" aria-label="Items by who got them right">${PARTS.map(([part, label]) => html`<button class=${`count ${only === part ? "here" : ""}`} aria-pressed=${only === part} onClick=${() => change({ only: part })}><b>${E.count(data.counts[part] || 0)}</b><span>${label}</span></button>`)}</div>
        <${E.FilterList} params=${params} onRemove=${(name, value) => change({ [name]: params.getAll(name).filter((each) => each !== value) })} />
        <${Items} params=${params} names=${names} data=${data} change=${change} /><//>
      ${data.runs.slice(1).map((other, index) => html`<${E.Section} id=${`difference-${index}`} title=${`${E.letter(index + 1)} minus A`} note="Over the questions that both answered."><${Differences} runs=${data.runs} other=${other} /><//>`)}
      <${E.Section} id="by-task" title="By task"><${CountTable} caption="Counts by task and condition" rows=${data.by_task} link=${link} first=${[
        { label: "task", cell: (row) => html`<${E.Name} value=${row.task} />` }, { label: "condition", cell: (row) => html`<${E.Name} value=${row.condition} size=${24} />` }]} /><//>
      ${data.by_tag.length > 0 && html`<${E.Section} id="by-tag" title="By tag"><${CountTable} caption="Counts by tag" rows=${data.by_tag} link=${link} first=${[
        { label: "tag", cell: (row) => E.text(row.tag) }, { label: "value", cell: (row) => html`<${E.Name} value=${row.value} />` }]} /><//>`}`;
  };
})();
