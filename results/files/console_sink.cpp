#include "results/files/console_sink.hpp"

#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "results/files/provenance.hpp"
#include "results/files/row_pairs.hpp"
#include "results/schema/cells.hpp"

namespace ringmark {
namespace {

/// As nccl-tests does: fewer decimals for longer times, so that the column keeps its width.
std::string time_cell(double time_us) {
  return time_us >= 10000 ? fmt::format("{:7.0f}", time_us)
         : time_us >= 100 ? fmt::format("{:7.1f}", time_us)
                          : fmt::format("{:7.2f}", time_us);
}

std::string_view nccl_tests_type(const Record& record) {
  const auto type = record.datatype.only();
  return type ? nccl_tests_name(*type) : "";
}

class ConsoleSink final : public Sink {
 public:
  ConsoleSink(std::FILE* out, bool both)
      : out_(out),
        pairs_(both, [this](const auto& out_of_place, const auto& in_place) { print_line(out_of_place, in_place); }) {}

  void begin(const RunContext& context) override {
    std::string arguments;
    for (const auto& argument : context.arguments) arguments += " " + argument;
    print("# {}{}\n", context.program, arguments);
    for (const auto& [name, value] : context.facts) print("# {}: {}\n", name, value);
    print("{}", path_in_words(context));
    print("#\n# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}           out-of-place                       in-place          \n",
          "", "", "", "", "");
    const std::string_view names = "   time   algbw   busbw  #wrong";
    print("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}  {}  {}\n", "size", "count", "type", "redop", "root", names, names);
    const std::string_view units = "   (us)  (GB/s)  (GB/s)        ";
    print("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}  {}  {}\n", "(B)", "(elements)", "", "", "", units, units);
  }

  void add(const Record& record, const Samples&) override {
    wrong_ += record.wrong_elements.value_or(0);
    if (record.busbw_GBps) busbw_sum_ += *record.busbw_GBps, ++busbw_count_;
    pairs_.add(record);
  }

  void finish() override {
    pairs_.finish();
    print("# Out of bounds values : {} {}\n", wrong_, wrong_ == 0 ? "OK" : "FAILED");
    print("# Avg bus bandwidth    : {:g} \n#\n", busbw_count_ > 0 ? busbw_sum_ / busbw_count_ : 0.0);
  }

 private:
  template <class... Args>
  void print(fmt::format_string<Args...> text, Args&&... args) {
    fmt::print(out_, "{}", without_controls(fmt::format(text, std::forward<Args>(args)...)));
    if (std::fflush(out_) != 0) throw std::runtime_error("cannot write the table: is the disk full?");
  }

  static std::string half(const std::optional<Record>& record) {
    if (!record || !record->time_us_p50) return fmt::format("{:>7}  {:>6}  {:>6}  {:>6}", "N/A", "N/A", "N/A", "N/A");
    const auto wrong = record->wrong_elements ? std::to_string(*record->wrong_elements) : "N/A";
    return fmt::format("{}  {:6.2f}  {:6.2f}  {:>6}", time_cell(*record->time_us_p50), record->algbw_GBps.value_or(0),
                       record->busbw_GBps.value_or(0), wrong);
  }

  /// Prints the name of the group that the next lines are about.
  void tell_group(const Record& record) {
    const auto& group = record.settings.group;
    if (group == group_) return;
    group_ = group;
    print("# group {}, {} ranks\n", group, record.ranks);
  }

  void print_line(const std::optional<Record>& out_of_place, const std::optional<Record>& in_place) {
    const Record& key = out_of_place ? *out_of_place : *in_place;
    tell_group(key);
    tell_choice(key);
    const auto op = key.op.empty() ? "none" : to_cell(key.op);
    print("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}  {}  {}\n", key.size_bytes, key.count, nccl_tests_type(key), op,
          nccl_tests_root(key), half(out_of_place), half(in_place));
    if (out_of_place && in_place && remark_of(*out_of_place) == remark_of(*in_place)) {
      tell(*out_of_place, "");
    } else {
      if (out_of_place) tell(*out_of_place, in_place ? "out of place: " : "");
      if (in_place) tell(*in_place, out_of_place ? "in place: " : "");
    }
  }

  /// Prints the algorithm of the next lines, and whatever else a library reports about its choice, whenever it changes.
  void tell_choice(const Record& record) {
    if (record.algorithm_used.empty()) return;
    std::string choice = record.algorithm_used;
    if (!record.protocol_used.empty()) {
      choice += fmt::format(", {}{}{}", record.protocol_used,
                            record.channels_used ? fmt::format(", {} channels", *record.channels_used) : "",
                            record.network ? " over " + name(*record.network) : "");
    }
    if (choice == choice_) return;
    choice_ = std::move(choice);
    print("#   {}: {}\n", to_cell(record.transport), choice_);
  }

  static std::string remark_of(const Record& record) {
    auto remarks = remarks_on(record);
    return record.status == Status::ok ? remarks : fmt::format("{}: {}", name(record.status), remarks);
  }

  /// Prints a remark on a good row, but only once.
  void tell(const Record& record, std::string_view placement) {
    const auto remark = remark_of(record);
    if (remark.empty() || (record.status == Status::ok && remark == remark_)) return;
    if (record.status == Status::ok) remark_ = remark;
    print("#   {}{}\n", placement, remark);
  }

  std::FILE* out_;
  RowPairs pairs_;
  std::string choice_, remark_, group_;  ///< last ones printed
  std::uint64_t wrong_ = 0;
  double busbw_sum_ = 0;
  int busbw_count_ = 0;
};

}  // namespace

std::unique_ptr<Sink> make_console_sink(std::FILE* out, bool both) { return std::make_unique<ConsoleSink>(out, both); }

}  // namespace ringmark
