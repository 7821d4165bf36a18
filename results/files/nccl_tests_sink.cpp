#include "results/files/nccl_tests_sink.hpp"

#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/files/provenance.hpp"
#include "results/files/row_pairs.hpp"
#include "results/schema/cells.hpp"
#include "results/schema/columns.hpp"

namespace ringmark {
namespace {

using Json = nlohmann::ordered_json;

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
}

/// nccl-tests writes booleans as text.
const char* truth(bool value) { return value ? "true" : "false"; }

Json figure(const std::optional<double>& value) { return value ? Json(*value) : Json("nan"); }

template <class Value>
Json known(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json config_of(const NcclTestsConfig& config, const RunContext& context) {
  Json json{{"nthreads", 1}, {"ngpus", 1}, {"minimum_bytes", config.min_bytes}, {"maximum_bytes", config.max_bytes}};
  if (config.step_bytes || !config.step_factor) json["step_bytes"] = known(config.step_bytes);
  if (config.step_factor || !config.step_bytes) json["step_factor"] = known(config.step_factor);
  json["warmup_iters"] = config.warmup;
  json["iterations"] = known(config.iterations);
  json["aggregated_iterations"] = 1;
  json["validation"] = config.is_checked ? 1 : 0;
  json["graph"] = config.is_graph ? 1 : 0;
  json["blocking_collectives"] = truth(config.timing == Timing::each);
  json["parallel_init"] = truth(true);
  auto& devices = json["devices"] = Json::array();
  for (const auto& rank : context.ranks) {
    devices.push_back({{"rank", devices.size()},
                       {"group", 0},
                       {"pid", nullptr},
                       {"hostname", rank.host},
                       {"device", nullptr},
                       {"device_hex", ""},
                       {"device_info", rank.place}});
  }
  return json;
}

Json placement_of(const std::optional<Record>& record) {
  if (!record || record->status == Status::unsupported) return nullptr;
  return {{"time", figure(record->time_us_p50)},
          {"alg_bw", figure(record->algbw_GBps)},
          {"bus_bw", figure(record->busbw_GBps)},
          {"nwrong", known(record->wrong_elements)}};
}

/// The row's non-empty CSV cells, since nccl-tests has keys for only a few of them.
Json beyond_placement(const std::optional<Record>& record) {
  if (!record) return nullptr;
  Json cells;
  for (const auto& column : contract_columns()) {
    if (auto cell = column.cell(*record); !cell.empty()) cells[std::string(column.name)] = std::move(cell);
  }
  return cells;
}

class NcclTestsSink final : public Sink {
 public:
  NcclTestsSink(std::FILE* out, const NcclTestsConfig& config, bool both)
      : out_(out),
        config_(config),
        pairs_(both, [this](const auto& out_of_place, const auto& in_place) { write_result(out_of_place, in_place); }) {
  }

  NcclTestsSink(const NcclTestsSink&) = delete;
  NcclTestsSink& operator=(const NcclTestsSink&) = delete;

  ~NcclTestsSink() override {
    if (!is_open_) return;
    try {
      errors_.emplace_back("the run ended before everything was measured");
      close();
    } catch (const std::exception&) {
      // The failure that ended the run matters more.
    }
  }

  void begin(const RunContext& context) override {
    std::vector<std::string> words{context.program}, variables;
    words.insert(words.end(), context.arguments.begin(), context.arguments.end());
    for (const auto& [variable, value] : context.environment) variables.push_back(variable + "=" + value);
    const auto& path = context.path;
    Json head{{"version", 3},
              {"start_time", local_time()},
              {"args", std::move(words)},
              {"env", std::move(variables)},
              {"nccl_version", config_.nccl_version},
              {"ringmark",
               {{"version", version()},
                {"run_id", context.run_id},
                {"transport", to_cell(path.transport)},
                {"memory", to_cell(path.memory)},
                {"network", known(path.network ? std::optional(name(*path.network)) : std::nullopt)},
                {"timing", to_cell(std::optional(config_.timing))},
                {"facts", context.facts}}},
              {"config", config_of(config_, context)}};
    auto text = text_of(head);
    text.pop_back();  // the object continues
    is_open_ = true;
    write(text + ",\"results\":[");
  }

  void add(const Record& record, const Samples&) override {
    wrong_ += record.wrong_elements.value_or(0);
    if (record.busbw_GBps) busbw_sum_ += *record.busbw_GBps, ++busbw_count_;
    if (record.status != Status::ok)
      errors_.push_back(fmt::format("{} bytes, {}: {}: {}", record.size_bytes,
                                    record.in_place == 0 ? "out of place" : "in place", name(record.status),
                                    record.detail));
    pairs_.add(record);
    if (record.status == Status::timeout && is_open_) close();  // the process may end without another call
  }

  void finish() override {
    if (is_open_) close();
  }

 private:
  void close() {
    is_open_ = false;
    pairs_.finish();
    const Json tail{{"out_of_bounds", {{"count", wrong_}, {"okay", truth(wrong_ == 0)}}},
                    {"average_bus_bandwidth",
                     {{"bandwidth", busbw_count_ > 0 ? busbw_sum_ / busbw_count_ : 0.0}, {"okay", "unchecked"}}},
                    {"errors", errors_},
                    {"end_time", local_time()}};
    write("\n]," + text_of(tail).substr(1) + "\n");
  }

  static std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), out_) != text.size() || std::fflush(out_) != 0)
      throw std::runtime_error("cannot write the JSON: is the disk full?");
  }

  void write_result(const std::optional<Record>& out_of_place, const std::optional<Record>& in_place) {
    const Record& key = out_of_place ? *out_of_place : *in_place;
    const auto type = key.datatype.only();
    const Json result{
        {"size", key.size_bytes},
        {"count", key.count},
        {"type", type ? nccl_tests_name(*type) : ""},
        {"redop", key.op.empty() ? "none" : to_cell(key.op)},
        {"root", fmt::format("{:>6}", nccl_tests_root(key))},
        {"out_of_place", placement_of(out_of_place)},
        {"in_place", placement_of(in_place)},
        {"ringmark", {{"out_of_place", beyond_placement(out_of_place)}, {"in_place", beyond_placement(in_place)}}},
        {"actual_iterations", key.samples},
        {"experiment_name", ""}};
    write((is_first_ ? "\n" : ",\n") + text_of(result));
    is_first_ = false;
  }

  std::FILE* out_;
  NcclTestsConfig config_;
  RowPairs pairs_;
  bool is_open_ = false;  ///< started and not yet closed
  bool is_first_ = true;
  std::vector<std::string> errors_;  ///< descriptions of the rows that are not ok
  std::uint64_t wrong_ = 0;
  double busbw_sum_ = 0;
  int busbw_count_ = 0;
};

}  // namespace

std::unique_ptr<Sink> make_nccl_tests_sink(std::FILE* out, const NcclTestsConfig& config, bool both) {
  return std::make_unique<NcclTestsSink>(out, config, both);
}

}  // namespace ringmark
