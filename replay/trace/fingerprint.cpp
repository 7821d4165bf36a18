#include "replay/trace/fingerprint.hpp"

namespace ringmark::replay {
namespace {

/// FNV-1a over whole numbers.
class Hash {
 public:
  template <class... Values>
  void add(Values... values) {
    ((value_ = (value_ ^ static_cast<std::uint64_t>(values)) * 0x100000001b3), ...);
  }

  void add_event(const Event& event) {
    add(event.kind, event.phase, event.micro_step, event.stream, event.after.size());
    for (const int before : event.after) add(before);
    if (event.kind == EventKind::wait) add(event.drains.value_or(-1), event.oldest_message_of.value_or(-1), event.peer);
    if (!is_call(event)) return;
    add(event.collective, event.elements, event.type, event.op);
    add(event.group, event.channel, event.is_async, event.root, event.pattern, event.peer, event.batch.value_or(-1));
    add(event.counts.size());
    for (const auto count : event.counts) add(count);
  }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

std::uint64_t fingerprint(const StepTrace& trace) {
  Hash hash;
  hash.add(trace.ranks);
  for (const auto& group : trace.groups) hash.add(group.kind, group.width);
  for (const auto& channel : trace.channels) hash.add(channel.group);
  for (const auto& event : trace.events) hash.add_event(event);
  return hash.value();
}

std::uint64_t fingerprint(const RoleTrace& trace) {
  Hash hash;
  hash.add(trace.ranks, trace.micro_batches, trace.role_stride, trace.roles.size());
  for (const auto& group : trace.groups) {
    hash.add(group.dimensions.size());
    for (const auto& [size, stride] : group.dimensions) hash.add(size, stride);
  }
  for (const auto& pass : trace.passes) {
    hash.add(pass.events.size());
    for (const auto& event : pass.events) hash.add_event(event);
  }
  for (const auto& role : trace.roles) {
    hash.add(role.plays.size());
    for (const auto& play : role.plays) hash.add(play.pass, play.micro_batch.value_or(-1));
  }
  return hash.value();
}

}  // namespace ringmark::replay
