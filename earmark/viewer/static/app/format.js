// Numbers, names and states as text.
"use strict";
(() => {
  const E = window.earmark;

  E.number = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits));
  E.count = (value) => (value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en"));
  E.signed = (value) => (value === null || value === undefined ? "–" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`);
  E.percent = (part, whole) => (whole ? `${(100 * part / whole).toFixed(1)} %` : "–");
  E.interval = (low, high) => (low === null || low === undefined || high === null ? "" : `${E.number(low)} to ${E.number(high)}`);
  E.p = (value) => (value === null || value === undefined ? "–" : value < 0.001 ? "< 0.001" : value.toFixed(3));
  E.cost = (value) => (!value ? "–" : value < 0.01 ? value.toFixed(4) : value.toFixed(2));

  E.seconds = (value) => {
    if (value === null || value === undefined) return "–";
    if (value < 10) return `${value.toFixed(2)} s`;
    if (value < 90) return `${value.toFixed(1)} s`;
    const minutes = Math.floor(value / 60);
    return minutes < 120 ? `${minutes} min ${Math.round(value % 60)} s` : `${(value / 3600).toFixed(1)} h`;
  };

  E.clock = (value) => {
    const tenths = Math.floor(value * 10);
    const minutes = Math.floor(tenths / 600);
    return `${minutes}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}.${tenths % 10}`;
  };

  E.decibel = (value) => (value === null || value === undefined ? "silent" : `${value.toFixed(1)} dB`);

  // A long name with its middle cut out, so that both ends can be read.
  E.middle = (text, size = 48) => {
    if (!text || text.length <= size) return text || "";
    const half = Math.floor((size - 1) / 2);
    return `${text.slice(0, half)}…${text.slice(-half)}`;
  };

  // Bidi marks and control characters are shown as escapes: raw, they reorder or hide what is read.
  const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
  E.text = (value) => String(value ?? "").replace(HIDDEN, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

  E.STATES = {
    answered: "answered",
    unparsed: "unparsed",
    refused: "refused",
    "request-failed": "request failed",
    "sound-failed": "sound failed",
    "judge-failed": "judge failed",
  };

  // Symbol, word and class of what became of an item: never told by colour alone.
  E.mark = (row) => {
    if (row.state === "refused") return { sign: "⊘", word: "refused", kind: "refused" };
    if (row.state === "unparsed") return { sign: "?", word: "unparsed", kind: "unparsed" };
    if (row.state !== "answered") return { sign: "!", word: E.STATES[row.state] || row.state, kind: "failed" };
    if (row.right === true) return { sign: "✓", word: "right", kind: "right" };
    if (row.right === false) return { sign: "✗", word: "wrong", kind: "wrong" };
    return { sign: "·", word: "no right or wrong", kind: "none" };
  };

  E.key = (row) => ({ "item.task": row.task, "item.id": row.id, "item.condition": row.condition, "item.repeat": row.repeat || "" });
  E.sameKey = (one, other) => Boolean(one && other) && one.task === other.task && one.id === other.id
    && one.condition === other.condition && (one.repeat || 0) === (other.repeat || 0);
  E.letter = (index) => "ABCD"[index];
})();
