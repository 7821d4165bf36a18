#include "sweeps/file/program.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "replay/flags/command_line.hpp"
#include "sweeps/file/parsed_flags.hpp"

namespace ringmark::sweep {
namespace {

template <Collective collective>
ParsedFlags parse_bench(int argc, const char* const* argv, int ranks) {
  return {parse_options(collective, argc, argv, ranks)};
}

ParsedFlags parse_link(int argc, const char* const* argv, int /*ranks*/) { return {parse_link_options(argc, argv)}; }

ParsedFlags parse_replay(int argc, const char* const* argv, int ranks) {
  auto parsed = replay::parse_command_line(argc, argv, ranks);
  return {Parsed<replay::ReplayOptions>{std::get<replay::ReplayOptions>(std::move(parsed.options)), parsed.exit_status,
                                        parsed.output, std::move(parsed.problems)}};
}

template <Collective collective>
constexpr ProgramFacts bench(Program program, std::string_view name, std::string_view executable) {
  return {program, name, executable, "", collective, Schema::collective, true, parse_bench<collective>};
}

/// In the order of the enumeration.
constexpr std::array table{
    bench<Collective::all_reduce>(Program::all_reduce, "all-reduce", "ringmark-all-reduce"),
    bench<Collective::reduce_scatter>(Program::reduce_scatter, "reduce-scatter", "ringmark-reduce-scatter"),
    bench<Collective::all_gather>(Program::all_gather, "all-gather", "ringmark-all-gather"),
    bench<Collective::reduce>(Program::reduce, "reduce", "ringmark-reduce"),
    bench<Collective::broadcast>(Program::broadcast, "broadcast", "ringmark-broadcast"),
    bench<Collective::all_to_all>(Program::all_to_all, "all-to-all", "ringmark-all-to-all"),
    bench<Collective::gather>(Program::gather, "gather", "ringmark-gather"),
    bench<Collective::scatter>(Program::scatter, "scatter", "ringmark-scatter"),
    bench<Collective::send_recv>(Program::send_recv, "send-recv", "ringmark-send-recv"),
    ProgramFacts{Program::link, "link", "ringmark-link", "", std::nullopt, Schema::link, false, parse_link},
    ProgramFacts{Program::replay, "replay", "ringmark-replay", "run", std::nullopt, Schema::replay, true, parse_replay},
};

}  // namespace

std::span<const ProgramFacts> all_programs() { return table; }

const ProgramFacts& facts_of(Program program) { return table.at(static_cast<std::size_t>(program)); }

std::string_view name(Program program) { return facts_of(program).name; }

std::optional<Program> parse_program(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& facts) { return facts.name == name; });
  return found == table.end() ? std::nullopt : std::optional(found->program);
}

std::string path_of(std::string_view executable) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / executable).string();
}

}  // namespace ringmark::sweep
