"use strict";
// Reads what history_page.cpp writes.
(() => {
  const shown = 6;  // charts of an operation that are not folded
  const svg = (tag, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const day = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 10);
  const minute = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 16).replace("T", " ");
  const rounded = (value) => value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  const number = (value) => value >= 1e6 ? value.toExponential(2) : value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
  const difference = (ratio) => ratio > 1 ? `${(100 * (ratio - 1)).toFixed(1)} % slower` : `${(100 * (1 / ratio - 1)).toFixed(1)} % faster`;

  // ---- small charts

  const size = { width: 340, height: 130, left: 46, right: 8, top: 8, bottom: 18 };
  const extent = (series) => {
    const all = series.points.flatMap(([, value, low, high]) => [value, low ?? value, high ?? value]);
    if (series.normal) all.push(series.normal[1], series.normal[2]);
    if (series.slower) all.push(series.slower[1]);
    const low = Math.min(...all), high = Math.max(...all), pad = 0.06 * (high - low) || 0.01 * high;
    return [low - pad, high + pad];
  };
  const times = data.series.flatMap((series) => [series.points[0][0], (series.slower ?? series.points.at(-1))[0]]);
  const first = Math.min(...times), last = Math.max(...times, first + 1);
  const xAt = (time) => size.left + (size.width - size.left - size.right) * (time - first) / (last - first);

  const launchWords = (index) => {
    const [run, time, file] = data.launches[index];
    return `${run} (${minute(time)}, ${file})`;
  };
  const pointWords = (series, [time, value, low, high, launches, middle, slowest]) => {
    const interval = low === null ? "" : ` (${number(low)} to ${number(high)})`;
    const head = make("b", {}, `${day(time)}: ${number(value)} ${series.unit}${interval}`);
    return launches === 1 ? [head, ` launch ${launchWords(middle)}`]
      : [head, ` of ${launches} launches; the median one is ${launchWords(middle)}, the slowest ${launchWords(slowest)}`];
  };

  const chart = (series, index) => {
    const [bottom, top] = extent(series);
    const yAt = (value) => size.top + (size.height - size.top - size.bottom) * (top - value) / (top - bottom);
    const root = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", tabindex: "0", style: "font:10px sans-serif",
      "aria-label": `${series.name}, ${series.launches} launches; use the arrow keys to read points` });
    const text = (x, y, words, attributes) => svg("text", { x, y, style: "fill:var(--faint)", ...attributes }, words);
    if (series.normal) {
      const [since, low, high] = series.normal;
      root.append(svg("rect", { x: xAt(since), y: yAt(high), width: Math.max(2, xAt(last) - xAt(since)), height: Math.max(1, yAt(low) - yAt(high)),
        style: "fill:rgb(var(--cell));fill-opacity:.13" }));
    }
    for (const value of [bottom, (bottom + top) / 2, top]) {
      root.append(svg("path", { d: `M${size.left} ${yAt(value)}H${size.width - size.right}`, style: "stroke:var(--line);fill:none" }),
        text(size.left - 4, yAt(value), rounded(value), { "text-anchor": "end", "dominant-baseline": value === top ? "hanging" : value === bottom ? "auto" : "central" }));
    }
    root.append(text(size.left, size.height - 4, day(first), {}), text(size.width - size.right, size.height - 4, day(last), { "text-anchor": "end" }));
    for (const [time, ratio] of series.changes) {
      const x = xAt(time), color = ratio > 1 ? "var(--bad)" : "var(--good)", isRight = x < size.width * 0.65;
      root.append(svg("path", { class: "change", d: `M${x} ${size.top}V${size.height - size.bottom}`, style: `stroke:${color};stroke-dasharray:4 2` }),
        text(x + (isRight ? 3 : -3), size.top + 8, difference(ratio), { "text-anchor": isRight ? "start" : "end", style: `fill:${color};font-weight:bold` }));
    }
    const whiskers = [], line = [];
    for (const [time, value, low, high] of series.points) {
      line.push(`${line.length ? "L" : "M"}${xAt(time).toFixed(1)} ${yAt(value).toFixed(1)}`);
      if (low !== null) whiskers.push(`M${xAt(time).toFixed(1)} ${yAt(low).toFixed(1)}V${yAt(high).toFixed(1)}`);
    }
    root.append(svg("path", { d: whiskers.join(""), style: "stroke:var(--accent);stroke-opacity:.45;fill:none;stroke-width:2" }),
      svg("path", { d: line.join(""), style: "stroke:var(--accent);fill:none;stroke-width:1" }));
    const dot = ([time, value], r, color) => svg("circle", { cx: xAt(time).toFixed(1), cy: yAt(value).toFixed(1), r, style: `fill:var(--${color})` });
    if (series.points.length <= 60) root.append(...series.points.map((point) => dot(point, 1.8, "accent")));
    // A latest launch that is slower than normal is a point of its own, since the last point may combine many launches.
    const points = series.slower ? [...series.points, series.slower] : series.points;
    if (series.slower) root.append(dot(series.slower, 3.5, "bad"));
    const cursor = svg("circle", { r: 4, style: "fill:none;stroke:var(--ink);stroke-width:1.5", visibility: "hidden" });
    root.append(cursor);

    const words = make("p", { class: "point", "aria-live": "polite" });
    let at = points.length - 1;
    const select = (i, isShown = true) => {
      at = Math.max(0, Math.min(points.length - 1, i));
      const point = points[at];
      cursor.setAttribute("cx", xAt(point[0]));
      cursor.setAttribute("cy", yAt(point[1]));
      if (isShown) cursor.removeAttribute("visibility");
      words.replaceChildren(...pointWords(series, point));
    };
    const follow = (event) => {
      const box = root.getBoundingClientRect(), x = (event.clientX - box.left) * size.width / box.width;
      let nearest = 0;
      for (const [i, [time]] of points.entries()) if (Math.abs(xAt(time) - x) < Math.abs(xAt(points[nearest][0]) - x)) nearest = i;
      select(nearest);
    };
    root.addEventListener("pointermove", follow);
    root.addEventListener("pointerdown", follow);
    root.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) select(at + step), event.preventDefault();
    });
    select(at, false);
    return make("figure", { id: `series-${index}`, class: series.slower ? "slower" : null },
      make("figcaption", {}, series.name, make("span", { class: "note" }, ` ${series.unit}, ${series.launches} launches`)), root, words);
  };

  // Charts are drawn when they are unfolded, so that a page of hundreds opens at once.
  const folds = [];
  const fold = (summary, indices) => {
    const place = make("div", { class: "multiples" });
    const details = make("details", {}, make("summary", {}, summary), place);
    const draw = () => { if (!place.children.length) place.append(...indices.map((i) => chart(data.series[i], i))); };
    details.addEventListener("toggle", () => details.open && draw());
    folds.push({ indices, open: () => { draw(); details.open = true; } });
    return details;
  };
  const goTo = (index) => {
    folds.find((each) => each.indices.includes(index))?.open();
    document.getElementById(`series-${index}`).scrollIntoView({ block: "center" });
  };

  // ---- what changed

  document.getElementById("headline").textContent = data.headline;
  const eventLine = (event) => {
    const links = event.series.slice(0, 5).flatMap((index) => [" ", make("a", { href: `#series-${index}`, onclick: (click) => { click.preventDefault(); goTo(index); } }, data.series[index].name), ";"]);
    links.pop();
    return make("li", {}, make("b", { class: event.slower ? "slower" : "faster" }, event.date),
      ` ${event.series.length} series ${event.drift ? "drift" : "changed"}${event.series.length > 1 ? ", up to" : ":"} ${event.largest}. `,
      event.causes.length ? `Also changed then: ${event.causes.join(", ")}.` : "No other change is recorded at that time.",
      ...links, event.series.length > 5 ? ` and ${event.series.length - 5} more` : "");
  };
  const most = 10, lines = data.events.map(eventLine);
  section("changes", "What changed", lines.length ? make("ul", { class: "events" }, ...lines.slice(0, most)) : make("p", {}, "No change was found in this period."),
    ...(lines.length > most ? [folded(`${lines.length - most} earlier changes`, make("ul", { class: "events" }, ...lines.slice(most)))] : []));

  // ---- the series of each operation, the worst first

  const operations = new Map();
  data.series.forEach((series, i) => operations.set(series.operation, [...(operations.get(series.operation) || []), i]));
  const howToRead = ["The line is the median of launches with its 95 % interval, the shade the range in which the next launch is expected. ",
    "Dashes mark changes, and a red dot is a latest launch that is slower than normal. The worst series come first."].join("");
  for (const [operation, indices] of operations) {
    section(`of-${operation.replace(/\W+/g, "-")}`, operation,
      make("p", { class: "note" }, operation === operations.keys().next().value ? howToRead : ""),
      make("div", { class: "multiples" }, ...indices.slice(0, shown).map((i) => chart(data.series[i], i))),
      ...(indices.length > shown ? [fold(`${indices.length - shown} more series of ${operation}`, indices.slice(shown))] : []));
  }

  // ---- hosts by week

  const steps = [99.5, 99, 98, 97, 95, 90, 80];  // percent of the fleet; each step is a darker shade
  const levelOf = (percent) => steps.filter((step) => percent < step).length;
  const fill = (level) => `fill:rgb(var(--cell));fill-opacity:${heatMap.opacityAt(level)}`;
  const fleetDrawing = (fleet, count) => {
    const hosts = fleet.hosts.slice(0, count), high = count > 60 ? Math.max(2, Math.floor(1400 / count)) : 16, glyph = 7;
    const left = Math.min(220, 12 + glyph * Math.max(...hosts.map(([name]) => name.length))), top = 18;
    const wide = Math.max(2, Math.min(26, Math.floor((1000 - left) / fleet.weeks.length)));
    const width = left + wide * fleet.weeks.length + 70, height = top + high * hosts.length + 2;
    const root = svg("svg", { class: "heat", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${fleet.kind}: hosts by week`, style: "font:12px sans-serif" });
    const paths = Array.from({ length: steps.length + 1 }, () => []);
    const gap = high > 6 && wide > 6 ? 1 : 0, every = Math.max(1, Math.ceil(13 / high));
    hosts.forEach(([name, percents], i) => {
      percents.forEach((percent, j) => {
        if (percent !== null) paths[levelOf(percent)].push(`M${left + j * wide} ${top + i * high}h${wide - gap}v${high - gap}h${gap - wide}z`);
      });
      if (i % every === 0) root.append(svg("text", { x: left - 6, y: top + (i + 0.5) * high, "text-anchor": "end", "dominant-baseline": "central", style: "fill:var(--ink)" }, name));
    });
    root.append(...paths.map((path, level) => svg("path", { d: path.join(""), style: fill(level) })));
    let free = 0;
    fleet.weeks.forEach((week, j) => {
      const x = left + j * wide;
      if (x < free) return;
      free = x + 76;
      root.append(svg("text", { x, y: 11, style: "fill:var(--faint)" }, day(week)));
    });
    const cellAt = (event) => {
      const box = root.getBoundingClientRect(), zoom = width / box.width;
      const i = Math.floor(((event.clientY - box.top) * zoom - top) / high), j = Math.floor(((event.clientX - box.left) * zoom - left) / wide);
      return hosts[i] && j >= 0 && j < fleet.weeks.length ? [i, j] : null;
    };
    return { root, cellAt };
  };
  const legend = () => {
    const swatch = (level) => svg("svg", { width: 16, height: 16, "aria-hidden": "true" }, svg("rect", { width: 16, height: 16, style: fill(level) }));
    return make("div", { class: "key" }, make("span", {}, swatch(0), `${steps[0]} % of the fleet or more`),
      ...steps.slice(1).map((step, i) => make("span", {}, swatch(i + 1), `from ${step}`)), make("span", {}, swatch(steps.length), "less"));
  };
  const fleetFigure = (fleet) => {
    const few = 40, place = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": fleet.kind });
    const words = make("p", { class: "note hover", "aria-live": "polite" }, "Hover over a cell to see its value.");
    let drawing = null;
    const draw = (count) => {
      drawing = fleetDrawing(fleet, count);
      place.replaceChildren(drawing.root);
    };
    place.addEventListener("pointermove", (event) => {
      const cell = drawing.cellAt(event);
      if (!cell) return;
      const [name, percents] = fleet.hosts[cell[0]], percent = percents[cell[1]];
      words.textContent = `${name}, week of ${day(fleet.weeks[cell[1]])}: ${percent === null ? "no launch" : `${percent} % of the fleet`}`;
    });
    draw(Math.min(few, fleet.hosts.length));
    const all = make("button", { type: "button", onclick: () => { draw(fleet.hosts.length); all.remove(); } }, `Show all ${fleet.hosts.length} hosts`);
    return make("figure", { class: "pairs" }, make("figcaption", {}, fleet.kind), place, legend(), words,
      ...(fleet.hosts.length > few ? [make("div", { class: "tools" }, all)] : []));
  };
  section("hosts", "Hosts by week", ...(data.fleets.length
    ? [make("p", { class: "note" }, "The speed of each host's launches relative to the median host in the same week. The slowest of the last four weeks come first."), ...data.fleets.map(fleetFigure)]
    : [make("p", {}, "No launches tell hosts apart; add results of ringmark-link, or of launches on varying hosts.")]));

  document.getElementById("footer").textContent = `Made ${data.made}.`;
  followTheme(() => {});
})();
