#include "bench/replay/import/formats.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

/// Of a name what is left when everything but lower-case letters is taken away.
std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      letters.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return letters;
}

/// Elements that Event wants, from what a rank gave and got.
std::uint64_t full_elements(Collective collective, std::uint64_t in, std::uint64_t out) {
  return collective == Collective::all_gather ? out : in;
}

// ---- PyTorch execution trace

struct Tensor {
  std::uint64_t elements = 0;
};

/// Tensors are lists of [id, storage, offset, elements, bytes of one, device], nested as the operator nests them.
void add_tensors(const Json& value, std::vector<Tensor>& tensors) {
  if (!value.is_array() || value.empty()) return;
  const bool is_tensor =
      value.size() >= 6 && value[0].is_number() && value[3].is_number_unsigned() && value[5].is_string();
  if (is_tensor) {
    tensors.push_back({value[3].get<std::uint64_t>()});
    return;
  }
  for (const auto& each : value) add_tensors(each, tensors);
}

std::uint64_t elements_in(const Json& value) {
  std::vector<Tensor> tensors;
  add_tensors(value, tensors);
  std::uint64_t sum = 0;
  for (const auto& tensor : tensors) sum += tensor.elements;
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

// ---- Kineto

struct Kernel {
  double begin_us, end_us;
};

/// Microseconds of [from, to) in which at least one kernel ran.
double covered(const std::vector<Kernel>& kernels, double from, double to) {
  double sum = 0, until = from;
  for (const auto& kernel : kernels) {
    if (kernel.begin_us >= to) break;
    const double begin = std::max(kernel.begin_us, until), end = std::min(kernel.end_us, to);
    if (end > begin) sum += end - begin, until = end;
  }
  return sum;
}

struct Recorded {
  double begin_us;
  Call call;
  int group_size;  ///< 0 if it is not told
};

std::optional<Call> call_of(const Json& args) {
  const auto collective = collective_named(args.value("Collective name", ""));
  const auto type = type_named(args.value("dtype", ""));
  if (!collective || !type) return std::nullopt;
  Call call{*collective, 0, *type, 0, Phase::backward, true, 0};
  call.elements = full_elements(*collective, args.value("In msg nelems", std::uint64_t{0}),
                                args.value("Out msg nelems", std::uint64_t{0}));
  return call.elements > 0 ? std::optional(call) : std::nullopt;
}

}  // namespace

std::optional<Collective> collective_named(std::string_view text) {
  auto letters = letters_of(text.substr(text.find("::") == std::string_view::npos ? 0 : text.find("::") + 2));
  for (const std::string_view suffix : {"coalesced", "base", "intotensor", "tensor", "v", "single"}) {
    if (letters.size() > suffix.size() && letters.ends_with(suffix)) letters.resize(letters.size() - suffix.size());
  }
  static const std::array<std::pair<std::string_view, Collective>, 7> names{
      {{"allreduce", Collective::all_reduce},
       {"allgather", Collective::all_gather},
       {"reducescatter", Collective::reduce_scatter},
       {"broadcast", Collective::broadcast},
       {"reduce", Collective::reduce},
       {"alltoall", Collective::all_to_all},
       {"alltoalls", Collective::all_to_all}}};
  for (const auto& [spelling, collective] : names) {
    if (letters == spelling) return collective;
  }
  return std::nullopt;
}

std::optional<DataType> type_named(std::string_view text) {
  auto letters = std::string(text);
  if (const auto inner = letters.rfind("Tensor("); inner != std::string::npos)
    letters = letters.substr(inner + 7, letters.find(')', inner) - inner - 7);
  if (const auto colons = letters.rfind("::"); colons != std::string::npos) letters = letters.substr(colons + 2);
  std::transform(letters.begin(), letters.end(), letters.begin(), [](unsigned char c) { return std::tolower(c); });
  static const std::array<std::pair<std::string_view, DataType>, 9> names{{{"half", DataType::float16},
                                                                           {"double", DataType::float64},
                                                                           {"int", DataType::int32},
                                                                           {"long", DataType::int64},
                                                                           {"long int", DataType::int64},
                                                                           {"byte", DataType::uint8},
                                                                           {"unsigned char", DataType::uint8},
                                                                           {"char", DataType::int8},
                                                                           {"signed char", DataType::int8}}};
  for (const auto& [spelling, type] : names) {
    if (letters == spelling) return type;
  }
  return parse_datatype(letters);
}

Imported import_execution_trace(const Json& json) { return ExecutionTrace(json).run(json); }

Imported import_kineto(const Json& json) {
  Imported imported;
  imported.format = "Kineto trace";
  const auto distributed = json.value("distributedInfo", Json::object());
  if (distributed.contains("world_size")) imported.ranks = distributed["world_size"].get<int>();
  std::vector<Recorded> on_device, on_host;
  std::vector<Kernel> kernels;
  for (const auto& event : json.at("traceEvents")) {
    if (event.value("ph", "") != "X") continue;
    const auto args = event.value("args", Json::object());
    const bool is_kernel = event.value("cat", "") == "kernel";
    const auto begin = event.value("ts", 0.0), duration = event.value("dur", 0.0);
    const auto name = event.value("name", "");
    if (args.contains("Collective name")) {
      if (const auto call = call_of(args)) {
        const int size = args.value("Group size", 0);
        (is_kernel ? on_device : on_host).push_back({begin, *call, size});
        if (size > imported.ranks.value_or(0)) imported.ranks = size;
      } else {
        ++imported.not_understood[args.value("Collective name", "")];
      }
    } else if (is_kernel && name.find("nccl") == std::string::npos) {
      kernels.push_back({begin, begin + duration});
    }
  }
  // A call shows on the host, and its kernel on the device: where there are kernels, those have the true order.
  auto& recorded = on_device.empty() ? on_host : on_device;
  const auto earlier = [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; };
  std::stable_sort(recorded.begin(), recorded.end(), earlier);
  std::sort(kernels.begin(), kernels.end(), earlier);
  double since = kernels.empty() ? 0 : kernels.front().begin_us;
  for (auto& [begin, call, size] : recorded) {
    if (size > 0 && size < imported.ranks.value_or(0)) {
      ++imported.not_understood[fmt::format("{} within a group of {} of the {} ranks", name(call.collective), size,
                                            *imported.ranks)];
      continue;
    }
    call.computed_us = covered(kernels, since, begin);
    since = std::max(since, begin);
    imported.calls.push_back(call);
  }
  if (!kernels.empty()) imported.computed_after_us = covered(kernels, since, kernels.back().end_us);
  return imported;
}

Imported import_param(const Json& json) {
  Imported imported;
  imported.format = "PARAM trace";
  for (const auto& record : json) {
    const auto name = record.value("comms", record.value("compute", ""));
    if (name == "wait" || name == "barrier" || name == "init") continue;
    const auto collective = collective_named(name);
    const auto type = type_named(record.value("dtype", ""));
    if (!record.contains("comms") || !collective || !type) {
      ++imported.not_understood[name.empty() ? "record without comms" : name];
      continue;
    }
    Call call{*collective, 0, *type, record.value("root", 0), Phase::backward, record.contains("req"), 0};
    call.elements = full_elements(*collective, record.value("in_msg_size", std::uint64_t{0}),
                                  record.value("out_msg_size", std::uint64_t{0}));
    if (call.elements == 0) {
      ++imported.not_understood[name + " of nothing"];
      continue;
    }
    if (record.contains("world_size")) imported.ranks = record["world_size"].get<int>();
    imported.calls.push_back(call);
  }
  return imported;
}

}  // namespace ringmark::replay
