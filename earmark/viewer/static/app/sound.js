// Clips: drawn from peaks that the server gives, played one at a time, never louder than they are.
"use strict";
(() => {
  const E = window.earmark;
  const { html, useState, useEffect, useRef } = window.htmPreact;
  const JUMP = 20; // dB above the clip before, from which on a clip starts at a lower volume

  // ---- one sound at a time

  const listeners = new Set();
  E.player = {
    current: null, // { id, audio }
    last: null, // index of the clip that was played last
    level: null, // of that clip, in dB
    volume: E.recall("volume", 1),
    notice: "",
    resume: null, // { index, time, url }: where to go on once the sounds of another condition are there, and what played
    changed() { for (const listen of listeners) listen(); },

    play(clip, from = null) {
      this.stop();
      for (const speech of document.querySelectorAll("audio.speech")) speech.pause();
      const { audio, index, level } = clip;
      const rise = this.level !== null && level !== null && level !== undefined ? level - this.level : 0;
      const factor = rise > JUMP ? Math.max(0.02, 10 ** (-rise / 20)) : 1;
      this.notice = rise > JUMP ? `clip ${index + 1} is ${Math.round(rise)} dB louder than the one before: it plays at ${Math.round(100 * factor)} % volume` : "";
      this.factor = factor;
      audio.volume = this.volume * factor;
      if (from !== null) audio.currentTime = from;
      else if (audio.ended || audio.currentTime >= (audio.duration || Infinity) - 0.02) audio.currentTime = 0;
      this.current = clip;
      this.last = index;
      if (level !== null && level !== undefined) this.level = level;
      audio.play().catch((error) => { if (error.name !== "AbortError") { this.notice = `cannot be played: ${error.message}`; this.current = null; this.changed(); } });
      this.changed();
    },

    stop() {
      if (this.current) this.current.audio.pause();
      this.current = null;
      this.changed();
    },

    // The same clip of what is shown next goes on where this one is; clips of before may be shown again until then.
    resumeElsewhere() {
      const playing = this.current;
      if (playing) this.resume = { index: playing.index, time: playing.audio.currentTime, url: playing.audio.src };
    },

    setVolume(volume) {
      this.volume = volume;
      E.remember("volume", volume);
      if (this.current) this.current.audio.volume = volume * (this.factor || 1);
      this.changed();
    },

    fullVolume() {
      this.factor = 1;
      this.notice = "";
      if (this.current) this.current.audio.volume = this.volume;
      this.changed();
    },
  };

  E.usePlayer = () => {
    const [, setCount] = useState(0);
    useEffect(() => {
      const listen = () => setCount((count) => count + 1);
      listeners.add(listen);
      return () => listeners.delete(listen);
    }, []);
    return E.player;
  };

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // ---- one clip

  const Drawing = ({ info, audio, top, onSeek }) => {
    const box = useRef(null);
    useEffect(() => {
      if (!info.peaks || !info.peaks.length) return undefined;
      const two = info.peaks.length > 1;
      const wave = window.WaveSurfer.create({
        container: box.current, media: audio, peaks: info.peaks, duration: info.duration, maxPeak: top || 1, normalize: true,
        height: two ? 40 : 64, waveColor: colour("--wave"), progressColor: colour("--accent"), cursorColor: colour("--ink"), cursorWidth: 2,
        cspNonce: document.body.dataset.nonce, dragToSeek: true, splitChannels: two ? info.peaks.map(() => ({})) : undefined,
      });
      return () => wave.destroy();
    }, [info, audio, top]);
    return html`<div class="wave" ref=${box}></div>`;
  };

  const Spectrogram = ({ info, audio }) => {
    const line = useRef(null);
    useEffect(() => {
      let frame = 0;
      const move = () => {
        if (line.current) line.current.style.left = `${100 * Math.min(1, audio.currentTime / (info.duration || 1))}%`;
        frame = requestAnimationFrame(move);
      };
      frame = requestAnimationFrame(move);
      return () => cancelAnimationFrame(frame);
    }, [audio, info]);
    const top = `${+(info.rate / 2000).toFixed(1)} kHz`;
    return html`<div class="spectrogram">${info.spectrograms.map((address, channel) => html`<img src=${address} alt=${`spectrogram of channel ${channel + 1}, 0 to ${top}`} loading="lazy" width="1000" height="128" />`)}
      <span class="cursor" ref=${line} aria-hidden="true"></span><span class="axis-top" aria-hidden="true">${top}</span><span class="axis-bottom" aria-hidden="true">0</span></div>`;
  };

  E.Clip = ({ info, sent, index, url, top, register }) => {
    const player = E.usePlayer();
    const audio = useRef(null);
    const [time, setTime] = useState(0);
    if (audio.current === null) {
      audio.current = document.createElement("audio");
      audio.current.preload = "none";
      audio.current.src = url;
    }
    const clip = useRef({ audio: audio.current, index, level: info.level });
    clip.current.level = info.level;
    const isPlaying = player.current === clip.current;
    const toggle = () => (player.current === clip.current ? player.stop() : player.play(clip.current));
    useEffect(() => {
      const element = audio.current;
      const move = () => setTime(element.currentTime);
      const end = () => { if (E.player.current === clip.current) E.player.stop(); };
      element.addEventListener("timeupdate", move);
      element.addEventListener("seeking", move);
      element.addEventListener("ended", end);
      const withdraw = register(index, toggle);
      const { resume } = E.player;
      if (resume && resume.index === index && resume.url !== audio.current.src) {
        E.player.resume = null;
        E.player.play(clip.current, resume.time);
      }
      return () => {
        withdraw();
        if (E.player.current === clip.current) E.player.stop();
        element.removeEventListener("timeupdate", move);
        element.removeEventListener("seeking", move);
        element.removeEventListener("ended", end);
        element.removeAttribute("src");
        element.load();
      };
    }, []);
    const name = sent.name || `clip ${index + 1}`;
    return html`<div class=${`clip ${isPlaying ? "playing" : ""}`} data-clip=${index + 1}>
      <div class="clip-head">
        <button class="play" onClick=${toggle} aria-pressed=${isPlaying} aria-label=${`${isPlaying ? "stop" : "play"} clip ${index + 1}, ${name}`}><span aria-hidden="true">${isPlaying ? "■" : "▶"}</span> <kbd>${index + 1}</kbd></button>
        <b><${E.Name} value=${name} size=${40} /></b>
        <span class="time">${E.clock(time)} / ${E.clock(info.duration)}</span>
        <span class="muted">${E.count(sent.rate)} Hz, ${sent.channels === 1 ? "mono" : sent.channels === 2 ? "two channels" : `${sent.channels} channels`}, ${E.text(sent.format)}, level ${E.decibel(info.level)}</span>
        <a class="save" href=${`${url}${E.isSite ? "" : "&save=1"}`} download>save<span class="unseen"> ${E.text(name)}</span></a>
      </div>
      <${Drawing} info=${info} audio=${audio.current} top=${top} />
      ${info.spectrograms && info.spectrograms.length > 0 && html`<${Spectrogram} info=${info} audio=${audio.current} />`}
      ${sent.notes && sent.notes.length > 0 && html`<p class="note">on the way: ${sent.notes.map(E.text).join("; ")}</p>`}
    </div>`;
  };

  // A clip that cannot be played: its own sentence says why.
  E.MissingClip = ({ sent, index, why }) => html`<div class="clip missing" data-clip=${index + 1}>
    <div class="clip-head"><span class="sign failed">! not playable</span> <b><${E.Name} value=${sent.name || `clip ${index + 1}`} size=${40} /></b>
      <span class="muted">${E.seconds(sent.seconds)}, ${E.count(sent.rate)} Hz, ${E.text(sent.format)}</span></div>
    <p class="note"><${E.Text} value=${why} /></p>${sent.notes && sent.notes.length > 0 && html`<p class="note">on the way: ${sent.notes.map(E.text).join("; ")}</p>`}</div>`;

  E.Volume = () => {
    const player = E.usePlayer();
    return html`<div class="volume"><label class="field inline"><span>Volume</span><input type="range" min="0" max="1" step="0.05" value=${player.volume} onInput=${(event) => player.setVolume(Number(event.target.value))} /></label>
      <span role="status">${player.notice && html`<span class="notice">${E.text(player.notice)} ${player.notice.includes("louder") && html`<button onClick=${() => player.fullVolume()}>full volume</button>`}</span>`}</span></div>`;
  };
})();
