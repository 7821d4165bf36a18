// The frame shared by the pages of reports and verdicts: a single HTML file that works offline.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/write_file.hpp"

namespace ringmark {

struct Page {
  std::string_view title;
  std::string_view without_script;  ///< the parts of the page that need JavaScript, such as "The tables and charts"
  std::string_view script;  ///< can use `data`, `make`, `section`, `folded`, `followTheme` (elements.js), and `heatMap`
  std::string_view style{};    ///< in addition to page.css
  std::string_view library{};  ///< a script that `script` uses
};

/// JSON for use inside a script element: no text in it can close the element.
std::string within_script(std::string_view json);

/// The page, part by part. `write_data` sends JSON that is within_script.
void write_page(const Page& page, const std::function<void(const TextSink&)>& write_data, const TextSink& sink);

/// Files of this folder, embedded.
extern const std::string_view page_html, page_css, elements_js, heat_map_js;

}  // namespace ringmark
