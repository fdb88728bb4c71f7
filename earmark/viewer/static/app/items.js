// The items of a run: filters in the address, the list at the left, one item at the right.
"use strict";
(() => {
  const E = window.earmark;
  const { html, useEffect, useRef } = window.htmPreact;
  const LIMIT = 50;
  const FILTERS = ["mark", "state", "task", "condition", "rule", "id", "repeat", "tag", "target", "answer", "failure", "note", "search"];

  // Parameters that choose the list, without those that choose the item.
  E.listParams = (params) => {
    const list = new URLSearchParams();
    for (const [name, value] of params) if (["run", "sort", "offset", ...FILTERS].includes(name) && value) list.append(name, value);
    list.set("limit", LIMIT);
    return list;
  };

  const selected = (params) => (params.has("item.id")
    ? { task: params.get("item.task") || "", id: params.get("item.id"), condition: params.get("item.condition") || "plain", repeat: Number(params.get("item.repeat") || 0) } : null);

  const SORTS = [["", "as asked"], ["-seconds", "slowest first"], ["seconds", "fastest first"], ["-score", "highest score"], ["score", "lowest score"],
    ["id", "id"], ["task", "task"], ["condition", "condition"], ["state", "state"], ["-tokens", "longest reply"], ["-cost", "dearest"]];

  const Filters = ({ params, choices, change }) => {
    const tags = params.getAll("tag");
    const extra = [params.get("rule"), params.get("state"), params.get("sort"), ...tags].filter(Boolean).length;
    return html`<div class="bar filters">
      <${E.Search} label="Search" value=${params.get("search")} placeholder="id, question, reply, answer" onChange=${(search) => change({ search })} />
      <${E.Select} label="Right or wrong" value=${params.get("mark")} options=${[["wrong", "✗ wrong"], ["right", "✓ right"]]} onChange=${(mark) => change({ mark })} />
      ${choices.task.length > 1 && html`<${E.Select} label="Task" value=${params.get("task")} options=${choices.task} onChange=${(task) => change({ task })} />`}
      ${choices.condition.length > 1 && html`<${E.Select} label="Condition" value=${params.get("condition")} options=${choices.condition} onChange=${(condition) => change({ condition })} />`}
      <details class="more" open=${extra > 0 ? true : undefined}><summary>More filters</summary><div class="bar">
        <${E.Select} label="State" value=${params.get("state")} options=${choices.state.map((name) => [name, E.STATES[name] || name])} onChange=${(state) => change({ state })} />
        ${choices.rule.length > 0 && html`<${E.Select} label="Rule" value=${params.get("rule")} options=${choices.rule} onChange=${(rule) => change({ rule })} />`}
        ${choices.tag.length > 0 && html`<${E.Select} label="Tag" value="" options=${choices.tag.filter((tag) => !tags.includes(tag))} all="add a tag…" onChange=${(tag) => tag && change({ tag: [...tags, tag] })} />`}
        <${E.Select} label="Order" value=${params.get("sort")} options=${SORTS.slice(1)} all=${SORTS[0][1]} onChange=${(sort) => change({ sort })} />
      </div></details></div>`;
  };

  const Row = ({ row, params, isHere, several }) => html`<a class=${`row ${isHere ? "here" : ""}`} aria-current=${isHere ? "true" : undefined}
      href=${E.href("items", E.change(params, { ...E.key(row), "item.repeat": row.repeat || null }))}>
    <${E.MarkSign} row=${row} /><span class="row-body"><span class="row-top"><b><${E.Name} value=${row.id} size=${34} /></b>${several && html`<span class="muted"><${E.Text} value=${row.condition} size=${20} />${row.repeat ? ` #${row.repeat + 1}` : ""}</span>`}
      <span class="muted time">${row.seconds ? E.seconds(row.seconds) : ""}</span></span>
      <span class="row-text">${row.target ? html`<span class="target"><${E.Text} value=${row.target} size=${30} /></span> ` : ""}<${E.Text} value=${row.failure || row.reply || ""} size=${90} /></span></span></a>`;

  E.pages.items = ({ params }) => {
    const run = params.get("run");
    const list = E.listParams(params);
    const isPlain = ![...list.keys()].some((name) => FILTERS.includes(name) || ["sort", "offset"].includes(name));
    const summary = E.useData("run", E.toParams({ run }));
    const isOpen = Boolean(summary.data && ["unfinished", "not scored", "audiogram"].includes(summary.data.summary.state));
    const live = E.useLive(run, isOpen);
    const full = E.useData("items", list, live ? live.lines : 0);
    const head = E.useData("items", isPlain && !full.data ? E.change(list, { head: "1" }) : null);
    const choices = E.useData("filters", E.toParams({ run }));
    const key = selected(params);
    const itemParams = key && E.change(list, { limit: null, offset: null, ...Object.fromEntries(Object.entries(E.key(key)).map(([name, value]) => [name, String(value)])), beside: params.getAll("beside") });
    const page = E.useData("item", itemParams || null, live ? live.lines : 0);
    const rows = (full.data || head.data || { rows: [] }).rows;
    const listBox = useRef(null);
    const change = (changes) => E.go("items", E.change(params, { ...changes, offset: null, "item.id": null, "item.task": null, "item.condition": null, "item.repeat": null }), { replace: true });
    const select = (row, index = null) => {
      const offset = index === null ? params.get("offset") : Math.floor(index / LIMIT) * LIMIT || null;
      E.go("items", E.change(params, { ...E.key(row), offset }));
    };
    const isWide = window.matchMedia("(min-width: 900px)").matches;
    useEffect(() => {
      if (!key && full.data && full.key === `items?${list}` && rows.length && isWide) E.go("items", E.change(params, E.key(rows[0])), { replace: true });
    }, [full.data, full.key, list.toString(), Boolean(key)]);
    useEffect(() => {
      const here = listBox.current && listBox.current.querySelector(".row.here");
      if (here) here.scrollIntoView({ block: "nearest" });
    }, [params.toString(), full.data]);
    const data = page.data && page.key === `item?${itemParams}` ? page.data : null;
    const shown = data || (key && page.loading ? page.data : null);
    const step = (by) => () => {
      const place = key ? rows.findIndex((row) => E.sameKey(row, key)) : -1 - Math.min(by, 0);
      if (rows[place + by] && (!key || place >= 0)) { select(rows[place + by]); return; }
      const row = data && (by > 0 ? data.after : data.before);
      if (row) select(row, data.index + by);
    };
    const sides = params.getAll("beside");
    const side = (index) => () => {
      const names = [run, ...sides];
      const order = params.getAll("sides").length ? params.getAll("sides") : names;
      if (order[index] && order[index] !== run) {
        E.player.resumeElsewhere();
        E.go("items", E.change(params, { run: order[index], beside: order.filter((name) => name !== order[index]), sides: order }));
      }
    };
    E.useKeys({ j: step(1), k: step(-1), a: side(0), b: side(1) });
    if (summary.error) return html`<${E.Status} state=${summary} what="the run" />`;
    const info = summary.data && summary.data.summary;
    const filters = choices.data || { task: [], condition: [], state: [], rule: [], tag: [] };
    const several = filters.condition.length > 1 && !params.get("condition");
    return html`
      <p class="crumbs"><a href=${E.href("runs")}>Runs</a> <span aria-hidden="true">›</span> <a href=${E.href("run", { run })}>${info ? html`<${E.Name} value=${info.model} size=${40} /> on <${E.Name} value=${info.benchmark} size=${30} />` : E.text(run)}</a> <span aria-hidden="true">›</span> Items</p>
      <h1 class="unseen">Items</h1>
      <${Filters} params=${params} choices=${filters} change=${change} />
      <${E.FilterList} params=${params} onRemove=${(name, value) => change({ [name]: params.getAll(name).filter((each) => each !== value) })} />
      ${filters.copies > 0 && !params.get("task") && html`<p class="note">${E.count(filters.copies)} replies that two tasks have, as judged by two judges, are listed once, with the verdicts of both.</p>`}
      ${E.isSite && E.leftOut(run) && html`<p class="note">${E.leftOut(run)}</p>`}
      <div class=${`split ${key ? "has-item" : ""}`}>
        <section class="list" aria-label="List of items" ref=${listBox}>
          ${full.error ? html`<${E.Status} state=${full} />` : html`<${E.Pager} total=${full.data ? full.data.total : null} offset=${Number(params.get("offset") || 0)} limit=${LIMIT} onMove=${(offset) => E.go("items", E.change(params, { offset: offset || null }), { replace: true })} />`}
          <div class="rows">${rows.map((row) => html`<${Row} row=${row} params=${params} isHere=${E.sameKey(row, key)} several=${several} />`)}</div>
          ${full.data && !rows.length && html`<p class="empty">No item passes the filters.</p>`}
        </section>
        <div class="one" aria-busy=${Boolean(shown) && !data}>${key && html`<p class="to-list"><a href=${E.href("items", E.change(params, { "item.id": null, "item.task": null, "item.condition": null, "item.repeat": null }))}>‹ list</a></p>`}
          ${shown ? html`<${E.Item} run=${run} page=${shown} params=${params} />` : key ? html`<${E.Status} state=${page} what="the item" />` : html`<p class="empty">Choose an item, or press <kbd>j</kbd>.</p>`}
        </div>
      </div>`;
  };
})();
