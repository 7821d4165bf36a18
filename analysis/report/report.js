"use strict";
(() => {
  const sizeText = (bytes) => {
    for (const [unit, factor] of [["G", 2 ** 30], ["M", 2 ** 20], ["K", 2 ** 10]]) {
      if (bytes >= factor && bytes % factor === 0) return bytes / factor + unit;
    }
    return String(bytes);
  };
  const roundedSizeText = (bytes) => Number.isInteger(bytes) ? sizeText(bytes) : numberText(bytes);
  const numberText = (value) => {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e7) return String(value);
    if (size >= 1e7 || size < 1e-3) return value.toExponential(2);
    return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4);
  };

  // ---- tables: sortable by any column, copied as CSV

  const csvCell = (value) => {
    const words = value === null || value === undefined ? "" : String(value);
    // As in the CSV files: behind an apostrophe, a spreadsheet does not run text as a formula.
    const text = /^'*[=+\-@\t\r]./.test(words) && Number.isNaN(Number(words)) ? "'" + words : words;
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const copy = async (text, button) => {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // a page that was opened as a file may have no clipboard
      const area = make("textarea", { "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  };

  // columns: {name, kind: "number" | "size" | "words" | "text", mark}
  const table = (allColumns, allRows, { step = 200, caption = null } = {}) => {
    // Hides columns that are empty in all rows.
    const said = allColumns.map((_, c) => allRows.some((row) => row[c] !== null && row[c] !== ""));
    const columns = allColumns.filter((_, c) => said[c]), rows = allRows.map((row) => row.filter((_, c) => said[c]));
    let shown = step, sorted = null, order = rows.map((_, i) => i);
    const body = make("tbody");
    const more = make("button", { type: "button", onclick: () => { shown += 1000; draw(); } });
    const cell = (column, value) => {
      const isNumber = column.kind === "number" || column.kind === "size";
      const text = value === null || value === undefined ? "" : column.kind === "size" ? roundedSizeText(value)
        : column.kind === "number" && typeof value === "number" ? numberText(value) : String(value);
      const names = [isNumber ? "number" : column.kind === "words" ? "words" : "", column.mark ? column.mark(value) : ""];
      return make("td", { class: names.join(" ").trim() || null }, text);
    };
    const draw = () => {
      body.replaceChildren(...order.slice(0, shown).map((i) => make("tr", {}, ...columns.map((column, c) => cell(column, rows[i][c])))));
      more.textContent = `Show more (${Math.min(shown, rows.length)} of ${rows.length})`;
      more.hidden = shown >= rows.length;
    };
    const heads = columns.map((column, c) => {
      const head = make("th", { scope: "col", class: column.kind === "number" || column.kind === "size" ? "number" : null },
        make("button", { type: "button", onclick: () => sort(c) }, column.name));
      return head;
    });
    const sort = (c) => {
      const up = !(sorted && sorted.c === c && sorted.up);
      sorted = { c, up };
      const compare = (a, b) => {
        const x = rows[a][c], y = rows[b][c];
        const emptyX = x === null || x === "", emptyY = y === null || y === "";
        if (emptyX || emptyY) return emptyX === emptyY ? 0 : emptyX ? 1 : -1;  // empty cells come last in either order
        const result = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
        return up ? result : -result;
      };
      order = order.slice().sort(compare);
      heads.forEach((head, i) => i === c ? head.setAttribute("aria-sort", up ? "ascending" : "descending") : head.removeAttribute("aria-sort"));
      draw();
    };
    draw();
    const asCsv = () => [columns.map((column) => column.name), ...order.map((i) => rows[i])].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
    const button = make("button", { type: "button", onclick: () => copy(asCsv(), button) }, "Copy as CSV");
    return make("div", {}, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption || "table" },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body)), make("div", { class: "tools" }, more, button));
  };

  // ---- charts

  // Distinguishable without colour, by dashes and points.
  const styles = [
    { color: "#0b6fc2", dash: [], point: "circle" }, { color: "#c2410c", dash: [8, 4], point: "rect" },
    { color: "#15803d", dash: [2, 3], point: "triangle" }, { color: "#7e22ce", dash: [10, 3, 2, 3], point: "rectRot" },
    { color: "#a16207", dash: [5, 5], point: "star" }, { color: "#0e7490", dash: [1, 4], point: "crossRot" },
    { color: "#be185d", dash: [12, 4], point: "rectRounded" }, { color: "#4b5563", dash: [3, 6], point: "cross" },
  ];
  // Beyond the eighth, the same again with longer dashes.
  const styleOf = (index) => {
    const style = styles[index % styles.length], round = Math.floor(index / styles.length);
    return round ? { ...style, dash: [...style.dash, 4 * round, 2] } : style;
  };
  const charts = [];
  const themed = () => {
    const read = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return { ink: read("--ink"), line: read("--line"), ground: read("--ground") };
  };
  const paint = (chart) => {
    const { ink, line } = themed();
    for (const axis of Object.values(chart.options.scales)) {
      axis.ticks.color = ink;
      axis.title.color = ink;
      axis.grid.color = line;
    }
    chart.update("none");
  };
  const ground = {
    id: "ground",  // pictures for slides are not transparent
    beforeDraw: (chart) => {
      chart.ctx.save();
      chart.ctx.fillStyle = themed().ground;
      chart.ctx.fillRect(0, 0, chart.width, chart.height);
      chart.ctx.restore();
    },
  };

  // A picture for slides: includes the title and legend that the page has around the chart.
  const picture = (title, width, height, draw) => {
    const heading = 34, most = 16000;  // pixels that browsers can draw
    const scale = Math.min(2, most / Math.max(width, height + heading)), canvas = document.createElement("canvas");
    canvas.width = width * scale;
    canvas.height = (height + heading) * scale;
    const ctx = canvas.getContext("2d"), { ink, ground: paper } = themed();
    ctx.scale(scale, scale);
    ctx.fillStyle = paper;
    ctx.fillRect(0, 0, width, height + heading);
    ctx.textBaseline = "middle";
    ctx.fillStyle = ink;
    ctx.font = "bold 15px sans-serif";
    ctx.fillText(title, 8, heading / 2, width - 16);
    ctx.font = "13px sans-serif";
    ctx.translate(0, heading);
    draw(ctx, ink);
    return canvas;
  };
  const chartPicture = (title, chart) => {
    const shown = chart.data.datasets.filter((each, i) => !each.band && each.data.length && chart.isDatasetVisible(i));
    const line = 18;
    return picture(title, chart.width, chart.height + line * shown.length + 8, (ctx, ink) => {
      ctx.drawImage(chart.canvas, 0, 0, chart.width, chart.height);
      ctx.fillStyle = ink;
      shown.forEach((each, i) => {
        const y = chart.height + line * (i + 0.5);
        ctx.strokeStyle = each.borderColor;
        ctx.lineWidth = 2;
        ctx.setLineDash(each.borderDash);
        ctx.beginPath();
        ctx.moveTo(8, y);
        ctx.lineTo(48, y);
        ctx.stroke();
        ctx.fillText(each.label, 56, y, chart.width - 64);
      });
    });
  };
  // rows: {label, text, parts: [{share, color}]}; a part without a colour is a stroke.
  const barPicture = (title, rows) => picture(title, 960, 30 * rows.length + 8, (ctx, ink) => {
    rows.forEach((row, i) => {
      const y = 30 * i;
      let x = 300;
      const strokes = [];
      for (const { share, color } of row.parts) {
        if (!color) strokes.push(x);
        ctx.fillStyle = color ?? ink;
        ctx.fillRect(x, y, 400 * share, 22);
        x += 400 * share;
      }
      ctx.fillStyle = ink;
      for (const stroke of strokes) ctx.fillRect(stroke - 0.5, y, 1, 22);
      ctx.fillText(row.label, 8, y + 11, 284);
      ctx.fillText(row.text, x + 8, y + 11, 960 - x - 16);
    });
  });
  const save = (title, drawn) => make("button", { type: "button", class: "png", onclick: () => {
    make("a", { href: drawn().toDataURL("image/png"), download: title.replace(/[^\w]+/g, "-").toLowerCase() + ".png" }).click();
  } }, "PNG");

  // series: {label, points: [{x, y, low, high, tip}]}; one line each, with a band for the interval.
  const lineChart = ({ title, series, yTitle, yLog = false, xTitle = "size (bytes)", xSizes = true, limit = null, one = false }) => {
    const datasets = [];
    series.forEach((each, index) => {
      const { color, dash, point } = styleOf(index);
      const line = (values, extra) => ({ label: each.label, series: index, data: values, borderColor: color, backgroundColor: color, ...extra });
      const bounded = each.points.filter((p) => p.low !== null && p.low !== undefined);
      datasets.push(line(bounded.map((p) => ({ x: p.x, y: p.low })), { borderWidth: 0, pointRadius: 0, band: true }));
      datasets.push(line(bounded.map((p) => ({ x: p.x, y: p.high })), { borderWidth: 0, pointRadius: 0, fill: "-1", backgroundColor: color + "33", band: true }));
      datasets.push(line(each.points, { borderWidth: 2, borderDash: dash, pointStyle: point, pointRadius: 4, pointHoverRadius: 6 }));
    });
    const xs = series.flatMap((each) => each.points.map((p) => p.x));
    const level = (value, label) => datasets.push({ label, data: [{ x: Math.min(...xs), y: value }, { x: Math.max(...xs), y: value }],
      borderColor: "#6b7280", borderWidth: 1.5, borderDash: [6, 6], pointRadius: 0, level: true });
    if (limit) level(limit.value, limit.label);
    if (one) level(1, "no difference");
    const canvas = make("canvas", { role: "img", "aria-label": title + ", the values are in the tables of this page" });
    const chart = new Chart(canvas, {
      type: "line",
      data: { datasets },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
        interaction: { mode: "nearest", axis: "x", intersect: false },
        scales: {
          x: { type: xSizes ? "logarithmic" : "linear", title: { display: true, text: xTitle }, grid: {},
               afterBuildTicks: xSizes ? (axis) => { axis.ticks = [...new Set(xs)].sort((a, b) => a - b).map((value) => ({ value })); } : undefined,
               ticks: { autoSkip: true, maxRotation: 0, callback: xSizes ? (value) => sizeText(value) : undefined } },
          y: { type: yLog ? "logarithmic" : "linear", beginAtZero: !yLog && !one, title: { display: true, text: yTitle }, grid: {},
               ticks: { callback: (value) => numberText(Number(value)), maxTicksLimit: 8 } },
        },
        plugins: {
          legend: { display: false },
          tooltip: { filter: (item) => !item.dataset.band,
                     callbacks: { title: (items) => items.length ? (xSizes ? sizeText(items[0].parsed.x) + " B" : String(items[0].parsed.x)) : "",
                                  label: (item) => `${item.dataset.label}: ${item.raw.tip || numberText(item.parsed.y)}` } },
        },
      },
      plugins: [ground],
    });
    charts.push(chart);
    return { chart, figure: make("figure", {}, make("figcaption", {}, title, save(title, () => chartPicture(title, chart))),
      make("div", { class: "canvas" }, canvas), limit ? make("p", { class: "note" }, `Grey dashes: ${limit.label}, ${numberText(limit.value)} GB/s`) : null) };
  };
  const swatch = (index) => {
    const { color, dash } = styleOf(index);
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    for (const [name, value] of Object.entries({ width: 30, height: 8, "aria-hidden": "true" })) svg.setAttribute(name, value);
    const line = document.createElementNS(space, "line");
    for (const [name, value] of Object.entries({ x1: 0, x2: 30, y1: 4, y2: 4, stroke: color, "stroke-width": 3, "stroke-dasharray": dash.join(" ") })) line.setAttribute(name, value);
    svg.append(line);
    return svg;
  };
  const legend = (labels, all) => make("fieldset", { class: "legend", "aria-label": "Series" }, ...labels.map((label, index) => {
    const box = make("input", { type: "checkbox", checked: "", onchange: () => {
      for (const chart of all()) {
        chart.data.datasets.forEach((dataset, d) => { if (dataset.series === index) chart.setDatasetVisibility(d, box.checked); });
        chart.update("none");
      }
    } });
    return make("label", {}, box, swatch(index), label);
  }));

  // ---- the page

  const undecidedText = data.comparison ? data.comparison.undecided_words : "";

  document.title = data.title;
  document.getElementById("headline").textContent = data.headline;
  document.getElementById("findings").append(...data.findings.map((text) => make("li", {}, text)));

  if (data.comparison && data.comparison.slowdowns.length) {
    const mark = (text) => text === "faster" || text === "slower" ? text : "";
    section("slowdowns", "Groups alongside others, compared with running alone",
      table([{ name: "slowdown", kind: "number" }, { name: "from", kind: "number" }, { name: "to", kind: "number" }, { name: "case" }, { name: "setting" },
             { name: "size", kind: "size" }, { name: "verdict", mark }, { name: "together (µs)", kind: "number" }, { name: "alone (µs)", kind: "number" },
             { name: "launches" }, { name: "p", kind: "number" }], data.comparison.slowdowns, { caption: "Slowdowns" }),
      make("p", { class: "note" }, "Time alongside the others over time alone, with its 95 % interval; p is corrected for all of them (Holm). An interval over rounds of one launch does not cover differences between launches."));
  }

  if (data.answer.rows.length) {
    section("answer", "The answer", table(data.answer.columns, data.answer.rows, { caption: "The answer" }),
      make("p", { class: "note" }, data.answer.note + (undecidedText ? ` ${undecidedText}.` : "")));
  }

  if (data.cases.length) {
    const pick = make("select", { id: "case", "aria-label": "Benchmark case" }, ...data.cases.map(({ name }, i) => make("option", { value: i }, name)));
    const place = make("div");
    const show = () => {
      const shown = data.cases[Number(pick.value)];
      for (let i = charts.length - 1; i >= 0; --i) if (charts[i].ofCase) charts.splice(i, 1)[0].destroy();
      const made = [];
      const point = (x, y, low, high, tip) => ({ x, y, low, high, tip });
      const span = (low, high) => low === null ? "" : ` (${numberText(low)} to ${numberText(high)})`;
      made.push(lineChart({ title: `Bus bandwidth, ${shown.name}`, yTitle: "busbw (GB/s)", yLog: true, limit: shown.limit,
        series: shown.series.map((s) => ({ label: s.label, points: s.points.filter((p) => p.busbw !== null).map((p) =>
          point(p.size, p.busbw, p.busbw_low, p.busbw_high, numberText(p.busbw) + " GB/s" + span(p.busbw_low, p.busbw_high))) })) }));
      made.push(lineChart({ title: `Time, ${shown.name}`, yTitle: "time (µs)", yLog: true,
        series: shown.series.map((s) => ({ label: s.label, points: s.points.map((p) =>
          point(p.size, p.time, p.low, p.high, numberText(p.time) + " µs" + span(p.low, p.high) + `, ${p.launches} launches`)) })) }));
      if (shown.ratios.length) {
        // Series keep their style: a ratio has the label's index in this case.
        made.push(lineChart({ title: `Time relative to ${data.comparison.baseline}, ${shown.name}`, yTitle: "ratio, below 1 is faster", yLog: true, one: true,
          series: shown.series.map((s) => ({ label: s.label, points: (shown.ratios.find((r) => r.label === s.label) || { points: [] }).points.map((p) =>
            point(p.size, p.ratio, p.low, p.high, numberText(p.ratio) + ", " + p.words)) })) }));
      }
      made.forEach(({ chart }) => { chart.ofCase = true; paint(chart); });
      place.replaceChildren(legend(shown.series.map((s) => s.label), () => made.map(({ chart }) => chart)),
        make("div", { class: "charts" }, ...made.map(({ figure }) => figure)));
    };
    pick.addEventListener("change", show);
    section("sizes", "By size", make("div", { class: "tools" }, make("label", { for: "case" }, "Case: "), pick), place,
      make("p", { class: "note" }, "Medians of launches. Bands are 95 % intervals if there are six or more launches, otherwise the range of the launches; for a single launch, its own interval."));
    show();
  }

  if (data.steps.length) {
    const ms = (us) => us === null ? "" : numberText(us / 1000);
    const inMs = (us) => us === null ? null : us / 1000;
    section("steps", "Training steps", ...data.steps.flatMap(({ name, rows }) => {
      const most = Math.max(...rows.map((row) => row.time));
      const part = (name, us) => us > 0 ? [make("span", { class: name, style: `width:${100 * us / most}%` })] : [];
      // Computation and exposed communication, for each micro-step if known.
      const parts = (row) => row.micro_computation.length && row.micro_computation.length === row.micro_exposed.length
        ? row.micro_computation.flatMap((us, m) => [["computed", us], ["exposed", row.micro_exposed[m]], ["turn", 0]]).slice(0, -1)
        : [["computed", row.computation], ["exposed", row.exposed]];
      const turn = () => make("span", { class: "turn" });  // has no width, so that bars stay comparable
      const title = "Training steps, " + name;
      const drawn = () => barPicture(title + ": computation, then exposed communication", rows.map((row) => ({ label: row.label,
        text: `${ms(row.time)} ms, ${ms(row.exposed)} exposed`,
        parts: parts(row).map(([name, us]) => ({ share: us / most, color: name === "computed" ? styles[0].color : name === "exposed" ? styles[1].color : null })) })));
      return [make("h3", {}, name, " ", save(title, drawn)), make("div", { class: "levels", role: "list" }, ...rows.flatMap((row) => [
        make("div", { role: "listitem" }, row.label, make("span", { class: "note" }, ` ${ms(row.time)} ms, ${ms(row.exposed)} exposed`)),
        make("div", { class: "bar" }, ...parts(row).flatMap(([name, us]) => name === "turn" ? [turn()] : part(name, us)))])),
        table([{ name: "configuration" }, { name: "step (ms)", kind: "number" }, { name: "computation", kind: "number" }, { name: "exposed", kind: "number" },
               { name: "hidden", kind: "number" }, { name: "samples/s", kind: "number" }, { name: "waited for rank" }, { name: "launches", kind: "number" }],
          rows.map((row) => [row.label, inMs(row.time), inMs(row.computation), inMs(row.exposed), inMs(row.hidden), row.samples, row.waited_for, row.launches]), { caption: name })];
    }), make("p", { class: "note" }, "Bars show the computation of each micro-step, then its exposed communication; a stroke ends a micro-step. Medians over launches, for each step's slowest rank."));
  }

  if (data.comparison && !data.comparison.slowdowns.length) {
    const { by, baseline, rows, undecided, best } = data.comparison;
    const mark = (text) => text === "faster" || text === "slower" ? text : "";
    const compared = (some, caption) => table([{ name: "case" }, { name: "setting" }, { name: by }, { name: "size", kind: "size" }, { name: "verdict", mark },
      { name: "in words", kind: "words" }, { name: "launches" }, { name: "median (µs)", kind: "number" }, { name: "baseline (µs)", kind: "number" },
      { name: "ratio", kind: "number" }, { name: "p", kind: "number" }], some, { caption });
    section("comparison", `Compared by ${by} with ${baseline}`,
      rows.length ? compared(rows, "Comparison") : make("p", {}, "Every comparison is undecided."), undecided.length ? folded(undecidedText, compared(undecided, "Undecided")) : null,
      make("p", { class: "note" }, "p is corrected for all comparisons of this page (Holm): the Mann-Whitney test with enough launches, otherwise Welch's test of the logarithms."));
    if (best.length) {
      section("best", "Best by size", table([{ name: "case" }, { name: "setting" }, { name: "from", kind: "size" }, { name: "to", kind: "size" }, { name: "best" }, { name: "" , kind: "words" }],
        best, { caption: "Best by size" }));
    }
  }

  if (data.waterfalls.length) {
    const bars = data.waterfalls.map(({ levels }) => make("div", { class: "levels", role: "list" }, ...levels.flatMap((level) => {
      const bar = make("div", { class: "bar" }, make("span", { style: `width:${Math.min(100, level.of_first_percent)}%` }),
        make("em", {}, `${numberText(level.GBps)} GB/s, ${level.of_first_percent.toFixed(0)} %` + (level.lost_percent > 0.05 ? `, ${level.lost_percent.toFixed(1)} % lost here` : "")));
      return [make("div", { role: "listitem" }, level.name, make("span", { class: "note" }, " " + level.where)), bar];
    })));
    section("waterfall", "Where bandwidth is lost", ...bars.flatMap((bar, i) => {
      const { name, levels } = data.waterfalls[i], title = "Where bandwidth is lost, " + name;
      return [make("h3", {}, name, " ", save(title, () => barPicture(title, levels.map((level) => ({ label: level.name,
        text: `${numberText(level.GBps)} GB/s, ${level.of_first_percent.toFixed(0)} %`,
        parts: [{ share: Math.min(1, level.of_first_percent / 100), color: styles[0].color }] }))))), bar];
    }));
  }

  if (data.links.length) {
    section("links", "Links", ...data.links.map((links) => {
      const isTime = links.test === "latency", unit = isTime ? "µs" : links.unit;
      return heatMap({ title: `${isTime ? "Latency" : "Bandwidth"} of every pair at ${sizeText(links.size)} B (${unit})`, unit, isTime,
        names: links.names, pairs: links.pairs, marked: links.marked });
    }));
  }

  if (data.scaling.length) {
    const made = data.scaling.map((each) => lineChart({ title: each.name, yTitle: "busbw (GB/s)", xTitle: "ranks", xSizes: false,
      series: each.series.map((s) => ({ label: s.label, points: s.points.map((p) => ({ x: p.ranks, y: p.busbw, low: null, high: null })) })) }));
    made.forEach(({ chart }) => paint(chart));
    section("scaling", "Scaling with ranks", ...data.scaling.map((each, i) => make("div", {}, legend(each.series.map((s) => s.label), () => [made[i].chart]), made[i].figure)));
  }

  if (data.fit.length) {
    section("fit", "Alpha and beta", table([{ name: "path" }, { name: "collective" }, { name: "algorithm" }, { name: "messages from", kind: "size" }, { name: "to", kind: "size" },
      { name: "alpha (µs)", kind: "number" }, { name: "GB/s", kind: "number" }, { name: "residual (%)", kind: "number" }, { name: "held-out sizes (%)", kind: "number" }, { name: "held-out ranks (%)", kind: "number" }],
      data.fit, { caption: "Fit" }), make("p", { class: "note" }, "time = steps × alpha + bytes / (GB/s), with the steps and bytes of the algorithm's schedule; held out is the median error of predictions for data that the fit had not seen."));
  }

  if (data.stragglers.looked_at) {
    section("stragglers", "Stragglers", data.stragglers.rows.length
      ? table([{ name: "held up by" }, { name: "cost (%)", kind: "number" }, { name: "p", kind: "number" }, { name: "evidence", kind: "words" }], data.stragglers.rows, { caption: "Stragglers" })
      : make("p", {}, data.stragglers.none_found + "."),
      data.stragglers.shortage ? make("p", { class: "note" }, data.stragglers.shortage + ".") : null);
  }

  if (data.notes.length) section("notes", "Left out, and why", make("ul", {}, ...data.notes.map((text) => make("li", {}, text))));

  section("provenance", "Where the numbers come from",
    table([{ name: "file" }, { name: "rows", kind: "number" }, { name: "runs", kind: "number" }, { name: "first" }, { name: "last" }, { name: "hosts", kind: "words" }, { name: "version" }, { name: "labels", kind: "words" }], data.sources, { caption: "Sources" }),
    data.facts.length ? table([{ name: "folder" }, { name: "what" }, { name: "value", kind: "words" }], data.facts, { caption: "Run details", step: 20 }) : null);
  const rows = section("rows", "All rows");
  const filter = make("input", { type: "search", placeholder: "filter, such as all_reduce tcp", "aria-label": "Filter rows" });
  const rowsPlace = make("div");
  const columns = data.columns.map((name, c) => ({ name, kind: name === "size_bytes" ? "size" : data.rows.some((row) => typeof row[c] === "number") ? "number" : "text" }));
  const showRows = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = words.length ? data.rows.filter((row) => { const text = row.join(" ").toLowerCase(); return words.every((word) => text.includes(word)); }) : data.rows;
    rowsPlace.replaceChildren(table(columns, matching, { step: 50, caption: "All rows" }));
  };
  let waiting = 0;
  filter.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(showRows, 150); });
  rows.append(make("div", { class: "tools" }, filter), rowsPlace);
  showRows();

  document.getElementById("footer").textContent = `Made ${data.made} by ringmark ${data.version}. This page needs no network. Charts: Chart.js (MIT).`;

  followTheme(() => charts.forEach(paint));
})();
