#include "results/page/page.hpp"

#include <map>

namespace ringmark {

std::string within_script(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

void write_page(const Page& page, const std::function<void(const TextSink&)>& write_data, const TextSink& sink) {
  const std::map<std::string_view, std::string_view> parts{
      {"title", page.title},        {"without_script", page.without_script},
      {"page_css", page_css},       {"style", page.style},
      {"library", page.library},    {"elements_js", elements_js},
      {"heat_map_js", heat_map_js}, {"script", page.script}};
  auto rest = page_html;
  for (std::size_t open; (open = rest.find("{{")) != std::string_view::npos;) {
    const auto close = rest.find("}}", open);
    const auto name = rest.substr(open + 2, close - open - 2);
    sink(rest.substr(0, open));
    if (name == "data") {
      write_data(sink);
    } else {
      sink(parts.at(name));
    }
    rest.remove_prefix(close + 2);
  }
  sink(rest);
}

}  // namespace ringmark
