// The prefixes that launchers, loggers and containers put before a line of output.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark::analysis {

/// A tag within a line that a rank printed in several parts: the part after it is the named rank's.
struct InnerTag {
  std::size_t begin, end;
  std::string origin;
};
/// The first tag of mpirun, "[1,0]<stdout>:", or of the same kind as `own`, the tag before the line: "[3]",
/// "[default3]:", "3:". Nothing if there is none.
std::optional<InnerTag> inner_tag(std::string_view line, std::string_view own);

/// True for a time alone, with or without a date.
bool is_time(std::string_view text);

class PrefixReader {
 public:
  explicit PrefixReader(std::string_view line) : rest_(line) {}

  /// Takes one prefix off; false if there is none.
  bool take();
  /// The line after the prefixes that were taken.
  std::string_view rest() const { return rest_; }
  /// The rank, host or pod that the first such prefix names; empty if none does.
  const std::string& origin() const { return origin_; }
  /// The last prefix of those that launchers repeat within a line, "[3]" or "3:", except mpirun's; empty if there is
  /// none.
  std::string_view tag() const { return tag_; }
  /// The rank that the last such prefix names, mpirun's included; empty if none does.
  std::string_view tagged() const { return tagged_; }

 private:
  /// False: the line begins like such a prefix, but it is not one. Nothing: it does not begin like one.
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

  std::string_view rest_, tag_, tagged_;
  std::string origin_;
  bool is_after_time_ = false;
};

}  // namespace ringmark::analysis
