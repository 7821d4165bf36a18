"use strict";
(() => {
  const list = (texts) => texts.length ? make("ul", {}, ...texts.map((text) => make("li", {}, text))) : null;
  const short = (value, unit = "") => value === null ? "–" : value.toPrecision(3) + unit;
  const table = (columns, rows) => make("div", { class: "scroll", tabindex: "0" }, make("table", {},
    make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell, i) => make("td", { class: i ? "number" : null }, String(cell))))))));

  document.title = `Tuned run: ${data.model}`;
  document.getElementById("headline").append(data.verdict);

  // Bars compare by their width: computation, then exposed communication.
  const longest = Math.max(...data.waterfall.map((point) => point.step_ms));
  const gainOf = (point) => data.parts.filter((part) => part.part === point.name).map((part) => ", " + part.gain_words).join("");
  const bar = (point) => make("div", { class: "bar", title: short(point.step_ms, " ms") },
    make("span", { class: "computed", style: `width:${100 * (point.step_ms - (point.exposed_ms || 0)) / longest}%` }),
    make("span", { class: "exposed", style: `width:${100 * (point.exposed_ms || 0) / longest}%` }));
  const drawn = data.waterfall.filter((point) => point.step_ms !== null);
  section("waterfall", "Gain by step",
    make("p", { class: "note" }, `Time of a training step, ${data.is_predicted ? "predicted" : "measured"}: light is computation, dark is exposed communication.`),
    make("div", { class: "levels", role: "list" }, ...drawn.flatMap((point) => [
      make("div", { role: "listitem" }, point.name, make("span", { class: "note" }, " " + short(point.step_ms, " ms") + gainOf(point))), bar(point)])),
    table(["", "ms", "from", "to", "samples/s", "exposed ms", "launches"], data.waterfall.map((point) => [point.name, short(point.step_ms),
      short(point.step_ms_low), short(point.step_ms_high), short(point.samples_per_s), short(point.exposed_ms), point.launches])),
    data.collective_at_end_words ? make("p", {}, "The settings of step 1 alone, with the final step: " + data.collective_at_end_words + ".") : null);

  section("changes", "What to change", data.changes.length ? list(data.changes) : make("p", {}, "Nothing: keep the default."),
    make("p", { class: "note" }, "The folder best/ has the files that are ready to use."));

  const GiB = (bytes) => bytes === null ? "unknown" : (bytes / 2 ** 30).toPrecision(3) + " GiB";
  section("memory", "Memory of a rank", table(["", "bytes"], [["default", GiB(data.memory.own_bytes)], ["result", GiB(data.memory.best_bytes)],
    ["usable on the device", GiB(data.memory.usable_bytes)]]));

  section("parts", "What was tried", ...data.parts.flatMap((part) => [make("h3", {}, part.part), make("p", {}, part.finding),
    table(["candidates", "identical to others", "out of memory", "predicted slower beyond doubt", "launches"],
      [[part.candidates, part.alike, part.out_of_memory, part.surely_slower, part.launches]]),
    part.refused.length ? folded(`${part.refused.length} changes that cannot be applied`, list(part.refused.map(({ change, why }) => `${change}: ${why}`))) : null,
    part.needs_patch.length ? folded("Needs a patched framework", list(part.needs_patch)) : null,
    part.undecided.length ? folded(`${part.undecided.length} changes within the prediction error: measure them`, list(part.undecided)) : null].filter((each) => each !== null)));

  section("calls", "Collectives of the default step", table(["collective", "type", "bytes", "number"],
    data.calls.map((call) => [call.collective, call.datatype, call.size_bytes.toLocaleString("en"), call.count])));

  document.getElementById("footer").textContent = `Made by ringmark ${data.version}. This page needs no network.`;
  followTheme(() => {});
})();
