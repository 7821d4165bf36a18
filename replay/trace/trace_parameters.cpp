#include "replay/trace/trace_parameters.hpp"

#include <fmt/format.h>

#include "base/flags/option.hpp"

namespace ringmark::replay {
namespace {

std::optional<int> whole_number(const std::string& text, int least, int most) {
  int number = 0;
  return read_number(text, least, most, number) ? std::optional(number) : std::nullopt;
}

/// The passes have two names; a trace has both.
bool set_passes(const std::string& name, const std::string& text, StepTrace& trace) {
  const bool is_forward = name == "eager_passes_forward";
  if (!is_forward && name != "eager_passes_backward") return false;
  constexpr double most = 1e6;
  double passes = 0;
  if (!read_number(text, 0.0, most, passes)) return false;
  auto both = trace.eager_passes.value_or(Passes{passes, passes});
  (is_forward ? both.forward : both.backward) = passes;
  trace.eager_passes = both;
  return true;
}

}  // namespace

std::map<std::string, std::string> all_parameters(const StepTrace& trace) {
  auto all = trace.parameters;
  if (trace.ranks_per_node) all["n"] = std::to_string(*trace.ranks_per_node);
  if (trace.type) all["dtype"] = name(*trace.type);
  if (trace.zero_stage) all["zero_stage"] = std::to_string(*trace.zero_stage);
  if (trace.overlap) all["overlap"] = name(*trace.overlap);
  if (!trace.overlap_is_usual) all["overlap_is_usual"] = "false";
  if (trace.gradients) all["gradients"] = name(*trace.gradients);
  if (trace.software) all["software"] = software_of(*trace.software).name;
  if (trace.eager_passes) {
    all["eager_passes_forward"] = fmt::format("{}", trace.eager_passes->forward);
    all["eager_passes_backward"] = fmt::format("{}", trace.eager_passes->backward);
  }
  return all;
}

void set_parameter(const std::string& name, const std::string& text, StepTrace& trace) {
  constexpr int most_stage = 3;
  const auto set = [&](auto& field, const auto& value) {
    if (value) field = *value;
    return value.has_value();
  };
  const bool is_set = name == "n"            ? set(trace.ranks_per_node, whole_number(text, 1, most_ranks))
                      : name == "dtype"      ? set(trace.type, parse_datatype(text))
                      : name == "zero_stage" ? set(trace.zero_stage, whole_number(text, 0, most_stage))
                      : name == "overlap"    ? set(trace.overlap, parse_overlap(text))
                      : name == "gradients"  ? set(trace.gradients, parse_gradients(text))
                      : name == "software"   ? set(trace.software, parse_software(text))
                                             : false;
  if (is_set || set_passes(name, text, trace)) return;
  if (name == "overlap_is_usual" && (text == "true" || text == "false")) {
    trace.overlap_is_usual = text == "true";
  } else {
    trace.parameters[name] = text;
  }
}

}  // namespace ringmark::replay
