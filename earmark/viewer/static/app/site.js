// Data of a static site: scripts beside the page, which put what they hold; filters and orders are made here.
"use strict";
(() => {
  const E = window.earmark;
  const store = new Map(), waiting = new Map();
  E.isSite = true;

  E.put = (name, value) => {
    store.set(name, value);
    if (name === "site") E.licences = value.licences;
  };

  // Load a script of data once.
  const load = (name) => {
    if (store.has(name)) return Promise.resolve(store.get(name));
    if (!waiting.has(name)) {
      waiting.set(name, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `data/${name}.js`;
        script.onload = () => resolve(store.get(name));
        script.onerror = () => { waiting.delete(name); reject(new Error("this is not part of the site")); };
        document.head.append(script);
      }));
    }
    return waiting.get(name);
  };

  const get = async (name) => {
    const value = await load(name);
    if (value && value.error) throw new Error(value.error);
    return value;
  };

  const number = (run) => {
    const name = store.get("site").names[run];
    if (name === undefined) throw new Error(`${run}: is not part of the site`);
    return name;
  };

  const isFailed = (row) => ["request-failed", "sound-failed"].includes(row.state);

  // The filters of the server, over the rows of a list.
  const passes = (row, params, withCopies = false) => {
    const text = (value) => String(value ?? "");
    for (const name of ["task", "condition", "rule", "id", "failure", "target"]) {
      if (params.get(name) && text(row[name]) !== params.get(name)) return false;
    }
    if (params.get("repeat") && text(row.repeat) !== params.get("repeat")) return false;
    const states = params.getAll("state").flatMap((value) => value.split(",")).filter(Boolean);
    if (states.length && !states.includes(row.state)) return false;
    if (params.get("mark") === "right" && row.right !== true) return false;
    if (params.get("mark") === "wrong" && (row.right !== false || isFailed(row))) return false;
    const answer = params.get("answer");
    if (answer && (answer === "(none)" ? row.answer !== null : row.answer !== answer)) return false;
    for (const tag of params.getAll("tag")) {
      const [name, value] = tag.split(/=(.*)/s);
      if ((row.tags || {})[name] !== value) return false;
    }
    if (row.copy && !withCopies && !params.get("task")) return false; // another task has the same reply
    const search = (params.get("search") || "").toLowerCase();
    return !search || ["id", "question", "reply", "answer", "failure", "target"].some((name) => text(row[name]).toLowerCase().includes(search));
  };

  const COLUMNS = { tokens: "tokens_out" };
  const list = async (params) => {
    const rows = (await get(`items-${number(params.get("run"))}`)).map((row, place) => ({ ...row, place }));
    const sort = params.get("sort") || "", name = sort.replace(/^-/, "");
    const kept = rows.filter((row) => passes(row, params));
    return name ? E.sortRows(kept, sort, { [name]: (row) => row[COLUMNS[name] || name] }) : kept;
  };

  const page = (rows, params) => {
    const offset = Number(params.get("offset") || 0), limit = Number(params.get("limit") || 50);
    return rows.slice(offset, offset + limit);
  };

  const item = async (params) => {
    const run = params.get("run"), rows = await get(`items-${number(run)}`);
    const key = { task: params.get("item.task") || "", id: params.get("item.id"), condition: params.get("item.condition") || "plain", repeat: Number(params.get("item.repeat") || 0) };
    const place = rows.findIndex((row) => E.sameKey(row, key));
    if (place < 0) throw new Error("this item is not part of the site");
    const { chunk } = store.get("site");
    const details = (await get(`item-${number(run)}-${Math.floor(place / chunk)}`))[place % chunk];
    const shown = await list(params), index = shown.findIndex((row) => row.place === place);
    const same = (all) => all.filter((row) => row.task === key.task && row.id === key.id);
    const elsewhere = {};
    for (const other of params.getAll("beside")) elsewhere[other] = same(await get(`items-${number(other)}`));
    return { ...details, index, before: index > 0 ? shown[index - 1] : null, after: index >= 0 ? shown[index + 1] || null : null, same: same(rows), elsewhere };
  };

  const sounds = async (params) => {
    const details = await item(params);
    const why = "this site has no sound: earmark site --sound sent adds it";
    return details.media || { clips: details.sounds.map(() => ({ why })), pictures: [], differences: [], turns: null, why };
  };

  const pairName = ([first, second]) => {
    const { pairs } = store.get("site");
    const isPair = (a, b) => pairs.some((pair) => pair[0] === a && pair[1] === b);
    if (isPair(first, second)) return { name: `${number(first)}-${number(second)}`, swapped: false };
    if (isPair(second, first)) return { name: `${number(second)}-${number(first)}`, swapped: true };
    throw new Error("these runs cannot be compared on this site");
  };

  const SWAP = { first: "second", second: "first" };
  const swapCounts = (row) => ({ ...row, first: row.second, second: row.first });

  const compare = async (params) => {
    const runs = params.getAll("run"), { name, swapped } = pairName(runs);
    const data = await get(`compare-${name}`);
    const summaries = (await get("runs")).runs;
    const shown = { ...data, runs: runs.map((run) => summaries.find((each) => each.run === run)) };
    if (!swapped) return shown;
    return { ...shown, counts: swapCounts(data.counts), by_task: data.by_task.map(swapCounts), by_tag: data.by_tag.map(swapCounts), only_asked: [...data.only_asked].reverse() };
  };

  const flip = (value) => (value === null || value === undefined ? value : -value);
  const differences = async (params) => {
    const { name, swapped } = pairName(params.getAll("run"));
    const data = await get(`differences-${name}`);
    if (!swapped) return data;
    const turn = (row) => ({ ...row, difference: { ...row.difference, baseline: row.difference.candidate, candidate: row.difference.baseline, value: flip(row.difference.value), low: flip(row.difference.high), high: flip(row.difference.low) } });
    return { ...data, rows: data.rows.map(turn) };
  };

  const compareItems = async (params) => {
    const lists = await Promise.all(params.getAll("run").map((run) => get(`items-${number(run)}`)));
    const key = (row) => JSON.stringify([row.task, row.id, row.condition, row.repeat]);
    const [first, ...others] = lists.map((rows) => new Map(rows.map((row) => [key(row), row])));
    const part = (row, other) => (row.right ? (other.right ? "both" : "first") : other.right ? "second" : "neither");
    const isMarked = (row) => row.right !== null || isFailed(row);
    const rows = [...first.values()].filter((row) => {
      const other = others[0].get(key(row));
      const isCopy = row.copy && other && other.copy && !params.get("task");
      return other && !isCopy && isMarked(row) && isMarked(other) && passes(row, params, true) && (!params.get("only") || part(row, other) === params.get("only"));
    });
    return { total: rows.length, rows: page(rows, params).map((row) => [row, ...others.map((map) => map.get(key(row)) || null)]) };
  };

  const answers = {
    runs: () => get("runs"),
    run: (params) => get(`run-${number(params.get("run"))}`),
    counts: (params) => get(`counts-${number(params.get("run"))}`),
    filters: async (params) => (await get(`counts-${number(params.get("run"))}`)).choices,
    audiogram: (params) => get(`audiogram-${number(params.get("run"))}`),
    leaderboard: () => get("leaderboard"),
    items: async (params) => { const rows = await list(params); return { total: rows.length, rows: page(rows, params) }; },
    item, sounds, compare, differences,
    compare_items: compareItems,
  };

  E.fetchData = async (name, params) => {
    const answer = answers[name];
    if (!answer) throw new Error("this is not part of the site");
    return answer(new URLSearchParams(params));
  };

  // What of a run's items is not here, in a sentence.
  E.leftOut = (run) => {
    const [limit, rest, total] = (store.get("site").left_out || {})[run] || [0, 0, 0];
    if (!rest) return "";
    const choice = { differ: "those on which runs or conditions differ", wrong: "the wrong ones", none: "none" }[store.get("site").items] || "all";
    return `This site has ${E.count(total - rest)} of ${E.count(total)} items: ${choice}${limit ? `, ${E.count(limit)} more of which are left out` : ""}.`;
  };
})();
