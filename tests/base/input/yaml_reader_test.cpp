#include "base/input/yaml_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/problem_texts.hpp"

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> problems_of(const std::string& text) {
  YamlReader read("f.yaml");
  for (const auto& [key, value, line] :
       read.map("file", read_yaml("f.yaml", text), {"count", "share", "name", "list", "after", "is_on", "kind"})) {
    if (key == "count") read.number(key, value, 1, 8);
    if (key == "share") read.number(key, value, 0.0, 1.0);
    if (key == "name") read.text(key, value);
    if (key == "list") read.texts(key, value);
    if (key == "after") read.duration(key, value);
    if (key == "is_on") read.truth(key, value);
    if (key == "kind") read.choice<int>(key, value, {{"a", 1}, {"b", 2}});
  }
  return testing_support::texts(read.problems());
}

TEST(YamlReader, reads_what_is_right) {
  EXPECT_THAT(problems_of("count: 8\nshare: 0.5\nname: x\nlist: [a, b]\nafter: 2h\nis_on: yes\nkind: b\n"), IsEmpty());
  EXPECT_THAT(problems_of(R"({"count": 8, "is_on": true})"), IsEmpty()) << "JSON is YAML";
}

/// The problems of a text that is refused before it is parsed.
std::vector<Problem> refused(const std::string& text) {
  YamlReader read("f.yaml");
  return read_mended(read, text, [](const YAML::Node&) { ADD_FAILURE() << "it was parsed"; });
}

TEST(YamlReader, refuses_what_would_take_the_parser_long) {
  const std::string long_line(2U << 20U, 'x');
  EXPECT_EQ(refused("a: 1\nb: " + long_line + "\nc: 3\n").at(0).place, (Place{"f.yaml", 2}));
  EXPECT_THROW(read_yaml("f.yaml", long_line), BadUsage);
  std::string long_file;
  while (long_file.size() <= 16U << 20U) long_file += "- a line of a list\n";
  EXPECT_EQ(refused(long_file).size(), 1U);
  EXPECT_THROW(read_yaml("f.yaml", std::string(5000, '[')), BadUsage);
}

TEST(YamlReader, finds_a_fault_at_the_end_of_a_long_file) {
  std::string text;
  for (int line = 0; line < 100'000; ++line) text += "- 'a'\n";
  const auto found = repair_yaml("f.yaml", text + "- \"open\n");
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].place, (Place{"f.yaml", 100'001}));
}

TEST(YamlReader, keeps_all_problems_with_their_lines) {
  EXPECT_THAT(
      problems_of("count: 9\nshare: x\nname: []\nlist: a\nafter: 5\nis_on: maybe\nkind: c\nother: 1\ncount: 2\n"),
      testing::UnorderedElementsAre(
          "f.yaml:8: file: 'other' is unknown; give one of count, share, name, list, after, is_on, kind",
          "f.yaml:9: file: 'count' is given twice; remove one",
          "f.yaml:1: count: '9' is not a whole number from 1 to 8", "f.yaml:2: share: 'x' is not a number from 0 to 1",
          "f.yaml:3: name: a list is not a string", "f.yaml:4: list: 'a' is not a list; give [a, b, …]",
          "f.yaml:5: after: '5' is not a time; give one such as 500ms, 90s, 10min or 2h",
          "f.yaml:6: is_on: 'maybe' is neither true nor false", "f.yaml:7: kind: 'c' is unknown; give one of a, b"));
  EXPECT_THAT(problems_of(""), ElementsAre(HasSubstr("f.yaml:1: file: nothing is not a map")));
}

TEST(YamlReader, throws_the_first_problem_where_it_is_asked_to) {
  YamlReader read("f.yaml", YamlReader::Policy::throws);
  const auto root = read_yaml("f.yaml", "count: 9\n");
  EXPECT_THROW(read.number("count", root["count"], 1, 8), BadUsage);
  EXPECT_THROW(read.text("gone", root["gone"]), BadUsage);
}

TEST(Yaml, that_is_none_or_is_nested_without_end_is_refused) {
  EXPECT_THROW(read_yaml("f.yaml", "a: ["), BadUsage);
  EXPECT_THROW(read_yaml("f.yaml", std::string(100'000, '[')), BadUsage);
}

TEST(Yaml, has_all_faults_of_its_syntax_told_and_is_mended_for_further_ones) {
  const auto sure = repair_yaml("f.yaml", "a: b: c\nlist: [1, 2\nmap:\n\tx: 1\nq: \"open\nz: 1\n");
  std::vector<int> lines;
  for (const auto& problem : sure.problems) lines.push_back(problem.place->line);
  EXPECT_THAT(lines, ElementsAre(1, 2, 4, 5));
  EXPECT_TRUE(sure.is_sure);
  EXPECT_EQ(sure.text, "a: \"b: c\"\nlist: [1, 2]\nmap:\n  x: 1\nq: \"open\"\nz: 1\n");
  const auto guessed = repair_yaml("f.yaml", "a: 1\n  b: 2\nc: @x\nd: 1\n - e\n");
  EXPECT_GE(guessed.problems.size(), 2U);
  EXPECT_FALSE(guessed.is_sure);
  EXPECT_TRUE(repair_yaml("f.yaml", "a: \"it's\"\nb: don't\n").problems.empty());
}

TEST(Yaml, that_is_mended_is_read_on_and_all_problems_come_by_their_lines) {
  const auto lines_of = [](const std::string& text,
                           const std::function<void(YamlReader&, const YAML::Node&)>& read_on) {
    YamlReader read("f.yaml");
    std::vector<int> lines;
    for (const auto& problem : read_mended(read, text, [&](const YAML::Node& root) { read_on(read, root); }))
      lines.push_back(problem.place->line);
    return lines;
  };
  const auto number = [](YamlReader& read, const YAML::Node& root) { read.number("x", root["x"], 1, 8); };
  EXPECT_THAT(lines_of("x: 9\ny: b: c\n", number), ElementsAre(1, 2));
  EXPECT_THAT(lines_of("x: 9\ny: 1\n", number), ElementsAre(1));
  EXPECT_THAT(lines_of("x: 1\n", number), IsEmpty());
  EXPECT_THAT(lines_of("a: 1\n  b: 2\nc: @x\nd: 1\n - e\nx: 9\n", number),
              AllOf(testing::Not(IsEmpty()), testing::Each(testing::Lt(6))))
      << "x may have lost what belongs to it";
  const auto refuse = [](YamlReader& read, const YAML::Node& root) { read.refuse(root["y"], "is refused"); };
  EXPECT_THAT(lines_of("x: b: c\ny: 1\n", refuse), ElementsAre(1, 2));
}

TEST(Yaml, says_where_and_why_a_text_is_none_and_what_to_do) {
  const struct {
    std::string text;
    int line;
    std::string word, remedy;
  } all[]{
      {"a: 1\nb:\n\tc: 2\n", 3, "tab", "spaces"},
      {"a: 1\nb: {x: 1,\n\ty: [}\n", 3, "tab", "spaces"},
      {"question: Which is best: ring or tree?\nb: 1\n", 1, "colon", "question: \"…\""},
      {"a: 1\nlist: [1, 2\nb: 3\n", 2, "[", "]"},
      {"a: \"x\nb: 3\n", 1, "quote", "close"},
      {"a: 'x\nb: 'y'\n", 1, "quote", "close"},
      {"a: @x\n", 1, "'@'", "quotes"},
      {"a: 1\n  b: 2\nc\n", 2, "", ""},
      {"a: *x\n", 1, "*", "quotes"},
      {"a: \"\\q\"\n", 1, "backslash", "single"},
      {"a: ]\n", 1, "]", ""},
  };
  EXPECT_EQ(read_yaml("f.yaml", "a: \"x\n  y\"\nb: |\n  it's: \"\n")["a"].as<std::string>(), "x y");
  EXPECT_THROW(read_yaml("f.yaml", "a: 1\n---\nb: 2\n"), BadUsage) << "nobody would read the second document";
  EXPECT_THROW(read_yaml("f.yaml", ", 256K], iters: 10\nb: 2\n"), BadUsage) << "YAML::LoadAll would never end";
  for (const auto& [text, line, word, remedy] : all) {
    try {
      read_yaml("f.yaml", text);
      ADD_FAILURE() << text;
    } catch (const BadUsage& error) {
      const auto& problem = error.problems().at(0);
      EXPECT_EQ(problem.place->line, line) << text << error.what();
      EXPECT_THAT(problem.text, testing::AllOf(HasSubstr("column "), HasSubstr(word))) << text;
      EXPECT_THAT(problem.remedy, HasSubstr(remedy)) << text;
      for (const char* raw : {"illegal", "token", "sequence", "not found", "anchor"})
        EXPECT_THAT(error.what(), testing::Not(HasSubstr(raw))) << text;
    }
  }
}

}  // namespace
}  // namespace ringmark
