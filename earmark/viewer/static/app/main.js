// The frame of all pages: navigation, theme, and the list of keys.
"use strict";
(() => {
  const E = window.earmark;
  const { html, render, useState, useEffect, useRef } = window.htmPreact;
  const TITLES = { runs: "Runs", run: "Run", items: "Items", compare: "Compare", leaderboard: "Leaderboard", audiogram: "Audiogram" };
  const KEYS = [
    ["j, k", "next and previous item"], ["1 … 9", "play or stop a clip of the item"], ["space", "play or stop the last clip"],
    ["a, b", "the first and the second side of a comparison"], ["/", "search"], ["?", "this list"], ["Esc", "close it, or stop the sound"],
  ];

  const KeyList = ({ onClose }) => {
    const box = useRef(null);
    useEffect(() => { box.current.focus(); }, []);
    return html`<div class="overlay" onClick=${(event) => { if (event.target === event.currentTarget) onClose(); }}>
      <div class="dialog" role="dialog" aria-modal="true" aria-labelledby="keys-title" tabindex="-1" ref=${box}>
        <h2 id="keys-title">Keys</h2>
        <dl class="keys">${KEYS.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
        <button onClick=${onClose}>Close</button>
      </div></div>`;
  };

  const NEXT = { "": "dark", dark: "light", light: "" };

  const App = () => {
    const { page, params } = E.useRoute();
    const [help, setHelp] = useState(false);
    const [theme, setTheme] = useState(E.recall("theme", ""));
    useEffect(() => { E.applyTheme(theme); E.remember("theme", theme); }, [theme]);
    const Page = E.pages[page];
    const before = useRef(page);
    useEffect(() => {
      document.title = `${TITLES[page] || "Nothing"} – Earmark`;
      if (before.current !== page) window.scrollTo(0, 0);
      before.current = page;
    }, [page]);
    E.useKeys({ "?": () => setHelp(!help), Escape: () => { if (help) setHelp(false); else E.player.stop(); } });
    const here = (name) => (name === page ? "page" : undefined);
    return html`
      <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>Skip to the page</a>
      <header class="top">
        <a class="wordmark" href=${E.href("runs")}>Earmark</a>
        <nav aria-label="Pages"><a href=${E.href("runs")} aria-current=${here("runs")}>Runs</a><a href=${E.href("leaderboard")} aria-current=${here("leaderboard")}>Leaderboard</a></nav>
        <span class="tools">
          <button onClick=${() => setTheme(NEXT[theme])} title="colours of the pages">${theme || "system"} colours</button>
          <button onClick=${() => setHelp(true)} aria-label="list of keys">Keys <kbd>?</kbd></button>
        </span>
      </header>
      <main id="main" tabindex="-1" class=${`page-${page}`}>${Page ? html`<${Page} params=${params} />` : html`<h1>No such page</h1><p><a href=${E.href("runs")}>All runs</a></p>`}</main>
      ${E.licences && html`<footer class="foot">${E.licences.map((line) => html`<p>${E.text(line)}</p>`)}</footer>`}
      ${help && html`<${KeyList} onClose=${() => setHelp(false)} />`}`;
  };

  E.applyTheme(E.recall("theme", ""));
  const root = document.getElementById("app");
  root.textContent = "";
  render(html`<${App} />`, root);
})();
