// Spreads independent work over the cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "history/store/launch_times.hpp"
#include "history/store/selection.hpp"
#include "history/store/store.hpp"

namespace ringmark::history {

/// Calls work(i) for each i below `count`, where each thread has a `work` of its own from make_work(). Rethrows the
/// first exception.
template <class MakeWork>
void in_parallel(std::size_t count, const MakeWork& make_work) {
  constexpr std::size_t most_threads = 8, least_each = 4;
  const auto threads = std::clamp<std::size_t>(
      std::min<std::size_t>(std::thread::hardware_concurrency(), count / least_each), 1, most_threads);
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto run = [&] {
    try {
      auto work = make_work();
      for (auto i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

/// The same with a reader of launches for each thread: work(reader, i).
template <class Work>
void in_parallel_with_times(const std::string& file, const Selection& selection, std::size_t count, const Work& work) {
  struct Reader {
    Reader(const std::string& file, const Selection& selection)
        : store(file, Access::read), launches(store, selection) {}
    Store store;
    LaunchTimeReader launches;
  };
  in_parallel(count, [&] {
    return [&work, reader = std::make_shared<Reader>(file, selection)](std::size_t i) { work(reader->launches, i); };
  });
}

}  // namespace ringmark::history
