// How the page's data is written: JSON whose members keep their order, so that the same results make the same page.
#pragma once

#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

namespace ringmark::analysis {

using PageJson = nlohmann::ordered_json;

/// null for a value that is absent or not finite.
inline PageJson figure(double value) { return std::isfinite(value) ? PageJson(value) : PageJson(nullptr); }
template <class Value>
PageJson figure(const std::optional<Value>& value) {
  return value ? figure(static_cast<double>(*value)) : PageJson(nullptr);
}

}  // namespace ringmark::analysis
