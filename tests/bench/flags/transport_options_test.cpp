// Option tables, the options' structs, --list-options and docs/reference/options.md say the same.
#include "bench/flags/transport_options.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

TEST(OptionTables, print_the_defaults_that_their_structs_have) {
  visit_option_tables([](const auto& table) {
    for (const auto& row : table.rows()) {
      auto options = table.defaults();
      const auto printed = row.show(options);
      if (printed.empty()) {
        EXPECT_THAT(row.meaning, HasSubstr("by default")) << row.key;
      } else {
        EXPECT_TRUE(row.apply(options, printed)) << row.key;
        EXPECT_EQ(row.show(options), printed) << row.key;
      }
    }
  });
  EXPECT_THAT(
      option_listing(),
      HasSubstr("tcp.spin\n    how long a wait polls before it blocks\n    0 to 1000000, microseconds; default " +
                std::to_string(TcpOptions().spin.count()) + "\n"));
}

TEST(TransportOptions, have_an_effect_with_the_transport_that_their_key_names) {
  for (const auto transport : all_transports()) {
    TransportOptions options;
    visit_option_tables([&](const auto& table) {
      for (const auto& row : table.rows()) {
        const auto value = table.default_of(row);
        const bool is_own = row.key.starts_with(fmt::format("{}.", name(transport)));
        if (value.empty()) continue;
        EXPECT_EQ(options.set(transport, row.key, value), is_own || row.for_every_transport) << row.key;
      }
    });
  }
}

TEST(TransportOptions, are_set_and_refused_by_key) {
  TransportOptions options;
  EXPECT_TRUE(options.set(Transport::verbs, "verbs.slot", "8K"));
  EXPECT_TRUE(options.set(Transport::verbs, "tcp.silence", "1000"));
  EXPECT_EQ(options.of<VerbsOptions>().slot_bytes, 8U << 10);
  EXPECT_EQ(options.of<TcpOptions>().silence.count(), 1000);
  EXPECT_FALSE(options.set(Transport::mpi, "verbs.slot", "16K"));
  EXPECT_EQ(options.of<VerbsOptions>().slot_bytes, 8U << 10);
  EXPECT_THROW(options.set(Transport::verbs, "verbs.slot", "many"), BadUsage);
  EXPECT_FALSE(TransportOptions::has("verbs.slots"));
}

TEST(TransportOptions, say_where_buffers_lie) {
  TransportOptions options;
  EXPECT_EQ(options.memory_kind(Transport::nccl), MemoryKind::cuda);
  EXPECT_EQ(options.memory_kind(Transport::verbs), MemoryKind::host);
  options.set(Transport::verbs, "verbs.memory", "cuda");
  EXPECT_EQ(options.memory_kind(Transport::verbs), MemoryKind::cuda);
  EXPECT_EQ(options.memory_kind(Transport::tcp), MemoryKind::host);
}

/// A failure prints the rows that the page must have.
TEST(OptionsPage, has_the_rows_of_the_tables) {
  std::vector<std::string> expected, written;
  visit_option_tables([&](const auto& table) {
    for (const auto& row : table.rows()) {
      const auto default_text = table.default_of(row);
      expected.push_back(fmt::format("| `{}` | {}{}{} | {} | {} |", row.key, row.allowed, row.unit.empty() ? "" : ", ",
                                     row.unit, default_text, row.meaning));
    }
  });
  std::ifstream page(std::string(RINGMARK_SOURCE_DIR) + "/docs/reference/options.md");
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) written.push_back(line);
  }
  EXPECT_THAT(written, ElementsAreArray(expected));
}

}  // namespace
}  // namespace ringmark
