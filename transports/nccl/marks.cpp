#include "transports/nccl/marks.hpp"

namespace ringmark {

Ticket StreamMarks::mark() {
  CudaEvent event = spare_.empty() ? CudaEvent(cuda_, false) : std::move(spare_.back());
  if (!spare_.empty()) spare_.pop_back();
  stream_.record(event);
  under_way_.push_back({++last_, std::move(event)});
  return {last_};
}

bool StreamMarks::is_over(Ticket ticket) {
  while (!under_way_.empty() && under_way_.front().number <= ticket.number && under_way_.front().event.is_over()) {
    spare_.push_back(std::move(under_way_.front().event));
    under_way_.pop_front();
  }
  return under_way_.empty() || under_way_.front().number > ticket.number;
}

}  // namespace ringmark
