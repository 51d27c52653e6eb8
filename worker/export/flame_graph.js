// Zoom, search and fitting to the window. Every frame is a <g> in the <g> of its row; its <rect> says in
// percent where it lies, exactly enough to tell samples.
// In the address, ?s=REGEX searches, &i=1 ignores case, ?x=SAMPLES&y=DEPTH zooms to the frame that covers that place.
(() => {
  "use strict";
  const svgSpace = "http://www.w3.org/2000/svg";
  const htmlSpace = "http://www.w3.org/1999/xhtml";
  const page = document.currentScript.closest("svg");
  const standalone = document.documentElement === page;
  const canvas = page.querySelector(".canvas");
  const header = page.querySelector(".header");
  const details = page.querySelector(".details");
  const total = Number(page.dataset.total);
  const margin = 12;
  const labelMargin = 8;
  const fewestCharacters = 3;

  const samplesOf = (percentage) => Math.round(parseFloat(percentage) / 100 * total);

  const frames = [];
  const frameOf = new Map();
  page.querySelectorAll(".row").forEach((row, depth) => {
    for (const element of row.children) {
      const name = element.querySelector("title").textContent.split("\n")[0];
      const rect = element.querySelector("rect");
      const frame = {
        element, name, depth, rect,
        label: element.querySelector("text"),
        left: samplesOf(rect.getAttribute("x")),
        samples: samplesOf(rect.getAttribute("width")),
      };
      frames.push(frame);
      frameOf.set(element, frame);
    }
  });
  const root = frames[0];
  const outermostFirst = [...frames].sort((a, b) => a.left - b.left || a.depth - b.depth);

  let view = root;  // the frame that has the whole width
  let expression = null;  // what is searched for
  let invalid = false;    // what was typed is none
  let ignoreCase = false;

  // ---- text

  const percent = (part, whole) => `${(whole ? 100 * part / whole : 0).toFixed(2)} %`;
  const count = (number) => `${number.toLocaleString("en-US")} ${number === 1 ? "sample" : "samples"}`;

  const characterWidth = (() => {
    const probe = document.createElementNS(svgSpace, "text");
    probe.textContent = "M".repeat(100);
    canvas.querySelector(".row").append(probe);
    const width = probe.getComputedTextLength() / 100;
    probe.remove();
    return width > 0 ? width : 6.65;
  })();

  // Wide scripts and emoji take two columns of a monospace font.
  const columns = (character) => (character.codePointAt(0) >= 0x1100 ? 2 : 1);

  function fitted(name, width) {
    const room = Math.floor((width - labelMargin) / characterWidth);
    if (room < fewestCharacters) return "";
    let used = 0;
    let cut = 0;
    for (let at = 0; at < name.length;) {
      const character = String.fromCodePoint(name.codePointAt(at));
      used += columns(character);
      if (used > room) return name.slice(0, cut) + "…";
      at += character.length;
      if (used <= room - 1) cut = at;
    }
    return name;
  }

  // ---- drawing

  const contains = (outer, inner) =>
    outer.left <= inner.left && outer.left + outer.samples >= inner.left + inner.samples;

  function place(frame, width) {
    const ancestor = frame.depth < view.depth && contains(frame, view);
    const visible = ancestor || (frame.depth >= view.depth && contains(view, frame));
    frame.element.classList.toggle("ancestor", ancestor);
    frame.element.classList.toggle("hidden", !visible);
    if (!visible) return;
    const left = ancestor ? 0 : (frame.left - view.left) / view.samples;
    const share = ancestor ? 1 : frame.samples / view.samples;
    const x = `${100 * left}%`;
    frame.rect.setAttribute("x", x);
    frame.rect.setAttribute("width", `${100 * share}%`);
    const text = fitted(frame.name, share * width);
    if (!frame.label && text) {
      frame.label = document.createElementNS(svgSpace, "text");
      frame.label.setAttribute("y", "12");
      frame.label.setAttribute("dx", "4");
      frame.element.append(frame.label);
    }
    if (frame.label) {
      frame.label.setAttribute("x", x);
      if (frame.label.textContent !== text) frame.label.textContent = text;
    }
  }

  function draw() {
    const width = Math.max(page.getBoundingClientRect().width - 2 * margin, 1);
    canvas.setAttribute("width", width);
    bar.parentNode.setAttribute("width", width);
    for (const frame of frames) place(frame, width);
    resetButton.hidden = view === root;
  }

  function zoom(frame) {
    view = frame;
    draw();
    showMatched();
    remember();
  }

  function showDetails(frame) {
    if (!frame) {
      details.textContent = view === root ? "Click a frame to zoom into it." : describe(view);
      return;
    }
    details.textContent = describe(frame);
  }

  function describe(frame) {
    const ofView = view === root || !contains(view, frame) ? "" : `, ${percent(frame.samples, view.samples)} of the view`;
    return `${percent(frame.samples, total)}, ${count(frame.samples)}${ofView}   ${frame.name}`;
  }

  // ---- search

  // A match inside a match is not counted again: frames nest, so it is enough to skip to the end of the outer one.
  function matchedSamples(within) {
    let sum = 0;
    let end = 0;
    for (const frame of outermostFirst) {
      if (!frame.matches || frame.left < end || !contains(within, frame)) continue;
      sum += frame.samples;
      end = frame.left + frame.samples;
    }
    return sum;
  }

  function showMatched() {
    if (!expression) {
      matched.textContent = invalid ? "Not a regular expression" : "";
      return;
    }
    // Frames around the view cover all of it.
    const covered = frames.some((frame) => frame.matches && frame.depth < view.depth && contains(frame, view));
    const inView = covered ? view.samples : matchedSamples(view);
    const ofView = view === root ? "" : ` (${percent(inView, view.samples)} of the view)`;
    matched.textContent = `Matched: ${percent(matchedSamples(root), total)}${ofView}`;
  }

  function search() {
    expression = null;
    invalid = false;
    try {
      if (input.value) expression = new RegExp(input.value, ignoreCase ? "iu" : "u");
    } catch {
      invalid = true;
    }
    for (const frame of frames) {
      // The root is no code and has no name of its own.
      frame.matches = expression !== null && frame !== root && expression.test(frame.name);
      frame.element.classList.toggle("match", frame.matches);
    }
    input.setAttribute("aria-invalid", invalid);
    caseButton.setAttribute("aria-pressed", ignoreCase);
    showMatched();
    remember();
  }

  function searchFor(text, ignoringCase) {
    input.value = text;
    ignoreCase = ignoringCase;
    search();
  }

  // ---- address

  // Keeps zoom and search in the address, to be reloaded or sent to somebody.
  function remember() {
    if (!standalone || loading) return;
    const parameters = new URLSearchParams();
    if (input.value) parameters.set("s", input.value);
    if (ignoreCase) parameters.set("i", "1");
    if (view !== root) {
      parameters.set("x", view.left);
      parameters.set("y", view.depth);
    }
    const query = parameters.toString();
    try {
      history.replaceState(null, "", query ? `?${query}` : location.pathname);
    } catch {
      // Some embeddings forbid it; the graph works without.
    }
  }

  function recall() {
    if (!standalone) return;
    const parameters = new URLSearchParams(location.search);
    if (parameters.has("x") && parameters.has("y")) {
      const x = Number(parameters.get("x"));
      const y = Number(parameters.get("y"));
      view = frames.find((frame) => frame.depth === y && frame.left <= x && x < frame.left + frame.samples) ?? root;
    }
    searchFor(parameters.get("s") ?? "", parameters.get("i") === "1");
  }

  // ---- controls

  function html(tag, properties) {
    return Object.assign(document.createElementNS(htmlSpace, tag), properties);
  }

  const bar = html("div", { className: "bar" });
  const input = html("input", { type: "search", placeholder: "Search, regular expression", title: "Ctrl-F", spellcheck: false });
  const caseButton = html("button", { type: "button", textContent: "Ignore case", title: "Ctrl-I" });
  const matched = html("span", { className: "matched" });
  const resetButton = html("button", { type: "button", textContent: "Reset zoom", hidden: true });
  let loading = true;

  function addControls() {
    const place = page.querySelector(".controls");
    const box = document.createElementNS(svgSpace, "foreignObject");
    box.setAttribute("x", margin);
    box.setAttribute("y", place.dataset.y);
    box.setAttribute("height", 30);
    bar.append(input, caseButton, resetButton, matched);
    box.append(bar);
    place.append(box);
    input.addEventListener("input", search);
    caseButton.addEventListener("click", () => searchFor(input.value, !ignoreCase));
    resetButton.addEventListener("click", () => zoom(root));
  }

  function frameAt(event) {
    return frameOf.get(event.target.closest(".row > g"));
  }

  function onKey(event) {
    const inside = standalone || page.contains(document.activeElement);
    if (!inside) return;
    const control = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const key = event.key.toLowerCase();
    if ((control && key === "f") || event.key === "F3") {
      input.focus();
      input.select();
    } else if (control && key === "i") {
      searchFor(input.value, !ignoreCase);
    } else if (event.key === "Escape") {
      searchFor("", ignoreCase);
      input.blur();
    } else {
      return;
    }
    event.preventDefault();
  }

  // The header stays at the top of the window while the frames scroll under it.
  function follow() {
    const top = page.getBoundingClientRect().top;
    header.setAttribute("transform", `translate(0 ${Math.max(0, -top)})`);
  }

  page.setAttribute("width", "100%");
  addControls();
  recall();
  draw();
  showMatched();
  showDetails(null);
  loading = false;

  canvas.addEventListener("click", (event) => {
    const frame = frameAt(event);
    if (frame) zoom(frame);
  });
  canvas.addEventListener("mouseover", (event) => showDetails(frameAt(event)));
  canvas.addEventListener("mouseleave", () => showDetails(null));
  window.addEventListener("keydown", onKey);
  window.addEventListener("scroll", follow, { passive: true, capture: true });
  window.addEventListener("resize", draw);
})();
