// The list of runs: search, filter, sort, and choose two to four to compare.
"use strict";
(() => {
  const E = window.earmark;
  const { html, useState } = window.htmPreact;
  const MOST = 4;

  const values = {
    model: (run) => run.model,
    benchmark: (run) => run.benchmark,
    date: (run) => run.date,
    score: (run) => run.headline && run.headline.value,
    n: (run) => run.n,
    refused: (run) => run.refused,
    failed: (run) => run.failed,
    cost: (run) => run.cost,
    state: (run) => run.state,
  };

  const passes = (run, params) => {
    const words = (params.get("search") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const text = `${run.model} ${run.benchmark} ${run.conditions.join(" ")} ${run.date} ${run.run}`.toLowerCase();
    return words.every((word) => text.includes(word))
      && ["model", "benchmark", "state"].every((name) => !params.get(name) || run[name] === params.get(name));
  };

  const distinct = (runs, name) => [...new Set(runs.map((run) => run[name]))].sort();

  E.runPage = (run) => (run.state === "audiogram" ? "audiogram" : "run");

  E.pages.runs = ({ params }) => {
    const state = E.useData("runs", new URLSearchParams());
    const [chosen, setChosen] = useState([]);
    const change = (changes) => E.go("runs", E.change(params, changes), { replace: true });
    if (!state.data) return html`<${E.Status} state=${state} what="runs" />`;
    const runs = state.data.runs;
    const sort = params.get("sort") || "-date";
    const shown = E.sortRows(runs.filter((run) => passes(run, params)), sort, values);
    const choose = (name) => setChosen(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name].slice(-MOST));
    const domain = [0, 1];
    const columns = [
      { label: html`<span class="unseen">choose to compare</span>`, cell: (run) => run.state !== "audiogram" && html`<input type="checkbox" aria-label=${`choose ${run.model}, ${run.benchmark} of ${run.date}`} checked=${chosen.includes(run.run)} onChange=${() => choose(run.run)} />` },
      { label: "model", sort: "model", cell: (run) => html`<a class="name" href=${E.href(E.runPage(run), { run: run.run })}><${E.Name} value=${run.model} /></a>` },
      { label: "benchmark", sort: "benchmark", cell: (run) => html`<${E.Name} value=${run.benchmark} />${run.imported && html` <${E.Badge}>imported<//>`}` },
      { label: "conditions", cell: (run) => html`<${E.Text} value=${run.conditions.join(", ")} size=${36} />` },
      { label: "begun", sort: "date", kind: "date", cell: (run) => run.date || "–" },
      { label: "score", sort: "score", title: "the run's number with its 95 % interval", cell: (run) => (run.headline
        ? html`<span class="with-chart">${run.headline.value <= 1 && html`<${E.Interval} row=${run.headline} domain=${domain} width=${90} />`}<${E.HeadlineNumber} headline=${run.headline} /></span>
               <span class="what">${E.text(run.headline.metric)} of ${E.text(run.headline.task)}</span>`
        : html`<span class="muted"><${E.Text} value=${run.why} size=${60} /></span>`) },
      { label: "n", sort: "n", numeric: true, cell: (run) => E.count(run.n) },
      { label: "refused", sort: "refused", numeric: true, cell: (run) => run.refused || "–" },
      { label: "failed", sort: "failed", numeric: true, cell: (run) => (run.failed ? html`<span class="sign failed">! ${E.count(run.failed)}</span>` : "–") },
      { label: "cost", sort: "cost", numeric: true, cell: (run) => E.cost(run.cost) },
      { label: "state", sort: "state", cell: (run) => html`<${E.Badge} kind=${run.state === "finished" ? "done" : "open"}>${run.state}<//>` },
    ];
    return html`
      <h1>Runs</h1>
      <div class="bar">
        <${E.Search} label="Search" value=${params.get("search")} placeholder="model, benchmark, condition" onChange=${(search) => change({ search })} />
        <${E.Select} label="Model" value=${params.get("model")} options=${distinct(runs, "model")} onChange=${(model) => change({ model })} />
        <${E.Select} label="Benchmark" value=${params.get("benchmark")} options=${distinct(runs, "benchmark")} onChange=${(benchmark) => change({ benchmark })} />
        <${E.Select} label="State" value=${params.get("state")} options=${distinct(runs, "state")} onChange=${(of) => change({ state: of })} />
      </div>
      <div class="chooser" role="status">
        ${chosen.length < 2 ? html`<span class="muted">${E.count(shown.length)} of ${E.count(runs.length)} runs. Choose two to four to compare them.</span>`
          : html`<a class="button" href=${E.href("compare", { run: chosen })}>Compare ${chosen.length} runs</a> <button onClick=${() => setChosen([])}>Choose none</button>`}
      </div>
      <${E.Table} caption="Runs" columns=${columns} rows=${shown} sort=${sort} onSort=${(by) => change({ sort: by })} empty=${runs.length ? "No run passes the filters." : "No runs here yet: earmark run makes one, earmark import reads results of other harnesses."} />
      ${state.data.folder && html`<p class="note">Runs under <code>${E.text(state.data.folder)}</code></p>`}`;
  };
})();
