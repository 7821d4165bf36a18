"use strict";
// Shared by the scripts of all pages: the data, elements, sections, light and dark.
const data = JSON.parse(document.getElementById("data").textContent);

// Elements, from plain values only: nothing of the data is ever read as HTML.
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
};

// A section of the page, with its entry among the contents.
const section = (id, title, ...children) => {
  const element = make("section", { id, "aria-labelledby": id + "-title" }, make("h2", { id: id + "-title" }, title), ...children);
  document.getElementById("main").append(element);
  document.getElementById("contents").append(make("a", { href: "#" + id }, title));
  return element;
};

// Details that few readers need, collapsed behind a summary line.
const folded = (summary, ...children) => make("details", {}, make("summary", {}, summary), ...children);

document.getElementById("facts").append(...(data.head || []).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

// Paper is white and cannot be unfolded, so elements marked for print are open there.
let restored = [];
window.addEventListener("beforeprint", () => {
  restored = [...document.querySelectorAll("details[data-print=open]:not([open])")];
  restored.forEach((each) => { each.open = true; });
});
window.addEventListener("afterprint", () => restored.forEach((each) => { each.open = false; }));

// Follows the reader's preference for light or dark, also when it changes; `repaint` redraws canvases.
const followTheme = (repaint) => {
  const theme = document.getElementById("theme");
  let before = "light";
  const set = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    theme.setAttribute("aria-pressed", String(dark));
    theme.textContent = dark ? "Light" : "Dark";
    repaint();
  };
  theme.addEventListener("click", () => set(document.documentElement.dataset.theme !== "dark"));
  window.addEventListener("beforeprint", () => { before = document.documentElement.dataset.theme; set(false); });
  window.addEventListener("afterprint", () => set(before === "dark"));
  set(window.matchMedia("(prefers-color-scheme: dark)").matches);
};
