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

// Follows the reader's wish for light or dark, now and later; `repaint` paints canvases anew.
const followTheme = (repaint) => {
  const theme = document.getElementById("theme");
  const set = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    theme.setAttribute("aria-pressed", String(dark));
    theme.textContent = dark ? "Light" : "Dark";
    repaint();
  };
  theme.addEventListener("click", () => set(document.documentElement.dataset.theme !== "dark"));
  set(window.matchMedia("(prefers-color-scheme: dark)").matches);
};
