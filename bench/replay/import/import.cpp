#include "bench/replay/import/import.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "bench/replay/import/formats.hpp"
#include "bench/replay/input.hpp"
#include "transports/errors.hpp"

namespace ringmark::replay {
namespace {

std::string describe(const Call& call) {
  return fmt::format("{} of {} {}", name(call.collective), call.elements, name(call.type));
}

/// What ranks must agree in; times are their own.
bool is_same(const Call& a, const Call& b) {
  return a.collective == b.collective && a.elements == b.elements && a.type == b.type && a.root == b.root;
}

void require_same(const std::string& first_file, const Imported& first, const std::string& file,
                  const Imported& other) {
  const auto both = std::min(first.calls.size(), other.calls.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (!is_same(first.calls[i], other.calls[i]))
      throw BadUsage(fmt::format("call {} differs: {} has {}, {} has {}; are they ranks of one step?", i, first_file,
                                 describe(first.calls[i]), file, describe(other.calls[i])));
  }
  if (first.calls.size() != other.calls.size())
    throw BadUsage(fmt::format("{} has {} calls, {} has {}; are they ranks of one step?", first_file,
                               first.calls.size(), file, other.calls.size()));
}

void add_computation(StepTrace& trace, double us, Phase phase) {
  if (us <= 0) return;
  Event event;
  event.phase = phase;
  event.time_us = us;
  event.tag = "between calls";
  trace.events.push_back(std::move(event));
}

void require_sane(const std::string& file, const Imported& imported) {
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 48;
  constexpr int most_ranks = 1 << 20;
  if (imported.ranks && (*imported.ranks < 1 || *imported.ranks > most_ranks))
    throw BadUsage(fmt::format("{}: says that there were {} ranks", file, *imported.ranks));
  for (std::size_t i = 0; i < imported.calls.size(); ++i) {
    const auto& call = imported.calls[i];
    if (call.elements > most_elements)
      throw BadUsage(fmt::format("{}: call {}, {}: so many elements cannot be", file, i, describe(call)));
    if (call.root < 0) throw BadUsage(fmt::format("{}: call {}, {}: a root of {}", file, i, describe(call), call.root));
  }
}

StepTrace trace_of(const Imported& imported, int ranks) {
  StepTrace trace;
  trace.ranks = ranks;
  trace.source = imported.format;
  std::vector<int> unawaited;
  for (const auto& call : imported.calls) {
    add_computation(trace, call.computed_us, call.phase);
    Event event;
    event.kind = EventKind::collective;
    event.phase = call.phase;
    event.collective = call.collective;
    const auto share = static_cast<std::uint64_t>(ranks);
    const bool is_shared = call.collective == Collective::all_gather || call.collective == Collective::reduce_scatter;
    event.elements = is_shared ? (call.elements + share - 1) / share * share : call.elements;
    event.type = call.type;
    event.root = std::min(call.root, ranks - 1);
    event.is_async = call.is_async;
    if (call.is_async) unawaited.push_back(static_cast<int>(trace.events.size()));
    trace.events.push_back(std::move(event));
  }
  add_computation(trace, imported.computed_after_us, Phase::step);
  if (!unawaited.empty()) {
    Event wait;
    wait.kind = EventKind::wait;
    wait.phase = imported.calls.back().phase;
    wait.after = std::move(unawaited);
    trace.events.push_back(std::move(wait));
  }
  return trace;
}

}  // namespace

Imported import_text(const std::string& file, const std::string& text) {
  constexpr std::string_view xz = "\xFD"
                                  "7zXZ",
                             gzip = "\x1F\x8B";
  if (text.starts_with(xz) || text.starts_with(gzip))
    throw BadUsage(
        fmt::format("{}: is compressed; unpack it first, with {}", file, text.starts_with(xz) ? "xz -dk" : "gzip -dk"));
  const auto json = parse_json(file, text);
  try {
    auto imported = json.is_array()                                    ? import_param(json)
                    : json.is_object() && json.contains("nodes")       ? import_execution_trace(json)
                    : json.is_object() && json.contains("traceEvents") ? import_kineto(json)
                                                                       : Imported{};
    if (imported.format.empty())
      throw BadUsage(
          fmt::format("{}: is none of a PyTorch execution trace (\"nodes\"), a Kineto trace (\"traceEvents\") "
                      "and a PARAM trace (a list)",
                      file));
    require_sane(file, imported);
    if (imported.calls.empty()) throw BadUsage(fmt::format("{}: has no collective that is understood", file));
    return imported;
  } catch (const nlohmann::json::exception& error) {
    throw BadUsage(fmt::format("{}: {}", file, error.what()));
  }
}

StepTrace import_files(const std::vector<std::string>& files, std::optional<int> ranks,
                       std::vector<std::string>& notes) {
  std::optional<Imported> first;
  for (const auto& file : files) {
    auto imported = import_text(file, whole_file(file, file));
    for (const auto& [what, count] : imported.not_understood)
      notes.push_back(fmt::format("{}: {} records of '{}' are not understood, and left out", file, count, what));
    if (first) {
      require_same(files.front(), *first, file, imported);
    } else {
      first = std::move(imported);
    }
  }
  if (!ranks) ranks = first->ranks;
  if (!ranks && files.size() > 1) ranks = static_cast<int>(files.size());
  if (!ranks) throw BadUsage(fmt::format("{}: does not say how many ranks there were; give --ranks N", files.front()));
  if (first->ranks && *first->ranks != *ranks)
    notes.push_back(
        fmt::format("{}: was recorded with {} ranks, and is made a trace of {}", files.front(), *first->ranks, *ranks));
  auto trace = trace_of(*first, *ranks);
  trace.id = std::filesystem::path(files.front()).filename().string();
  return trace;
}

}  // namespace ringmark::replay
