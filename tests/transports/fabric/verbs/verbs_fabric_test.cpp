// Over a fake libibverbs (fake_verbs.hpp), for what no real adapter can be asked to do. Real packets: tests/programs,
// in the virtual machine with Soft-RoCE.
#include "transports/fabric/verbs/verbs_fabric.hpp"

#include <atomic>
#include <limits>
#include <regex>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/contract/communicator_contract.hpp"
#include "tests/contract/tcp_ranks.hpp"
#include "tests/transports/fabric/verbs/fake_verbs.hpp"
#include "transports/executor/link_cost.hpp"
#include "transports/fabric/verbs/status_words.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

/// Each rank on the fake's next port.
std::vector<std::unique_ptr<Fabric>> verbs_fabrics(const FakeVerbs& fake, int ranks, const VerbsOptions& options = {}) {
  std::vector<std::unique_ptr<Fabric>> fabrics;
  const auto ports = verbs_ports(fake.driver());
  int local_rank = 0;
  for (const auto& endpoint : tcp_endpoints(ranks, {})) {
    const auto& port = choose_port(ports, options, local_rank++);
    auto device = std::make_shared<VerbsDevice>(fake.driver(), port, choose_gid(port, options));
    fabrics.push_back(std::make_unique<VerbsFabric>(device, std::make_unique<TcpFabric>(endpoint, 1), options));
  }
  return fabrics;
}

Communicators verbs_ranks(const FakeVerbs& fake, int ranks, const VerbsOptions& options = {}) {
  Communicators group;
  for (auto& fabric : verbs_fabrics(fake, ranks, options)) {
    group.push_back(std::make_unique<ScheduleCommunicator>("verbs", std::move(fabric), Topology::flat(ranks),
                                                           ScheduleOptions{.slice_bytes = options.slice_bytes}));
  }
  return group;
}

Backend over_fake(const std::string& name, const FakeFaults& faults, const VerbsOptions& options) {
  return {name, [faults, options](int ranks, const RankBody& body) {
            const FakeVerbs fake({{}}, faults);
            {
              auto group = verbs_ranks(fake, ranks, options);
              in_threads(ranks, [&](int rank) { body(*group[static_cast<std::size_t>(rank)]); });
            }
            EXPECT_EQ(fake.objects(), 0) << "not everything was given back";
            return true;
          }};
}

const Backend plain = over_fake("plain", {}, {});
const Backend late = over_fake("late", {.most_delay_us = 20, .most_inline = 0}, {});
const Backend small =
    over_fake("small_slots_three_pairs_no_spinning", {.most_inline = 64},
              {.queue_pairs = 3, .eager_bytes = 64, .slot_bytes = 4096, .spin = std::chrono::microseconds(0)});
INSTANTIATE_TEST_SUITE_P(FakeVerbs, CommunicatorContract, testing::Values(plain, late, small), backend_name);

/// Each rank's error message; empty for ranks that do not fail.
std::vector<std::string> failures(Communicators& group) {
  std::vector<std::string> texts(group.size());
  in_threads(static_cast<int>(group.size()), [&](int rank) {
    const auto self = std::move(group[static_cast<std::size_t>(rank)]);  // and ends here, as its process would
    const Operation operation{Collective::all_reduce, DataType::float32, ReduceOp::sum, 100'000};
    try {
      for (int i = 0; i < 20; ++i) {
        TestBuffers buffers(operation, rank, self->size(), false);
        self->run(operation, buffers.get(), std::chrono::seconds(10));
      }
    } catch (const TransportError& error) {
      texts[static_cast<std::size_t>(rank)] = error.what();
    }
  });
  return texts;
}

TEST(VerbsFabric, is_measured_around_a_ring_of_ranks) {
  constexpr int ranks = 3;
  const FakeVerbs fake({{}}, {});
  auto fabrics = verbs_fabrics(fake, ranks);
  Slowest slowest(ranks);
  in_threads(ranks, [&](int rank) {
    const auto fabric = std::move(fabrics[static_cast<std::size_t>(rank)]);
    const auto link = measure_link_cost(
        *fabric, [&](double mine) { return slowest.of(rank, mine); }, std::chrono::seconds(30));
    EXPECT_GT(link.alpha_us, 0);
  });
}

TEST(VerbsFaults, a_bad_completion_ends_every_rank_and_is_told_with_peer_device_and_cause) {
  for (const auto status : {ibv::wc_retry_exc_err, ibv::wc_rnr_retry_exc_err, ibv::wc_loc_prot_err,
                            ibv::wc_rem_access_err, ibv::wc_rem_op_err, ibv::wc_loc_len_err}) {
    const FakeVerbs fake({{.device = "fake0"}, {.device = "fake1"}, {.device = "fake2"}},
                         {.bad_completion = std::pair{std::uint64_t{40}, status}});
    auto group = verbs_ranks(fake, 3);
    int causes = 0;
    for (const auto& text : failures(group)) {
      // Who is lost, and on which device: for a status of one's own, one's own.
      std::smatch words;
      const std::regex form(
          "lost rank ([0-2]) on \\S+: .* on fake([0-2]):1, (seen by|in its exchange with) rank "
          "([0-2]) on \\S+ on fake([0-2]):1: ");
      EXPECT_NE(text.find("lost rank "), std::string::npos) << text;
      if (!std::regex_search(text, words, form)) continue;  // it saw the loss of who had failed first
      EXPECT_EQ(words[1], words[2]) << text;
      EXPECT_EQ(words[4], words[5]) << text;
      EXPECT_NE(words[1], words[4]) << text;
      if (text.find(usual_cause(status)) == std::string::npos) continue;  // what the failure brought about
      ++causes;
      EXPECT_EQ(words[3] != "seen by", is_local(status)) << text;
    }
    EXPECT_GE(causes, 1);
  }
}

// Each of three ranks passes on to the next what it got from the one before. The first message is lost after it was
// complete for its sender, which expects nothing more from that peer.
TEST(VerbsFaults, a_short_message_that_could_not_be_delivered_is_noticed_by_a_sender_who_waits_for_another) {
  const FakeVerbs fake({{}}, {.bad_completion = std::pair{std::uint64_t{1}, ibv::wc_retry_exc_err}});
  auto fabrics = verbs_fabrics(fake, 3);
  std::atomic<int> failures = 0;
  in_threads(3, [&](int rank) {
    const auto own = std::move(fabrics[static_cast<std::size_t>(rank)]);  // and ends here, as its process would
    auto& self = *own;
    const int next = (rank + 1) % 3, before = (rank + 2) % 3;
    const auto deadline = Deadline::after(std::chrono::seconds(10));
    std::uint64_t in = 0, out = 7;
    self.connect(std::array{next, before}, deadline);
    if (rank == 0) self.send(next, std::as_bytes(std::span(&out, 1)));
    self.receive(before, {reinterpret_cast<std::byte*>(&in), sizeof in});
    try {
      while (self.received(before) < 1 && !deadline.passed()) self.progress(deadline);
    } catch (const PeerLost&) {
      ++failures;
    }
  });
  EXPECT_EQ(failures, 3);
}

TEST(VerbsFaults, a_dead_peer_is_noticed_by_who_only_looks_now_and_then) {
  const FakeVerbs fake({{}}, {});
  auto fabrics = verbs_fabrics(fake, 2);
  in_threads(2, [&](int rank) {
    const auto own = std::move(fabrics[static_cast<std::size_t>(rank)]);
    const std::array peer{1 - rank};
    std::uint64_t in = 0, out = 7;
    own->connect(peer, Deadline::after(std::chrono::seconds(10)));
    const auto most = Deadline::after(std::chrono::seconds(10));
    own->receive(peer[0], {reinterpret_cast<std::byte*>(&in), sizeof in});
    if (rank == 1) {
      while (own->received(0) < 1 && !most.passed()) own->progress(most);
      return own->abort(1, "it was made to leave");
    }
    own->send(1, std::as_bytes(std::span(&out, 1)));
    EXPECT_THROW(while (!most.passed()) own->progress(Deadline::now()), PeerLost);
  });
}

TEST(VerbsFaults, an_address_that_nobody_answers_for_is_asked_for_until_time_is_up) {
  for (const int unanswered : {3, std::numeric_limits<int>::max()}) {
    const FakeVerbs fake({{}}, {.unanswered = unanswered});
    auto fabrics = verbs_fabrics(fake, 2);
    in_threads(2, [&](int rank) {
      const auto own = std::move(fabrics[static_cast<std::size_t>(rank)]);
      const std::array peer{1 - rank};
      const auto connect = [&] { own->connect(peer, Deadline::after(std::chrono::milliseconds(500))); };
      if (unanswered == 3) {
        EXPECT_NO_THROW(connect());
      } else {
        EXPECT_THROW(connect(), TransportError);
      }
    });
  }
}

TEST(VerbsFaults, what_the_adapter_does_not_grant_is_an_error_and_leaves_nothing_behind) {
  VerbsOptions without_polling;
  without_polling.spin = std::chrono::microseconds(0);
  for (const std::string call : {"ibv_reg_mr", "ibv_create_cq", "ibv_create_qp", "ibv_modify_qp", "ibv_post_send",
                                 "ibv_post_recv", "ibv_poll_cq", "ibv_req_notify_cq"}) {
    const FakeVerbs fake({{}}, {.failing_calls = {call}, .most_delay_us = 2000});
    {
      auto group = verbs_ranks(fake, 2, without_polling);
      for (const auto& text : failures(group)) EXPECT_FALSE(text.empty()) << call;
    }
    EXPECT_EQ(fake.objects(), 0) << call;
  }
  for (const std::string call : {"ibv_get_device_list", "ibv_open_device", "ibv_query_device", "ibv_query_port",
                                 "ibv_query_gid", "ibv_alloc_pd"}) {
    const FakeVerbs fake({{}}, {.failing_calls = {call}});
    EXPECT_THROW(verbs_ranks(fake, 2), Unusable) << call;
    EXPECT_EQ(fake.objects(), 0) << call;
  }
  const FakeVerbs fake({{}}, {.failing_calls = {"ibv_create_comp_channel"}});
  EXPECT_THROW(verbs_ranks(fake, 2), TransportError);
  EXPECT_EQ(fake.objects(), 0);
}

TEST(Verbs, kept_memory_is_written_to_directly_and_registered_once) {
  const FakeVerbs fake({{}}, {});
  auto group = verbs_ranks(fake, 2);
  in_threads(2, [&](int rank) {
    auto& self = *group[static_cast<std::size_t>(rank)];
    constexpr std::size_t count = 100'000;
    std::vector<float> mine(count, static_cast<float>(rank + 1)), all(2 * count);
    const auto bytes_of = [](auto& vector) { return std::as_writable_bytes(std::span(vector)); };
    self.keep(bytes_of(mine));
    self.keep(bytes_of(all));
    for (int i = 0; i < 3; ++i) {
      std::fill(all.begin(), all.end(), 0.0F);
      self.run({Collective::all_gather, DataType::float32, ReduceOp::sum, count}, {mine.data(), all.data()},
               std::chrono::seconds(10));
      EXPECT_EQ(std::count(all.begin(), all.begin() + count, 1.0F), static_cast<std::ptrdiff_t>(count));
      EXPECT_EQ(std::count(all.begin() + count, all.end(), 2.0F), static_cast<std::ptrdiff_t>(count));
    }
    self.forget(bytes_of(mine));
    self.forget(bytes_of(all));
  });
  EXPECT_EQ(fake.registrations(), 2 * 3) << "each rank: two buffers and its queue pair's own, but no slots";
}

TEST(VerbsCards, say_by_name_why_two_ends_cannot_talk) {
  const FakeVerbs fake(
      {{.device = "eth"}, {.device = "ib", .link_layer = ibv::link_layer_infiniband, .gids = {{"", "fe80::2"}}}}, {});
  const auto ports = verbs_ports(fake.driver());
  VerbsOptions options;
  const auto card = [&](const char* device, const char* family = "ipv4") {
    options.device = device;
    options.gid_family = family;
    const auto& port = choose_port(ports, options, 0);
    return describe_port(VerbsDevice(fake.driver(), port, choose_gid(port, options)), options);
  };
  EXPECT_FALSE(why_cannot_talk(card("eth"), "rank 0 on a", card("eth"), "rank 1 on b"));
  const auto layers = why_cannot_talk(card("eth"), "rank 0 on a", card("ib"), "rank 1 on b").value_or("");
  for (const char* word : {"rank 0 on a", "eth:1", "rank 1 on b", "ib:1", "Ethernet", "InfiniBand"}) {
    EXPECT_NE(layers.find(word), std::string::npos) << layers;
  }
  const auto families = why_cannot_talk(card("eth"), "a", card("eth", "ipv6"), "b").value_or("");
  EXPECT_NE(families.find("verbs.gid_family"), std::string::npos) << families;
  auto of_other_version = card("eth");
  of_other_version.version = 2;
  EXPECT_NE(why_cannot_talk(card("eth"), "a", of_other_version, "b").value_or("").find("versions"), std::string::npos);
}

}  // namespace
}  // namespace ringmark
