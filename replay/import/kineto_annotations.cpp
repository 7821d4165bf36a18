#include <algorithm>

#include <fmt/format.h>

#include "replay/import/formats.hpp"
#include "replay/import/kineto_calls.hpp"
#include "replay/import/messages.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

/// The part after "nccl:", for each of PyTorch's back ends; empty for other names.
std::string_view annotated(std::string_view name) {
  for (const std::string_view backend : {"nccl:", "gloo:", "ucc:", "mpi:", "xccl:"}) {
    if (name.starts_with(backend) && !name.starts_with(std::string(backend) + ":")) return name.substr(backend.size());
  }
  return "";
}

const Json& list_in(const Json& args, const char* key) {
  static const Json none = Json::array();
  const auto found = args.find(key);
  return found != args.end() && found->is_array() ? *found : none;
}

const Json& dimensions(const Json& args) {
  return list_in(args, args.contains("Input Dims") ? "Input Dims" : "Input dims");
}

/// Elements of a tensor [8, 10], or of all tensors in a list.
std::uint64_t elements_of(const Json& dims) {
  if (!dims.is_array()) return 0;
  const bool is_tensor = std::all_of(dims.begin(), dims.end(), [](const Json& each) { return each.is_number(); });
  std::uint64_t product = 1, sum = 0;
  for (const auto& each : dims) {
    if (is_tensor && (!each.is_number_unsigned() || each.get<std::uint64_t>() > most_elements)) return 0;
    if (is_tensor) product = std::min(product * each.get<std::uint64_t>(), most_elements + 1);
    if (!is_tensor) sum += elements_of(each);
  }
  return is_tensor ? product : sum;
}

/// An operator's argument, recorded as text: "3", "[3, 5]".
Json argument(const Json& args, std::size_t index) {
  const auto& values = list_in(args, "Concrete Inputs");
  if (index >= values.size() || !values[index].is_string()) return {};
  auto value = Json::parse(values[index].get<std::string>(), nullptr, false);
  return value.is_discarded() ? Json() : value;
}

/// Adds the root, the parts and the output's size, which the annotation lacks.
void complete(Call& call, const std::string& operator_name, const Json& args) {
  const std::size_t root_at = call.collective == Collective::broadcast ? 2 : 3;
  if (const auto root = argument(args, root_at); is_rooted(call.collective) && root.is_number_unsigned())
    call.root = root.get<int>();
  const auto& dims = dimensions(args);  // of the output and the input
  if (operator_name.find("_base_") == std::string::npos || dims.size() < 2) return;
  const auto out = elements_of(dims[0]), in = elements_of(dims[1]);
  if (call.collective == Collective::all_gather && out > 0) call.elements = out, call.is_share = false;
  if (call.collective == Collective::all_to_all)
    call.is_uneven = in != out || are_uneven_parts(argument(args, 3)) || are_uneven_parts(argument(args, 4));
}

/// The number of ranks whose blocks an operator gathers or scatters; 0 if its sizes do not show it.
int ranks_of_blocks(Collective collective, const Json& args) {
  const auto& dims = dimensions(args);  // of the output and the input
  if (dims.size() < 2 || (collective != Collective::all_gather && collective != Collective::reduce_scatter)) return 0;
  auto whole = elements_of(dims[0]), block = elements_of(dims[1]);
  if (collective == Collective::reduce_scatter) std::swap(whole, block);
  if (block == 0 || whole % block != 0 || whole / block > static_cast<std::uint64_t>(most_ranks)) return 0;
  return static_cast<int>(whole / block);
}

/// Gloo implements reduce_scatter as an all_reduce, and annotates the latter.
Collective kind_of(Collective collective) {
  return collective == Collective::reduce_scatter ? Collective::all_reduce : collective;
}

constexpr int unknown_root = -1;

}  // namespace

/// c10d::send(tensors, group, peer, tag), whose group is not recorded.
void AnnotatedCalls::take_message(const Json& args, const std::string& name, double begin_us, double end_us) {
  const auto& types = list_in(args, "Input type");
  const auto& dims = dimensions(args);
  constexpr std::size_t peer_at = 2;
  const auto peer = argument(args, peer_at);
  const auto elements = dims.empty() ? 0 : elements_of(dims[0]);
  if (elements == 0 || !peer.is_number_unsigned() || types.empty()) {
    unread_us_.push_back(begin_us);
    ++not_understood_[name + (dims.empty() ? " without sizes (record_shapes=True records them)" : "")];
    return;
  }
  const bool is_sent = message_named(name) == MessageKind::send;
  const auto call = call_of({is_sent, peer.get<int>(), elements, DataType::float32}, Phase::backward);
  messages_[is_sent].push_back({begin_us, end_us, call, "", {}, false, {}, begin_us});
}

/// The messages with their types. A list of tensors does not show its type; the n-th annotation has that of the n-th
/// message.
std::vector<TimedCall> AnnotatedCalls::typed_messages() {
  std::vector<TimedCall> all;
  for (auto& [is_sent, messages] : messages_) {
    auto& types = message_types_[is_sent];
    std::stable_sort(messages.begin(), messages.end(),
                     [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; });
    std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (types.size() != messages.size()) {
      imported_.not_understood[is_sent ? "send of an unknown type" : "recv of an unknown type"] +=
          static_cast<int>(messages.size());
      continue;
    }
    for (std::size_t i = 0; i < messages.size(); ++i) messages[i].call.type = types[i].second;
    all.insert(all.end(), messages.begin(), messages.end());
  }
  return all;
}

void AnnotatedCalls::take(const Json& event, const std::string& name, double begin_us, double end_us) {
  const auto args = event.value("args", Json::object());
  if (name.starts_with("c10d::")) {
    if (message_named(name)) return take_message(args, name, begin_us, end_us);
    if (const auto collective = collective_named(name))
      operators_[kind_of(*collective)].push_back({begin_us, name, *collective, args});
    return;
  }
  const auto title = annotated(name);
  if (title.empty() || title.find("barrier") != std::string_view::npos) return;
  const auto collective = collective_named(title);
  const auto& types = list_in(args, "Input type");
  std::optional<DataType> type;
  if (!types.empty() && types[0].is_string()) type = type_named(types[0].get<std::string>());
  if (const auto kind = message_named(std::string(title)); kind && type) {
    message_types_[*kind == MessageKind::send].emplace_back(begin_us, *type);
    return;
  }
  const auto elements = elements_of(dimensions(args).size() == 1 ? dimensions(args)[0] : dimensions(args));
  if (!collective || !type || dimensions(args).empty()) {
    unread_us_.push_back(begin_us);
    ++not_understood_[name + (dimensions(args).empty() ? " without sizes (record_shapes=True records them)" : "")];
    return;
  }
  Call call{*collective, elements, *type, 0, Phase::backward, true, 0};
  call.is_share = *collective == Collective::all_gather;
  if (is_rooted(*collective)) call.root = unknown_root;
  annotations_.push_back({event.value("tid", Json()).dump(), begin_us, end_us, call, 0});
}

/// The n-th annotation of a collective belongs to the n-th operator, which may be on another thread. Not every version
/// records an operator for every call.
void AnnotatedCalls::join_operators() {
  for (auto& [kind, operators] : operators_) {
    std::vector<Annotation*> annotations;
    for (auto& each : annotations_) {
      if (kind_of(each.call.collective) == kind) annotations.push_back(&each);
    }
    std::stable_sort(operators.begin(), operators.end(),
                     [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; });
    const auto belong = [](const Annotation* annotation, const Operator& each) {
      return annotation->call.collective == each.collective || annotation->call.collective == Collective::all_reduce;
    };
    if (!std::equal(annotations.begin(), annotations.end(), operators.begin(), operators.end(), belong)) continue;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      annotations[i]->call.collective = operators[i].collective;
      complete(annotations[i]->call, operators[i].name, operators[i].args);
      annotations[i]->ranks = ranks_of_blocks(operators[i].collective, operators[i].args);
      annotations[i]->begin_us = std::min(annotations[i]->begin_us, operators[i].begin_us);
    }
  }
}

std::vector<TimedCall> AnnotatedCalls::finish(const std::vector<CollectiveKernel>& kernels, const Launches& launches) {
  const auto earlier = [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; };
  std::stable_sort(annotations_.begin(), annotations_.end(), earlier);
  join_operators();
  for (const auto& [what, count] : not_understood_) imported_.not_understood[what] += count;
  std::erase_if(annotations_, [&](const Annotation& each) {
    if (each.call.elements == 0) ++imported_.not_understood[fmt::format("{} of nothing", name(each.call.collective))];
    return each.call.elements == 0;
  });
  std::stable_sort(annotations_.begin(), annotations_.end(), earlier);
  if (annotations_.empty()) return typed_messages();
  int roots = 0;
  for (auto& each : annotations_) {
    if (each.call.root == unknown_root) each.call.root = 0, ++roots;
  }
  if (roots > 0)
    imported_.remarks.push_back(fmt::format("does not show the root of {} calls; rank 0 is assumed", roots));
  const auto of_groups =
      std::count_if(annotations_.begin(), annotations_.end(), [&](const auto& each) { return is_of_a_group(each); });
  if (of_groups == 0) {
    imported_.remarks.emplace_back(
        "does not show which ranks make a call; if all ranks make the same calls, each counts as one of all ranks");
  } else {
    imported_.remarks.push_back(fmt::format(
        "shows the ranks of a call only through its sizes: {} of {} calls count as those of a group, the others as "
        "calls of all ranks",
        of_groups, annotations_.size()));
  }
  if (auto calls = on_device(kernels, launches); !calls.empty()) {
    for (const auto& [is_sent, messages] : messages_)
      imported_.not_understood[is_sent ? "send" : "recv"] += static_cast<int>(messages.size());
    std::erase_if(imported_.not_understood, [](const auto& each) { return each.second == 0; });
    return calls;
  }
  auto calls = typed_messages();
  for (const auto& each : annotations_) calls.push_back(on_host(each));
  return calls;
}

bool AnnotatedCalls::is_of_a_group(const Annotation& annotation) const {
  return annotation.ranks > 1 && annotation.ranks < imported_.ranks.value_or(0);
}

TimedCall AnnotatedCalls::on_host(const Annotation& annotation) const {
  TimedCall call{annotation.begin_us, annotation.end_us, annotation.call, "", {}, false, {}, annotation.begin_us};
  if (is_of_a_group(annotation)) {
    call.group = fmt::format("{} ranks", annotation.ranks);
    call.seen.ranks = annotation.ranks;
  }
  return call;
}

/// A kernel belongs to the annotation that was open on its thread at the launch. A call may have several kernels.
std::vector<TimedCall> AnnotatedCalls::on_device(const std::vector<CollectiveKernel>& kernels,
                                                 const Launches& launches) {
  std::unordered_map<std::string, std::vector<std::size_t>> by_thread;  // indices, by time
  for (std::size_t i = 0; i < annotations_.size(); ++i) by_thread[annotations_[i].thread].push_back(i);
  std::vector<std::optional<TimedCall>> calls(annotations_.size());
  int without_call = 0;
  for (const auto& kernel : kernels) {
    const auto launch = kernel.correlation ? launches.find(*kernel.correlation) : launches.end();
    if (launch == launches.end()) {
      ++without_call;
      continue;
    }
    const auto& indices = by_thread[launch->second.thread];
    const auto next = std::partition_point(indices.begin(), indices.end(), [&](std::size_t i) {
      return annotations_[i].begin_us <= launch->second.at_us;
    });
    if (next == indices.begin() || annotations_[*(next - 1)].end_us < launch->second.at_us) {
      ++without_call;
      continue;
    }
    const auto& annotation = annotations_[*(next - 1)];
    auto& call = calls[*(next - 1)];
    if (!call) {
      call = on_host(annotation);
      call->begin_us = kernel.begin_us;
      call->end_us = kernel.end_us;
      call->is_on_device = true;
      call->correlation = kernel.correlation;
    }
    call->begin_us = std::min(call->begin_us, kernel.begin_us);
    call->end_us = std::max(call->end_us, kernel.end_us);
  }
  std::vector<TimedCall> result;
  for (auto& call : calls) {
    if (call) result.push_back(std::move(*call));
  }
  if (result.empty()) return result;
  const auto without = static_cast<int>(annotations_.size() - result.size());
  if (without_call > 0) imported_.not_understood["NCCL kernel whose call was not recorded"] += without_call;
  if (without > 0) imported_.not_understood["call whose kernel was not recorded"] += without;
  return result;
}

}  // namespace ringmark::replay
