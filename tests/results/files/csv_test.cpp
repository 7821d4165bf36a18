#include "results/files/csv.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Csv, quotes_what_must_be_quoted) {
  EXPECT_EQ(write_csv({"plain", "a,b", "say \"hi\"", "two\nlines", ""}),
            "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\n");
}

TEST(Csv, any_table_survives_writing_and_reading) {
  std::mt19937 random(7);
  const std::string alphabet = "a,\"\r\n ;x=-'@";
  for (int round = 0; round < 2000; ++round) {
    std::vector<CsvRow> table(1 + random() % 4);
    std::string text;
    for (auto& row : table) {
      row.resize(1 + random() % 5);
      for (auto& cell : row) {
        for (auto length = random() % 6; length > 0; --length) cell += alphabet[random() % alphabet.size()];
      }
      text += write_csv(row);
    }
    ASSERT_EQ(parse_csv(text), table) << text;
  }
}

TEST(Csv, texts_are_no_formulas_and_numbers_stay_numbers) {
  const CsvRow cells{"=1+1", "+cmd|x", "-x", "@sum", "'=1", "-1.5", "+3e-7", "-", "it's", "'quoted'", "=a,b"};
  const auto line = write_csv(cells);
  EXPECT_EQ(line, "'=1+1,'+cmd|x,'-x,'@sum,''=1,-1.5,+3e-7,-,it's,'quoted',\"'=a,b\"\n");
  EXPECT_EQ(parse_csv(line), std::vector<CsvRow>{cells});
}

TEST(Csv, reads_other_line_ends_and_a_missing_last_one) {
  const std::vector<CsvRow> expected{{"a", "b"}, {"1", ""}};
  EXPECT_EQ(parse_csv("a,b\r\n1,\r\n"), expected);
  EXPECT_EQ(parse_csv("a,b\n\n1,"), expected);
}

TEST(Csv, names_the_line_of_a_broken_quote) {
  const auto message_of = [](const char* text) -> std::string {
    try {
      parse_csv(text);
    } catch (const CsvError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message_of("a\nb,\"open"), "line 2: a quoted cell is not closed");
  EXPECT_EQ(message_of("a\n\"b\"c\n"), "line 2: text after a closing quote");
}

}  // namespace
}  // namespace ringmark
