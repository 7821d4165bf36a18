// The frame that the pages of reports and verdicts share: one file of HTML that needs no network.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/write_file.hpp"

namespace ringmark {

struct Page {
  std::string_view title;
  std::string_view without_script;  ///< the page's parts that need its script, such as "The tables and charts"
  std::string_view
      script;  ///< it finds `data`, `make`, `section`, `folded`, `followTheme` (elements.js), and `heatMap`
  std::string_view style{};    ///< beside page.css
  std::string_view library{};  ///< a script that `script` uses
};

/// JSON for the inside of a script element: no text in it can end the element.
std::string within_script(std::string_view json);

/// The page, part by part. `write_data` sends JSON that is within_script.
void write_page(const Page& page, const std::function<void(const TextSink&)>& write_data, const TextSink& sink);

/// Files of this folder, embedded.
extern const std::string_view page_html, page_css, elements_js, heat_map_js;

}  // namespace ringmark
