// Reads individual settings of a ds_config, and names those that are wrong.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "replay/generate/ds_config.hpp"

namespace ringmark::replay {

class DsConfigReader {
 public:
  using Json = nlohmann::json;

  DsConfigReader(const std::string& file, std::uint64_t hidden, const GivenByFlags& given)
      : given_(given), file_(file), hidden_(hidden) {}

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw BadUsage(fmt::format("{}: {}", file_, fmt::format(text, std::forward<Args>(args)...)));
  }

  /// The file's content. DeepSpeed reads Hjson, which also allows comments with # and trailing commas.
  Json whole(const std::string& text) const;
  Json object(const Json& from, const char* key) const;
  void truth(const Json& from, const char* key, bool& to) const;
  /// A section's `enabled`; "auto" means true if `--dtype` names the section's type.
  bool is_enabled(const Json& from, const char* section, DataType type);

  /// Accepts 5e8 as a number of elements. "auto" is Hugging Face's multiple of the model's width if there is one;
  /// otherwise `to` keeps DeepSpeed's default, since DeepSpeed drops what is still "auto".
  template <class Number>
  void number(const Json& from, const char* key, Number least, Number& to, double times_hidden = 0) const {
    const auto found = from.find(key);
    if (found == from.end() || found->is_null()) return;
    if (*found == "auto") {
      if (times_hidden <= 0) return;
      if (hidden_ == 0) refuse("{}: auto: the model's width is unknown; give a number", key);
      to = static_cast<Number>(times_hidden);
      return;
    }
    if (const auto digits = in_quotes(*found)) {
      to = static_cast<Number>(*digits);
      return;
    }
    if (!found->is_number() || found->get<double>() < static_cast<double>(least) || found->get<double>() > 1e15 ||
        found->get<double>() != static_cast<double>(static_cast<std::int64_t>(found->get<double>())))
      refuse("{}: expected a whole number from {}, found {}", key, least, found->dump());
    if (static_cast<std::int64_t>(found->get<double>()) > std::int64_t{std::numeric_limits<Number>::max() / 2})
      refuse("{}: {} is too large", key, found->dump());
    to = static_cast<Number>(found->get<double>());
  }

  /// For a setting that is "auto" in the file: the flag's value, if there is one.
  template <class Value>
  std::optional<Value> settled(const char* flag, const std::optional<Value>& value) {
    if (value) flags_.insert(flag);
    return value;
  }

  const GivenByFlags& given() const { return given_; }
  const std::set<std::string>& flags() const { return flags_; }  ///< that gave the value of an "auto"

 private:
  /// The number in a quoted value, since pydantic accepts "2" as 2.
  static std::optional<std::uint32_t> in_quotes(const Json& value);

  const GivenByFlags& given_;
  const std::string& file_;
  std::uint64_t hidden_;
  std::set<std::string> flags_;
};

}  // namespace ringmark::replay
