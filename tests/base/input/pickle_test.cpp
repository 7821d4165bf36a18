#include "base/input/pickle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

using testing::HasSubstr;

nlohmann::json read(std::string_view body) { return parse_pickle("f", "\x80\x02" + std::string(body)); }

std::string why_not(std::string_view body) {
  try {
    return "read " + read(body).dump();
  } catch (const BadUsage& error) {
    return error.what();
  }
}

TEST(Pickle, values_of_every_kind_are_read) {
  using namespace std::string_view_literals;
  EXPECT_EQ(read("N."), nullptr);
  EXPECT_EQ(read("\x88."), true);
  EXPECT_EQ(read("K\xFF."), 255);
  EXPECT_EQ(read("M\x01\x02."), 513);
  EXPECT_EQ(read("J\xFF\xFF\xFF\xFF."), -1);
  EXPECT_EQ(read("\x8A\x00."sv), 0);
  EXPECT_EQ(read("\x8A\x02\x00\x80."sv), -32768);
  EXPECT_EQ(read("\x8A\x08\x8A\x4B\xF1\x35\x96\x3F\xEC\x18."), 1795880265796635530);
  EXPECT_EQ(read("G\x3F\xF8\x00\x00\x00\x00\x00\x00."sv), 1.5);
  EXPECT_EQ(read("](K\x01K\x02"
                 "e."),
            (nlohmann::json{1, 2}));
  EXPECT_EQ(read("K\x01K\x02\x86."), (nlohmann::json{1, 2}));
  EXPECT_EQ(read("}(X\x01\x00\x00\x00wq\x00K\x01u."sv), nlohmann::json::parse(R"({"w": 1})"));
}

TEST(Pickle, a_value_of_the_memo_is_the_same_one) {
  using namespace std::string_view_literals;
  EXPECT_EQ(read("](X\x01\x00\x00\x00\x61q\x05h\x05"
                 "e."sv),
            (nlohmann::json{"a", "a"}));
  // A list that is put into the memo while it is empty, as Python does.
  EXPECT_EQ(read("]q\x01K\x07"
                 "ah\x01\x86."),
            (nlohmann::json{{7}, {7}}));
}

TEST(Pickle, an_opcode_that_calls_python_is_refused_by_name) {
  EXPECT_THAT(why_not("cos\nsystem\n."), HasSubstr("GLOBAL"));
  EXPECT_THAT(why_not("N)R."), HasSubstr("REDUCE"));
  EXPECT_THAT(why_not("N}b."), HasSubstr("BUILD"));
  EXPECT_THAT(why_not("\x01."), HasSubstr("0x1"));
}

TEST(Pickle, damaged_bytes_are_refused_with_their_place) {
  EXPECT_THAT(why_not("X\x09"), HasSubstr("byte 2: the file is cut off"));
  EXPECT_THAT(why_not("](K\x01"), HasSubstr("cut off"));
  EXPECT_THAT(why_not("."), HasSubstr("0 values"));
  EXPECT_THAT(why_not("K\x01K\x01."), HasSubstr("2 values"));
  EXPECT_THAT(why_not("e."), HasSubstr("mark"));
  EXPECT_THAT(why_not("h\x01."), HasSubstr("memo 1"));
  EXPECT_THAT(why_not("K\x01K\x02K\x03u."), HasSubstr("mark"));
  EXPECT_THAT(why_not("}K\x01K\x02s."), HasSubstr("key"));
  EXPECT_THROW(parse_pickle("f", "\x80\x05N."), BadUsage);
}

TEST(Pickle, neither_a_list_in_itself_nor_a_bomb_is_followed) {
  EXPECT_THAT(why_not("]q\x01h\x01"
                      "a."),
              HasSubstr("deep"));
  std::string bomb = "]q";
  bomb += '\0';
  for (char level = 1; level < 40; ++level) {
    bomb += "](";
    for (int i = 0; i < 8; ++i) bomb += std::string("h") + static_cast<char>(level - 1);
    bomb += std::string("eq") + level;
  }
  EXPECT_THAT(why_not("](" + bomb + "e."), HasSubstr("values"));
}

}  // namespace
}  // namespace ringmark
