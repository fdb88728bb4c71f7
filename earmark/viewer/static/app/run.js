// The page of a run: from its number to its slices, to the answers behind them.
"use strict";
(() => {
  const E = window.earmark;
  const { html, useState, useEffect, useRef } = window.htmPreact;

  E.itemsHref = (run, filters) => E.href("items", { run, ...filters });

  // An unfinished run is looked at every two seconds, while its page is open.
  E.useLive = (name, isLive) => {
    const [live, setLive] = useState(null);
    useEffect(() => {
      if (!isLive || E.isSite) return undefined;
      let timer = 0, ended = false;
      const look = async () => {
        try {
          const value = await E.fetchData("live", E.toParams({ run: name }));
          if (ended) return;
          setLive(value);
          if (value.finished) return;
        } catch (error) {
          if (ended) return;
          setLive((before) => ({ ...(before || {}), problem: error.message }));
        }
        timer = setTimeout(look, 2000);
      };
      look();
      return () => { ended = true; clearTimeout(timer); };
    }, [name, isLive]);
    return live;
  };

  const Progress = ({ live, questions }) => {
    if (!live || live.n === undefined) return null;
    const total = questions || 0;
    return html`<div class="progress" role="status">
      <b>${live.finished ? "finished" : "in progress"}</b> ${E.count(live.n)}${total ? ` of ${E.count(total)}` : ""} items answered
      ${total > 0 && html`<progress max=${total} value=${live.n}>${E.percent(live.n, total)}</progress>`}
      ${live.right.map((row) => row.marked > 0 && html`<span class="so-far">${E.text(row.task)} ${E.text(row.condition)}: ${E.percent(row.right, row.marked)} of ${E.count(row.marked)} right so far</span>`)}
      ${live.why && html`<p class="note">Answers are not scored yet: <${E.Text} value=${live.why} /></p>`}
      ${live.problem && html`<p class="problem">${E.text(live.problem)}</p>`}
    </div>`;
  };

  const Scores = ({ run, rows }) => {
    const [all, setAll] = useState(false);
    const whole = rows.filter((row) => !row.slice);
    const shown = all ? whole : whole.slice(0, 40);
    const domains = {};
    for (const row of whole) (domains[row.metric] ||= []).push(row);
    for (const metric of Object.keys(domains)) domains[metric] = E.domain(domains[metric]);
    const columns = [
      { label: "task", cell: (row) => (row.average ? html`<b><${E.Name} value=${row.title} /></b>` : html`<a href=${E.itemsHref(run, { task: row.task, condition: row.condition })}><${E.Name} value=${row.title} /></a>`) },
      { label: "condition", cell: (row) => html`<${E.Name} value=${row.condition} size=${30} />` },
      { label: "metric", cell: (row) => html`${E.text(row.metric)}${row.better === "lower" ? html` <span class="muted">(lower is better)</span>` : ""}` },
      { label: "score", numeric: true, cell: (row) => html`<b>${E.number(row.value)}</b>` },
      { label: "95 % interval", cell: (row) => html`<span class="with-chart"><${E.Interval} row=${row} domain=${domains[row.metric]} /> <span class="muted">${E.interval(row.low, row.high)}${row.trusted ? "" : " ?"}</span></span>` },
      { label: "chance", numeric: true, cell: (row) => E.number(row.guess_rate) },
      { label: "n", numeric: true, cell: (row) => E.count(row.n) },
      { label: "unparsed", numeric: true, cell: (row) => row.states.unparsed || "–" },
      { label: "refused", numeric: true, cell: (row) => row.states.refused || "–" },
      { label: "failed", numeric: true, cell: (row) => row.failed || "–" },
      { label: "look", cell: (row) => !row.average && html`<a href=${E.itemsHref(run, { task: row.task, condition: row.condition, mark: "wrong" })}>wrong answers<span class="unseen"> of ${E.text(row.title)} under ${E.text(row.condition)}</span></a>` },
    ];
    return html`<${E.Section} id="scores" title="Scores by task" note="The line is the 95 % interval, the upright tick the score of guessing.">
      <${E.Table} caption="Scores by task and condition" columns=${columns} rows=${shown} empty="Not scored yet." />
      ${whole.length > shown.length && html`<p><button onClick=${() => setAll(true)}>Show all ${whole.length} rows</button></p>`}
    <//>`;
  };

  E.pages.run = ({ params }) => {
    const name = params.get("run");
    const [tick, setTick] = useState(0);
    const state = E.useData("run", E.toParams({ run: name }), tick);
    const data = state.data;
    const isOpen = Boolean(data && ["unfinished", "not scored"].includes(data.summary.state));
    const live = E.useLive(name, isOpen);
    const seen = useRef(false);
    useEffect(() => {
      if (live && live.finished && !seen.current) { seen.current = true; setTick(tick + 1); }
    }, [live && live.finished]);
    if (!data) return html`<${E.Status} state=${state} what="the run" />`;
    const { summary } = data;
    return html`
      <p class="crumbs"><a href=${E.href("runs")}>Runs</a> <span aria-hidden="true">›</span> <code>${E.text(summary.run)}</code></p>
      <h1><${E.Name} value=${summary.model} size=${60} /> <span class="on">on</span> <${E.Name} value=${summary.benchmark} size=${40} /></h1>
      <p class="facts"><${E.Badge} kind=${summary.state === "finished" ? "done" : "open"}>${summary.state}<//>${summary.imported && html` <${E.Badge}>imported<//>`}
        <span>${summary.date}</span> <span>${E.count(summary.n)} items under ${summary.conditions.length} ${summary.conditions.length === 1 ? "condition" : "conditions"}</span>
        ${summary.refused > 0 && html`<a href=${E.itemsHref(name, { state: "refused" })}>⊘ ${E.count(summary.refused)} refused</a>`}
        ${summary.failed > 0 && html`<a href=${E.itemsHref(name, { state: "request-failed,sound-failed" })}>! ${E.count(summary.failed)} failed</a>`}
        ${summary.cost > 0 && html`<span>cost ${E.cost(summary.cost)}</span>`}
        ${summary.seconds > 0 && html`<span>${E.seconds(summary.seconds / Math.max(1, summary.answers))} an answer</span>`}
      </p>
      <div class="headline-box">
        <${E.HeadlineNumber} headline=${summary.headline} why=${`No one number: ${summary.why}.`} large=${true} />
        ${summary.headline && html`<span class="what">${E.text(summary.headline.metric)} of ${E.text(summary.headline.task)}, ${E.text(summary.headline.condition)}, n ${E.count(summary.headline.n)}${
          summary.headline.guess_rate !== null ? `, guessing ${E.number(summary.headline.guess_rate)}` : ""}</span>`}
        <span class="buttons"><a class="button" href=${E.itemsHref(name, {})}>All items</a> <a class="button" href=${E.itemsHref(name, { mark: "wrong" })}>Wrong answers</a></span>
      </div>
      <${Progress} live=${live} questions=${data.questions} />
      <${Scores} run=${name} rows=${data.rows} />
      <${E.Conditions} run=${name} rows=${data.rows} gains=${data.gains} conditions=${summary.conditions} />
      <${E.NoiseCurves} rows=${data.rows} />
      <${E.Counts} run=${name} params=${params} tick=${tick + (live ? live.lines || 0 : 0)} />
      <${E.Notes} data=${data} />`;
  };
})();
