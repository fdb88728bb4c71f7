// Addresses, data and keys. Everything lies in one object, `earmark`; scripts are classic, so that pages open from disk.
"use strict";
window.earmark = window.earmark || {};
(() => {
  const E = window.earmark;
  const { useState, useEffect, useRef } = window.htmPreact;

  // ---- the address: #/page?name=value. Every filter is in it, so that a link is a view.

  E.readRoute = () => {
    const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    return { page: path || "runs", params: new URLSearchParams(query || "") };
  };

  E.href = (page, params) => {
    const query = params instanceof URLSearchParams ? params : E.toParams(params || {});
    const text = query.toString();
    return `#/${page}${text ? `?${text}` : ""}`;
  };

  // An object with texts or lists of texts; empty values are left out.
  E.toParams = (values) => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
      for (const each of Array.isArray(value) ? value : [value]) {
        if (each !== "" && each !== null && each !== undefined) params.append(name, each);
      }
    }
    return params;
  };

  // A copy of parameters with some replaced; null removes one.
  E.change = (params, changes) => {
    const copy = new URLSearchParams(params);
    for (const [name, value] of Object.entries(changes)) {
      copy.delete(name);
      for (const each of Array.isArray(value) ? value : [value]) {
        if (each !== "" && each !== null && each !== undefined) copy.append(name, each);
      }
    }
    return copy;
  };

  E.go = (page, params, { replace = false } = {}) => {
    const address = E.href(page, params);
    if (replace) {
      history.replaceState(null, "", address);
      window.dispatchEvent(new HashChangeEvent("hashchange"));
    } else {
      location.hash = address;
    }
  };

  E.useRoute = () => {
    const [route, setRoute] = useState(E.readRoute);
    useEffect(() => {
      const listen = () => setRoute(E.readRoute());
      window.addEventListener("hashchange", listen);
      return () => window.removeEventListener("hashchange", listen);
    }, []);
    return route;
  };

  // ---- data: from the server, or from scripts beside the page (site.js replaces `fetchData`)

  E.fetchData = async (name, params) => {
    const response = await fetch(`api/${name}?${params}`, { headers: { Accept: "application/json" } });
    const value = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
    if (!response.ok) throw new Error(value.error || `the server answered ${response.status}`);
    return value;
  };

  E.mediaUrl = (kind, params) => `media/${kind}?${params}`;

  // { data, error, loading } of an address; what was there stays while the next is on its way.
  E.useData = (name, params, tick = 0) => {
    const [state, setState] = useState({ loading: true });
    const text = params === null ? null : params.toString();
    const wanted = useRef("");
    useEffect(() => {
      if (text === null) return undefined;
      const key = `${name}?${text}`;
      const isOther = wanted.current !== key;
      wanted.current = key;
      let dropped = false;
      if (isOther) setState((before) => ({ ...before, error: null, loading: true }));
      E.fetchData(name, text).then(
        (data) => dropped || setState({ data, key, loading: false }),
        (error) => dropped || setState({ error: error.message, key, loading: false }),
      );
      return () => { dropped = true; };
    }, [name, text, tick]);
    return state;
  };

  // ---- settings that stay on this machine

  E.remember = (name, value) => {
    try { localStorage.setItem(`earmark.${name}`, JSON.stringify(value)); } catch { /* a private window */ }
  };
  E.recall = (name, otherwise) => {
    try { return JSON.parse(localStorage.getItem(`earmark.${name}`)) ?? otherwise; } catch { return otherwise; }
  };

  E.applyTheme = (theme) => {
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };

  // ---- keys: each page says what its keys do; none is taken from a field in which one types

  const handlers = [];
  E.useKeys = (keys) => {
    const current = useRef(keys);
    current.current = keys;
    useEffect(() => {
      const handle = (event) => {
        const action = current.current[event.key];
        if (action) action(event);
        return Boolean(action);
      };
      handlers.push(handle);
      return () => handlers.splice(handlers.indexOf(handle), 1);
    }, []);
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input, select, textarea");
    const isTyping = field && !["checkbox", "radio", "range"].includes(field.type);
    if (isTyping && event.key !== "Escape") return;
    if (event.key === " " && event.target.closest("button, a, summary, input")) return;
    for (const handle of [...handlers].reverse()) {
      if (handle(event)) { event.preventDefault(); return; }
    }
  });

  E.pages = {};
})();
