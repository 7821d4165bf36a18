#include "replay/generate/pass_builder.hpp"

namespace ringmark::replay {

std::optional<int> PassBuilder::call(const Call& call) {
  const int size = grid_.size(call.over);
  if (size < 2) return std::nullopt;
  auto& event = add(EventKind::collective);
  event.collective = call.collective;
  event.elements = call.elements;
  event.type = call.type;
  event.op = call.op;
  event.group = event.channel = static_cast<int>(Grid::index(call.over));
  event.is_async = call.is_async;
  event.root = call.root;
  event.is_boolean = call.is_boolean;
  event.depends_on_routing = call.depends_on_routing;
  event.batch = call.batch;
  event.after = call.after;
  event.tag = call.tag;
  return static_cast<int>(pass_.events.size()) - 1;
}

Event& PassBuilder::compute(double flops, double memory_bytes, const std::string& tag,
                            std::vector<Operator> operators) {
  auto& event = add(EventKind::compute);
  event.flops = flops;
  event.memory_bytes = memory_bytes;
  event.operators = std::move(operators);
  event.tag = tag;
  return event;
}

std::optional<int> PassBuilder::wait(std::optional<int> call) {
  if (!call) return std::nullopt;
  add(EventKind::wait).after = {*call};
  return static_cast<int>(pass_.events.size()) - 1;
}

void PassBuilder::drain(Over over) {
  if (grid_.size(over) > 1) add(EventKind::wait).drains = static_cast<int>(Grid::index(over));
}

Event& PassBuilder::add(EventKind kind) {
  auto& event = pass_.events.emplace_back();
  event.kind = kind;
  event.phase = phase;
  return event;
}

}  // namespace ringmark::replay
