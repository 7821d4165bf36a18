// The objects that the fake hands out in place of libibverbs'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "tests/transports/fabric/verbs/fake_verbs.hpp"

namespace ringmark::testing_support {

struct FakeVerbs::FakeDevice : ibv::Device {
  FakePort port;
};

struct FakeVerbs::FakeContext : ibv::Context {
  FakePort port;
};

struct FakeVerbs::Channel : ibv::CompChannel {
  std::deque<Queue*> events;
};

struct FakeVerbs::Queue : ibv::Cq {
  Channel* channel = nullptr;
  std::size_t capacity = 0;
  std::deque<std::pair<ibv::Wc, std::size_t>> completions;  ///< and how many requests each says are over
  bool armed = false;
};

struct FakeVerbs::Request {
  ibv::SendWr wr;
  ibv::Sge from;
  std::vector<std::byte> inline_data;
};

struct FakeVerbs::Pair : ibv::Qp {
  Queue *send_queue = nullptr, *receive_queue = nullptr;
  std::uint32_t peer = 0;
  bool failed = false;
  std::size_t most_sends = 0, unretired = 0, unsignalled = 0;
  std::deque<Request> sends;
  std::deque<std::pair<std::uint64_t, ibv::Sge>> receives;
};

}  // namespace ringmark::testing_support
