// One item: what was asked, with its sound; what was said, how it was read; the same item elsewhere.
"use strict";
(() => {
  const E = window.earmark;
  const { html, useState, useEffect, useRef, useMemo } = window.htmPreact;

  const ROLES = { system: "system", user: "user", assistant: "assistant" };

  // The sounds of an item, keyed 1 to 9; `places` are shown where they stood in the prompt.
  const useSounds = (run, key, isWanted) => {
    const params = isWanted ? E.toParams({ run, ...key }) : null;
    const state = E.useData("sounds", params);
    if (!isWanted) return {};
    const isCurrent = state.key === `sounds?${params}`;
    return isCurrent ? state : { loading: true };
  };

  const SoundPart = ({ index, sounds, state, run, itemKey, register }) => {
    const made = state.data && state.data.clips[index];
    const sent = sounds[index] || (made && made.sent) || { name: `clip ${index + 1}`, seconds: null, rate: null, channels: 1, format: "" };
    if (state.error) return html`<${E.MissingClip} sent=${sent} index=${index} why=${state.error} />`;
    if (!state.data) return html`<div class="clip loading" role="status"><p class="note">reading clip ${index + 1}…</p></div>`;
    const info = state.data.clips[index];
    if (!info || info.why) return html`<${E.MissingClip} sent=${sent} index=${index} why=${info ? info.why : "this sound is not part of the prompt as it is made today"} />`;
    const top = Math.max(...state.data.clips.flatMap((clip) => clip.peak ?? 0), 1e-4);
    return html`<${E.Clip} key=${info.url} info=${info} sent=${sent} index=${index} url=${info.url} top=${top} register=${register} />`;
  };

  const Prompt = ({ page, run, itemKey }) => {
    const state = useSounds(run, itemKey, page.sounds.length > 0 || page.imported);
    const clips = state.data ? state.data.clips : [];
    const sounds = page.sounds.length ? page.sounds : clips.map((clip) => clip.sent || {});
    const actions = useRef({});
    const register = (index, toggle) => {
      actions.current[index] = toggle;
      return () => { if (actions.current[index] === toggle) delete actions.current[index]; };
    };
    const press = (index) => () => { if (actions.current[index]) actions.current[index](); };
    E.useKeys({
      ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => [String(digit), press(digit - 1)])),
      " ": () => press(E.player.last !== null && actions.current[E.player.last] ? E.player.last : 0)(),
    });
    const shared = { sounds, state, run, itemKey, register };
    const pictures = (state.data && state.data.pictures) || [];
    const turns = page.prompt || (state.data && state.data.turns);
    const part = (each) => {
      if (typeof each === "string") return html`<p class="said"><${E.Text} value=${each} /></p>`;
      if (each.sound !== undefined) return html`<${SoundPart} index=${each.sound} ...${shared} />`;
      const picture = pictures[each.picture];
      return picture && picture.url ? html`<img class="picture" src=${picture.url} alt=${`picture ${each.picture + 1} of the prompt`} />` : html`<p class="note">picture ${each.picture + 1}${picture ? `: ${picture.why}` : ""}</p>`;
    };
    return html`<section class="block" aria-label="What was sent">
      <h3>Sent${sounds.length > 0 && html` <${E.Volume} />`}</h3>
      ${turns ? turns.map((turn) => html`<div class="turn"><span class="role">${ROLES[turn.role] || E.text(turn.role)}</span><div>${turn.parts.map(part)}</div></div>`)
        : html`${sounds.map((_, index) => html`<${SoundPart} index=${index} ...${shared} />`)}
          ${page.item.question && html`<p class="said"><${E.Text} value=${page.item.question} /></p>`}
          <p class="note">${E.text(page.prompt_why || "the words of the prompt were not kept: this is the question of the item")}</p>`}
      ${!sounds.length && !state.loading && html`<p class="note">${page.imported ? html`<${E.Text} value=${state.error || (state.data && state.data.why) || "The log has no sound of this item."} />` : "No sound was sent."}</p>`}
      ${state.data && state.data.differences.length > 0 && html`<details class="differences"><summary>Not all is as it was sent</summary><ul class="notes">${state.data.differences.map((line) => html`<li><${E.Text} value=${line} /></li>`)}</ul></details>`}
    </section>`;
  };

  const Choices = ({ item, said }) => {
    const labels = item.labels || [], choices = item.choices || [];
    if (!labels.length && !choices.length) {
      return html`<section class="block"><h3>Right answer</h3>${(item.targets || []).map((target) => html`<p class="said"><${E.Text} value=${target} /></p>`)}${!(item.targets || []).length && html`<p class="note">none is given</p>`}</section>`;
    }
    const given = (said || "").split(",").map((part) => part.trim());
    const names = labels.length ? labels : choices;
    return html`<section class="block"><h3>Choices</h3><ul class="choices">${names.map((label, index) => {
      const isRight = (item.targets || []).includes(label), isSaid = said !== null && said !== undefined && given.includes(label);
      return html`<li class=${`${isRight ? "right" : ""} ${isSaid ? "said-this" : ""}`}><span class="label">${labels.length ? E.text(label) : ""}</span> <${E.Text} value=${choices[index] ?? label} />
        ${isRight && html` <span class="sign right">✓ right</span>`}${isSaid && html` <span class=${`sign ${isRight ? "right" : "wrong"}`}>◂ said</span>`}</li>`;
    })}</ul></section>`;
  };

  const LONG = 6000; // letters of a reply that are shown at once

  const Reply = ({ page }) => {
    const [whole, setWhole] = useState(false);
    const { response, failure } = page;
    if (failure) return html`<section class="block"><h3>No answer</h3><p class="problem"><b>${E.STATES[failure.state] || E.text(failure.state)}</b> after ${page.attempts} ${page.attempts === 1 ? "attempt" : "attempts"}: <${E.Text} value=${failure.message} /></p></section>`;
    if (!response) return null;
    const score = page.scores.find((each) => each.span);
    const text = response.text || "";
    const shown = whole ? text : text.slice(0, LONG);
    const [start, end] = score && score.span && score.span[1] <= shown.length ? score.span : [0, 0];
    const body = end > start ? html`${E.text(shown.slice(0, start))}<mark title="this was read">${E.text(shown.slice(start, end))}</mark>${E.text(shown.slice(end))}` : E.text(shown);
    const facts = [
      response.seconds && E.seconds(response.seconds), response.usage && response.usage.tokens_out && `${E.count(response.usage.tokens_out)} ${response.usage.tokens_out === 1 ? "token" : "tokens"}`,
      response.usage && response.usage.cost && `cost ${E.cost(response.usage.cost)}`, response.stop && response.stop !== "end" && `stopped: ${response.stop}`,
    ].filter(Boolean);
    return html`<section class="block"><h3>Reply <span class="muted">${facts.join(", ")}</span></h3>
      ${text ? html`<div class="reply" dir="auto">${body}</div>` : html`<p class="note">the reply is empty</p>`}
      ${text.length > shown.length && html`<p><button onClick=${() => setWhole(true)}>Show all ${E.count(text.length)} letters</button></p>`}
      ${response.cut > 0 && html`<p class="note">${E.count(response.cut)} more letters are in the journal</p>`}
      ${response.reasoning && html`<details><summary>Reasoning</summary><div class="reply" dir="auto">${E.text(response.reasoning)}</div></details>`}
      ${(response.transcripts || []).length > 0 && html`<h4>What the recogniser heard</h4><ol class="transcripts">${response.transcripts.map((transcript) => html`<li>${transcript ? html`<${E.Text} value=${transcript} />` : html`<span class="muted">nothing</span>`}</li>`)}</ol>`}
      ${page.speech && html`<h4>Spoken answer</h4>${page.speech.why ? html`<p class="note">${E.text(page.speech.why)}</p>` : html`<audio controls preload="none" class="speech" onPlay=${() => E.player.stop()} src=${page.speech.url || E.mediaUrl("speech", E.toParams({ run: page.run, ...E.key({ task: page.item.task, id: page.item.id, condition: page.condition, repeat: page.repeat }) }))}></audio>`}`}
      ${(response.likelihoods || []).length > 0 && html`<details><summary>Log-likelihood of each choice</summary><ol class="transcripts">${response.likelihoods.map((value, index) => html`<li>${E.text((page.item.labels || [])[index])} ${value.toFixed(3)}</li>`)}</ol></details>`}
      ${(response.notes || []).length > 0 && html`<details><summary>Notes</summary><ul class="notes">${response.notes.map((note) => html`<li><${E.Text} value=${note} /></li>`)}</ul></details>`}
    </section>`;
  };

  const KINDS = { sub: "replaced by", del: "left out", ins: "put in" };
  const Aligned = ({ units }) => html`<p class="aligned" dir="auto">${units.map(([kind, reference, reply]) => {
    if (kind === "equal") return html`<span>${E.text(reference)} </span>`;
    return html`<span class=${`unit ${kind}`}>${reference !== null && html`<del>${E.text(reference)}</del>`}<span class="unseen"> ${KINDS[kind]} </span>${reply !== null && html`<ins>${E.text(reply)}</ins>`} </span>`;
  })}</p>`;

  const Scores = ({ page }) => html`<section class="block"><h3>Scores</h3>
    ${!page.scores.length && html`<p class="note">not scored yet</p>`}
    ${page.scores.map((score) => html`<div class="score"><p><b>${E.text(score.scorer)}</b>${score.task !== (page.item.task || "") && html` <span class="muted">of ${E.text(score.task)}</span>`} <${E.Badge} kind=${score.state}>${E.STATES[score.state] || E.text(score.state)}<//>
        ${score.answer !== undefined && score.answer !== null && html` read: <q><${E.Text} value=${score.answer} size=${200} /></q>`}${score.rule && html` <span class="muted">rule: ${E.text(score.rule)}</span>`}</p>
      ${score.aligned && html`<${Aligned} units=${score.aligned} />`}
      ${score.why && html`<p class="note"><${E.Text} value=${score.why} size=${1500} /></p>`}
      <p class="counts">${Object.entries(score.counts || {}).map(([name, value]) => html`<span>${E.text(name)} ${+Number(value).toFixed(4)}</span> `)}</p></div>`)}
    ${(page.verdicts || []).length > 0 && html`<h4>Verdicts that the log has</h4><ul class="notes">${page.verdicts.map((verdict) => html`<li>${Object.entries(verdict).filter(([, value]) => value !== null && value !== "").map(([name, value]) => html`<span><span class="muted">${E.text(name)}</span> <${E.Text} value=${typeof value === "object" ? JSON.stringify(value) : value} size=${600} /> </span>`)}</li>`)}</ul>`}
  </section>`;

  // The same item under other conditions, repeats and runs. A sound that plays goes on at the same place.
  const Elsewhere = ({ page, run, current, params }) => {
    const go = (row, otherRun) => {
      E.player.resumeElsewhere();
      E.go("items", E.change(params, { run: otherRun, beside: otherRun === run ? params.getAll("beside") : [run, ...params.getAll("beside").filter((each) => each !== otherRun)], ...E.key(row) }));
    };
    const several = page.same.some((row) => row.repeat > 0);
    const button = (row, otherRun) => {
      const isHere = otherRun === run && E.sameKey(row, current);
      return html`<button class=${`switch ${isHere ? "here" : ""}`} aria-pressed=${isHere} onClick=${() => !isHere && go(row, otherRun)}>
        <${E.MarkSign} row=${row} /> ${E.text(row.condition)}${several ? ` #${row.repeat + 1}` : ""} <span class="muted"><${E.Text} value=${row.answer ?? row.reply ?? ""} size=${24} /></span></button>`;
    };
    return html`<section class="block"><h3>The same item</h3>
      <div class="switches">${page.same.map((row) => button(row, run))}</div>
      ${Object.entries(page.elsewhere).map(([other, rows]) => html`<p class="note"><code>${E.middle(E.text(other), 70)}</code></p><div class="switches">${rows.length ? rows.map((row) => button(row, other)) : html`<span class="muted">this run has not asked it</span>`}</div>`)}
      <${Beside} run=${run} page=${page} params=${params} /></section>`;
  };

  const Beside = ({ run, page, params }) => {
    const state = E.useData("runs", new URLSearchParams());
    const runs = state.data ? state.data.runs : [];
    const own = runs.find((each) => each.run === run);
    const chosen = params.getAll("beside");
    const others = own ? runs.filter((each) => each.benchmark === own.benchmark && each.run !== run && !chosen.includes(each.run)) : [];
    if (!others.length && !chosen.length) return null;
    return html`<div class="bar">${others.length > 0 && html`<${E.Select} label="Show another run beside" value="" all="choose…" options=${others.map((each) => [each.run, `${each.model}, ${each.date}`])} onChange=${(other) => other && E.go("items", E.change(params, { beside: [...chosen, other] }), { replace: true })} />`}
      ${chosen.length > 0 && html`<button onClick=${() => E.go("items", E.change(params, { beside: null }), { replace: true })}>Show no other run</button>`}</div>`;
  };

  E.Item = ({ run, page, params }) => {
    const { item } = page;
    const current = { task: item.task || "", id: item.id, condition: page.condition, repeat: page.repeat };
    const itemKey = useMemo(() => E.key(current), [current.task, current.id, current.condition, current.repeat]);
    const row = page.same.find((each) => E.sameKey(each, current)) || { state: "answered" };
    const tags = Object.entries(item.tags || {});
    const title = useRef(null);
    return html`<article class="item" aria-label=${`item ${item.id}`}>
      <header class="item-head"><h2 ref=${title}><${E.MarkSign} row=${row} withWord=${true} /> <${E.Name} value=${item.id} size=${60} /></h2>
        <p class="facts">${item.task && html`<span>${E.text(item.task)}</span>`}<span>${E.text(page.condition)}</span>${page.repeat > 0 && html`<span>repeat ${page.repeat + 1}</span>`}
          ${tags.map(([name, value]) => html`<a class="tag" href=${E.href("items", E.change(new URLSearchParams(), { run, tag: `${name}=${value}` }))}>${E.middle(E.text(`${name}: ${value}`), 50)}</a>`)}</p></header>
      <${Prompt} key=${JSON.stringify([run, itemKey])} page=${page} run=${run} itemKey=${itemKey} />
      <div class="columns"><${Choices} item=${item} said=${row.answer} /><${Reply} page=${page} /></div>
      <${Scores} page=${page} />
      <${Elsewhere} page=${page} run=${run} current=${current} params=${params} />
    </article>`;
  };
})();
