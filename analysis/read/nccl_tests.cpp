#include <algorithm>

#include <fmt/format.h>

#include "analysis/read/foreign.hpp"
#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/nccl_columns.hpp"
#include "analysis/read/nccl_contradictions.hpp"
#include "analysis/read/nccl_launch.hpp"
#include "analysis/read/torn_rows.hpp"
#include "base/text/with_count.hpp"
#include "transports/nccl/version.hpp"

namespace ringmark::analysis {
namespace {

/// The number after a word.
std::optional<int> number_after(const Words& words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  return words.end() - found > 1 ? number_in<int>(found[1]) : std::nullopt;
}

class NcclText {
 public:
  explicit NcclText(ForeignRows& rows) : rows_(rows) {}

  void read() {
    std::string above;
    for (const auto& line : rows_.lines()) {
      read_line(line, above);
      if (says(line.text, "-place")) above = line.text;
    }
    end_launch();
    if (rows_without_header_ > 0) {
      rows_.refuse(first_without_header_,
                   fmt::format("{} of nccl-tests without the header that names the columns; give the whole output",
                               with_count(static_cast<std::size_t>(rows_without_header_), "row")));
    }
  }

 private:
  void read_line(const LogLine& line, std::string_view above) {
    const std::string_view text = line.text;
    if (columns_ && read_row(line)) return;
    if (const auto columns = nccl_columns(text, above)) {
      if (columns_ && !is_just_below_header_) end_launch();
      if (launch_.line == 0) launch_.line = line.number;
      ++launch_.headers;
      columns_ = columns;
      begin_rows();
      header_ = text;
      is_just_below_header_ = true;
      return;
    }
    if (is_just_below_header_ && continues_header(header_, text)) is_wrapped_ = true;
    is_just_below_header_ = is_just_below_header_ && (text.empty() || text.starts_with('#'));
    const auto words = words_of(text);
    read_line_above_rows(line, words);
    // "rccl-tests: Version" looks like the name of a host in front of a line.
    if (line.origin == "rccl-tests" || says(text, "rccl-tests") || says(text, "RCCL version") ||
        says(text, "AMD Instinct") || says(text, "Radeon"))
      launch_.is_of_rccl = launch_.is_of_rccl || launch_.rows.empty();
  }

  void read_line_above_rows(const LogLine& line, const Words& words) {
    const std::string_view text = line.text;
    if (says(text, "Collective test starting")) {
      begin_unless_begun(line.number);
      launch_.program = words.back();
    } else if (says(text, "Collective test concluded")) {
      if (launch_.program.empty() && !launch_.rows.empty()) launch_.program = words.back();
    } else if (columns_ && !launch_.out_of_bounds && is_failure(text)) {
      constexpr std::size_t enough = 120;
      if (failure_.empty()) failure_ = text.substr(0, enough);
    } else if (says(text, "ccl-tests version")) {
      begin_unless_begun(line.number);
      read_version(text, "nccl-library=");
    } else if (says(text, "NCCL version ") && launch_.rows.empty()) {
      read_version(text, "NCCL version ");
    } else if (says(text, "nThread ") && says(text, "nGpus ")) {
      if (launch_.ranks_of_process > 0) end_launch();
      begin_unless_begun(line.number);
      launch_.ranks_of_process = number_after(words, "nThread").value_or(0) * number_after(words, "nGpus").value_or(0);
    } else if (says(text, "Rank ") && (says(text, " Pid ") || says(text, " device "))) {
      read_rank(words, line.number);
    } else if (text == "..." && !launch_.ranks.empty() && launch_.rows.empty()) {
      launch_.is_list_cut = true;
    } else if (says(text, "NCCL INFO") && says(text, " Init COMPLETE")) {
      if (const auto ranks = number_after(words, "nranks"); ranks && *ranks > 0) launch_.in_nccl_log.insert(*ranks);
    } else if (columns_ && says(text, "Out of bounds values")) {
      const auto colon = std::find(words.begin(), words.end(), ":");
      if (words.end() - colon > 1) launch_.out_of_bounds = number_in<double>(colon[1]);
    } else if (!says(text, "NCCL ") && (says(text, "_perf") || says(text, "nccl_tests") || says(text, "nccl-tests"))) {
      read_command(words);
    } else if (!columns_ && is_row_of_some_version(text)) {
      if (rows_without_header_++ == 0) first_without_header_ = line.number;
    }
  }

  /// "host: Test NCCL failure common.cu:958 ..." and the like, which nccl-tests prints before it gives up.
  static bool is_failure(std::string_view text) {
    return says(text, "Test NCCL failure") || says(text, "Test CUDA failure") || says(text, "Test failure");
  }

  void read_rank(const Words& words, std::size_t line) {
    const auto rank = number_after(words, "Rank");
    if (!rank) return;
    if (!launch_.rows.empty()) end_launch();
    if (launch_.line == 0) launch_.line = line;
    const auto on = std::find(words.begin(), words.end(), "on");
    launch_.ranks.push_back(
        {*rank, number_after(words, "Group").value_or(0), words.end() - on > 1 ? std::string(on[1]) : std::string()});
  }

  /// As a number, 22809, or as text, "2.28.9+cuda13.0".
  void read_version(std::string_view text, std::string_view mark) {
    const auto at = text.find(mark);
    if (at == std::string_view::npos) return;
    const auto word = text.substr(at + mark.size());
    const auto version = word.substr(0, word.find_first_not_of("0123456789."));
    const auto number = number_in<int>(version);
    launch_.nccl_version = number ? nccl_version_text(*number) : std::string(version);
  }

  void read_command(const Words& words) {
    const auto programs = nccl_programs_in(words);
    if (programs.empty()) return;
    if (!launch_.rows.empty()) end_launch();
    launch_.commands.insert(programs.begin(), programs.end());
  }

  /// A row, or a part of one: messages of NCCL and line breaks may split it.
  bool read_row(const LogLine& line) {
    const std::string_view text = line.text;
    if (const auto row = nccl_row(*columns_, text)) {
      leave_out_part();
      add_row(*row, line.number);
      return true;
    }
    if (part_ && part_->origin == line.origin && !text.empty() && !says(text, "NCCL ")) {
      auto joined = *part_;
      joined.text += "  " + line.text;
      if (const auto row = nccl_row(*columns_, joined.text)) {
        part_.reset();
        add_row(*row, joined.number);
        return true;
      }
      if (has_figures_only(text) && words_of(joined.text).size() < columns_->words) {
        part_ = std::move(joined);
        return true;
      }
      leave_out_part();
    }
    if (text.starts_with('#')) return false;
    if (unread_.empty() && has_numbers(text)) keep_unread(text);
    if (!is_part_of_row(*columns_, text)) {
      if (!says(text, "NCCL ")) torn_.other(line);
      return false;
    }
    leave_out_part();
    part_ = line;
    return true;
  }

  /// True for several words that begin with digits, as the rows of any format do.
  static bool has_numbers(std::string_view text) {
    constexpr std::ptrdiff_t least = 4;
    const auto words = words_of(text);
    const auto begins_with_digit = [](std::string_view word) { return word.front() >= '0' && word.front() <= '9'; };
    return !words.empty() && begins_with_digit(words.front()) &&
           std::count_if(words.begin(), words.end(), begins_with_digit) >= least;
  }

  void keep_unread(std::string_view text) {
    constexpr std::size_t enough = 60;
    for (const auto word : words_of(text.substr(0, enough)))
      unread_ += fmt::format("{}{}", unread_.empty() ? "" : " ", word);
  }

  void leave_out_part() {
    if (!part_) return;
    const auto word = unreadable_word(*columns_, part_->text);
    torn_.torn(*part_, word.empty() ? fmt::format("a row of {} words instead of {}", words_of(part_->text).size(),
                                                  columns_->words)
                                    : fmt::format("a row whose word '{}' cannot be read", word));
    part_.reset();
  }

  void add_row(const NcclRow& row, std::size_t line) {
    if (launch_.out_of_bounds) continue_columns(line);
    const auto word = [&](const std::optional<std::size_t>& column) {
      return column ? std::string(row[*column]) : std::string();
    };
    torn_.row(number_in<std::uint64_t>(row[columns_->size]).value_or(0));
    for (const auto& placement : columns_->placements) {
      NcclFigures figures;
      figures.line = line;
      figures.is_in_place = placement.is_in_place;
      figures.size_bytes = number_in<std::uint64_t>(row[columns_->size]).value_or(0);
      figures.count = number_in<std::uint64_t>(row[columns_->count]).value_or(0);
      figures.type = type_called_now(word(columns_->type));
      figures.redop = word(columns_->redop);
      figures.root = word(columns_->root);
      figures.time = word(placement.time);
      figures.us_of_time = columns_->us_of_time;
      figures.algbw = word(placement.algbw);
      figures.busbw = word(placement.busbw);
      if (placement.wrong) figures.wrong = word(placement.wrong);
      if (columns_->has_deviation) figures.deviation = number_in<double>(figures.wrong);
      if (figures.deviation) figures.wrong.clear();
      if (!figures.time.empty()) launch_.rows.push_back(std::move(figures));
    }
  }

  void begin_unless_begun(std::size_t line) {
    if (columns_) end_launch();
    if (launch_.line == 0) launch_.line = line;
  }

  /// Rows after the end of a table belong to another launch, whose header is missing or whose lines are interleaved
  /// with these.
  void continue_columns(std::size_t line) {
    if (!why_mixed(launch_).empty()) return;
    const auto columns = columns_;
    end_launch();
    launch_.line = line;
    columns_ = columns;
    begin_rows();
  }

  void begin_rows() { torn_.begin(columns_->words, columns_->redop ? 2 : 1); }

  void end_launch() {
    leave_out_part();
    torn_.end();
    if (columns_ && is_wrapped_) {
      rows_.refuse(launch_.line, "its lines are wrapped at a terminal's width; write the output to a file instead");
    } else if (columns_ && columns_->is_time_of_processor && !launch_.rows.empty()) {
      rows_.refuse(launch_.line, "its times are CPU times (-C), not the operation's; run nccl-tests without -C");
    } else if (columns_ && launch_.rows.empty()) {
      rows_.refuse(launch_.line, why_no_row());
    } else {
      note_failure();
      add_launch(rows_, launch_);
    }
    launch_ = {};
    columns_.reset();
    unread_.clear();
    failure_.clear();
    is_wrapped_ = false;
  }

  void note_failure() {
    if (failure_.empty()) return;
    std::set<std::size_t> lines;
    for (const auto& row : launch_.rows) lines.insert(row.line);
    rows_.note(fmt::format("{}: the run failed after {}: {}", rows_.at(launch_.line), with_count(lines.size(), "row"),
                           failure_));
  }

  std::string why_no_row() const {
    if (!failure_.empty()) return fmt::format("the run failed before its table's first row: {}", failure_);
    if (unread_.empty()) return "its table has no row; the run may have failed";
    return fmt::format("its table has no row that can be read: instead of {} words there is '{}'", columns_->words,
                       unread_);
  }

  ForeignRows& rows_;
  TornRows torn_{rows_};
  NcclLaunch launch_;
  std::optional<NcclColumns> columns_;
  std::optional<LogLine> part_;   ///< of a row, whose end may follow
  std::string header_, failure_;  ///< lines of this launch
  std::string unread_;            ///< the beginning of the first line that looks like a row but is not one
  bool is_just_below_header_ = false, is_wrapped_ = false;
  int rows_without_header_ = 0;
  std::size_t first_without_header_ = 0;
};

}  // namespace

void read_nccl_tests_text(ForeignRows& rows) { NcclText(rows).read(); }

}  // namespace ringmark::analysis
