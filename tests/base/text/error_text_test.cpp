#include "base/text/error_text.hpp"

#include <filesystem>
#include <functional>
#include <new>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringmark {
namespace {

std::string text_of_thrown(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return text_of(error);
  }
  return "";
}

TEST(ErrorText, has_no_marks_of_libraries_and_names_the_file) {
  const auto json = nlohmann::json::parse(R"({"a": 3})");
  EXPECT_EQ(text_of_thrown([&] { static_cast<void>(json.at("b")); }).find("json.exception"), std::string::npos);
  EXPECT_NE(text_of_thrown([&] { static_cast<void>(json.at("b")); }).find("'b'"), std::string::npos);
  const auto cut_off = text_of_thrown([] { [[maybe_unused]] const auto none = nlohmann::json::parse("{"); });
  EXPECT_EQ(cut_off.find("json.exception"), std::string::npos) << cut_off;
  const auto file = text_of_thrown([] { std::filesystem::create_directory("/proc/no/such"); });
  EXPECT_EQ(file.find("/proc/no/such: "), 0U) << file;
  EXPECT_NE(text_of(std::bad_alloc()).find("memory"), std::string::npos);
  EXPECT_EQ(text_of(std::runtime_error("as it is")), "as it is");
}

}  // namespace
}  // namespace ringmark
