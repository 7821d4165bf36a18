#include "base/flags/flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/problem_texts.hpp"

namespace ringmark {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Options {
  int ranks = 2;
  std::optional<std::size_t> bytes;
  std::chrono::milliseconds timeout{1500};
  double share_percent = 5;
  std::string path;
  std::vector<std::size_t> sizes;
  std::vector<std::string> files;
  bool check = true, is_loud = false;
  std::string kind = "none";
  std::vector<std::string> settings;
};

class FlagsTest : public testing::Test {
 protected:
  FlagsTest() {
    flags.group("Counts");
    flags.number("-n,--ranks", options.ranks, 1, 8, "number of ranks");
    flags.size("--bytes", options.bytes, "bytes to send");
    flags.seconds("--timeout", options.timeout, 0.5, 10, "longest wait");
    flags.percent("--share", options.share_percent, 0, 100, "share of the link");
    flags.group("Files");
    flags.text("--path", options.path, "where to write").may_be_empty();
    flags.sizes("--sizes", options.sizes, "the sizes");
    flags.choice("--check", options.check, {{"1", true}, {"0", false}}, "1 or 0");
    flags.text("--kind", options.kind, "what is done").value_is_optional("all");
    flags.toggle("--loud", options.is_loud, "say more");
    flags.repeatable(
        "--set", "KEY=VALUE", [this](const std::string& word) { return options.settings.push_back(word), ""; },
        "an option");
    flags.texts("files", options.files, "files to read");
    flags.foreign("other-tool",
                  {{"-t,--threads", [](const std::string& word) { return word == "1" ? "" : "give --ranks " + word; }},
                   {"-n,--loud,-m", [](const std::string&) { return "give --ranks"; }}},
                  {{"--nranks", "--ranks"}, {"--nothing", "--absent"}});
    flags.examples({"program --ranks 2"}, "Exit status: 0.");
  }

  Parsed<Options> parse(
      std::vector<const char*> words, const std::function<void()>& check = [] {}) {
    words.insert(words.begin(), "program");
    return flags.read(options, static_cast<int>(words.size()), words.data(), check);
  }

  Options options;
  Flags flags{"program", "A program.", "program 1.2"};
};

testing::Matcher<Problem> problem(const char* flag, const char* value, const char* words) {
  return AllOf(Field("flag", &Problem::flag, flag), Field("value", &Problem::value, value),
               testing::ResultOf(
                   "printed", [](const Problem& each) { return to_text(each); }, HasSubstr(words)));
}

TEST_F(FlagsTest, set_typed_values) {
  const auto parsed =
      parse({"-n",   "4",       "--bytes=64K", "--timeout", "0.75",  "--share", "2.5",   "--path", "",  "--sizes",
             "8,1K", "--check", "0",           "--loud",    "--set", "a=1",     "--set", "b=2",    "x", "y"});
  EXPECT_FALSE(parsed.exit_status) << to_text(parsed.problems);
  const auto& given = parsed.options;
  EXPECT_EQ(given.ranks, 4);
  EXPECT_EQ(given.bytes, 64U << 10);
  EXPECT_EQ(given.timeout.count(), 750);
  EXPECT_EQ(given.share_percent, 2.5);
  EXPECT_THAT(given.sizes, ElementsAre(8, 1024));
  EXPECT_TRUE(!given.check && given.is_loud);
  EXPECT_THAT(given.settings, ElementsAre("a=1", "b=2"));
  EXPECT_THAT(given.files, ElementsAre("x", "y"));
}

TEST_F(FlagsTest, of_another_program_are_named_as_they_were_typed) {
  EXPECT_THAT(parse({"--threads=4"}).problems, ElementsAre(problem("--threads", "4", "--ranks 4")));
}

TEST_F(FlagsTest, of_several_letters_after_one_dash_are_no_value_of_the_first) {
  flags.hints("mpirun", {{"-np", "did you mean --ranks?"}});
  EXPECT_THAT(parse({"-np", "2", "-np", "--loud"}).problems,
              ElementsAre(problem("-np", "", "mpirun"), problem("-np", "2", "did you mean --ranks?")));
  EXPECT_TRUE(options.is_loud);
}

TEST_F(FlagsTest, explain_a_size_that_may_be_in_bits) {
  EXPECT_THAT(parse({"--bytes", "1kb"}).problems, ElementsAre(problem("--bytes", "1kb", "1kB")));
}

TEST_F(FlagsTest, take_a_percentage_with_its_sign) {
  EXPECT_EQ(parse({"--share", "2.5%"}).options.share_percent, 2.5);
  EXPECT_THAT(parse({"--share", "101%"}).problems, ElementsAre(problem("--share", "101%", "from 0 to 100")));
}

TEST_F(FlagsTest, leave_defaults_and_print_them) {
  const auto facts = flags.list_all();
  ASSERT_EQ(facts.size(), 11U);
  EXPECT_EQ(facts[0].name, "--ranks");
  EXPECT_EQ(facts[0].default_text, "2");
  EXPECT_EQ(facts[0].group, "Counts");
  EXPECT_EQ(facts[1].default_text, "");
  EXPECT_EQ(facts[2].default_text, "1.5");
  EXPECT_EQ(facts[2].type, "SECONDS");
  EXPECT_THAT(facts[6].choices, ElementsAre("1", "0"));
  EXPECT_EQ(facts[10].name, "files");
  const auto help = flags.help();
  for (const char* text :
       {"Counts:", "--bytes SIZE  ", "--set KEY=VALUE ...", "-h,--help", "--version", "Examples:\n  program --ranks 2"})
    EXPECT_THAT(help, HasSubstr(text));
  // Behind the type as "N=2" by CLI11 2.1, and as "N [2]" by later ones.
  for (const char* text : {"-n,--ranks N[= []+2", "--timeout SECONDS[= []+1.5", "--check WORD[= []+1"})
    EXPECT_THAT(help, testing::ContainsRegex(text));
  EXPECT_EQ(parse({}).options.ranks, 2);
}

TEST_F(FlagsTest, tell_all_problems_at_once) {
  const auto parsed = parse({"--ranks", "9", "--bytes", "64Kb", "--timeout", "0.1", "--sizes", "8,8", "--check", "2",
                             "--share", "", "--loudly", "-t", "3", "--rank=2"},
                            [] { FAIL() << "a word was not expected"; });
  EXPECT_EQ(parsed.exit_status, 2);
  EXPECT_THAT(parsed.problems,
              ElementsAre(problem("--ranks", "9", "from 1 to 8"), problem("--bytes", "64Kb", "64K"),
                          problem("--timeout", "0.1", "from 0.5 to 10"), problem("--share", "", "empty"),
                          problem("--sizes", "8,8", "8 is given twice"), problem("--check", "2", "1, 0"),
                          problem("-t", "3", "give --ranks 3"), problem("--loudly", "", "did you mean --loud?"),
                          problem("--rank", "2", "did you mean --ranks?")));
}

TEST_F(FlagsTest, accept_another_programs_flags_where_their_values_change_nothing) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"-t", "1", "x"}, {"-t1", "x"}, {"--threads", "1", "x"}, {"--threads=1", "x"}}) {
    options = {};
    const auto parsed = parse(words);
    EXPECT_FALSE(parsed.exit_status) << to_text(parsed.problems);
    EXPECT_THAT(parsed.options.files, ElementsAre("x")) << "the value is no positional";
  }
}

TEST_F(FlagsTest, name_the_counterpart_of_another_programs_flags) {
  EXPECT_THAT(parse({"-t", "8", "--loud"}).problems, ElementsAre(problem("-t", "8", "give --ranks 8")));
  EXPECT_TRUE(options.is_loud) << "it stays a flag of this program";
}

TEST_F(FlagsTest, have_no_flag_of_another_program_among_their_own) {
  EXPECT_EQ(flags.list_all().size(), 11U);
  EXPECT_THAT(flags.help(), testing::Not(HasSubstr("--threads")));
  EXPECT_THAT(parse({"-m", "1"}).problems, ElementsAre(problem("-m", "1", "other-tool")));
}

TEST_F(FlagsTest, know_other_spellings_of_their_own) {
  EXPECT_EQ(parse({"--nranks", "3"}).options.ranks, 3);
  EXPECT_THAT(parse({"--nranks=9", "--nothing=1"}).problems,
              ElementsAre(problem("--ranks", "9", "from 1 to 8"), problem("--nothing", "1", "not expected")));
}

TEST_F(FlagsTest, take_a_toggle_with_a_truth) { EXPECT_TRUE(parse({"--loud=True"}).options.is_loud); }

TEST_F(FlagsTest, imply_a_value_where_it_is_optional) {
  EXPECT_EQ(parse({}).options.kind, "none");
  EXPECT_EQ(parse({"--kind"}).options.kind, "all");
}

TEST_F(FlagsTest, take_an_optional_value_that_is_given) {
  const auto given = parse({"--kind", "some", "--ranks", "3"});
  EXPECT_EQ(given.options.kind, "some");
  EXPECT_EQ(given.options.ranks, 3);
}

TEST_F(FlagsTest, take_no_flag_for_an_optional_value) {
  const auto given = parse({"--kind", "--ranks", "3"});
  EXPECT_EQ(given.options.kind, "all");
  EXPECT_EQ(given.options.ranks, 3);
}

TEST_F(FlagsTest, refuse_a_toggle_with_another_word) {
  const auto parsed = parse({"--loud=1/2"});
  EXPECT_EQ(parsed.exit_status, 2);
  EXPECT_THAT(parsed.problems, ElementsAre(problem("--loud", "1/2", "true or false")));
}

TEST_F(FlagsTest, add_problems_of_the_check_with_the_value_that_was_given) {
  const auto parsed = parse({"--bytes", "3", "--loud", "--ranks", "99"}, [&] {
    flags.problem("--bytes", "is odd", "give 4");
    flags.problem("--loud", "is not for 3 bytes");
    throw BadUsage("and more");
  });
  EXPECT_THAT(parsed.problems, ElementsAre(problem("--ranks", "99", "8"), problem("--bytes", "3", "is odd; give 4"),
                                           problem("--loud", "", "3 bytes"), problem("", "", "and more")));
}

TEST_F(FlagsTest, refuse_a_flag_that_is_given_twice_or_has_no_value) {
  EXPECT_THAT(parse({"--ranks", "3", "--ranks", "4"}).problems, ElementsAre(problem("--ranks", "4", "twice")));
  EXPECT_EQ(parse({"--ranks"}).exit_status, 2);
}

TEST_F(FlagsTest, answer_help_and_version) {
  const auto help = parse({"--ranks", "99", "--help"});
  EXPECT_EQ(help.exit_status, 0);
  EXPECT_THAT(help.output, HasSubstr("number of ranks"));
  EXPECT_THAT(help.problems, IsEmpty());
  EXPECT_EQ(parse({"--version"}).output, "program 1.2\n");
}

TEST(Subcommands, have_flags_of_their_own) {
  const auto parse = [](std::vector<const char*> words) {
    Flags flags("program", "A program.", "program 1.2");
    std::string file, folder;
    auto& run = flags.subcommand("run", "runs a file");
    run.file("file", file, "what to run").required();
    run.file("-o,--output", folder, "where to").required();
    flags.hidden_subcommand("inner");
    words.insert(words.begin(), "program");
    std::string chosen;
    return flags.read(chosen, static_cast<int>(words.size()), words.data(),
                      [&] { chosen = (run.is_chosen() ? "run " : "other ") + file + " " + folder; });
  };
  EXPECT_EQ(parse({"run", "a", "-o", "b"}).options, "run a b");
  EXPECT_EQ(parse({"inner"}).options.substr(0, 5), "other");
  EXPECT_THAT(parse({"run"}).problems, ElementsAre(problem("file", "", "missing"), problem("--output", "", "missing")));
  EXPECT_THAT(parse({"run", "a", "--outptu", "b"}).problems,
              ElementsAre(problem("--outptu", "b", "did you mean --output?")));
  EXPECT_THAT(parse({"go", "now"}).problems, ElementsAre(problem("", "", "subcommand 'go'; give one of run")));
  EXPECT_THAT(parse({}).problems, ElementsAre(problem("", "", "give one of run")));
  EXPECT_THAT(parse({"--help"}).output, AllOf(HasSubstr("run"), Not(HasSubstr("inner"))));
  EXPECT_THAT(parse({"run", "--help"}).output, HasSubstr("Usage: program run"));
}

}  // namespace
}  // namespace ringmark
