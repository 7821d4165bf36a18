// A first-in, first-out queue that allocates only when it grows beyond its largest size so far.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ringmark {

/// `Entry` must be copyable, and need not be default-constructible.
template <class Entry>
class Queue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  Entry& front() { return (*this)[0]; }
  const Entry& front() const { return (*this)[0]; }
  Entry& operator[](std::size_t i) { return entries_[slot(i)]; }
  const Entry& operator[](std::size_t i) const { return entries_[slot(i)]; }

  void push_back(const Entry& entry) {
    if (size_ == entries_.size()) grow(entry);
    entries_[slot(size_++)] = entry;
  }
  void pop_front() {
    first_ = slot(1);
    --size_;
  }

 private:
  /// The number of slots is a power of two.
  std::size_t slot(std::size_t i) const { return (first_ + i) & (entries_.size() - 1); }

  void grow(const Entry& filler) {
    constexpr std::size_t first_slots = 64;
    std::vector<Entry> more(entries_.empty() ? first_slots : 2 * entries_.size(), filler);
    for (std::size_t i = 0; i < size_; ++i) more[i] = (*this)[i];
    entries_ = std::move(more);
    first_ = 0;
  }

  std::vector<Entry> entries_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace ringmark
