#include "transports/memory/stream_copy.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(StreamCopy, copies_all_bytes_and_no_others_from_and_to_any_address) {
  constexpr std::size_t room = 512;
  std::vector<std::byte> from(room);
  for (std::size_t i = 0; i < room; ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  for (std::size_t to_offset = 0; to_offset < 65; ++to_offset) {
    for (std::size_t from_offset = 0; from_offset < 17; ++from_offset) {
      for (const std::size_t bytes : {0, 1, 63, 64, 65, 127, 128, 200, 256, 321}) {
        std::vector<std::byte> to(room, std::byte{0xee});
        stream_copy(to.data() + to_offset, from.data() + from_offset, bytes);
        for (std::size_t i = 0; i < room; ++i) {
          const bool inside = i >= to_offset && i < to_offset + bytes;
          ASSERT_EQ(to[i], inside ? from[from_offset + i - to_offset] : std::byte{0xee})
              << to_offset << " " << from_offset << " " << bytes << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringmark
