#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "bench/replay/import/formats.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

/// Tensors are lists of [id, storage, offset, elements, bytes of one, device], nested as the operator nests them.
std::uint64_t elements_in(const Json& value) {
  if (!value.is_array() || value.empty()) return 0;
  const bool is_tensor =
      value.size() >= 6 && value[0].is_number() && value[3].is_number_unsigned() && value[5].is_string();
  if (is_tensor) return value[3].get<std::uint64_t>();
  std::uint64_t sum = 0;
  for (const auto& each : value) sum += elements_in(each);
  return sum;
}

class ExecutionTrace {
 public:
  explicit ExecutionTrace(const Json& json) {
    imported_.format = fmt::format("PyTorch execution trace {}", json.value("schema", ""));
    for (const auto& node : json.at("nodes")) nodes_.emplace(node.at("id").get<std::int64_t>(), &node);
  }

  Imported run(const Json& json) {
    std::vector<const Json*> in_order;
    for (const auto& node : json.at("nodes")) in_order.push_back(&node);
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](const Json* a, const Json* b) { return a->at("id") < b->at("id"); });
    for (const auto* node : in_order) visit(*node);
    return std::move(imported_);
  }

 private:
  const Json* parent_of(const Json& node) const {
    // Newer schemas spell it ctrl_deps.
    const auto found = node.contains("parent") ? node.find("parent") : node.find("ctrl_deps");
    if (found == node.end() || !found->is_number_integer()) return nullptr;
    const auto parent = nodes_.find(found->get<std::int64_t>());
    return parent == nodes_.end() || parent->second == &node ? nullptr : parent->second;
  }

  void visit(const Json& node) {
    const auto name = node.at("name").get<std::string>();
    const bool is_call = name.starts_with("c10d::"), is_record = name == "record_param_comms";
    if (!is_call && !is_record) return;
    Phase phase = Phase::forward;
    const Json* at = parent_of(node);
    for (int depth = 0; at != nullptr && depth < 10'000; ++depth, at = parent_of(*at)) {
      const auto above = at->at("name").get<std::string>();
      // One call is recorded by several layers; the outermost counts.
      if (above.starts_with("c10d::") || above == "record_param_comms") return;
      if (above.starts_with("autograd::engine")) phase = Phase::backward;
      if (above.starts_with("Optimizer.step")) phase = Phase::step;
    }
    const auto& inputs = node.contains("inputs") ? node.at("inputs") : empty_;
    const auto& values = inputs.is_object() ? inputs.at("values") : inputs;
    const auto& outputs = node.contains("outputs") ? node.at("outputs") : empty_;
    const auto& results = outputs.is_object() ? outputs.at("values") : outputs;
    add(name, is_record ? name_in(values) : name, values, results, types_of(node, inputs), phase);
  }

  static std::string name_in(const Json& values) {
    for (const auto& value : values) {
      if (value.is_string() && collective_named(value.get<std::string>())) return value.get<std::string>();
    }
    return "";
  }

  static std::string types_of(const Json& node, const Json& inputs) {
    const auto& types = inputs.is_object() ? inputs.at("types") : node.value("input_types", Json::array());
    return types.empty() ? "" : types.at(0).get<std::string>();
  }

  void add(const std::string& record, const std::string& name, const Json& values, const Json& results,
           const std::string& type_text, Phase phase) {
    const auto collective = collective_named(name);
    const auto type = type_named(type_text);
    if (!collective || !type || values.empty()) {
      ++imported_.not_understood[record];
      return;
    }
    Call call{*collective, 0, *type, 0, phase, phase == Phase::backward, 0};
    // The first argument is what is given, or for gathers and scatters with a base tensor what is got.
    const auto first = elements_in(values.at(0)), second = values.size() > 1 ? elements_in(values.at(1)) : 0;
    const auto out = elements_in(results);
    const bool shares = *collective == Collective::all_gather || *collective == Collective::reduce_scatter;
    call.elements = shares ? std::max({first, second, out}) : first;
    if (call.elements == 0) {
      ++imported_.not_understood[record];
      return;
    }
    imported_.calls.push_back(call);
  }

  std::unordered_map<std::int64_t, const Json*> nodes_;
  Json empty_ = Json::array();
  Imported imported_;
};

}  // namespace

Imported import_execution_trace(const nlohmann::json& json) { return ExecutionTrace(json).run(json); }

}  // namespace ringmark::replay
