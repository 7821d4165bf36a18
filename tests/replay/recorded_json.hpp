// Recordings of other programs, which lie compressed in tests/replay/files.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringmark::testing_support {

/// The JSON of a file NAME.json.xz, decompressed by `xz`.
inline nlohmann::json recorded_json(const std::string& name) {
  const auto command = fmt::format("xz -dc {}/{}.json.xz", RINGMARK_REPLAY_FILES, name);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  std::array<char, 4096> piece{};
  for (std::size_t got = 1; got > 0; text.append(piece.data(), got))
    got = std::fread(piece.data(), 1, piece.size(), pipe.get());
  EXPECT_FALSE(text.empty()) << command;
  return nlohmann::json::parse(text);
}

}  // namespace ringmark::testing_support
