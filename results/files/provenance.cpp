#include "results/files/provenance.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <random>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "results/files/recorded_variables.hpp"
#include "results/schema/cells.hpp"
#include "ringmark_revision.hpp"

namespace ringmark {
namespace {

/// Avoids system_clock, whose nanoseconds overflow in 2262.
std::time_t to_time_t(std::chrono::sys_seconds time) {
  return static_cast<std::time_t>(time.time_since_epoch().count());
}

std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::string utc_text(std::chrono::sys_seconds time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(to_time_t(time)));
}

std::string utc_day(std::chrono::sys_seconds time) { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(to_time_t(time))); }

std::string now_utc() {
  return utc_text(std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now()));
}

std::optional<std::chrono::sys_seconds> parse_utc(std::string_view text) {
  using namespace std::chrono;
  // Checks the shape first, so that number() sees digits only.
  constexpr std::string_view date_shape = "dddd-dd-dd", shape = "dddd-dd-ddTdd:dd:ddZ";
  const auto wanted = text.size() == date_shape.size() ? date_shape : shape;
  const auto fits = [](char found, char asked) { return asked == 'd' ? found >= '0' && found <= '9' : found == asked; };
  if (!std::equal(text.begin(), text.end(), wanted.begin(), wanted.end(), fits)) return std::nullopt;
  const auto number = [&](std::size_t begin, std::size_t digits) {
    int value = 0;
    for (const char digit : text.substr(begin, digits)) value = value * 10 + (digit - '0');
    return value;
  };
  const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2))));
  if (!date.ok()) return std::nullopt;
  if (wanted == date_shape) return sys_days(date);
  const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
}

std::string make_run_id() {
  std::random_device random;
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{:06x}", fmt::gmtime(std::chrono::system_clock::now()), random() & 0xffffffU);
}

std::string in_words(const RankPlace& rank) {
  return rank.place.empty() ? rank.host : fmt::format("{} ({})", rank.host, rank.place);
}

std::string path_in_words(const RunContext& context) {
  const auto& [transport, memory, network, doubt] = context.path;
  std::string text;
  if (transport)
    text += fmt::format("# transport: {}, memory: {}, network: {}\n", name(*transport), to_cell(memory),
                        network ? name(*network) : "see each row");
  if (!doubt.empty()) text += fmt::format("# {}\n", doubt);
  std::vector<std::string_view> unused;
  for (const auto& [variable, value] : context.environment) {
    const auto reader = only_reader_of(variable);
    if (reader && transport && *reader != *transport) unused.push_back(variable);
  }
  if (!unused.empty()) text += fmt::format("# set but not used by {}: {}\n", name(*transport), fmt::join(unused, ", "));
  for (std::size_t rank = 0; rank < context.ranks.size(); ++rank)
    text += fmt::format("#  Rank {:2} on {}\n", rank, in_words(context.ranks[rank]));
  return text;
}

std::string version() { return fmt::format("{} ({})", version_text, revision_text); }

RunContext describe_run(const std::string& program, int argc, const char* const* argv, const std::string& run_id) {
  RunContext context;
  context.run_id = run_id.empty() ? make_run_id() : run_id;
  context.program = program;
  for (int i = 1; i < argc; ++i) context.arguments.emplace_back(argv[i]);
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !is_recorded_variable(text.substr(0, equals))) continue;
    context.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  utsname system{};
  ::uname(&system);
  context.facts = {{"version", version()},
                   {"kernel", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
                   {"processor", processor()},
                   {"congestion control", first_line("/proc/sys/net/ipv4/tcp_congestion_control")}};
  return context;
}

}  // namespace ringmark
