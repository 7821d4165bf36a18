// The only reader of command lines. A flag is declared with the variable that it sets, whose initial value is the
// default shown by --help. All problems are reported at once. It is built on CLI11, which no header includes.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/flags/flag_facts.hpp"
#include "base/flags/option.hpp"
#include "base/input/parsed.hpp"
#include "base/problem.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ringmark {

std::vector<std::string> split_at(std::string_view text, char separator);
std::vector<std::string> split_at_commas(std::string_view text);

class Flags {
 public:
  /// Returns an empty string if the word is accepted, otherwise the allowed values.
  using Reader = std::function<std::string(const std::string& word)>;

  /// `version`: the whole output of --version.
  Flags(const std::string& program, std::string description, std::string version);
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  /// The heading for the flags that follow.
  void group(std::string heading) { group_ = std::move(heading); }
  /// The end of --help: one command line per example, then the remarks.
  void examples(const std::vector<std::string>& lines, const std::string& remarks = "");
  /// A flag of another program that people are used to, accepted if its value asks for what happens anyway.
  struct Foreign {
    std::string names;  ///< in CLI11's notation; names of this program's own flags keep their meaning
    Reader read;        ///< returns an empty string if the value is accepted, otherwise this program's counterpart
  };
  /// Not listed in --help. `synonyms`: other spellings of flags here, {"--minbytes", "--min-bytes"}.
  void foreign(std::string program, std::vector<Foreign> flags, std::map<std::string, std::string> synonyms = {});
  /// Flags of another program that have no equivalent here, each with the alternative to suggest. A name such as -np is
  /// then not parsed as -n with the value p. May be called for several programs.
  void hints(const std::string& program, const std::map<std::string, std::string>& meanings);
  /// Declare its flags as you declare the program's. Valid as long as this object.
  Flags& subcommand(const std::string& name, const std::string& meaning);
  /// A subcommand that --help does not list.
  Flags& hidden_subcommand(const std::string& name);
  /// The remedy for words that no positional accepts.
  void surplus(std::string remedy) { surplus_remedy_ = std::move(remedy); }

  /// `names` are in CLI11's notation: "-b,--min-bytes", or "trace" for a positional. `To` may be optional, and then has
  /// no default. Functions return this, so that `required()` can follow.
  Flags& toggle(const std::string& names, bool& to, const std::string& meaning);
  Flags& word(const std::string& names, const std::string& type, std::string default_text, Reader read,
              const std::string& meaning);
  /// The reader is called every time the flag is given.
  Flags& repeatable(const std::string& names, const std::string& type, Reader read, const std::string& meaning);

  template <class To>
  Flags& text(const std::string& names, To& to, const std::string& meaning, const std::string& type = "TEXT") {
    return word(
        names, type, shown(to), [&to](const std::string& word) { return to = word, ""; }, meaning);
  }
  template <class To>
  Flags& file(const std::string& names, To& to, const std::string& meaning) {
    return text(names, to, meaning, "FILE");
  }
  /// Several words after one flag, or positionals.
  Flags& texts(const std::string& names, std::vector<std::string>& to, const std::string& meaning,
               const std::string& type = "FILE");

  template <class To>
  Flags& number(const std::string& names, To& to, std::type_identity_t<Plain<To>> least,
                std::type_identity_t<Plain<To>> most, const std::string& meaning, const std::string& type = "N") {
    return word(
        names, type, shown(to),
        [&to, least, most](const std::string& word) {
          Plain<To> value{};
          if (!read_number(word, least, most, value)) return fmt::format("give a number from {} to {}", least, most);
          to = value;
          return std::string();
        },
        meaning);
  }
  template <class To>
  Flags& percent(const std::string& names, To& to, double least, double most, const std::string& meaning) {
    return word(
        names, "PERCENT", shown(to),
        [&to, least, most](std::string word) {
          if (word.ends_with('%')) word.pop_back();
          double value = 0;
          if (!read_number(word, least, most, value))
            return fmt::format("give a percentage from {} to {}", least, most);
          to = value;
          return std::string();
        },
        meaning);
  }
  /// Sets a duration of any unit from a number of seconds.
  template <class To>
  Flags& seconds(const std::string& names, To& to, double least, double most, const std::string& meaning) {
    using Duration = Plain<To>;
    std::string default_text;
    if constexpr (std::same_as<To, Duration>)
      default_text = fmt::format("{}", std::chrono::duration<double>(to).count());
    return word(
        names, "SECONDS", default_text,
        [&to, least, most](const std::string& word) {
          double value = 0;
          if (!read_number(word, least, most, value))
            return fmt::format("give a number of seconds from {} to {}", least, most);
          if constexpr (std::floating_point<typename Duration::rep>) {
            to = std::chrono::duration<double>(value);
          } else {
            to = std::chrono::round<Duration>(std::chrono::duration<double>(value));
          }
          return std::string();
        },
        meaning);
  }
  template <class To>
  Flags& size(const std::string& names, To& to, const std::string& meaning, std::size_t least = 0) {
    std::string default_text;
    if constexpr (std::same_as<To, Plain<To>>) default_text = format_size(to);
    return word(
        names, "SIZE", default_text,
        [&to, least](const std::string& word) {
          const auto value = parse_size(word);
          if (!value) return why_no_size(word);
          if (*value < least) return fmt::format("give at least {}", least);
          to = *value;
          return std::string();
        },
        meaning);
  }
  /// A comma list of distinct sizes.
  Flags& sizes(const std::string& names, std::vector<std::size_t>& to, const std::string& meaning,
               std::size_t least = 0);

  /// One of a set of words.
  template <class To>
  Flags& choice(const std::string& names, To& to, std::vector<std::pair<std::string, Plain<To>>> all,
                const std::string& meaning, const std::string& type = "WORD") {
    std::string default_text;
    std::vector<std::string> words;
    for (const auto& [each, value] : all) {
      if (to == value) default_text = each;
      words.push_back(each);
    }
    auto allowed = fmt::format("give one of {}", fmt::join(words, ", "));
    word(
        names, type, default_text,
        [&to, all = std::move(all), allowed = std::move(allowed)](const std::string& word) {
          const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == word; });
          if (found == all.end()) return allowed;
          to = found->second;
          return std::string();
        },
        meaning);
    facts_.back().choices = std::move(words);
    return *this;
  }
  /// One of the values that have a `name()`.
  template <class To, class Value>
  Flags& named(const std::string& names, To& to, std::span<const Value> all, const std::string& meaning) {
    std::vector<std::pair<std::string, Plain<To>>> words;
    for (const auto& each : all) words.emplace_back(name(each), each);
    return choice(names, to, std::move(words), meaning);
  }
  /// A comma list of distinct values that have a `name()`, or "all". `parse_word` may accept more spellings.
  template <class Value, class Parse>
  Flags& list(const std::string& names, std::vector<Value>& to, std::span<const Value> all, Parse parse_word,
              const std::string& meaning) {
    const auto names_of = [](std::span<const Value> values) {
      std::vector<std::string_view> words;
      for (const auto& each : values) words.push_back(name(each));
      return words;
    };
    const auto read = [&to, all, parse_word, names_of](const std::string& text) -> std::string {
      to.clear();
      for (const auto& part : split_at_commas(text)) {
        if (part == "all") {
          to.insert(to.end(), all.begin(), all.end());
        } else if (const auto value = parse_word(part)) {
          to.push_back(*value);
        } else {
          return fmt::format("'{}' is unknown; give all, or some of {}", part, fmt::join(names_of(all), ", "));
        }
      }
      for (auto value = to.begin(); value != to.end(); ++value) {
        if (std::find(to.begin(), value, *value) != value) return fmt::format("{} is given twice", name(*value));
      }
      return {};
    };
    return word(names, "LIST", fmt::format("{}", fmt::join(names_of(to), ",")), read, meaning);
  }

  /// The most recently declared flag is required.
  Flags& required();
  /// The most recently declared flag accepts an empty value.
  Flags& may_be_empty();
  /// The most recently declared flag may be given without a value, which then means `implied`. Help shows no default,
  /// since CLI11 would use it.
  Flags& value_is_optional(std::string implied);
  /// The default that --help shows if the flag sets an optional value and the default is set elsewhere.
  template <class Value>
  Flags& default_is(const Value& value) {
    return show_default(fmt::format("{}", value));
  }

  bool is_given(const std::string& flag) const;
  /// As typed; empty if not given.
  std::string given(const std::string& flag) const;
  /// For a subcommand: true if the command line selects it.
  bool is_chosen() const;

  /// Adds a problem that depends on several flags; it shows the flag's value as given.
  void problem(const std::string& flag, std::string text, std::string remedy = "");
  void add_problem(Problem problem) { root_->problems_.push_back(std::move(problem)); }
  /// All problems so far, for any subcommand.
  const std::vector<Problem>& problems() const { return root_->problems_; }

  /// The flags declared so far.
  const std::vector<FlagFacts>& own() const { return facts_; }
  /// All flags of the program and its subcommands, except --help and --version.
  std::vector<FlagFacts> list_all() const;
  std::string help();

  /// Parses once; help, version and bad usage become fields of Parsed. `check` sees the values and may add problems or
  /// throw BadUsage; it is not called if the command line has unexpected words.
  template <class Options, class Check>
  Parsed<Options> read(Options& options, int argc, const char* const* argv, Check check) {
    const auto outcome = parse(argc, argv, check);
    return {std::move(options), outcome.exit_status, outcome.output, problems_};
  }

 private:
  static std::string why_no_size(std::string_view word);

  enum class Times { once, repeatedly, in_a_row };
  struct Outcome {
    std::optional<int> exit_status;
    std::string output;
  };
  struct Words {
    CLI::Option* option = nullptr;
    bool is_required = false, may_be_empty = false;
    std::string implied{};  ///< the value if none is given
  };
  struct Hint {
    std::string program, meaning;
  };

  template <class To>
  static std::string shown(const To& to) {
    if constexpr (std::same_as<To, Plain<To>>) return fmt::format("{}", to);
    return {};
  }

  Flags(CLI::App* app, std::string name, Flags* root);
  Flags& add(const std::string& names, const std::string& type, std::string default_text, Reader read,
             const std::string& meaning, Times times);
  Outcome parse(int argc, const char* const* argv, const std::function<void()>& check);
  Flags& show_default(std::string text);
  void finish();
  void add_foreign();
  std::vector<std::string> own_spellings(int argc, const char* const* argv);
  bool is_hinted_cluster(const std::string& word) const;
  std::string spelling_of(const std::vector<std::string>& names) const;
  void require_all();
  void refuse_unexpected();
  void refuse_word(const std::string& word, const std::string& next);
  Flags& chosen();
  std::vector<std::string> subcommand_names() const;

  std::unique_ptr<CLI::App> own_;
  CLI::App* app_;
  Flags* root_;
  std::string name_, version_, group_ = "Options", surplus_remedy_;
  bool is_hidden_ = false, is_finished_ = false;
  std::vector<std::unique_ptr<Flags>> subcommands_;
  std::vector<FlagFacts> facts_;
  std::vector<Words> words_;  ///< parallel to `facts_`
  std::string foreign_program_;
  std::vector<Foreign> foreign_;
  std::map<std::string, std::string> synonyms_;
  std::map<std::string, Hint> hints_;
  std::vector<std::string> typed_;  ///< the words of the command line
  std::vector<Problem> problems_;
};

}  // namespace ringmark
