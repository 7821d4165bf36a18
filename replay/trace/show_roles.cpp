#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text_table.hpp"
#include "base/text/with_count.hpp"
#include "replay/trace/show.hpp"

namespace ringmark::replay {
namespace {

std::string group_table(const RoleTrace& trace) {
  std::vector<std::vector<std::string>> lines{{"group", ">ranks", "members of the first group"}};
  for (const auto& group : trace.groups) {
    if (group.size() < 2) continue;
    auto members = group.members(0);
    constexpr std::size_t most_shown = 8;
    const bool is_long = members.size() > most_shown;
    if (is_long) members.resize(most_shown);
    lines.push_back({group.name, fmt::format("{}", group.size()),
                     fmt::format("{}{}", fmt::join(members, " "), is_long ? " …" : "")});
  }
  return print_table(std::move(lines));
}

/// The calls of a rank of each role, by group, operation and type.
std::string call_table(const RoleTrace& trace) {
  struct Sum {
    std::uint64_t calls = 0;
    double bytes = 0;
  };
  std::vector<std::vector<std::string>> lines{{"role", "operation", "type", "group", ">calls", ">wire bytes per rank"}};
  for (const auto& role : trace.roles) {
    std::map<std::tuple<int, std::string, std::string>, Sum> sums;
    Sum all;
    for (const auto& play : role.plays) {
      for (const auto& event : trace.passes[static_cast<std::size_t>(play.pass)].events) {
        const int ranks = is_call(event) ? trace.groups[static_cast<std::size_t>(event.group)].size() : 1;
        if (ranks < 2) continue;
        auto& sum = sums[{event.group, std::string(call_name(event)), std::string(name(event.type))}];
        for (auto* each : {&sum, &all}) {
          ++each->calls;
          each->bytes += wire_bytes(event, ranks);
        }
      }
    }
    for (const auto& [key, sum] : sums) {
      const auto& [group, what, type] = key;
      lines.push_back({role.name, what, type, trace.groups[static_cast<std::size_t>(group)].name,
                       fmt::format("{}", sum.calls), readable_bytes(sum.bytes)});
    }
    lines.push_back({role.name, "all", "", "", fmt::format("{}", all.calls), readable_bytes(all.bytes)});
  }
  return print_table(std::move(lines));
}

std::string pass_list(const RoleTrace& trace) {
  std::string text;
  for (const auto& role : trace.roles) {
    text += fmt::format("\n{}:\n", role.name);
    for (const auto& [pass, micro_batch] : role.plays) {
      const auto& of = trace.passes[static_cast<std::size_t>(pass)];
      text += fmt::format("  {}{}{}\n", of.name, micro_batch ? fmt::format(" of micro-batch {}", *micro_batch) : "",
                          of.chunk ? fmt::format(", chunk {}", *of.chunk) : "");
    }
  }
  return text;
}

}  // namespace

std::string show(const RoleTrace& trace, bool events) {
  std::size_t count = 0;
  for (const auto& pass : trace.passes) count += pass.events.size();
  auto text =
      fmt::format("{}: {}{}{}, {} ranks, {} micro-batch{}\n", trace.id, trace.model, trace.model.empty() ? "" : ", ",
                  trace.source, trace.ranks, trace.micro_batches, trace.micro_batches == 1 ? "" : "es");
  for (const auto& [key, value] : trace.parameters) text += fmt::format("  {} = {}\n", key, value);
  text += fmt::format("{}, {} pass{} with {}\n\n{}\n{}", with_count(trace.roles.size(), "role"), trace.passes.size(),
                      trace.passes.size() == 1 ? "" : "es", with_count(count, "event"), group_table(trace),
                      call_table(trace));
  if (events) text += pass_list(trace);
  return text;
}

}  // namespace ringmark::replay
