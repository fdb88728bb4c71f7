// Models ranked on each benchmark, with intervals, refusals and failures; words and ears apart.
"use strict";
(() => {
  const E = window.earmark;
  const { html } = window.htmPreact;

  const Board = ({ board, params }) => {
    const domain = E.domain(board.entries);
    const isTied = (entry, index) => index > 0 && (entry.p === null || entry.p >= 0.05);
    const others = board.columns.filter((name) => name !== board.by).slice(0, 10);
    const hasGain = board.entries.some((entry) => entry.gain);
    const columns = [
      { label: "rank", numeric: true, cell: (entry) => html`<b>${entry.rank}</b>${entry.ranks && entry.ranks[0] < entry.ranks[1] ? html` <span class="muted">${entry.ranks[0]}–${entry.ranks[1]}</span>` : ""}` },
      { label: "model", cell: (entry) => html`<a class="name" href=${E.href("run", { run: entry.run })}><${E.Name} value=${entry.model} /></a>${entry.kind && html` <${E.Badge}>${entry.kind}<//>`}${!entry.finished && html` <${E.Badge} kind="open">unfinished<//>`}
        ${isTied(entry, board.entries.indexOf(entry)) && html` <${E.Badge}>= tied with the first<//>`}` },
      { label: hasGain ? "score (plain)" : "score", numeric: true, cell: (entry) => html`<b>${E.number(entry.value)}</b>` },
      { label: "95 % interval", cell: (entry) => html`<span class="with-chart"><${E.Interval} row=${entry} domain=${domain} /> <span class="muted">${E.interval(entry.low, entry.high)}</span></span>` },
      { label: "p to the first", numeric: true, cell: (entry) => E.p(entry.p) },
      { label: "n", numeric: true, cell: (entry) => E.count(entry.n) },
      { label: "unparsed", numeric: true, cell: (entry) => entry.unparsed || "–" },
      { label: "refused", numeric: true, cell: (entry) => entry.refused || "–" },
      { label: "failed", numeric: true, cell: (entry) => entry.failed || "–" },
      ...(hasGain ? [{ label: "words alone (best control)", numeric: true, cell: (entry) => (entry.gain ? html`${E.number(entry.gain.controls[entry.gain.control])} <span class="muted">${E.text(entry.gain.control)}</span>` : "–") },
        { label: "listening gain", cell: (entry) => (entry.gain ? html`<b>${E.signed(entry.gain.value)}</b> <span class="muted">${E.signed(entry.gain.low)} to ${E.signed(entry.gain.high)}</span>` : "–") }] : []),
      ...others.map((name) => ({ label: E.middle(name, 22), numeric: true, cell: (entry) => E.number(entry.others[name] ?? null) })),
    ];
    const change = (changes) => E.go("leaderboard", E.change(params, { ...changes, benchmark: board.benchmark }), { replace: true });
    const settings = Object.entries(board.settings).map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");
    return html`<${E.Section} id=${`board-${board.benchmark}-${E.hash(settings)}`} title=${board.benchmark} note=${`${board.metric} of ${board.by}${board.condition === "plain" ? "" : ` under ${board.condition}`}${settings ? `; ${settings}` : ""}`}>
      ${!E.isSite && html`<div class="bar">
        ${board.columns.length > 1 && html`<${E.Select} label="Rank by" value=${board.by} all=${null} options=${board.columns} onChange=${(by) => change({ by })} />`}
        ${board.conditions.length > 1 && html`<${E.Select} label="Condition" value=${board.condition} all=${null} options=${board.conditions.map((name) => [name, board.controls.includes(name) ? `${name} (control)` : name])} onChange=${(condition) => change({ condition })} />`}</div>`}
      ${board.controls.includes(board.condition) && html`<p class="note"><${E.Badge}>control<//> Under ${E.text(board.condition)} what is asked about cannot be heard: these scores are those of the words alone.</p>`}
      <${E.Table} caption=${`Leaderboard of ${board.benchmark}`} columns=${columns} rows=${board.entries} />
      ${board.entries.length > 1 && html`<p class="note">Beside a rank: the lowest and the highest that it may be, at 95 %. The p-value is that of the paired test against the first model, adjusted for all pairs of models (Holm).${board.columns.length - 1 > others.length ? ` ${board.columns.length - 1 - others.length} more columns can be ranked by.` : ""}</p>`}
      ${board.notes.length > 0 && html`<ul class="notes">${board.notes.map((note) => html`<li><${E.Text} value=${note} /></li>`)}</ul>`}<//>`;
  };

  E.hash = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) >>> 0, 7).toString(36);

  E.pages.leaderboard = ({ params }) => {
    const state = E.useData("leaderboard", E.change(params, {}));
    const data = state.data;
    return html`<h1>Leaderboard</h1>
      ${[...params].length > 0 && html`<p><a href=${E.href("leaderboard")}>All benchmarks, ranked by their own column</a></p>`}
      ${!data ? html`<${E.Status} state=${state} what="the leaderboards: every pair of models is compared" />`
        : data.boards.length ? data.boards.map((board) => html`<${Board} board=${board} params=${params} />`) : html`<p class="empty">No run has scores yet.</p>`}
      ${data && Object.keys(data.left_out).length > 0 && html`<ul class="notes">${Object.entries(data.left_out).slice(0, 30).map(([run, why]) => html`<li>left out: <${E.Text} value=${run} />: <${E.Text} value=${why} /></li>`)}</ul>`}`;
  };
})();
