#include "results/files/file_sinks.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/append_file.hpp"
#include "results/files/result_file.hpp"
#include "results/schema/cells.hpp"
#include "results/schema/columns.hpp"

namespace ringmark {
namespace {

void begin_file(AppendFile& file, std::string_view header) {
  if (const auto bytes = file.begin(header); bytes > 0) {
    fmt::print(stderr, "ringmark: removed an unfinished last line of {1} bytes from {0}\n", file.path(), bytes);
  }
}

[[noreturn]] void refuse(const std::string& path, std::string_view kind) {
  throw std::invalid_argument(
      fmt::format("{} exists and is not a {} file of this version; choose another name or move it away", path, kind));
}

class CsvSink final : public Sink {
 public:
  CsvSink(const std::string& path, Schema schema) : file_(path), own_columns_(own_header(schema)) {
    if (!file_.is_empty() && file_.first_line() + "\n" != write_csv(record_header(own_columns_)))
      refuse(path, "result");
  }

  void begin(const RunContext&) override {
    begin_file(file_, std::exchange(has_header_, true) ? "" : write_csv(record_header(own_columns_)));
  }
  void add(const Record& record, const Samples&) override { file_.append(write_csv(to_csv(record, own_columns_))); }
  void finish() override {}

 private:
  AppendFile file_;
  std::vector<std::string> own_columns_;
  bool has_header_ = false;  ///< a pipe always looks empty, so file_ cannot tell
};

class SamplesSink final : public Sink {
 public:
  explicit SamplesSink(const std::string& path) : file_(path) {
    if (!file_.is_empty() && file_.first_line().find("\"samples/1\"") == std::string::npos) refuse(path, "samples");
  }

  void begin(const RunContext& context) override {
    begin_file(file_, "");
    run_id_ = context.run_id;
    std::vector<std::string> hosts, host_names;
    for (const auto& rank : context.ranks) {
      hosts.push_back(in_words(rank));
      host_names.push_back(rank.host);
    }
    append({{"schema", "samples/1"},
            {"context",
             {{"run_id", run_id_},
              {"program", context.program},
              {"arguments", context.arguments},
              {"facts", context.facts},
              {"environment", context.environment},
              {"hosts", hosts},
              {"host_names", host_names}}}});
  }

  void add(const Record& record, const Samples& samples) override {
    nlohmann::json line = {{"run_id", run_id_},
                           {"transport", to_cell(record.transport)},
                           {"collective", to_cell(record.collective)},
                           {"algorithm_used", record.algorithm_used},
                           {"datatype", to_cell(record.datatype)},
                           {"op", to_cell(record.op)},
                           {"in_place", record.in_place},
                           {"timing", to_cell(record.timing)},
                           {"start", to_cell(record.start)},
                           {"size_bytes", record.size_bytes},
                           {"repetition", record.repetition},
                           {"status", name(record.status)},
                           {"clock_error_us", samples.clock_error_us},
                           {"time_us", samples.time_us},
                           {"entry_us", samples.entry_us}};
    if (!samples.computation_us.empty()) line["computation_us"] = samples.computation_us;
    if (!samples.exposed_us.empty()) line["exposed_us"] = samples.exposed_us;
    if (!samples.hidden_us.empty()) line["hidden_us"] = samples.hidden_us;
    if (!samples.late_us.empty()) line["late_us"] = samples.late_us;
    append(line);
  }
  void finish() override {}

 private:
  void append(const nlohmann::json& line) {
    file_.append(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }

  AppendFile file_;
  std::string run_id_;
};

}  // namespace

std::unique_ptr<Sink> make_csv_sink(const std::string& path, Schema schema) {
  return std::make_unique<CsvSink>(path, schema);
}
std::unique_ptr<Sink> make_samples_sink(const std::string& path) { return std::make_unique<SamplesSink>(path); }

}  // namespace ringmark
