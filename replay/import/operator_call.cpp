#include "replay/import/operator_call.hpp"

#include <algorithm>

#include "replay/import/formats.hpp"
#include "replay/import/messages.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

/// Tensors are lists of [id, storage, offset, elements, bytes per element, device], nested as in the operator.
std::uint64_t elements_in(const Json& value) {
  if (!value.is_array() || value.empty()) return 0;
  const bool is_tensor =
      value.size() >= 6 && value[0].is_number() && value[3].is_number_unsigned() && value[5].is_string();
  if (is_tensor) return value[3].get<std::uint64_t>();
  std::uint64_t sum = 0;
  for (const auto& each : value) sum += elements_in(each);
  return sum;
}

/// The elements that c10d's operator sends to each rank; empty if its arguments do not show them. They are
/// alltoall_base_(output, input, group, rows to receive, rows to send, …), or alltoall_(outputs, inputs, group, …).
std::vector<std::uint64_t> sent_parts(const std::string& operation, const Json& values) {
  std::vector<std::uint64_t> parts;
  if (operation == "c10d::alltoall_" && values.size() > 1 && values[1].is_array()) {
    for (const auto& tensor : values[1]) parts.push_back(elements_in(tensor));
    return parts;
  }
  constexpr std::size_t input_at = 1, rows_at = 4;
  if (operation != "c10d::alltoall_base_" || values.size() <= rows_at) return parts;
  return parts_of_rows(values[rows_at], elements_in(values[input_at]));
}

std::string name_among(const Json& values) {
  for (const auto& value : values) {
    if (value.is_string() && collective_named(value.get<std::string>())) return value.get<std::string>();
  }
  return "";
}

std::string first_type_of(const Json& node) {
  const auto inputs = node.value("inputs", Json::array());
  const auto& types = inputs.is_object() ? inputs.at("types") : node.value("input_types", Json::array());
  return types.empty() ? "" : types.at(0).get<std::string>();
}

/// Sets an all_to_all's elements and parts.
void divide(Call& call, const std::string& operation, const Json& values, std::uint64_t first, std::uint64_t second,
            std::uint64_t out) {
  // c10d::alltoall_base_(output, input, …), but record_param_comms(input, …)
  const bool is_operator = operation.starts_with("c10d::");
  const auto sent = is_operator ? second : first, got = is_operator ? first : out;
  call.elements = sent;
  call.parts = sent_parts(operation, values);
  const bool sends_nothing = sent == 0 && !call.parts.empty();
  call.is_uneven =
      sends_nothing || (got > 0 && got != sent) || std::any_of(values.begin(), values.end(), are_uneven_parts);
}

}  // namespace

const nlohmann::json& values_in(const nlohmann::json& node, const char* key) {
  static const Json none = Json::array();
  const auto found = node.find(key);
  if (found == node.end()) return none;
  return found->is_object() ? found->at("values") : *found;
}

std::optional<Call> call_of_operator(const nlohmann::json& node, Phase phase) {
  const auto operation = node.at("name").get<std::string>();
  const auto& values = values_in(node, "inputs");
  const auto& results = values_in(node, "outputs");
  const auto type = type_named(first_type_of(node));
  if (const auto kind = message_named(operation)) {
    // c10d::send(tensors, group, peer, tag)
    constexpr std::size_t peer_at = 2;
    const auto elements = values.empty() ? 0 : elements_in(values.at(0));
    if (!type || elements == 0 || values.size() <= peer_at || !values[peer_at].is_number_unsigned())
      return std::nullopt;
    return call_of({*kind == MessageKind::send, values[peer_at].get<int>(), elements, *type}, phase);
  }
  const auto collective = collective_named(operation == "record_param_comms" ? name_among(values) : operation);
  if (!collective || !type || values.empty()) return std::nullopt;
  Call call{*collective, 0, *type, 0, phase, phase == Phase::backward, 0};
  const auto first = elements_in(values.at(0)), second = values.size() > 1 ? elements_in(values.at(1)) : 0;
  const auto out = elements_in(results);
  if (*collective == Collective::all_to_all) {
    divide(call, operation, values, first, second, out);
  } else {
    // The first argument is the input, or the output for gathers and scatters with a base tensor.
    call.elements = is_sharded(*collective) ? std::max({first, second, out}) : first;
  }
  // c10d::broadcast_(tensors, group, root, …), c10d::reduce_(tensors, group, operation, root, …)
  const std::size_t root_at = *collective == Collective::broadcast ? 2 : 3;
  if (is_rooted(*collective) && operation.starts_with("c10d::") && values.size() > root_at &&
      values[root_at].is_number_unsigned())
    call.root = values[root_at].get<int>();
  if (call.elements == 0 && call.parts.empty()) return std::nullopt;
  return call;
}

}  // namespace ringmark::replay
