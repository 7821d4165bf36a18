#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/read_results.hpp"
#include "analysis/stragglers.hpp"
#include "base/error_text.hpp"
#include "base/errors.hpp"
#include "base/json_lines.hpp"
#include "results/statistics.hpp"

namespace ringmark::analysis {
namespace {

using Matrix = std::vector<std::vector<double>>;  ///< [rank][iteration]

/// How much longer each rank computed than the median rank, at most as much as it was late for the step's collectives:
/// computation hidden behind communication delays nobody.
Matrix held_up_us(const Matrix& computation_us, const Matrix& late_us) {
  Matrix held_up = late_us;
  std::vector<double> all(computation_us.size());
  for (std::size_t i = 0; !held_up.empty() && i < held_up.front().size(); ++i) {
    for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = computation_us[rank][i];
    const double middle = median(all);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      held_up[rank][i] = std::max(0.0, std::min(late_us[rank][i], computation_us[rank][i] - middle));
  }
  return held_up;
}

/// The ranks' hosts. Files of earlier versions have only "hosts", in which a port follows that differs in every launch.
std::vector<std::string> hosts_in(const nlohmann::json& context) {
  if (const auto names = context.find("host_names"); names != context.end())
    return names->get<std::vector<std::string>>();
  auto hosts = context.value("hosts", std::vector<std::string>());
  for (auto& host : hosts) host.resize(std::min(host.size(), host.find(" (")));
  return hosts;
}

EntryTimes operation_from(const nlohmann::json& line, const std::map<std::string, std::vector<std::string>>& hosts) {
  EntryTimes operation;
  operation.run_id = line.at("run_id").get<std::string>();
  if (const auto found = hosts.find(operation.run_id); found != hosts.end()) operation.hosts = found->second;
  const auto times = line.at("time_us").get<Matrix>();
  const auto iterations = times.empty() ? 0 : times.front().size();
  const auto read = [&](const char* key) {
    auto matrix = line.at(key).get<Matrix>();
    if (matrix.size() != times.size()) throw std::invalid_argument("not as many ranks everywhere");
    for (const auto* each : {&times, &std::as_const(matrix)}) {
      for (const auto& rank : *each) {
        if (rank.size() != iterations) throw std::invalid_argument("not as many iterations on every rank");
      }
    }
    return matrix;
  };
  operation.is_step = line.contains("computation_us");
  if (!operation.is_step) {
    operation.entry_us = read("entry_us");
    operation.clock_error_us = line.at("clock_error_us").get<double>();
  } else if (line.contains("late_us")) {  // without it no collective has all ranks, and no rank is known to be late
    // The replayer has already removed lateness below the clocks' error.
    operation.entry_us = held_up_us(read("computation_us"), read("late_us"));
  }
  std::vector<double> slowest(iterations, 0);
  for (const auto& rank : times) {
    for (std::size_t i = 0; i < std::min(iterations, rank.size()); ++i) slowest[i] = std::max(slowest[i], rank[i]);
  }
  if (iterations > 0) operation.time_us = median(std::move(slowest));
  return operation;
}

}  // namespace

std::vector<EntryTimes> read_samples(const std::string& file) {
  std::error_code unknown;
  if (std::filesystem::is_character_file(file, unknown))
    throw BadUsage(fmt::format("{}: is a device, not a file", file));
  std::ifstream in(file);
  if (!in) throw BadUsage(fmt::format("{}: cannot be read", file));
  constexpr std::size_t most_line_bytes = 256U << 20U;  // all samples of an operation that the ranks keep
  JsonLines lines(in, file, most_line_bytes);
  std::vector<EntryTimes> operations;
  std::map<std::string, std::vector<std::string>> hosts;
  while (lines.next_line()) {
    if (lines.is_blank()) continue;
    lines.refuse_deep_nesting();
    try {
      const auto value = lines.parse();
      if (const auto context = value.find("context"); context != value.end()) {
        hosts[context->at("run_id").get<std::string>()] = hosts_in(*context);
      } else if (value.contains("entry_us") && value.at("timing") == "each") {
        operations.push_back(operation_from(value, hosts));
      }
    } catch (const std::exception& error) {
      if (lines.is_cut_off()) break;
      if (dynamic_cast<const BadUsage*>(&error) != nullptr) throw;
      lines.refuse("not a line of samples/1: {}", text_of(error));
    }
  }
  return operations;
}

}  // namespace ringmark::analysis
