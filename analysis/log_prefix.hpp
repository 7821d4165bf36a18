// The prefixes that launchers, loggers and containers put before a line of output.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark::analysis {

/// Where mpirun's tag ends in the text, "[1,0]<stdout>:"; npos if there is none.
std::size_t tag_end(std::string_view text);

class PrefixReader {
 public:
  explicit PrefixReader(std::string_view line) : rest_(line) {}

  /// Takes one prefix off; false if there is none.
  bool take();
  /// The line behind the prefixes that were taken.
  std::string_view rest() const { return rest_; }
  /// The rank, host or pod that the first such prefix names; empty if none does.
  const std::string& origin() const { return origin_; }

 private:
  /// False: the line begins like such a prefix, and has none. Nothing: it does not begin like one.
  using Taken = std::optional<bool>;
  Taken take_tag();
  Taken take_brackets();
  Taken take_time();
  Taken take_worker();
  Taken take_kubernetes_log();
  Taken take_after_time();
  Taken take_level();
  Taken take_name();
  Taken take_python_logger();
  Taken take_service();

  bool cut(std::size_t length);
  void name_it(std::string_view name);
  void drop_blanks();
  /// Up to the first blank.
  std::string_view word() const;
  bool is_one_word() const { return word().size() == rest_.size(); }

  std::string_view rest_;
  std::string origin_;
  bool is_after_time_ = false;
};

}  // namespace ringmark::analysis
