#include "results/files/samples_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/input/json_lines.hpp"
#include "base/text/error_text.hpp"

namespace ringmark {
namespace {

using Matrix = std::vector<std::vector<double>>;  ///< [rank][iteration]
using HostsByRun = std::map<std::string, std::vector<std::string>>;

/// The ranks' hosts. Earlier versions wrote only "hosts", with a port appended that differs in every launch.
std::vector<std::string> hosts_in(const nlohmann::json& context) {
  if (const auto names = context.find("host_names"); names != context.end())
    return names->get<std::vector<std::string>>();
  auto hosts = context.value("hosts", std::vector<std::string>());
  for (auto& host : hosts) host.resize(std::min(host.size(), host.find(" (")));
  return hosts;
}

SampledRow row_from(const nlohmann::json& line, const HostsByRun& hosts) {
  SampledRow row;
  row.run_id = line.at("run_id").get<std::string>();
  if (const auto found = hosts.find(row.run_id); found != hosts.end()) row.hosts = found->second;
  if (const auto timing = line.find("timing"); timing != line.end())
    row.timing = parse_timing(timing->get<std::string>());
  row.samples.time_us = line.at("time_us").get<Matrix>();
  row.samples.clock_error_us = line.value("clock_error_us", 0.0);
  const auto& times = row.samples.time_us;
  const auto iterations = times.empty() ? 0 : times.front().size();
  const auto check = [&](const Matrix& matrix) {
    if (matrix.size() != times.size()) throw std::invalid_argument("the number of ranks differs");
    for (const auto& rank : matrix) {
      if (rank.size() != iterations) throw std::invalid_argument("the number of iterations differs between ranks");
    }
  };
  check(times);
  for (const auto& [key, matrix] : {std::pair{"entry_us", &row.samples.entry_us},
                                    {"computation_us", &row.samples.computation_us},
                                    {"exposed_us", &row.samples.exposed_us},
                                    {"hidden_us", &row.samples.hidden_us},
                                    {"late_us", &row.samples.late_us}}) {
    const auto found = line.find(key);
    if (found == line.end() || found->empty()) continue;
    *matrix = found->get<Matrix>();
    check(*matrix);
  }
  return row;
}

}  // namespace

void read_samples(const std::string& file, const std::function<void(SampledRow row)>& visit) {
  std::error_code unknown;
  if (std::filesystem::is_character_file(file, unknown))
    throw BadUsage(fmt::format("{}: is a device, not a file", file));
  std::ifstream in(file);
  if (!in) throw BadUsage(fmt::format("{}: cannot be read", file));
  constexpr std::size_t most_line_bytes = 256U << 20U;  // enough for all samples that ranks keep of an operation
  JsonLines lines(in, file, most_line_bytes);
  HostsByRun hosts;
  while (lines.next_line()) {
    if (lines.is_blank()) continue;
    lines.refuse_deep_nesting();
    std::optional<SampledRow> row;
    try {
      const auto value = lines.parse();
      if (const auto context = value.find("context"); context != value.end()) {
        hosts[context->at("run_id").get<std::string>()] = hosts_in(*context);
      } else if (value.contains("time_us")) {
        row = row_from(value, hosts);
      }
    } catch (const std::exception& error) {
      if (lines.is_cut_off()) break;
      if (dynamic_cast<const BadUsage*>(&error) != nullptr) throw;
      lines.refuse("not a line of samples/1: {}", text_of(error));
    }
    if (row) visit(std::move(*row));
  }
}

}  // namespace ringmark
