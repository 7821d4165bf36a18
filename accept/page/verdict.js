"use strict";
(() => {
  const list = (texts, attributes = {}) => texts.length ? make("ul", attributes, ...texts.map((text) => make("li", {}, text))) : null;

  // ---- the verdict, the stages

  const drain = data.drain.length ? "Take out of service: " + data.drain.join(", ") + "."
    : data.outcome === "pass" ? "No host needs to be taken out of service."
    : data.outcome === "fail" ? "No host needs to be taken out of service: no single host is at fault." : "No host is known to be at fault.";
  document.title = `${data.outcome}: ${data.name || "cluster"}`;
  document.getElementById("headline").append(make("span", { class: "verdict " + data.outcome }, data.outcome.toUpperCase()), data.headline ? ": " + data.headline : "");
  document.getElementById("findings").append(make("li", {}, drain));

  const undecided = ({ undecided: parts, what_decides: decides }) => parts.length
    ? folded(`${parts.length} undecided` + (decides ? `: ${decides}` : ""), list(parts)) : null;
  section("rungs", "Stages", ...data.rungs.map((rung) => make("div", { class: "rung" },
    make("strong", {}, rung.rung), make("span", { class: rung.outcome }, rung.outcome), make("div", {}, make("p", {}, rung.summary),
      list(rung.findings.map((each) => `${each.part}: ${each.evidence}` + (each.look_at ? `. Look at ${each.look_at}` : ""))),
      undecided(rung), list(rung.remarks, { class: "note" })))),
    ...data.left_out.map((rung) => make("div", { class: "rung" }, make("strong", {}, rung), make("span", { class: "note" }, "not run"))));

  // ---- heat maps of pairs

  // Medians hide a single slow host, so a cell also shows its slowest pair, which sets how dark it is.
  const between = (map, { by, names, rates }) => {
    const { order, groups } = map.orders.find((each) => each.by === by), named = heatMap.named(map);
    const members = new Map();
    for (const { name, count } of groups) {
      const first = [...members.values()].flat().length;
      members.set(name, order.slice(first, first + count));
    }
    const most = 3;
    const head = (scope, ends, mark) => (name) => {
      const found = members.get(name).filter((end) => ends.has(end)).map((end) => map.names[end]);
      const rest = found.length > most ? [`and ${found.length - most} more`] : [];
      return make("th", { scope }, name, ...found.slice(0, most).concat(rest).map((text) => make("small", { class: "slower" }, text + mark)));
    };
    const scale = heatMap.scaleOf(map.pairs.map((pair) => pair[2]), false);
    const cell = (value) => value === null ? make("td", {}, "–")
      : make("td", { class: value.is_blamed ? "marked" : null, title: `slowest: ${map.names[value.from]} to ${map.names[value.to]}`,
          style: `background:rgba(var(--cell),${heatMap.opacityAt(scale.levelOf(value.slowest))})` },
        heatMap.short(value.median), make("small", {}, "slowest " + heatMap.short(value.slowest)));
    const title = `Bandwidth between ${by === "leaf" ? "leaves" : "rails"} (GB/s): median and slowest pair`;
    return [make("h3", {}, title), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, make("table", { class: "matrix" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "sender ↓ receiver →"), ...names.map(head("col", named.columns, " ▼")))),
      make("tbody", {}, ...rates.map((row, i) => make("tr", {}, head("row", named.rows, " ▶")(names[i]), ...row.map(cell)))))),
      make("p", { class: "note" }, "The darker a cell, the slower its slowest pair." + (map.marked.length ? " Framed cells contain a part that was found slow." : ""))];
  };

  for (const rung of data.rungs) {
    if (!rung.pairs) continue;
    const map = rung.pairs;
    section(rung.rung, `Pairs: ${rung.rung}`,
      heatMap({ title: `Bandwidth of every pair in GB/s (${rung.rung})`, unit: "GB/s", names: map.names, pairs: map.pairs, marked: map.marked,
        orders: Object.fromEntries(map.orders.map(({ by, order, groups }) => [by, { order, groups: groups.length > 1 ? groups : [] }])) }),
      ...map.between.flatMap((each) => between(map, each)));
  }

  if (data.soak) {
    const soak = data.soak;
    section("soak", "Soak", make("p", {}, soak.summary), list(soak.events), make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...["start (UTC)", "bus bandwidth (GB/s)", "longest all_reduce (ms)"].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...soak.rounds.map(([time, busbw, longest]) => make("tr", {}, make("td", {}, time),
        make("td", { class: "number" }, busbw === null ? "–" : busbw.toPrecision(4)), make("td", { class: "number" }, longest === null ? "–" : longest.toFixed(1))))))));
  }

  document.getElementById("footer").textContent = `Made by ringmark ${data.version}. This page works offline.`;

  followTheme(() => {});
})();
