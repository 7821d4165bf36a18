"use strict";
// A matrix of pairs as SVG, so that it prints as shown: rows send, columns receive, darker is slower.
const heatMap = (() => {
  const levels = 8, fontSize = 12, glyph = 7.2;  // pixels, and of the widest letters
  const most = { withValues: 20, side: 960 };
  const svg = (tag, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const short = (value) => value === 0 ? "0" : value >= 1000 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
  const opacityAt = (level) => (0.09 + 0.61 * level / (levels - 1)).toFixed(3);
  const fillOf = (level) => `fill:rgb(var(--cell));fill-opacity:${opacityAt(level)}`;

  // How slow a value is, from 0 to 1: half of the usual best rate, or twice the usual best time, is 1. The best tenth
  // is ignored, as a single good value is a poor reference.
  const scaleOf = (values, isTime) => {
    const all = values.slice().sort((a, b) => isTime ? b - a : a - b), best = all[Math.floor(0.9 * (all.length - 1))];
    const slowness = (value) => best > 0 ? Math.max(0, Math.min(1, isTime ? value / best - 1 : 2 * (1 - value / best))) : 1;
    return {
      best, slowness, passes: (value) => isTime || value > 0.02 * best,
      levelOf: (value) => Math.round(slowness(value) * (levels - 1)),
      valueOf: (level) => best * (isTime ? 1 + level / (levels - 1) : 1 - level / (levels - 1) / 2),
    };
  };

  const swatch = (...children) => svg("svg", { width: 16, height: 16, "aria-hidden": "true" }, ...children);
  const legend = (scale, { unit, isTime, hasMarks, hasGaps, hasStops }) => {
    const entry = (shown, text) => make("span", {}, shown, text);
    const worse = isTime ? "or more" : "or less", better = isTime ? "or less" : "or more";
    const steps = Array.from({ length: levels }, (_, level) => swatch(svg("rect", { width: 16, height: 16, style: fillOf(level) })));
    return make("div", { class: "key" },
      make("span", { class: "steps" }, `${short(scale.valueOf(0))} ${unit} ${better}`, ...steps, `${short(scale.valueOf(levels - 1))} ${unit} ${worse}`),
      ...(hasMarks ? [entry(swatch(svg("rect", { x: 2, y: 2, width: 12, height: 12, style: "fill:none;stroke:var(--bad);stroke-width:3" })), "found slow")] : []),
      ...(hasStops ? [entry(swatch(svg("path", { d: "M2 2l12 12M14 2l-12 12", style: "stroke:var(--bad);stroke-width:2" })), "no data passes")] : []),
      ...(hasGaps ? [entry(swatch(svg("rect", { x: 0.5, y: 0.5, width: 15, height: 15, style: "fill:none;stroke:var(--line)" })), "not measured")] : []));
  };

  // The rows and columns to point at. An end is named as sender or receiver if most of its row or column is marked; for
  // each remaining marked pair, both ends are named.
  const namedEnds = (marked, values, size) => {
    const rows = new Set(), columns = new Set();
    const count = (key, end) => Array.from({ length: size }, (_, other) => key(end, other)).filter((pair) => values.has(pair));
    const isMost = (pairs) => pairs.length > 1 && 2 * pairs.filter((pair) => marked.has(pair)).length > pairs.length;
    const fromEnd = (end, other) => end * size + other, toEnd = (end, other) => other * size + end;
    const ends = new Set([...marked].flatMap((pair) => [Math.floor(pair / size), pair % size]));
    for (const end of ends) {
      if (isMost(count(fromEnd, end))) rows.add(end);
      if (isMost(count(toEnd, end))) columns.add(end);
    }
    for (const pair of marked) {
      const from = Math.floor(pair / size), to = pair % size;
      if (!rows.has(from) && !columns.has(to)) rows.add(from), columns.add(to);
    }
    return { rows, columns };
  };

  const draw = ({ names, values, marked, named, scale, order, groups, title }) => {
    const n = order.length, hasValues = n <= most.withValues;
    const longest = Math.max(...names.map((name) => name.length)) * glyph + 30;  // a mark, and the gap to the cells
    const isFlat = hasValues && n * longest < most.side - 160;
    const high = hasValues ? 28 : Math.max(2, Math.min(26, Math.floor(most.side / n))), wide = isFlat ? Math.max(52, longest) : hasValues ? 52 : high;
    const groupWide = groups.length ? Math.max(...groups.map((group) => group.name.length)) * glyph + 12 : 0;
    const left = Math.max(groupWide + longest, 9 * glyph), top = (groups.length ? 20 : 0) + (isFlat ? 22 : longest) + 20;
    const width = left + wide * n + 2, height = top + high * n + 2;
    const at = (i, j) => [left + j * wide, top + i * high];
    const root = svg("svg", { class: "heat", role: "img", "aria-label": title, width, height, viewBox: `0 0 ${width} ${height}`,
      style: `font:${fontSize}px sans-serif` });
    const text = (x, y, words, attributes = {}) => svg("text", { x, y, "dominant-baseline": "central", style: "fill:var(--ink)", ...attributes }, words);
    const isMarked = (i, j) => marked.has(order[i] * names.length + order[j]);

    // Cells of the same shade share a path, since a matrix of many hosts has tens of thousands of cells.
    const paths = Array.from({ length: levels }, () => []), stops = [], outline = [], numbers = [];
    order.forEach((from, i) => order.forEach((to, j) => {
      const [x, y] = at(i, j), value = values.get(from * names.length + to);
      if (isMarked(i, j)) {
        if (i === 0 || !isMarked(i - 1, j)) outline.push(`M${x} ${y}h${wide}`);
        if (i === n - 1 || !isMarked(i + 1, j)) outline.push(`M${x} ${y + high}h${wide}`);
        if (j === 0 || !isMarked(i, j - 1)) outline.push(`M${x} ${y}v${high}`);
        if (j === n - 1 || !isMarked(i, j + 1)) outline.push(`M${x + wide} ${y}v${high}`);
      }
      if (value === undefined) return;
      const gap = high > 8 ? 1 : 0;
      paths[scale.levelOf(value)].push(`M${x} ${y}h${wide - gap}v${high - gap}h${gap - wide}z`);
      if (!scale.passes(value)) stops.push(`M${x} ${y}l${wide} ${high}M${x + wide} ${y}l${-wide} ${high}`);
      if (hasValues) numbers.push(text(x + wide / 2, y + high / 2, short(value), { "text-anchor": "middle", ...(isMarked(i, j) ? { "font-weight": "bold" } : {}) }));
    }));
    root.append(...paths.map((path, level) => svg("path", { d: path.join(""), style: fillOf(level) })), ...numbers);
    root.append(svg("path", { d: `M${left} ${top}h${wide * n}v${high * n}h${-wide * n}z`, style: "fill:none;stroke:var(--line)" }));
    if (outline.length) root.append(svg("path", { class: "outline", d: outline.join(""), style: `fill:none;stroke:var(--bad);stroke-width:${high > 8 ? 2 : 1}` }));
    if (stops.length) root.append(svg("path", { class: "stops", d: stops.join(""), style: "fill:none;stroke:var(--bad);stroke-width:1.5" }));

    // Lines between groups, with group names outside the names of the ends.
    let first = 0;
    for (const { name, count } of groups) {
      const [x, y] = at(first, first);
      if (first > 0) root.append(svg("path", { d: `M${left} ${y}h${wide * n}M${x} ${top}v${high * n}`, style: "stroke:var(--ink);stroke-width:1" }));
      if (name.length * glyph < count * wide) root.append(text(x + count * wide / 2, 28, name, { "text-anchor": "middle", "font-weight": "bold" }));
      if (count * high >= fontSize) root.append(text(0, y + count * high / 2, name, { "font-weight": "bold" }));
      first += count;
    }

    // Labels rows and columns as far as there is room, the named ones first.
    const labels = (cell, isNamed, put) => {
      const taken = [], apart = Math.max(fontSize + 1, cell);
      const places = order.map((_, i) => i).sort((a, b) => isNamed(order[b]) - isNamed(order[a]) || a - b);
      for (const i of places) {
        const middle = (i + 0.5) * cell;
        if (taken.some((other) => Math.abs(other - middle) < apart - 0.5)) continue;
        taken.push(middle);
        put(i, names[order[i]], isNamed(order[i]));
      }
    };
    const styleOf = (isNamed) => isNamed ? { style: "fill:var(--bad)", "font-weight": "bold", class: "named" } : {};
    labels(high, (end) => named.rows.has(end), (i, name, isNamed) =>
      root.append(text(left - 6, top + (i + 0.5) * high, name + (isNamed ? " ▶" : ""), { "text-anchor": "end", ...styleOf(isNamed) })));
    labels(wide, (end) => named.columns.has(end), (j, name, isNamed) => {
      const x = left + (j + 0.5) * wide, y = top - 8;
      root.append(isFlat ? text(x, y - 4, name + (isNamed ? " ▼" : ""), { "text-anchor": "middle", ...styleOf(isNamed) })
        : text(x, y, (isNamed ? "◀ " : "") + name, { transform: `rotate(-90 ${x} ${y})`, ...styleOf(isNamed) }));
    });
    root.append(text(left, 8, "receiver →", { style: "fill:var(--faint)" }), text(left - 6, top - 10, "sender ↓", { "text-anchor": "end", style: "fill:var(--faint)" }));

    const pairAt = (event) => {
      const box = root.getBoundingClientRect(), zoom = width / box.width;
      const i = Math.floor(((event.clientY - box.top) * zoom - top) / high), j = Math.floor(((event.clientX - box.left) * zoom - left) / wide);
      return i >= 0 && j >= 0 && i < n && j < n ? [order[i], order[j]] : null;
    };
    return { root, pairAt, hasValues };
  };

  // Shown on paper if the cells have no values.
  const slowest = ({ names, pairs, unit, isTime, scale }) => make("details", { "data-print": names.length > most.withValues ? "open" : null }, make("summary", {}, "The slowest pairs"),
    make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...["sender", "receiver", unit, "of the usual best"].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...pairs.slice().sort((a, b) => isTime ? b[2] - a[2] : a[2] - b[2]).slice(0, 20).map(([from, to, value]) => make("tr", {},
        make("td", {}, names[from]), make("td", {}, names[to]), make("td", { class: "number" }, short(value)),
        make("td", { class: "number" }, scale.best > 0 ? (100 * value / scale.best).toFixed(0) + " %" : "–")))))));

  // Saves the picture as a file, which must include the page's color variables.
  const download = (root, title) => {
    const copy = root.cloneNode(true), style = getComputedStyle(document.documentElement);
    const variables = ["--ground", "--ink", "--faint", "--line", "--bad", "--cell"].map((name) => `${name}:${style.getPropertyValue(name)}`);
    copy.setAttribute("style", `${root.getAttribute("style")};${variables.join(";")}`);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.prepend(svg("rect", { width: "100%", height: "100%", style: "fill:var(--ground)" }));
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = make("canvas", { width: 2 * root.width.baseVal.value, height: 2 * root.height.baseVal.value });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      make("a", { href: canvas.toDataURL("image/png"), download: title.replace(/[^\w]+/g, "-").toLowerCase() + ".png" }).click();
    });
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
  };

  // pairs: [from, to, value], as indices into names; marked: [from, to], found slow; orders: by name, how the ends can
  // be arranged, each {order, groups: [{name, count}]}.
  const map = ({ title, unit, names, pairs, isTime = false, marked = [], orders = { "": { order: names.map((_, i) => i), groups: [] } } }) => {
    const key = (from, to) => from * names.length + to;
    const values = new Map(pairs.map(([from, to, value]) => [key(from, to), value]));
    const scale = scaleOf([...values.values()], isTime), marks = new Set(marked.map(([from, to]) => key(from, to)));
    const named = namedEnds(marks, values, names.length);
    for (const end of named.rows) if (named.columns.has(end) && !values.has(key(end, end)) && [...marks].some((pair) => pair % names.length === end)) marks.add(key(end, end));
    const place = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title });
    const words = make("p", { class: "note hover", "aria-live": "polite" }, "Hover over a cell to see its value.");
    let drawn = null;
    const arrange = (name) => {
      drawn = draw({ names, values, marked: marks, named, scale, title: title + "; the slowest pairs are in the table below", ...orders[name] });
      place.replaceChildren(drawn.root);
    };
    place.addEventListener("pointermove", (event) => {
      const pair = drawn.pairAt(event);
      if (!pair) return;
      const value = values.get(key(...pair));
      words.textContent = `${names[pair[0]]} to ${names[pair[1]]}: ${value === undefined ? "not measured" : `${short(value)} ${unit}`}`;
    });
    const choices = Object.keys(orders);
    const by = make("select", { "aria-label": "Order of rows and columns", onchange: () => arrange(by.value) }, ...choices.map((name) => make("option", { value: name }, name)));
    arrange(choices[0]);
    const isWhole = names.every((_, from) => names.every((__, to) => from === to || values.has(key(from, to))));
    return make("figure", { class: "pairs" },
      make("figcaption", {}, title, make("button", { type: "button", class: "png", onclick: () => download(drawn.root, title) }, "PNG")),
      ...(choices.length > 1 ? [make("div", { class: "tools" }, make("label", {}, "Arranged by ", by))] : []),
      place,
      legend(scale, { unit, isTime, hasMarks: marks.size > 0, hasGaps: !isWhole, hasStops: [...values.values()].some((value) => !scale.passes(value)) }),
      words, slowest({ names, pairs, unit, isTime, scale }));
  };
  return Object.assign(map, { scaleOf, opacityAt, short, named: ({ names, pairs, marked }) => {
    const keys = (all) => all.map(([from, to]) => from * names.length + to);
    return namedEnds(new Set(keys(marked)), new Set(keys(pairs)), names.length);
  } });
})();
