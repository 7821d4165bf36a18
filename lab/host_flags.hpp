// Flags whose value names a host: --host-rate 2=100mbit, --cut 2@3s.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/flags/flags.hpp"

namespace ringmark::lab {

constexpr double shortest_timeout_s = 0.001, longest_timeout_s = 24 * 3600;

/// `parse` returns an optional value; `allowed` describes the words it accepts.
template <class To, class Parse>
Flags::Reader read_with(Parse parse, std::string_view allowed, To& to) {
  return [=, &to](const std::string& word) -> std::string {
    const auto value = parse(word);
    if (!value) return fmt::format("give {}", allowed);
    to = *value;
    return {};
  };
}

class HostFlags {
 public:
  /// False if the text after the separator is not allowed.
  using Apply = std::function<bool(int host, const std::string& rest)>;
  using TakeCut = std::function<void(int host, std::chrono::milliseconds after)>;

  explicit HostFlags(Flags& flags) : flags_(flags) {}
  HostFlags(const HostFlags&) = delete;
  HostFlags& operator=(const HostFlags&) = delete;

  /// `type` is "HOST", the separator, and the name of the value.
  void declare(const std::string& flag, const std::string& type, std::string allowed, Apply apply,
               const std::string& meaning);
  void declare_cuts(TakeCut take);
  /// Adds a problem for each host that does not exist.
  void check(int hosts);

 private:
  struct Named {
    std::string flag, word;
    int host;
  };
  Flags& flags_;
  std::vector<Named> named_;
};

}  // namespace ringmark::lab
