#include "sweeps/run/estimate.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/system/files.hpp"
#include "sweeps/run/journal.hpp"
#include "sweeps/run/progress.hpp"

namespace ringmark::sweep {
namespace {

/// A guess of how long a launcher takes to start and to end ranks, as seen with mpirun over ssh.
double starting_seconds(const Resolved& resolved) {
  constexpr double alone = 0.5, for_a_rank = 0.1, for_a_node = 0.3;
  return alone + for_a_rank * resolved.ranks + for_a_node * (nodes_of(resolved) - 1);
}

}  // namespace

void Estimate::add(const Sweep& sweep, const Resolved& resolved, const Extent& extent) {
  const double deadline = std::chrono::duration<double>(sweep.deadline).count();
  const double starting = std::min(starting_seconds(resolved), deadline);
  ++launches_;
  is_timed_ &= extent.seconds.has_value();
  starting_s_ += starting;
  measuring_s_ += std::min(extent.seconds.value_or(0), deadline);
  most_s_ += 2 * deadline + std::chrono::duration<double>(sweep.grace).count();
}

std::string Estimate::in_words(std::optional<double> measured) const {
  const auto most = fmt::format("at most {} (start, deadline and grace of each launch)", format_seconds(most_s_));
  if (measured)
    return fmt::format("about {}, since earlier launches took {:.1f} s each; {}", format_seconds(*measured * launches_),
                       *measured, most);
  if (!is_timed_)
    return fmt::format(
        "the number of iterations is fixed, so the measuring time is unknown before the first launch; starting and "
        "ending launches takes about {}; {}",
        format_seconds(starting_s_), most);
  return fmt::format("about {}: up to {} of measuring, plus an assumed {} for starting and ending; {}",
                     format_seconds(measuring_s_ + starting_s_), format_seconds(measuring_s_),
                     format_seconds(starting_s_), most);
}

std::optional<double> seconds_of_a_launch(const std::string& folder) {
  std::error_code unknown;
  const auto path = folder + "/journal";
  if (folder.empty() || !std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
  double seconds = 0;
  int launches = 0;
  for (const auto& done : parse_journal(read_if_readable(path), path).done) {
    seconds += done.seconds;
    launches += done.seconds > 0 ? 1 : 0;
  }
  return launches > 0 ? std::optional(seconds / launches) : std::nullopt;
}

}  // namespace ringmark::sweep
