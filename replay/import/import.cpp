#include "replay/import/import.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/pickle.hpp"
#include "base/text/error_text.hpp"
#include "replay/import/agreement.hpp"
#include "replay/import/formats.hpp"
#include "replay/import/groups.hpp"
#include "replay/import/messages.hpp"
#include "replay/import/other_formats.hpp"
#include "replay/import/recorded_ranks.hpp"
#include "replay/import/roles_of_calls.hpp"
#include "replay/import/steps.hpp"
#include "replay/import/trace_of_calls.hpp"

namespace ringmark::replay {
namespace {

void require_sane(const std::string& file, const Imported& imported) {
  if (imported.ranks && (*imported.ranks < 1 || *imported.ranks > most_ranks))
    throw BadUsage(fmt::format("{}: an impossible number of ranks: {}", file, *imported.ranks));
  for (std::size_t i = 0; i < imported.calls.size(); ++i) {
    const auto& call = imported.calls[i];
    if (call.elements > most_elements)
      throw BadUsage(fmt::format("{}: call {}, {}: too many elements", file, i, describe(call)));
    if (call.root < 0)
      throw BadUsage(fmt::format("{}: call {}, {}: an impossible root: {}", file, i, describe(call), call.root));
  }
}

bool has_records_of_param(const nlohmann::json& list) {
  return std::any_of(list.begin(), list.end(),
                     [](const nlohmann::json& each) { return each.contains("comms") || each.contains("compute"); });
}

Imported import_json(const std::string& file, const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  const bool may_be_json = begin != std::string::npos && (text[begin] == '{' || text[begin] == '[');
  const auto json = is_pickle(text) ? parse_pickle(file, text)
                    : may_be_json   ? parse_json(file, text)
                                    : nlohmann::json();
  if (json.is_array() && (json.empty() || has_records_of_param(json))) return import_param(json);
  if (json.is_object() && json.contains("nodes")) return import_execution_trace(json);
  if (json.is_object() && json.contains("traceEvents")) return import_kineto(json);
  if (json.is_object() && json.contains("pg_config")) return import_flight_recorder(json);
  throw BadUsage(
      fmt::format("{}: neither a PyTorch execution trace (\"nodes\"), a Kineto trace (\"traceEvents\"), a PARAM trace "
                  "(a list), a Flight Recorder dump (\"pg_config\"), a capture of NCCL calls, nor an NCCL log",
                  file));
}

/// Text like ", but 3 of 'send'".
std::string describe_rest(const Imported& imported) {
  std::string text;
  for (const auto& [what, count] : imported.not_understood)
    text += fmt::format("{} {} of '{}'", text.empty() ? ", but" : ",", count, what);
  return text;
}

/// Sets the number of ranks if the recording shows it: at least the size of each communicator, and enough for its
/// members.
void find_ranks(Imported& imported) {
  for (const auto& each : imported.communicators) {
    auto ranks = each.ranks;
    for (const int member : each.members) ranks = std::max(ranks, member + 1);
    if (ranks > imported.ranks.value_or(0)) imported.ranks = ranks;
  }
}

/// Replaces the size of one rank's share with the full size.
void multiply_shares(const std::string& file, Imported& imported, std::optional<int> ranks) {
  for (auto& call : imported.calls) {
    if (!call.is_share) continue;
    const auto known = imported.ranks ? imported.ranks : ranks;
    if (!known) throw BadUsage(fmt::format("{}: does not contain the number of ranks; give --ranks N", file));
    call.elements *= static_cast<std::uint64_t>(std::max(1, *known));
    call.is_share = false;
  }
}

/// Takes each call from the rank that sends most in it: that rank decides how long the call takes.
void take_most_sent(Imported& first, const Imported& other) {
  for (std::size_t i = 0; i < first.calls.size(); ++i) {
    auto& call = first.calls[i];
    call.is_uneven = call.is_uneven || other.calls[i].is_uneven;
    if (call.is_uneven) call.elements = std::max(call.elements, other.calls[i].elements);
  }
}

/// A step trace has no call in which no rank sends anything; the computation before it goes to the next call.
void leave_out_empty_calls(std::vector<Imported>& all, std::vector<std::string>& notes) {
  const auto before = all.front().calls.size();
  for (std::size_t i = before; i-- > 0;) {
    if (all.front().calls[i].elements > 0) continue;
    for (auto& each : all) {
      const auto at = each.calls.begin() + static_cast<std::ptrdiff_t>(i);
      (at + 1 == each.calls.end() ? each.computed_after_us : (at + 1)->computed_us) += at->computed_us;
      each.calls.erase(at);
    }
  }
  if (const auto count = before - all.front().calls.size(); count > 0)
    notes.push_back(fmt::format("{} calls in which no recorded rank sends anything are left out", count));
}

void require_calls(const std::string& name, const Imported& imported) {
  if (!imported.calls.empty()) return;
  throw BadUsage(fmt::format("{}: has no known collective{}", name,
                             imported.not_understood.empty() ? "; give a recording of a training step on several ranks"
                                                             : describe_rest(imported)));
}

void note_unknown_records(const std::string& name, const Imported& imported, std::vector<std::string>& notes) {
  for (const auto& [what, count] : imported.not_understood)
    notes.push_back(fmt::format("{}: {} records of '{}' could not be understood and are left out", name, count, what));
}

/// The recordings in a file, with single messages, except those that are an all_to_all.
std::vector<std::pair<std::string, Imported>> recordings_in(const std::string& file, const std::string& text,
                                                            const RecordingFacts& given, StepEnd end) {
  if (const auto answer = other_format(text); !answer.empty()) throw BadUsage(fmt::format("{}: {}", file, answer));
  try {
    std::vector<std::pair<std::string, Imported>> all;
    if (text.starts_with(R"({"schema":"capture/1")")) {
      auto ranks = import_capture(text);
      for (auto& [rank, imported] : ranks)
        all.emplace_back(ranks.size() == 1 ? file : fmt::format("{} ({})", file, rank), std::move(imported));
    } else if (looks_like_nccl_log(text)) {
      for (auto& [process, imported] : import_nccl_log(text))
        all.emplace_back(fmt::format("{} ({})", file, process), std::move(imported));
      if (all.empty() || all.front().second.calls.empty())
        throw BadUsage(
            fmt::format("{}: an NCCL log without a known call{}; NCCL logs calls with "
                        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL",
                        file, all.empty() ? "" : describe_rest(all.front().second)));
    } else {
      all.emplace_back(file, import_json(file, text));
    }
    for (auto& [name, imported] : all) {
      multiply_shares(name, imported, given.ranks);
      require_sane(name, imported);
      require_calls(name, imported);
      require_groups_within_world(name, imported);
      find_ranks(imported);
      join_exchanges(imported);  // before steps are compared, since their parts differ from step to step
      keep_one_step(name, imported, given.steps, end);
    }
    return all;
  } catch (const nlohmann::json::exception& error) {
    throw BadUsage(fmt::format("{}: {}", file, text_of(error)));
  }
}

struct Recordings {
  std::vector<std::string> names;
  std::vector<Imported> all;
};

Recordings recordings_of(const std::vector<std::string>& files, const RecordingFacts& given, StepEnd end) {
  Recordings recorded;
  auto given_of_each = given;
  if (!given.ranks && files.size() > 1) given_of_each.ranks = static_cast<int>(files.size());
  for (const auto& file : files) {
    for (auto& [name, imported] : recordings_in(file, whole_text(file, file), given_of_each, end)) {
      for (std::size_t i = 0; i < recorded.all.size(); ++i)
        require_another_rank(recorded.names[i], recorded.all[i], name, imported);
      recorded.names.push_back(name);
      recorded.all.push_back(std::move(imported));
    }
  }
  return recorded;
}

/// Ranks that pause at different calls disagree on where a step begins, so steps that end with the recording are tried
/// first.
RoleTrace step_with_roles(const std::vector<std::string>& files, const RecordingFacts& given, Recordings recorded,
                          const std::vector<int>& of_ranks, int ranks, std::vector<std::string>& notes) {
  const auto try_with = [&](const Recordings& tried) {
    std::vector<std::string> own_notes;
    for (std::size_t i = 0; i < tried.all.size(); ++i) note_unknown_records(tried.names[i], tried.all[i], own_notes);
    for (const auto& remark : tried.all.front().remarks)
      own_notes.push_back(fmt::format("{}: {}", tried.names.front(), remark));
    auto trace = roles_of_calls(tried.names, tried.all, of_ranks, ranks, own_notes);
    notes.insert(notes.end(), own_notes.begin(), own_notes.end());
    return trace;
  };
  const bool may_repeat = std::all_of(recorded.all.begin(), recorded.all.end(),
                                      [&](const Imported& each) { return each.is_of_a_run && !given.steps; });
  if (!may_repeat) return try_with(recorded);
  try {
    return try_with(recordings_of(files, given, StepEnd::of_the_recording));
  } catch (const BadUsage&) {
    return try_with(recorded);
  }
}

/// The step of ranks that all make the same calls. Messages become calls of all ranks.
StepTrace uniform_step(const std::vector<std::string>& names, std::vector<Imported> all, int ranks,
                       std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    join_messages(all[i]);
    note_unknown_records(names[i], all[i], notes);
    if (i == 0) continue;
    require_same(names.front(), all.front(), names[i], all[i]);
    take_most_sent(all.front(), all[i]);
  }
  for (const auto& remark : all.front().remarks) notes.push_back(fmt::format("{}: {}", names.front(), remark));
  require_calls(names.front(), all.front());
  leave_out_empty_calls(all, notes);
  const auto& first = all.front();
  const auto computes = [](const Call& call) { return call.computed_us > 0; };
  if (all.size() > 1 && std::any_of(first.calls.begin(), first.calls.end(), computes))
    notes.push_back(fmt::format("every rank plays the computation between the calls of {}", names.front()));
  if (first.ranks && *first.ranks != ranks)
    notes.push_back(
        fmt::format("{}: was recorded with {} ranks, but becomes a trace of {}", names.front(), *first.ranks, ranks));
  // Groups keep their shape if the trace has more or fewer ranks than the recording.
  auto trace = trace_of_calls(all, ranks, groups_of(all, first.ranks.value_or(ranks), notes), notes);
  check_groups(trace, ranks);
  return trace;
}

}  // namespace

bool is_same_call(const Call& a, const Call& b) {
  return a.collective == b.collective && a.peer == b.peer && a.is_uneven == b.is_uneven &&
         (a.is_uneven || a.elements == b.elements) && a.type == b.type && a.op == b.op && a.root == b.root &&
         a.communicator == b.communicator;
}

bool is_same_but_for_parts(Call a, Call b) {
  a.is_uneven = b.is_uneven = a.is_uneven || b.is_uneven;
  return is_same_call(a, b);
}

std::vector<std::pair<std::string, Imported>> import_text(const std::string& file, const std::string& text,
                                                          const RecordingFacts& given) {
  auto all = recordings_in(file, text, given, StepEnd::before_pause);
  for (auto& [name, imported] : all) {
    join_messages(imported);
    require_calls(name, imported);
  }
  return all;
}

AnyTrace import_files(const std::vector<std::string>& files, const RecordingFacts& given,
                      std::vector<std::string>& notes) {
  auto recorded = recordings_of(files, given, StepEnd::before_pause);
  const auto& all = recorded.all;
  auto ranks = given.ranks;
  for (const auto& each : all) {
    if (!given.ranks && each.ranks) ranks = std::max(*each.ranks, ranks.value_or(0));
  }
  if (!given.ranks && all.size() > 1) ranks = std::max(static_cast<int>(all.size()), ranks.value_or(0));
  if (!ranks)
    throw BadUsage(fmt::format("{}: does not contain the number of ranks; give --ranks N", recorded.names.front()));
  std::vector<std::string> notes_of_ranks;
  const auto of_ranks = ranks_of(recorded.names, all, *ranks, notes_of_ranks);
  const auto id = std::filesystem::path(files.front()).filename().string();
  if (all.size() > 1 && of_ranks && !are_alike(all, *of_ranks, *ranks)) {
    notes.insert(notes.end(), notes_of_ranks.begin(), notes_of_ranks.end());
    auto trace = step_with_roles(files, given, std::move(recorded), *of_ranks, *ranks, notes);
    trace.id = id;
    return trace;
  }
  auto trace = uniform_step(recorded.names, std::move(recorded.all), *ranks, notes);
  trace.id = id;
  return trace;
}

}  // namespace ringmark::replay
