"use strict";
(() => {
  const record = JSON.parse(document.getElementById("record").textContent);
  const MEANING = {
    encoder: "Encoder self-attention: every source piece looks at all source pieces, before and after it.",
    decoder: "Decoder self-attention: a piece about to be written looks at those written before it.",
    cross: "Encoder-decoder attention: a piece about to be written looks at the source.",
  };
  const TITLES = {
    encoder: ["Source pieces, looked at", "Source pieces, looking"],
    decoder: ["Pieces read so far, looked at", "Translation, piece by piece, looking"],
    cross: ["Source pieces, looked at", "Translation, piece by piece, looking"],
  };
  const MEAN = -1; // in place of a head: the mean of all
  const THREAD = 0.02; // weights below this get no line between the pieces
  const $ = (id) => document.getElementById(id);
  const now = { kind: "cross", layer: record.kinds.cross.layers - 1, head: MEAN, side: "rows", index: 0 };

  // ---- numbers ----

  for (const kind of Object.values(record.kinds)) {
    const bytes = Uint8Array.from(atob(kind.weights), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    kind.numbers = Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
    kind.meanMaps = [];
  }

  /** The weights of a head, row after row. */
  function map(kind, layer, head) {
    const size = kind.rows.length * kind.columns.length;
    const start = layer * kind.heads * size;
    if (head !== MEAN) return kind.numbers.subarray(start + head * size, start + (head + 1) * size);
    if (!kind.meanMaps[layer]) {
      const mean = new Float32Array(size);
      for (let i = 0; i < size; i++) {
        let sum = 0;
        for (let h = 0; h < kind.heads; h++) sum += kind.numbers[start + h * size + i];
        mean[i] = sum / kind.heads;
      }
      kind.meanMaps[layer] = mean;
    }
    return kind.meanMaps[layer];
  }

  /** What the chosen piece gives to those it looks at, or gets from those that look at it. */
  function weightsOf(side, index) {
    const kind = record.kinds[now.kind];
    const weights = map(kind, now.layer, now.head);
    const width = kind.columns.length;
    if (side === "rows") return weights.subarray(index * width, (index + 1) * width);
    return kind.rows.map((_, row) => weights[row * width + index]);
  }

  function measure(values, layer, head) {
    if (head !== MEAN) return values[layer][head];
    return values[layer].includes(null) ? null : values[layer].reduce((a, b) => a + b) / values[layer].length;
  }

  const shown = (number, digits) => (Number.isFinite(number) ? number.toFixed(digits) : "–");
  const shade = (weight) => Math.sqrt(Math.min(Math.max(weight || 0, 0), 1));

  // ---- pieces ----

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function fillLine(side, pieces) {
    const options = pieces.map((piece, index) => {
      const option = make("div", { className: "piece", tabIndex: index ? -1 : 0 }, make("b", { textContent: piece }), make("i", {}));
      option.setAttribute("role", "option");
      option.dataset.index = index;
      option.addEventListener("pointerenter", () => choose(side, index));
      option.addEventListener("focus", () => choose(side, index));
      return option;
    });
    $(side).replaceChildren(...options);
  }

  function light() {
    const other = now.side === "rows" ? "columns" : "rows";
    const weights = weightsOf(now.side, now.index);
    [...$(now.side).children].forEach((piece, index) => {
      dress(piece, 0, "", index === now.index);
      piece.tabIndex = index === now.index ? 0 : -1;
    });
    [...$(other).children].forEach((piece, index) => dress(piece, shade(weights[index]), shown(weights[index], 3), false));
    tell(weights, other);
    drawThreads(weights, other);
    drawMap();
  }

  function dress(piece, depth, number, selected) {
    piece.style.setProperty("--weight", depth.toFixed(3));
    piece.classList.toggle("deep", depth > 0.62);
    piece.lastChild.textContent = number;
    piece.setAttribute("aria-selected", String(selected));
  }

  function tell(weights, other) {
    const kind = record.kinds[now.kind];
    const name = make("strong", { textContent: kind[now.side][now.index] });
    const best = Array.from(weights, (weight, index) => [weight, kind[other][index]]).sort((a, b) => b[0] - a[0]).slice(0, 4);
    const list = best.map(([weight, piece]) => `${piece} ${shown(weight, 3)}`).join(" · ");
    const verb = now.side === "rows" ? " looks at " : " is looked at by ";
    $("told").replaceChildren(name, verb, list);
  }

  function drawThreads(weights, other) {
    const frame = $("sentence").getBoundingClientRect();
    const from = $(now.side).children[now.index].getBoundingClientRect();
    const down = now.side === "columns";
    const paths = [];
    [...$(other).children].forEach((piece, index) => {
      if (!(weights[index] >= THREAD)) return;
      const to = piece.getBoundingClientRect();
      const [x0, x1] = [from, to].map((box) => box.left + box.width / 2 - frame.left);
      const [y0, y1] = (down ? [from.bottom, to.top] : [from.top, to.bottom]).map((y) => y - frame.top);
      const bend = (y1 - y0) * 0.5;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${x0} ${y0} C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}`);
      path.setAttribute("stroke-width", (0.8 + 3.2 * weights[index]).toFixed(2));
      path.setAttribute("stroke-opacity", (0.15 + 0.7 * shade(weights[index])).toFixed(2));
      paths.push(path);
    });
    $("threads").replaceChildren(...paths);
  }

  function choose(side, index) {
    if (now.side === side && now.index === index) return;
    Object.assign(now, { side, index });
    light();
  }

  function onKey(event) {
    const piece = event.target.closest(".piece");
    if (!piece) return;
    const side = piece.parentElement.id;
    const index = Number(piece.dataset.index);
    const last = piece.parentElement.children.length - 1;
    const along = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last }[event.key];
    const line = { ArrowUp: "columns", ArrowDown: "rows" }[event.key] || side;
    if (along === undefined && line === side) return;
    const goals = $(line).children;
    event.preventDefault();
    goals[Math.min(Math.max(along ?? index, 0), goals.length - 1)].focus();
  }

  // ---- maps ----

  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

  /** A colour of the style sheet as [red, green, blue], in the theme of the moment. */
  function colour(name) {
    const carrier = make("span", { hidden: true });
    carrier.style.color = `var(${name})`;
    document.body.append(carrier);
    probe.fillStyle = getComputedStyle(carrier).color;
    carrier.remove();
    probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  }

  function paint(canvas, weights, width, height, light, dark) {
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d");
    const image = context.createImageData(width, height);
    for (let i = 0; i < weights.length; i++) {
      const depth = shade(weights[i]);
      for (let channel = 0; channel < 3; channel++) {
        image.data[4 * i + channel] = light[channel] + depth * (dark[channel] - light[channel]);
      }
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
  }

  const geometry = {};
  const small = document.createElement("canvas");

  function layOut() {
    const kind = record.kinds[now.kind];
    const most = Math.max(kind.rows.length, kind.columns.length);
    geometry.cell = most > 40 ? 13 : most > 24 ? 17 : 24;
    geometry.font = `${Math.min(13, geometry.cell - 2)}px ${getComputedStyle(document.body).fontFamily}`;
    const context = $("map").getContext("2d");
    context.font = geometry.font;
    const widest = (pieces) => Math.min(150, Math.max(...pieces.map((piece) => context.measureText(piece).width)));
    geometry.left = Math.ceil(widest(kind.rows)) + 8;
    geometry.top = Math.ceil(0.87 * widest(kind.columns)) + 12;
    const overhang = Math.max(...kind.columns.map((piece, column) => {
      const beyond = 0.5 * Math.min(150, context.measureText(piece).width) + 8; // the labels lean to the right
      return beyond - geometry.cell * (kind.columns.length - column - 0.5);
    }));
    const width = geometry.left + geometry.cell * kind.columns.length + Math.max(2, overhang);
    const height = geometry.top + geometry.cell * kind.rows.length + 2;
    const ratio = window.devicePixelRatio || 1;
    Object.assign($("map"), { width: width * ratio, height: height * ratio });
    $("map").style.width = `${width}px`;
    $("map").style.height = `${height}px`;
  }

  function drawMap() {
    const kind = record.kinds[now.kind];
    const { cell, left, top, font } = geometry;
    const [width, height] = [kind.columns.length, kind.rows.length];
    const context = $("map").getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, $("map").width, $("map").height);
    paint(small, map(kind, now.layer, now.head), width, height, geometry.light, geometry.dark);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, left, top, cell * width, cell * height);
    context.lineWidth = 1;
    context.strokeStyle = geometry.rule;
    context.strokeRect(left - 0.5, top - 0.5, cell * width + 1, cell * height + 1);
    context.font = font;
    context.textBaseline = "middle";
    const ink = (side, index) => (now.side === side && now.index === index ? geometry.mark : geometry.ink);
    context.textAlign = "right";
    kind.rows.forEach((piece, row) => {
      context.fillStyle = ink("rows", row);
      context.fillText(piece, left - 6, top + cell * (row + 0.5), left - 8);
    });
    context.textAlign = "left";
    kind.columns.forEach((piece, column) => {
      context.save();
      context.translate(left + cell * (column + 0.5), top - 6);
      context.rotate(-Math.PI / 3);
      context.fillStyle = ink("columns", column);
      context.fillText(piece, 0, 0, 150);
      context.restore();
    });
    context.strokeStyle = geometry.mark;
    context.lineWidth = 1.5;
    if (now.side === "rows") context.strokeRect(left, top + cell * now.index, cell * width, cell);
    else context.strokeRect(left + cell * now.index, top, cell, cell * height);
  }

  function onMap(event) {
    const box = $("map").getBoundingClientRect();
    const kind = record.kinds[now.kind];
    const column = Math.floor((event.clientX - box.left - geometry.left) / geometry.cell);
    const row = Math.floor((event.clientY - box.top - geometry.top) / geometry.cell);
    const weight = map(kind, now.layer, now.head)[row * kind.columns.length + column];
    const inside = row in kind.rows && column in kind.columns;
    $("map").title = inside ? `${kind.rows[row]} \u2192 ${kind.columns[column]}: ${shown(weight, 3)}` : "";
    if (row in kind.rows) choose("rows", row);
    else if (column in kind.columns) choose("columns", column);
  }

  // ---- layers and heads ----

  const headName = (head) => (head === MEAN ? "mean" : String(head + 1));

  function fillHeads() {
    const kind = record.kinds[now.kind];
    const heads = [MEAN, ...Array(kind.heads).keys()];
    const title = (head) => make("th", { scope: "col", textContent: head === MEAN ? "mean" : `head ${head + 1}` });
    $("heads").tHead.replaceChildren(make("tr", {}, make("td", {}), ...heads.map(title)));
    const rows = [...Array(kind.layers).keys()].map((layer) => {
      const name = make("th", { scope: "row", textContent: `layer ${layer + 1}` });
      return make("tr", {}, name, ...heads.map((head) => headCell(kind, layer, head)));
    });
    $("heads").tBodies[0].replaceChildren(...rows);
    const option = (value, text) => make("option", { value: String(value), textContent: text });
    $("layer").replaceChildren(...rows.map((_, layer) => option(layer, String(layer + 1))));
    $("head").replaceChildren(...heads.map((head) => option(head, headName(head))));
  }

  function headCell(kind, layer, head) {
    const canvas = make("canvas", {});
    paint(canvas, map(kind, layer, head), kind.columns.length, kind.rows.length, geometry.light, geometry.dark);
    const padding = measure(kind.padding, layer, head);
    const entropy = make("span", { className: "entropy", textContent: `${shown(measure(kind.entropy, layer, head), 2)} bits` });
    const pad = make("small", { className: padding < 0.0005 ? "padding" : "padding alarm", textContent: `pad ${shown(padding, 3)}` });
    const button = make("button", { type: "button" }, canvas, entropy, pad);
    button.dataset.layer = layer;
    button.dataset.head = head;
    button.ariaLabel = `Layer ${layer + 1}, head ${headName(head)}: entropy ${entropy.textContent}, on padding ${shown(padding, 3)}`;
    button.addEventListener("click", () => select({ layer, head }));
    return make("td", {}, button);
  }

  function select(change) {
    const newKind = change.kind !== undefined && change.kind !== now.kind;
    Object.assign(now, change);
    const kind = record.kinds[now.kind];
    if (newKind || !$("rows").children.length) {
      now.layer = Math.min(now.layer, kind.layers - 1);
      now.head = Math.min(now.head, kind.heads - 1);
      Object.assign(now, { side: "rows", index: 0 });
      fillLine("rows", kind.rows);
      fillLine("columns", kind.columns);
      fillHeads();
      layOut();
      const [above, below] = TITLES[now.kind];
      $("columns-title").textContent = above;
      $("rows-title").textContent = below;
      $("meaning").textContent = MEANING[now.kind];
    }
    for (const button of $("heads").querySelectorAll("button")) {
      const pressed = Number(button.dataset.layer) === now.layer && Number(button.dataset.head) === now.head;
      button.setAttribute("aria-pressed", String(pressed));
    }
    document.querySelector(`input[value="${now.kind}"]`).checked = true;
    $("layer").value = String(now.layer);
    $("head").value = String(now.head);
    const padding = measure(kind.padding, now.layer, now.head);
    const most = Math.log2(kind.columns.length);
    $("entropy").textContent = `${shown(measure(kind.entropy, now.layer, now.head), 2)} bits of ${shown(most, 2)}`;
    $("padding").textContent = shown(padding, 3);
    $("padding").classList.toggle("alarm", !(padding < 0.0005));
    light();
  }

  function readColours() {
    const css = (name) => `rgb(${colour(name).join(" ")})`;
    Object.assign(geometry, { light: colour("--card"), dark: colour("--shade") });
    Object.assign(geometry, { ink: css("--ink"), mark: css("--mark"), rule: css("--rule") });
  }

  const repaint = () => {
    readColours();
    fillHeads();
    select({});
  };

  $("source").textContent = record.source;
  $("translation").textContent = record.translation;
  $("facts").textContent = record.facts;
  const longest = Math.max(record.kinds.cross.rows.length, record.kinds.cross.columns.length);
  document.body.classList.toggle("long", longest > 28);
  document.querySelectorAll("input[name=kind]").forEach((input) => input.addEventListener("change", () => select({ kind: input.value })));
  $("layer").addEventListener("change", () => select({ layer: Number($("layer").value) }));
  $("head").addEventListener("change", () => select({ head: Number($("head").value) }));
  $("sentence").addEventListener("keydown", onKey);
  for (const gesture of ["pointermove", "pointerdown"]) $("map").addEventListener(gesture, onMap);
  $("theme").addEventListener("change", () => {
    document.documentElement.style.colorScheme = $("theme").value;
    repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  new ResizeObserver(() => light()).observe($("sentence"));
  readColours();
  select({});
})();
