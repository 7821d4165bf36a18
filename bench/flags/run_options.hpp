// The flags that all measuring programs have, and how flags are read: every problem is told at once, each naming the
// flag, the value and what is allowed.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/exit_status.hpp"
#include "base/option.hpp"
#include "base/transport.hpp"
#include "transports/fabric/tcp/options.hpp"
#include "transports/fabric/verbs/options.hpp"
#include "transports/nccl/options.hpp"

namespace CLI {
class App;
}

namespace ringmark {

struct RunOptions {
  Transport transport = Transport::tcp;
  std::optional<int> iterations;
  int warmup = 5;
  double precision_percent = 2;
  std::chrono::duration<double> max_time{5};
  std::optional<int> ranks;
  std::chrono::milliseconds timeout{60'000};
  std::map<std::string, std::string> settings;  ///< as given with --set
  TcpOptions tcp;
  VerbsOptions verbs;
  NcclOptions nccl;
  std::string csv_path;
  std::string run_id;
  int repetition = 0;
  bool list = false, list_options = false, list_parameters = false;

  /// Where buffers of operations will lie.
  MemoryKind memory_kind() const {
    return transport == Transport::nccl    ? MemoryKind::cuda
           : transport == Transport::verbs ? verbs.memory
                                           : MemoryKind::host;
  }
};

/// Either the options, or the status to leave with at once: help was asked for, or the input is bad.
template <class Options>
struct Parsed {
  Options options;
  std::optional<int> exit_status;
  std::string output;    ///< for standard output
  std::string problems;  ///< for standard error
};

std::vector<std::string> split_at_commas(const std::string& text);

/// Reads the words that were given for flags, and collects what is wrong with them.
class FlagReader {
 public:
  const std::vector<std::string>& problems() const { return problems_; }

  template <class... Args>
  void problem(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void size(std::string_view flag, const std::string& text, std::size_t& to);
  /// A comma list, appended; each size once.
  void sizes(std::string_view flag, const std::string& text, std::vector<std::size_t>& to);

  template <class Number>
  void number(std::string_view flag, const std::string& text, Number least, Number most, Number& to) {
    if (!read_number(text, least, most, to)) problem("{} {}: give a number from {} to {}", flag, text, least, most);
  }

  template <class Allowed>
  void choice(std::string_view flag, const std::string& text, const Allowed& allowed) {
    for (const auto& each : allowed) {
      if (text == each) return;
    }
    problem("{} {}: give one of {}", flag, text, fmt::join(allowed, ", "));
  }

  /// One of the things that have a name; false if it is none.
  template <class Value, class Parse>
  bool named(std::string_view flag, const std::string& text, std::span<const Value> all, Parse parse, Value& to) {
    const auto value = parse(text);
    if (value) {
      to = *value;
    } else {
      problem("{} {}: give one of {}", flag, text, fmt::join(names_of(all), ", "));
    }
    return value.has_value();
  }

  /// A comma list of things that have a name, each once, or "all".
  template <class Value, class Parse>
  void list(std::string_view flag, const std::string& text, std::span<const Value> all, Parse parse,
            std::vector<Value>& to) {
    to.clear();
    for (const auto& word : split_at_commas(text)) {
      if (word == "all") {
        to.insert(to.end(), all.begin(), all.end());
      } else if (const auto value = parse(word)) {
        to.push_back(*value);
      } else {
        problem("{} {}: '{}' is unknown; give all, or some of {}", flag, text, word, fmt::join(names_of(all), ", "));
      }
    }
    refuse_repeated(flag, text, to, [](const Value& value) { return name(value); });
  }

 private:
  template <class Value, class Name>
  void refuse_repeated(std::string_view flag, const std::string& text, const std::vector<Value>& values, Name name_of) {
    for (auto value = values.begin(); value != values.end(); ++value) {
      if (std::find(values.begin(), value, *value) == value) continue;
      problem("{} {}: {} is given twice", flag, text, name_of(*value));
      return;
    }
  }

  template <class Value>
  static std::vector<std::string_view> names_of(std::span<const Value> values) {
    std::vector<std::string_view> names;
    for (const auto each : values) names.push_back(name(each));
    return names;
  }

  std::vector<std::string> problems_;
};

/// The common flags as words, until they are interpreted.
class RunFlags {
 public:
  explicit RunFlags(std::string default_max_time) : max_time_(std::move(default_max_time)) {}

  void declare(CLI::App& app, RunOptions& options);
  /// False if the transport is none, so that nothing can be said of what goes with it.
  bool interpret(FlagReader& read, RunOptions& options) const;

 private:
  void interpret_settings(FlagReader& read, RunOptions& options, bool knows_transport) const;

  std::string transport_ = "tcp", iterations_, warmup_ = "5", precision_ = "2", max_time_, ranks_, timeout_ = "60",
              repetition_ = "0";
  std::vector<std::string> settings_;
};

/// Only "auto" where a library chooses.
void refuse_algorithm(FlagReader& read, Transport transport, const std::string& algorithm);

struct ParseOutcome {
  std::optional<int> exit_status;
  std::string output, problems;
  std::vector<std::string> empty_flags;  ///< that were given an empty value
};
ParseOutcome run_parser(CLI::App& app, int argc, const char* const* argv);

/// Parses, and turns help, version and bad usage into what Parsed says. `interpret(FlagReader&)` gives the words their
/// meaning, in `options`.
template <class Options, class Interpret>
Parsed<Options> parse_with(CLI::App& app, Options& options, int argc, const char* const* argv, Interpret interpret) {
  auto outcome = run_parser(app, argc, argv);
  Parsed<Options> parsed{{}, outcome.exit_status, outcome.output, outcome.problems};
  if (!parsed.exit_status) {
    FlagReader read;
    for (const auto& flag : outcome.empty_flags) read.problem("{}: the value is empty", flag);
    try {
      interpret(read);
    } catch (const BadUsage& error) {
      read.problem("{}", error.what());
    }
    if (!read.problems().empty()) {
      parsed.exit_status = exit_usage;
      parsed.problems = fmt::format("{}\n", fmt::join(read.problems(), "\n"));
    }
  }
  parsed.options = std::move(options);
  return parsed;
}

/// Prints what was answered or complained about, and returns the status to leave with.
template <class Options>
int leave_with(const Parsed<Options>& parsed) {
  fmt::print("{}", parsed.output);
  fmt::print(stderr, "{}", parsed.problems);
  return *parsed.exit_status;
}

/// What --list-options prints.
std::string option_listing();

}  // namespace ringmark
