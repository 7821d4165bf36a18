#include "results/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

using testing::HasSubstr;

TEST(Page, has_all_its_parts_and_the_data_once) {
  const Page page{"A title", "The figures", "followTheme(() => {});", ".mine { color: red; }", "/* a library */"};
  std::string text;
  int times = 0;
  write_page(
      page,
      [&](const TextSink& sink) {
        ++times;
        sink(R"({"a":)");
        sink("1}");
      },
      [&](std::string_view part) { text += part; });
  EXPECT_EQ(times, 1);
  for (const std::string part : {"<title>A title</title>", "The figures need JavaScript", ".mine { color: red; }",
                                 "/* a library */", R"(type="application/json">{"a":1}</script>)", "const make ="})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(text.find("{{"), std::string::npos) << "a part is missing";
}

TEST(Page, data_cannot_end_the_script_it_is_in) {
  EXPECT_EQ(within_script(R"({"a":"</script><!--"})"), R"({"a":"\u003c/script>\u003c!--"})");
}

}  // namespace
}  // namespace ringmark
