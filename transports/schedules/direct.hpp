// send_recv: each part of the vector goes to its destination in one message, all at the same time.
#pragma once

#include <memory>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> direct_send_recv(int ranks, Pattern pattern);

}  // namespace ringmark
