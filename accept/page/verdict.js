"use strict";
(() => {
  const list = (texts, attributes = {}) => texts.length ? make("ul", attributes, ...texts.map((text) => make("li", {}, text))) : null;
  const rate = (value) => value === null ? "not measured" : value.toPrecision(4) + " GB/s";
  const repaints = [];

  // ---- the verdict, the rungs

  document.title = `${data.outcome}: ${data.name || "cluster"}`;
  document.getElementById("headline").append(make("span", { class: "verdict " + data.outcome }, data.outcome.toUpperCase()), data.headline);
  document.getElementById("findings").append(make("li", {}, data.drain.length
    ? "Take out of service: " + data.drain.join(", ") : "No host is to be taken out of service."));

  section("rungs", "The rungs", ...data.rungs.map((rung) => make("div", { class: "rung" },
    make("strong", {}, rung.rung), make("span", { class: rung.outcome }, rung.outcome), make("p", { style: "margin:0" }, rung.summary),
    list(rung.findings.map((each) => `${each.part}: ${each.evidence}` + (each.look_at ? `. Look at ${each.look_at}` : ""))),
    list(rung.undecided.slice(0, 20).map((part) => "undecided: " + part)
      .concat(rung.undecided.length > 20 ? [`… and ${rung.undecided.length - 20} more undecided`] : [])),
    list(rung.remarks, { class: "note" }))),
    ...data.left_out.map((rung) => make("div", { class: "rung" }, make("strong", {}, rung), make("span", { class: "note" }, "not run"))));

  // ---- heat maps of pairs

  const sorted = (values) => values.slice().sort((a, b) => a - b);
  const median = (values) => {
    const all = sorted(values), half = Math.floor(all.length / 2);
    return all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
  };
  // Darker is slower; half of the best rate is as dark as it gets.
  const shade = (value, best) => 0.06 + 0.74 * Math.min(1, 2 * (1 - value / best));
  const orders = {
    leaf: (a, b) => a.leaf - b.leaf || a.host - b.host || a.rail - b.rail,
    host: (a, b) => a.host - b.host || a.rail - b.rail,
    rail: (a, b) => a.rail - b.rail || a.leaf - b.leaf || a.host - b.host,
  };

  const heatMap = (map, title) => {
    const rates = new Map(map.rates.map(([from, to, value]) => [from * map.ends.length + to, value]));
    const best = sorted(map.rates.map((each) => each[2]))[Math.floor(0.9 * (map.rates.length - 1))];
    const cell = Math.max(2, Math.min(26, Math.floor(960 / map.ends.length)));
    const canvas = make("canvas", { role: "img", "aria-label": title + "; the slowest pairs are in the table below" });
    const words = make("p", { class: "note", "aria-live": "polite" }, "Darker is slower. Point at a cell to read it.");
    let order = [];
    const paint = () => {
      const style = getComputedStyle(document.documentElement), ratio = window.devicePixelRatio || 1;
      const side = cell * order.length;
      canvas.width = canvas.height = side * ratio;
      canvas.style.width = canvas.style.height = side + "px";
      const ctx = canvas.getContext("2d");
      ctx.scale(ratio, ratio);
      const colour = style.getPropertyValue("--cell");
      order.forEach((from, y) => order.forEach((to, x) => {
        const value = rates.get(from.end * map.ends.length + to.end);
        if (value === undefined) return;
        ctx.fillStyle = `rgba(${colour}, ${shade(value, best).toFixed(3)})`;
        ctx.fillRect(x * cell, y * cell, cell, cell);
        if (value < 0.02 * best) {  // nothing passes: a cross that is seen without colour
          ctx.strokeStyle = style.getPropertyValue("--bad");
          ctx.beginPath();
          ctx.moveTo(x * cell, y * cell);
          ctx.lineTo((x + 1) * cell, (y + 1) * cell);
          ctx.stroke();
        }
      }));
      ctx.strokeStyle = style.getPropertyValue("--ink");
      order.forEach((end, i) => {
        if (i === 0 || end[by.value] === order[i - 1][by.value] || by.value === "host") return;
        for (const [x, y, w, h] of [[i * cell, 0, 0, side], [0, i * cell, side, 0]]) {
          ctx.beginPath();
          ctx.moveTo(x, y);
          ctx.lineTo(x + w, y + h);
          ctx.stroke();
        }
      });
    };
    const arrange = () => {
      order = map.ends.map((end, i) => ({ ...end, end: i })).sort(orders[by.value]);
      paint();
    };
    const choices = ["leaf", "host", "rail"].filter((key) => key === "host" || new Set(map.ends.map((end) => end[key])).size > 1);
    const by = make("select", { "aria-label": "Order of the ends", onchange: arrange }, ...choices.map((key) => make("option", { value: key }, key)));
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const from = order[Math.floor((event.clientY - box.top) / cell)], to = order[Math.floor((event.clientX - box.left) / cell)];
      if (!from || !to) return;
      const value = rates.get(from.end * map.ends.length + to.end);
      words.textContent = `${from.name} to ${to.name}: ${rate(value === undefined ? null : value)}`;
    });
    repaints.push(paint);
    arrange();
    return [make("h3", {}, title), make("div", { class: "tools" }, make("label", {}, "Arranged by ", by)),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, canvas), words, ...summaries(map, best, choices), slowest(map, best)];
  };

  // Medians between leaves or rails.
  const summaries = (map, best, choices) => choices.filter((key) => key !== "host").map((key) => {
    const names = key === "leaf" ? map.leaves : [...new Set(map.ends.map((end) => end.rail))].map((rail) => `rail ${rail + 1}`);
    const groups = new Map();
    for (const [from, to, value] of map.rates) {
      const at = map.ends[from][key] * names.length + map.ends[to][key];
      groups.set(at, [...(groups.get(at) || []), value]);
    }
    const cellOf = (from, to) => {
      const values = groups.get(from * names.length + to);
      if (!values) return make("td", {}, "–");
      const value = median(values);
      return make("td", { style: `background:rgba(var(--cell),${shade(value, best).toFixed(2)})` }, value.toPrecision(3));
    };
    return make("div", { class: "scroll" }, make("table", { class: "matrix" },
      make("caption", { class: "note" }, `GB/s from each ${key} to each, medians`),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "from \\ to"), ...names.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...names.map((name, i) => make("tr", {}, make("th", { scope: "row" }, name), ...names.map((_, j) => cellOf(i, j)))))));
  });

  const slowest = (map, best) => make("details", {}, make("summary", {}, "The slowest pairs"), make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...["from", "to", "GB/s", "of the best tenth"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...map.rates.slice().sort((a, b) => a[2] - b[2]).slice(0, 20).map(([from, to, value]) => make("tr", {},
      make("td", {}, map.ends[from].name), make("td", {}, map.ends[to].name), make("td", { class: "number" }, value.toPrecision(4)),
      make("td", { class: "number" }, (100 * value / best).toFixed(0) + " %")))))));

  for (const rung of data.rungs) {
    if (rung.pairs) section(rung.rung, `Pairs: ${rung.rung}`, ...heatMap(rung.pairs, `Rate of every pair, from the row to the column (${rung.rung})`));
  }

  if (data.soak) {
    const soak = data.soak;
    section("soak", "The soak", make("p", {}, soak.summary), list(soak.events), make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...["begun (UTC)", "bus bandwidth (GB/s)", "longest all_reduce (ms)"].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...soak.rounds.map(([time, busbw, longest]) => make("tr", {}, make("td", {}, time),
        make("td", { class: "number" }, busbw === null ? "–" : busbw.toPrecision(4)), make("td", { class: "number" }, longest === null ? "–" : longest.toFixed(1))))))));
  }

  document.getElementById("footer").textContent =
    `Made by ringmark ${data.version}. Finds a loss of ${100 * data.loss} %; false alarms ${data.false_alarm} per cluster, misses ${data.miss}. This page needs no network.`;

  followTheme(() => repaints.forEach((repaint) => repaint()));
})();
