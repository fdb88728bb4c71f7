// Sections of a run's page: conditions, noise, slices, answers, states, time, settings.
"use strict";
(() => {
  const E = window.earmark;
  const { html, useState } = window.htmPreact;

  // Conditions side by side, a row for each task, with the listening gain.
  E.Conditions = ({ run, rows, gains, conditions }) => {
    if (conditions.length < 2) return null;
    const byTask = new Map();
    for (const row of rows.filter((each) => !each.slice)) {
      const key = `${row.title}\n${row.metric}`;
      if (!byTask.has(key)) byTask.set(key, { title: row.title, task: row.task, metric: row.metric, by: {}, average: row.average });
      byTask.get(key).by[row.condition] = row;
    }
    const gainOf = (row) => gains.find((gain) => gain.title === row.title && !gain.slice);
    const columns = [
      { label: "task", cell: (row) => html`<${E.Name} value=${row.title} />` },
      ...conditions.map((condition) => ({
        label: E.text(condition), numeric: true,
        cell: (row) => {
          const cell = row.by[condition];
          if (!cell) return "–";
          return row.average ? E.number(cell.value) : html`<a href=${E.itemsHref(run, { task: row.task, condition })}>${E.number(cell.value)}</a>`;
        },
      })),
    ];
    if (gains.length) {
      columns.push({ label: "listening gain", cell: (row) => {
        const gain = gainOf(row);
        return gain ? html`<span class="with-chart"><${E.Interval} row=${gain} domain=${[-1, 1]} width=${100} zero=${true} /> <b>${E.signed(gain.value)}</b> <span class="muted">${E.signed(gain.low)} to ${E.signed(gain.high)} over ${E.text(gain.control)}</span></span>` : "–";
      } });
    }
    return html`<${E.Section} id="conditions" title="Conditions side by side" note=${gains.length ? "Listening gain: the score minus that of the best control, in which what is asked about cannot be heard." : ""}>
      <${E.Table} caption="Scores by task, a column a condition" columns=${columns} rows=${[...byTask.values()].slice(0, 100)} />
    <//>`;
  };

  E.NoiseCurves = ({ rows }) => {
    const panels = new Map();
    for (const row of rows.filter((each) => !each.slice)) {
      if (!panels.has(row.title)) panels.set(row.title, []);
      panels.get(row.title).push(row);
    }
    const shown = [...panels].filter(([, panel]) => panel.filter((row) => row.noise).length > 1).slice(0, 12);
    if (!shown.length) return null;
    return html`<${E.Section} id="noise" title="In noise">
      <div class="charts">${shown.map(([title, panel]) => {
        const kinds = [...new Set(panel.filter((row) => row.noise).map((row) => row.noise[0]))];
        const lines = kinds.map((kind) => ({
          name: `${kind} noise`,
          points: panel.filter((row) => row.noise && row.noise[0] === kind && row.value !== null).map((row) => ({ ...row, x: row.noise[1] })).sort((a, b) => a.x - b.x),
        }));
        const levels = panel.filter((row) => !row.noise && row.value !== null).map((row) => ({ name: row.condition, value: row.value }));
        const guess = panel[0].guess_rate;
        return html`<div><h3><${E.Name} value=${title} /></h3><${E.Curves} lines=${lines} levels=${guess === null ? levels : [...levels, { name: "guessing", value: guess }]} xLabel="signal-to-noise ratio, dB" yLabel=${panel[0].metric} width=${380} /></div>`;
      })}</div><//>`;
  };

  const Tags = ({ run, tags, base }) => {
    const names = [...new Set(tags.map((tag) => tag.tag))];
    const [chosen, setChosen] = useState("");
    const name = names.includes(chosen) ? chosen : names[0];
    if (!names.length) return null;
    const rows = tags.filter((tag) => tag.tag === name);
    const columns = [
      { label: E.text(name), cell: (row) => html`<a href=${E.itemsHref(run, { ...base, tag: `${row.tag}=${row.value}` })}><${E.Name} value=${row.value} /></a>` },
      { label: "right", cell: (row) => (row.marked ? html`<span class="with-chart"><${E.Bar} value=${row.right} of=${row.marked} /> ${E.percent(row.right, row.marked)}</span>` : "–") },
      { label: "n", numeric: true, cell: (row) => E.count(row.n) },
      { label: "failed", numeric: true, cell: (row) => row.failed || "–" },
      { label: "look", cell: (row) => row.marked > row.right && html`<a href=${E.itemsHref(run, { ...base, tag: `${row.tag}=${row.value}`, mark: "wrong" })}>wrong answers<span class="unseen"> of ${E.text(row.value)}</span></a>` },
    ];
    return html`<div class="panel-part"><h3>Slices</h3>
      <${E.Select} label="Tag" value=${name} options=${names} all=${null} onChange=${setChosen} />
      <${E.Table} caption=${`Items by ${name}`} columns=${columns} rows=${rows} /></div>`;
  };

  const Answers = ({ run, answers, base, n }) => {
    if (!answers.length) return null;
    const most = Math.max(...answers.flatMap((row) => [row.given, row.right]), 1);
    const columns = [
      { label: "answer", cell: (row) => html`<a href=${E.itemsHref(run, { ...base, answer: row.answer === null ? "(none)" : row.answer })}><${E.Name} value=${row.answer === null ? "(none was read)" : row.answer} size=${36} /></a>` },
      { label: "given", numeric: true, cell: (row) => E.count(row.given) },
      { label: "right", numeric: true, title: "how often it is the right answer", cell: (row) => E.count(row.right) },
      { label: "given, with a tick where it is right", cell: (row) => html`<${E.Bar} value=${row.given} of=${most} tick=${row.right} label=${`given ${row.given}, right ${row.right}`} />` },
    ];
    return html`<div class="panel-part"><h3>Which answers it gives</h3><${E.Table} caption="Answers" columns=${columns} rows=${answers.slice(0, 40)} /></div>`;
  };

  const Confusion = ({ run, confusion, base }) => {
    const { labels, cells } = confusion;
    if (labels.length < 2) return null;
    const answers = cells.some((cell) => cell.answer === null) ? [...labels, null] : labels;
    const most = Math.max(...cells.map((cell) => cell.n), 1);
    const value = (target, answer) => (cells.find((cell) => cell.target === target && cell.answer === answer) || { n: 0 }).n;
    const rows = labels.filter((target) => cells.some((cell) => cell.target === target));
    return html`<div class="panel-part wide"><h3>Right answer and given answer</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="Confusion table"><table class="confusion">
        <caption class="unseen">Rows are right answers, columns given ones</caption>
        <thead><tr><th scope="col">right \\ given</th>${answers.map((answer) => html`<th scope="col" class="number"><${E.Name} value=${answer === null ? "none" : answer} size=${14} /></th>`)}</tr></thead>
        <tbody>${rows.map((target) => html`<tr><th scope="row"><${E.Name} value=${target} size=${20} /></th>${answers.map((answer) => {
          const n = value(target, answer), step = n ? Math.ceil(4 * n / most) : 0;
          const link = { ...base, target, answer: answer === null ? "(none)" : answer };
          return html`<td class=${`number heat-${step} ${target === answer ? "diagonal" : ""}`}>${n && target !== "(other)" && answer !== "(other)" ? html`<a href=${E.itemsHref(run, link)} aria-label=${`${n} items with right answer ${target}, given ${answer === null ? "none" : answer}`}>${n}</a>` : n || html`<span class="muted">·</span>`}</td>`;
        })}</tr>`)}</tbody></table></div></div>`;
  };

  const Listed = ({ title, rows, columns }) => rows.length > 0 && html`<div class="panel-part"><h3>${title}</h3><${E.Table} caption=${title} columns=${columns} rows=${rows.slice(0, 30)} /></div>`;

  const Numbers = ({ numbers }) => {
    const rows = [
      ["median time of an answer", E.seconds(numbers.median)], ["slowest tenth from", E.seconds(numbers.p90)], ["slowest", E.seconds(numbers.longest)],
      ["all of them", E.seconds(numbers.total)], ["sound sent", E.seconds(numbers.audio_seconds)], ["tokens in", E.count(numbers.tokens_in)],
      ["tokens out", E.count(numbers.tokens_out)], ["cost", E.cost(numbers.cost)],
    ].filter(([, value]) => value !== "–" && value !== "0" && value !== "0.00 s");
    return rows.length > 0 && html`<div class="panel-part"><h3>Time, tokens and cost</h3><dl class="pairs">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></div>`;
  };

  // Counts over the items, of one task and condition or of all.
  E.Counts = ({ run, params, tick }) => {
    const base = { task: params.get("task") || "", condition: params.get("condition") || "" };
    const state = E.useData("counts", E.toParams({ run, ...base }), tick);
    const change = (changes) => E.go("run", E.change(params, changes), { replace: true });
    const data = state.data;
    if (!data) return html`<${E.Section} id="items" title="Items"><${E.Status} state=${state} what="the items" /><//>`;
    const states = Object.entries(data.states);
    const note = `${E.count(data.n)} items${base.task ? ` of ${base.task}` : ""}${base.condition ? ` under ${base.condition}` : ""}`;
    return html`<${E.Section} id="items" title="Items" note=${note}>
      ${E.isSite ? E.leftOut(run) && html`<p class="note">${E.leftOut(run)} The counts are of all.</p>` : html`<div class="bar"><${E.Select} label="Task" value=${base.task} options=${data.choices.task} onChange=${(task) => change({ task })} />
        <${E.Select} label="Condition" value=${base.condition} options=${data.choices.condition} onChange=${(condition) => change({ condition })} /></div>`}
      <div class="parts">
        <${Tags} run=${run} tags=${data.tags} base=${base} />
        <${Answers} run=${run} answers=${data.answers} base=${base} n=${data.n} />
        <${Confusion} run=${run} confusion=${data.confusion} base=${base} />
        <${Listed} title="States" rows=${states} columns=${[
          { label: "state", cell: ([name]) => html`<a href=${E.itemsHref(run, { ...base, state: name })}>${E.STATES[name] || name}</a>` },
          { label: "n", numeric: true, cell: ([, n]) => E.count(n) },
          { label: "share", numeric: true, cell: ([, n]) => E.percent(n, data.n) }]} />
        <${Listed} title="Failures by message" rows=${data.failures} columns=${[
          { label: "message", kind: "words", cell: (row) => html`<a href=${E.itemsHref(run, { ...base, failure: row.message })}><${E.Text} value=${row.message} size=${160} /></a>` },
          { label: "state", cell: (row) => E.STATES[row.state] || row.state },
          { label: "n", numeric: true, cell: (row) => E.count(row.n) }]} />
        <${Listed} title="Done to the sound on the way" rows=${data.sound_notes} columns=${[
          { label: "note", kind: "words", cell: (row) => html`<a href=${E.itemsHref(run, { ...base, note: row.note })}><${E.Text} value=${row.note} size=${120} /></a>` },
          { label: "items", numeric: true, cell: (row) => E.count(row.n) }]} />
        <${Numbers} numbers=${data.numbers} />
      </div><//>`;
  };

  const Preflight = ({ preflight }) => {
    if (!preflight) return null;
    return html`<details><summary>Preflight: does sound reach the model</summary><pre>${E.text(JSON.stringify(preflight, null, 2))}</pre></details>`;
  };

  E.Notes = ({ data }) => html`<${E.Section} id="settings" title="Notes and settings">
    ${data.notes.length > 0 && html`<ul class="notes">${data.notes.slice(0, 30).map((note) => html`<li><${E.Text} value=${note} /></li>`)}</ul>`}
    ${data.notes.length > 30 && html`<details><summary>${data.notes.length - 30} more notes</summary><ul class="notes">${data.notes.slice(30).map((note) => html`<li><${E.Text} value=${note} /></li>`)}</ul></details>`}
    ${Object.entries(data.skipped).length > 0 && html`<p class="note">Neither asked nor counted: ${Object.entries(data.skipped).map(([task, reasons]) => `${task}: ${Object.entries(reasons).map(([why, n]) => `${n} (${why})`).join(", ")}`).map(E.text).join("; ")}</p>`}
    <${Preflight} preflight=${data.preflight} />
    <details><summary>Settings</summary><pre>${E.text(data.config)}</pre></details>
    <details><summary>Signatures of the scores</summary><pre>${data.signatures.map(E.text).join("\n")}</pre></details>
    <details><summary>Signature of the run</summary><pre>${E.text(JSON.stringify(data.signature, null, 2))}</pre></details>
  <//>`;
})();
