#include "transports/nccl/parameters.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/flags/flags.hpp"
#include "base/text/spelling.hpp"
#include "transports/nccl/functions.hpp"
#include "transports/nccl/version.hpp"

namespace ringmark {
namespace {

using Kind = NcclParameter::Kind;

/// A part of NCCL_ALGO's value, which applies to all functions or to one.
struct WordList {
  std::string function;
  bool excludes = false;
  std::vector<std::string> words;
};

std::vector<WordList> word_lists(std::string_view value) {
  std::vector<WordList> lists;
  for (const auto& segment : split_at(value, ';')) {
    WordList list;
    auto rest = segment;
    if (const auto colon = rest.find(':'); colon != std::string::npos) {
      list.function = lower_case(rest.substr(0, colon));
      rest = rest.substr(colon + 1);
    }
    list.excludes = rest.starts_with('^');
    for (const auto& word : split_at(list.excludes ? std::string_view(rest).substr(1) : std::string_view(rest), ','))
      list.words.push_back(lower_case(word));
    lists.push_back(list);
  }
  return lists;
}

bool knows_word(const NcclParameter& parameter, const std::string& word) {
  return std::any_of(parameter.choices.begin(), parameter.choices.end(),
                     [&](std::string_view choice) { return lower_case(choice) == word; });
}

std::string why_wrong_words(const NcclParameter& parameter, std::string_view value) {
  const auto lists = word_lists(value);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto& list = lists[i];
    if (list.function.empty() && i > 0) return "only the first part may omit the function, as in Ring;allreduce:Tree";
    if (!list.function.empty() && nccl_function(list.function) != list.function)
      return fmt::format("'{}' is not a function; give {}", list.function, fmt::join(nccl_functions, ", "));
    for (const auto& word : list.words) {
      if (!knows_word(parameter, word))
        return fmt::format("'{}' is unknown; choose from {}", word, fmt::join(parameter.choices, ", "));
    }
  }
  return "";
}

std::string legal_values(const NcclParameter& parameter) {
  switch (parameter.kind) {
    case Kind::integer:
    case Kind::bytes:
      return fmt::format("{} to {}{}{}", parameter.least, parameter.most, parameter.kind == Kind::bytes ? " bytes" : "",
                         parameter.multiple_of > 1 ? fmt::format(", in steps of {}", parameter.multiple_of) : "");
    case Kind::flag:
      return "0 or 1";
    case Kind::words:
    case Kind::choices:
      return parameter.choices.empty() ? "a name" : fmt::format("{}", fmt::join(parameter.choices, ", "));
    case Kind::text:
      break;
  }
  return "text";
}

/// A list of interface prefixes, as NCCL's findInterfaces reads it: empty entries are ignored.
std::string why_wrong_prefixes(std::string_view value) {
  if (value.size() < 2) return "NCCL ignores a list of fewer than two characters; give prefixes such as eth";
  if (value.starts_with('^')) value.remove_prefix(1);
  if (value.starts_with('=')) value.remove_prefix(1);
  bool has_name = false;
  for (const auto& prefix : split_at(value, ',')) {
    if (prefix.starts_with('=') || prefix.starts_with('^'))
      return fmt::format("'{}' cannot be an interface name; ^ and = are allowed once, in this order, before the list",
                         prefix);
    has_name = has_name || !prefix.empty();
  }
  return has_name ? "" : "names no interface; give prefixes such as eth";
}

/// What NCCL does with text that is not a number, for messages.
std::string read_otherwise(const std::string& value) {
  errno = 0;
  const auto number = std::strtoll(value.c_str(), nullptr, 0);
  return errno == ERANGE ? "NCCL would take its default" : fmt::format("NCCL would silently read it as {}", number);
}

std::string why_wrong_value(const NcclParameter& parameter, std::string_view value) {
  if (!parameter.until.empty()) return fmt::format("{}", parameter.meaning);
  if (value.empty()) return "the value is empty";
  switch (parameter.kind) {
    case Kind::words:
      return why_wrong_words(parameter, value);
    case Kind::choices: {
      const auto& list = parameter.choices;
      const bool is_known = list.empty() || std::find(list.begin(), list.end(), value) != list.end();
      return is_known ? "" : fmt::format("give one of {}", fmt::join(list, ", "));
    }
    case Kind::integer:
    case Kind::bytes:
    case Kind::flag: {
      const auto number = parameter_number(value);
      const bool is_legal =
          number && *number >= parameter.least && *number <= parameter.most && *number % parameter.multiple_of == 0;
      return is_legal ? ""
                      : fmt::format("give {}{}", legal_values(parameter),
                                    number ? "" : "; " + read_otherwise(std::string(value)));
    }
    case Kind::text:
      if (parameter.name == "NCCL_SOCKET_IFNAME") return why_wrong_prefixes(value);
      break;
  }
  return "";
}

/// The parameter that was probably meant by a name; empty if none is close.
std::string_view parameter_meant_by(std::string_view name) {
  if (is_known_to_nccl(name)) return "";
  std::vector<std::string_view> names;
  for (const auto& parameter : nccl_parameters()) names.push_back(parameter.name);
  return meant_by(name, names);
}

}  // namespace

const NcclParameter* find_nccl_parameter(std::string_view name) {
  const auto table = nccl_parameters();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& each) { return each.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::optional<Problem> problem_of_parameter(std::string_view name, std::string_view value) {
  if (!name.starts_with("NCCL_")) return std::nullopt;
  Problem problem{.flag = std::string(name), .value = std::string(value)};
  const auto* parameter = find_nccl_parameter(name);
  if (parameter != nullptr) {
    problem.text = why_wrong_value(*parameter, value);
  } else if (const auto meant = parameter_meant_by(name); !meant.empty()) {
    problem.text = fmt::format("NCCL would ignore it; did you mean {}?", meant);
    problem.remedy = "--list-parameters lists the variables worth a sweep";
  }
  return problem.text.empty() ? std::nullopt : std::optional(std::move(problem));
}

std::optional<long long> parameter_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  if (text.empty() || std::isxdigit(static_cast<unsigned char>(text.front())) == 0) return std::nullopt;
  if (!is_hex && text.size() > 1 && text.front() == '0') return std::nullopt;  // some parts of NCCL read it as octal
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return is_negative ? -value : value;
}

std::vector<std::string> words_allowed(std::string_view parameter, std::string_view value,
                                       std::string_view collective) {
  const auto& choices = find_nccl_parameter(parameter)->choices;
  std::vector<std::string> words(choices.begin(), choices.end());
  if (value.empty()) return words;
  for (const auto& list : word_lists(value)) {
    // Later parts overwrite earlier ones.
    if (!list.function.empty() && list.function != nccl_function(collective)) continue;
    words.clear();
    for (const auto& choice : choices) {
      const bool is_named = std::find(list.words.begin(), list.words.end(), lower_case(choice)) != list.words.end();
      if (is_named != list.excludes) words.emplace_back(choice);
    }
  }
  return words;
}

std::string parameter_listing() {
  std::string text;
  for (const auto& p : nccl_parameters()) {
    const auto seen_since = nccl_name_history(p.name).since;
    const auto since = p.since.empty() && seen_since > 0 ? nccl_version_text(seen_since) : std::string(p.since);
    text += fmt::format("{}\n    {}\n", p.name, p.meaning);
    if (!p.until.empty()) continue;
    text += fmt::format("    {}; default {}; affects {}; read {}{}\n", legal_values(p), p.default_value, p.affects,
                        p.read == NcclParameter::Read::communicator ? "for each communicator" : "once per process",
                        since.empty() ? "" : fmt::format("; since {}", since));
    if (!p.trap.empty()) text += fmt::format("    note: {}\n", p.trap);
  }
  return text;
}

}  // namespace ringmark
