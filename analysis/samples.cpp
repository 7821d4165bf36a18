#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/groups.hpp"
#include "analysis/stragglers.hpp"
#include "transports/errors.hpp"

namespace ringmark::analysis {
namespace {

using nlohmann::json;

EntryTimes operation_from(const json& line, const std::map<std::string, std::vector<std::string>>& hosts) {
  EntryTimes operation;
  operation.run_id = line.at("run_id").get<std::string>();
  operation.clock_error_us = line.at("clock_error_us").get<double>();
  operation.entry_us = line.at("entry_us").get<std::vector<std::vector<double>>>();
  const auto times = line.at("time_us").get<std::vector<std::vector<double>>>();
  const auto found = hosts.find(operation.run_id);
  if (found != hosts.end()) operation.hosts = found->second;
  const auto iterations = operation.entry_us.empty() ? 0 : operation.entry_us.front().size();
  for (const auto* matrix : {&std::as_const(operation.entry_us), &times}) {
    if (matrix->size() != operation.entry_us.size()) throw std::invalid_argument("not as many ranks everywhere");
    for (const auto& rank : *matrix) {
      if (rank.size() != iterations) throw std::invalid_argument("not as many iterations on every rank");
    }
  }
  std::vector<double> slowest(iterations, 0);
  for (const auto& rank : times) {
    for (std::size_t i = 0; i < iterations; ++i) slowest[i] = std::max(slowest[i], rank[i]);
  }
  if (iterations > 0) operation.time_us = median(std::move(slowest));
  return operation;
}

}  // namespace

std::vector<EntryTimes> read_samples(const std::string& file) {
  std::ifstream lines(file);
  if (!lines) throw BadUsage(fmt::format("{}: cannot be read", file));
  std::vector<EntryTimes> operations;
  std::map<std::string, std::vector<std::string>> hosts;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool is_cut_off = lines.eof();
    if (line.empty()) continue;
    try {
      const auto value = json::parse(line);
      if (const auto context = value.find("context"); context != value.end()) {
        hosts[context->at("run_id").get<std::string>()] = context->at("hosts").get<std::vector<std::string>>();
      } else if (value.contains("entry_us") && value.at("timing") == "each") {
        operations.push_back(operation_from(value, hosts));
      }
    } catch (const std::exception& error) {
      if (is_cut_off) break;  // its writer was killed
      throw BadUsage(fmt::format("{}:{}: not a line of samples/1: {}", file, number, error.what()));
    }
  }
  return operations;
}

}  // namespace ringmark::analysis
