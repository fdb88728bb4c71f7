// Parts that several pages use.
"use strict";
(() => {
  const E = window.earmark;
  const { html, useState, useEffect, useRef } = window.htmPreact;

  // Text from outside: hidden marks are escaped, and nothing of it is markup.
  E.Text = ({ value, size }) => {
    const text = E.text(value);
    return size && text.length > size ? html`<span title=${text.slice(0, 2000)}>${text.slice(0, size)}…</span>` : html`<span>${text}</span>`;
  };

  E.Name = ({ value, size = 48 }) => {
    const text = E.text(value);
    return text.length > size ? html`<span title=${text.slice(0, 600)}>${E.middle(text, size)}</span>` : html`<span>${text}</span>`;
  };

  E.Status = ({ state, what }) => {
    if (state.error) return html`<p class="problem" role="alert"><strong>Cannot show this.</strong> <${E.Text} value=${state.error} /></p>`;
    if (!state.data) return html`<p class="empty" role="status">Loading ${what}…</p>`;
    return null;
  };

  E.MarkSign = ({ row, withWord = false }) => {
    const mark = E.mark(row);
    return html`<span class=${`sign ${mark.kind}`} title=${mark.word}><span aria-hidden="true">${mark.sign}</span>${
      withWord ? html` ${mark.word}` : html`<span class="unseen">${mark.word}</span>`}</span>`;
  };

  E.Badge = ({ kind = "", children }) => html`<span class=${`badge ${kind}`}>${children}</span>`;

  // Columns that can be sorted: columns = [{ name, label, sort, numeric, cell, title }].
  E.Table = ({ columns, rows, caption, sort, onSort, rowClass, empty = "Nothing here." }) => html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}><table>
      <caption class="unseen">${caption}</caption>
      <thead><tr>${columns.map((column) => {
        const direction = sort === column.sort ? "ascending" : sort === `-${column.sort}` ? "descending" : undefined;
        const numeric = column.numeric ? "number" : "";
        if (!column.sort || !onSort) return html`<th scope="col" class=${numeric} title=${column.title}>${column.label}</th>`;
        const next = direction === "ascending" ? `-${column.sort}` : column.sort;
        return html`<th scope="col" class=${numeric} aria-sort=${direction || "none"} title=${column.title}>
          <button class="sort" onClick=${() => onSort(next)}>${column.label}<span aria-hidden="true">${direction === "ascending" ? " ↑" : direction ? " ↓" : ""}</span></button></th>`;
      })}</tr></thead>
      <tbody>${rows.map((row) => html`<tr class=${rowClass ? rowClass(row) : ""}>${columns.map((column) => html`<td class=${column.numeric ? "number" : column.kind || ""}>${column.cell(row)}</td>`)}</tr>`)}
        ${!rows.length && html`<tr><td colspan=${columns.length} class="empty">${empty}</td></tr>`}</tbody>
    </table></div>`;

  E.sortRows = (rows, sort, values) => {
    const name = (sort || "").replace(/^-/, "");
    const value = values[name];
    if (!value) return rows;
    const sign = sort.startsWith("-") ? -1 : 1;
    const isNothing = (each) => each === null || each === undefined || each === "";
    return [...rows].sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      if (isNothing(a) || isNothing(b)) return isNothing(a) - isNothing(b);
      return sign * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
    });
  };

  E.Select = ({ label, value, options, onChange, all = "all" }) => html`<label class="field"><span>${label}</span>
    <select value=${value || ""} onChange=${(event) => onChange(event.target.value)}>
      ${all !== null && html`<option value="">${all}</option>`}
      ${options.map((option) => {
        const [key, text] = Array.isArray(option) ? option : [option, option];
        return html`<option value=${key} selected=${key === value}>${E.middle(E.text(text), 60)}</option>`;
      })}
      ${value && !options.some((option) => (Array.isArray(option) ? option[0] : option) === value) && html`<option value=${value} selected>${E.middle(E.text(value), 60)}</option>`}
    </select></label>`;

  // A field whose text goes into the address once one stops typing.
  E.Search = ({ label, value, onChange, placeholder = "" }) => {
    const [text, setText] = useState(value || "");
    const timer = useRef(0), field = useRef(null);
    useEffect(() => { if (document.activeElement !== field.current) setText(value || ""); }, [value]);
    useEffect(() => () => clearTimeout(timer.current), []);
    const type = (event) => {
      const typed = event.target.value;
      setText(typed);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => onChange(typed.trim()), 180);
    };
    E.useKeys({ "/": () => { field.current.focus(); field.current.select(); } });
    return html`<label class="field wide"><span>${label}</span><input type="search" ref=${field} value=${text} placeholder=${placeholder} onInput=${type}
      onKeyDown=${(event) => { if (event.key === "Escape") field.current.blur(); }} /></label>`;
  };

  E.Pager = ({ total, offset, limit, onMove, what = "items" }) => {
    if (total === null || total === undefined) return html`<p class="pager" role="status">reading the journal…</p>`;
    const last = Math.min(total, offset + limit);
    return html`<p class="pager"><span role="status">${total ? `${E.count(offset + 1)} to ${E.count(last)} of ` : ""}${E.count(total)} ${what}</span>
      ${total > limit && html`<span class="buttons">
        <button onClick=${() => onMove(0)} disabled=${!offset}>first</button>
        <button onClick=${() => onMove(Math.max(0, offset - limit))} disabled=${!offset}>previous</button>
        <button onClick=${() => onMove(offset + limit)} disabled=${last >= total}>next</button>
        <button onClick=${() => onMove(Math.floor((total - 1) / limit) * limit)} disabled=${last >= total}>last</button></span>`}</p>`;
  };

  // Filters that are set, each to be taken away again.
  E.FilterList = ({ params, onRemove }) => {
    const names = ["mark", "state", "task", "condition", "rule", "tag", "target", "answer", "failure", "note", "search", "id", "repeat"];
    const set = [...params].filter(([name, value]) => names.includes(name) && value);
    if (!set.length) return null;
    return html`<p class="filters-set">${set.map(([name, value]) => html`<button class="chip" title="remove this filter" onClick=${() => onRemove(name, value)}>
      ${name === "mark" ? E.text(value) : `${name === "tag" ? "" : `${name}: `}${E.middle(E.text(value), 50)}`} <span aria-hidden="true">×</span><span class="unseen">remove</span></button>`)}</p>`;
  };

  E.Section = ({ title, id, note, children }) => html`<section id=${id} class="panel" aria-labelledby=${`${id}-title`}>
    <h2 id=${`${id}-title`}>${title}</h2>${note && html`<p class="note">${note}</p>`}${children}</section>`;

  E.HeadlineNumber = ({ headline, why, large = false }) => {
    if (!headline || headline.value === null) return html`<span class="muted">${why || "no number"}</span>`;
    return html`<span class=${large ? "headline large" : "headline"}><b>${E.number(headline.value)}</b>${
      headline.low !== null && html` <span class="muted">${E.interval(headline.low, headline.high)}${headline.trusted ? "" : " ?"}</span>`}</span>`;
  };
})();
