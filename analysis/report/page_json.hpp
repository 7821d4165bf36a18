// How the page's data is written: JSON whose members keep their order, so that the same results make the same page.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "results/page/page.hpp"

namespace ringmark::analysis {

using PageJson = nlohmann::ordered_json;

/// null for a value that is absent or not finite.
inline PageJson figure(double value) { return std::isfinite(value) ? PageJson(value) : PageJson(nullptr); }
template <class Value>
PageJson figure(const std::optional<Value>& value) {
  return value ? figure(static_cast<double>(*value)) : PageJson(nullptr);
}

/// For the inside of a script element.
inline std::string as_script(const PageJson& value) {
  return within_script(value.dump(-1, ' ', false, PageJson::error_handler_t::replace));
}

}  // namespace ringmark::analysis
