#include "transports/bootstrap/members_watch.hpp"

#include <atomic>
#include <latch>

#include "base/errors.hpp"
#include "tests/transports/bootstrap/meeting_fixture.hpp"
#include "transports/bootstrap/host_identity.hpp"
#include "transports/bootstrap/meeting.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

using std::chrono::milliseconds;

using LossInMeeting = testing_support::Meeting;

TEST_F(LossInMeeting, of_a_rank_that_ends_reaches_all_others) {
  std::atomic<int> named = 0;
  const auto stay = [&](int rank) {
    return [&, rank] {
      RendezvousBootstrap bootstrap(place(rank, 3), "", milliseconds(20'000));
      try {
        bootstrap.barrier();
      } catch (const PeerLost& lost) {
        named += lost.rank() == 1 ? 1 : 0;
      }
    };
  };
  errors({stay(0), [&] { RendezvousBootstrap(place(1, 3), "", milliseconds(20'000)); }, stay(2)});
  EXPECT_EQ(named, 2);
}

TEST_F(LossInMeeting, that_a_rank_reports_is_believed_before_and_after_its_end) {
  for (const bool is_heard_after_its_end : {false, true}) {
    port_ = testing_support::bind_any().port;
    std::atomic<int> named = 0;
    std::latch others_know(3), gone(1);
    const auto stay = [&](int rank) {
      return [&, rank] {
        RendezvousBootstrap bootstrap(place(rank, 4), "", milliseconds(20'000));
        if (is_heard_after_its_end) gone.wait();
        try {
          bootstrap.barrier();
        } catch (const LinkLost&) {
          ++named;
        }
        others_know.count_down();
      };
    };
    errors({stay(0), stay(1), stay(2), [&] {
              {
                RendezvousBootstrap bootstrap(place(3, 4), "", milliseconds(20'000));
                bootstrap.news()->spread({.rank = 1, .reason = "silence", .link_to = 2});
                if (!is_heard_after_its_end) others_know.wait();
                bootstrap.finish(exit_failed);
              }
              gone.count_down();
            }});
    EXPECT_EQ(named, 3) << is_heard_after_its_end;
  }
}

TEST_F(LossInMeeting, reaches_ranks_that_never_end_and_whose_messages_rank_0_has_not_read) {
  std::latch unread(1);
  std::jthread rank_0([&] {
    errors({[&] {
      RendezvousBootstrap bootstrap(place(0, 3), "", milliseconds(20'000));
      unread.wait();
      bootstrap.news()->spread({.rank = 1, .reason = "silence", .link_to = 2});
      bootstrap.finish(exit_failed);
    }});
  });
  std::vector<FileDescriptor> connections;
  for (const int rank : {1, 2}) connections.push_back(join_meeting(place(rank, 3), "", milliseconds(20'000)));
  const auto say = [&](std::string_view exchange) {
    for (const auto& connection : connections)
      send_message(connection.get(), MessageKind::contribution, encode(exchange, HostIdentity{"a host", "", ""}));
  };
  say("host");
  for (const auto& connection : connections)
    EXPECT_TRUE(receive_message(connection.get(), Deadline::after(std::chrono::minutes(1))));
  say("an exchange in which rank 0 takes no part");
  unread.count_down();
  rank_0.join();
  for (const auto& connection : connections) {
    const auto last = receive_message(connection.get(), Deadline::after(std::chrono::minutes(1)));
    ASSERT_TRUE(last);
    EXPECT_EQ(last->kind, MessageKind::lost);
    char more = 0;
    EXPECT_EQ(::recv(connection.get(), &more, 1, 0), 0) << "a reset takes away what is still on its way";
  }
}

TEST_F(LossInMeeting, of_rank_0_is_noticed_when_it_ends) {
  int lost_rank = -1;
  errors({[&] { RendezvousBootstrap(place(0, 2), "", milliseconds(20'000)); },
          [&] {
            RendezvousBootstrap bootstrap(place(1, 2), "", milliseconds(20'000));
            try {
              bootstrap.barrier();
            } catch (const PeerLost& lost) {
              lost_rank = lost.rank();
            }
          }});
  EXPECT_EQ(lost_rank, 0);
}

}  // namespace
}  // namespace ringmark
