#include "replay/capture/capture_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringmark::capture {
namespace {

/// Makes the folder of `path` and those above it. If it cannot, opening the file fails with the reason.
void make_folders_of(const char* path) {
  char folder[4096];
  std::snprintf(folder, sizeof folder, "%s", path);
  for (char* at = folder + 1; *at != '\0'; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    ::mkdir(folder, 0777);
    *at = '/';
  }
}

}  // namespace

Line& Line::text(const char* words) {
  const auto length = std::strlen(words);
  const auto room = most_bytes - size_;
  std::memcpy(bytes_ + size_, words, length < room ? length : room);
  size_ += length < room ? length : room;
  return *this;
}

Line& Line::number(unsigned long long value) {
  char digits[24];
  char* at = digits + sizeof digits - 1;
  *at = '\0';
  do {
    *--at = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  return text(at);
}

Line& Line::signed_number(long long value) {
  if (value < 0) text("-");
  return number(value < 0 ? 0ULL - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value));
}

Line& Line::hex(unsigned long long value) {
  char digits[24];
  char* at = digits + sizeof digits - 1;
  *at = '\0';
  do {
    *--at = "0123456789abcdef"[value & 15U];
    value >>= 4U;
  } while (value > 0);
  return text(at);
}

Line& Line::microseconds(std::uint64_t nanoseconds) {
  number(nanoseconds / 1000);
  const char fraction[5] = {'.', static_cast<char>('0' + nanoseconds / 100 % 10),
                            static_cast<char>('0' + nanoseconds / 10 % 10), static_cast<char>('0' + nanoseconds % 10),
                            '\0'};
  return text(fraction);
}

void CaptureFile::add(const Line& line) {
  pthread_mutex_lock(&mutex_);
  if (state_ == State::unopened) state_ = open() ? State::open : State::closed;
  if (state_ == State::open && reserve(line.size() + 1)) {
    // The newline is written last: a line without one was incomplete when the process ended.
    std::memcpy(bytes_ + used_, line.data(), line.size());
    bytes_[used_ + line.size()] = '\n';
    used_ += line.size() + 1;
  }
  pthread_mutex_unlock(&mutex_);
}

void CaptureFile::close() {
  pthread_mutex_lock(&mutex_);
  if (state_ == State::open) {
    ::munmap(bytes_, limit_);
    if (::ftruncate(fd_, static_cast<off_t>(used_)) != 0) std::perror("ringmark-capture");
    ::close(fd_);
  }
  state_ = State::closed;
  pthread_mutex_unlock(&mutex_);
}

void CaptureFile::after_fork_in_child() {
  // The file belongs to the parent: drop the inherited mapping and descriptor.
  if (state_ == State::open) {
    ::munmap(bytes_, limit_);
    ::close(fd_);
  }
  bytes_ = nullptr;
  fd_ = -1;
  state_ = State::unopened;
  used_ = reserved_ = 0;
  pthread_mutex_init(&mutex_, nullptr);
}

bool CaptureFile::open() {
  const char* folder = std::getenv("RINGMARK_CAPTURE");
  if (folder == nullptr || *folder == '\0') folder = ".";
  const char* megabytes = std::getenv("RINGMARK_CAPTURE_MB");
  const auto limit = megabytes == nullptr ? 1024 : std::strtoull(megabytes, nullptr, 10);
  limit_ = (limit == 0 ? 1 : limit) << 20U;
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  char path[4096];
  std::snprintf(path, sizeof path, "%s/%s-%d.capture.jsonl", folder, host, static_cast<int>(::getpid()));
  make_folders_of(path);
  fd_ = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd_ < 0) return give_up(path, std::strerror(errno)), false;
  void* mapped = ::mmap(nullptr, limit_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (mapped == MAP_FAILED) return give_up(path, std::strerror(errno)), false;
  bytes_ = static_cast<char*>(mapped);
  Line header;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  header.text(R"({"schema":"capture/1","host":")").text(host).text(R"(","pid":)");
  header.number(static_cast<unsigned long long>(::getpid())).text(R"(,"started_s":)");
  header.number(static_cast<unsigned long long>(now.tv_sec)).text("}\n");
  if (!reserve(header.size())) return false;
  std::memcpy(bytes_, header.data(), header.size());
  used_ = header.size();
  return true;
}

/// Reserves disk space before writing: on a full disk, a write to a mapped file would end in a signal.
bool CaptureFile::reserve(std::size_t bytes) {
  if (used_ + bytes <= reserved_) return true;
  constexpr std::size_t piece = 1 << 20;
  if (reserved_ + piece > limit_)
    return give_up("the file is full", "the limit of RINGMARK_CAPTURE_MB is reached"), false;
  const int problem = ::posix_fallocate(fd_, static_cast<off_t>(reserved_), piece);
  if (problem != 0) return give_up("the file cannot grow", std::strerror(problem)), false;
  reserved_ += piece;
  return true;
}

void CaptureFile::give_up(const char* what, const char* why) {
  std::fprintf(stderr, "ringmark-capture: %s: %s; calls are no longer recorded\n", what, why);
  if (bytes_ != nullptr) {
    ::munmap(bytes_, limit_);
    if (::ftruncate(fd_, static_cast<off_t>(used_)) != 0) std::perror("ringmark-capture");
  }
  if (fd_ >= 0) ::close(fd_);
  bytes_ = nullptr;
  state_ = State::closed;
}

}  // namespace ringmark::capture
