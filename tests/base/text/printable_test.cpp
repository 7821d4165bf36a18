#include "base/text/printable.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/input/parsed.hpp"
#include "base/text/error_text.hpp"

namespace ringmark {
namespace {

bool is_harmless(const std::string& text) {
  return text.find_first_of("\x1b\r\b\x7f\a") == std::string::npos && text.find('\0') == std::string::npos;
}

TEST(Printable, text_has_no_controls_and_keeps_its_letters) {
  EXPECT_EQ(without_controls("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(without_controls("\x1b[2Jred\r\b"), "\\x1b[2Jred\\x0d\\x08");
  EXPECT_EQ(without_controls("größe 128 KiB…"), "größe 128 KiB…");
  EXPECT_EQ(without_controls("\u202Egpj\u009b"), "\\u202egpj\\x9b");
  EXPECT_EQ(without_controls("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(without_controls("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(without_controls(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, what_is_said_has_no_controls) {
  testing::internal::CaptureStdout();
  say("{}: {}\n", "\x1b]0;title\a", 3);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "\\x1b]0;title\\x07: 3\n");
}

TEST(Printable, the_problems_with_which_a_program_ends_are_a_message) {
  const Parsed<int> parsed{0, 2, "", {{.flag = "\x1b]0;x\a", .text = std::string(100'000, 'x')}, {.text = "\r\x9b"}}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(leave_with(parsed), 2);
  const auto message = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(is_harmless(message)) << message;
  EXPECT_LT(message.size(), 3000U);
}

TEST(Printable, text_is_shortened_between_characters) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("0123456789", 6), "0123…89");
  for (std::size_t most = 0; most < 20; ++most) {
    const auto text = shortened("äöüäöüäöüäöü", most);
    EXPECT_EQ(without_controls(text), text) << "no half character";
  }
}

TEST(Printable, message_has_as_many_lines_as_a_person_reads) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "a problem of some length, which a person reads\n";
  const auto message = as_message(many);
  EXPECT_LT(message.size(), 3000U);
  EXPECT_EQ(as_message("one\n\ntwo\n"), "one\n\ntwo\n");
  EXPECT_LT(as_message(std::string(100'000, 'x')).size(), 1000U);
}

TEST(Printable, are_the_words_of_every_error) {
  const std::string value = "\x1b]0;owned\a\r" + std::string(5000, 'x');
  const BadUsage usage(Problem{.flag = "--sizes", .value = value, .text = "is not a size", .remedy = "give 64K"});
  for (const auto& text : {std::string(usage.what()), text_of(std::runtime_error(value)), text_of(BadUsage(value))}) {
    EXPECT_TRUE(is_harmless(text)) << text;
    EXPECT_LT(text.size(), 3000U);
  }
  EXPECT_NE(std::string(usage.what()).find("is not a size; give 64K"), std::string::npos);
}

}  // namespace
}  // namespace ringmark
