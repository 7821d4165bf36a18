#include "lab/vm/machine.hpp"

#include <array>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/child.hpp"
#include "base/system/deadline.hpp"
#include "base/system/files.hpp"
#include "base/system/signal_queue.hpp"
#include "lab/errors.hpp"
#include "lab/isolation.hpp"
#include "lab/tool.hpp"
#include "lab/vm/guest.hpp"

namespace ringmark::lab {
namespace {

constexpr const char* emulator = "qemu-system-x86_64";
/// Arguments that shorten an emulated boot.
constexpr const char* kernel_arguments =
    "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check "
    "random.trust_cpu=on audit=0 selinux=0 apparmor=0 cryptomgr.notests";
constexpr auto longest_boot = std::chrono::seconds(180);
constexpr auto longest_boot_with_kvm = std::chrono::seconds(30);

std::filesystem::path image_folder() {
  if (const char* chosen = std::getenv("RINGMARK_VM_IMAGE")) return chosen;
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) return std::filesystem::path(cache) / "ringmark/vm";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/root") / ".cache/ringmark/vm";
}

std::filesystem::path find_image() {
  const auto folder = image_folder();
  for (const char* file : {"vmlinux", "initrd.gz"}) {
    if (std::filesystem::exists(folder / file)) continue;
    throw Unusable(fmt::format("{} is missing in {}: create the guest with scripts/vm-image", file, folder.string()));
  }
  return folder;
}

/// The device file proves nothing: in nested virtualisation it may exist and not work.
bool may_have_kvm() {
  if (::access("/dev/kvm", R_OK | W_OK) != 0) return false;
  const auto cpu = read_file("/proc/cpuinfo");
  return cpu.find(" vmx") != std::string::npos || cpu.find(" svm") != std::string::npos;
}

std::vector<std::string> arguments_for(const VmOptions& options, bool kvm, const ControlFolder& control) {
  const auto image = find_image();
  std::vector<std::string> words{emulator, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"};
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  if (kvm) {
    add({"-accel", "kvm", "-cpu", "host"});
  } else {
    add({"-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max"});
  }
  add({"-M", "q35", "-smp", "2", "-m", "2G", "-kernel", image / "vmlinux", "-initrd", image / "initrd.gz", "-append",
       kernel_arguments});
  add({"-serial", "file:" + control.console().string(), "-device", "virtio-rng-pci"});
  const auto share = [&](const std::string& name, const std::string& folder, const std::string& how) {
    add({"-fsdev", fmt::format("local,id={},path={},security_model=none,multidevs=remap{}", name, folder, how),
         "-device", fmt::format("virtio-9p-pci,fsdev={},mount_tag={}", name, name)});
  };
  share("root", "/", ",readonly=on");
  share("control", control.path(), "");
  for (std::size_t i = 0; i < options.shares.size(); ++i) share(fmt::format("share{}", i), options.shares[i], "");
  add({"-device", "virtio-serial-pci"});
  for (const std::string name : {"output", "errors"}) {
    add({"-chardev", fmt::format("file,id={},path={}", name, (control.path() / name).string()), "-device",
         fmt::format("virtserialport,chardev={},name={}", name, name)});
  }
  return words;
}

/// The guest's output on one of its serial ports.
class Port {
 public:
  /// Creates the FIFO that the emulator writes to.
  Port(const std::filesystem::path& fifo, int to) : to_(to) {
    check_sys(::mkfifo(fifo.c_str(), 0600), "make {}", fifo.string());
    from_ =
        FileDescriptor(check_sys(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), "open {}", fifo.string()));
  }
  int fd() const { return from_.get(); }
  /// Forwards the bytes that have arrived; false if there are none.
  bool pass_on() const {
    std::array<char, 65536> part;
    const auto bytes = ::read(from_.get(), part.data(), part.size());
    for (ssize_t done = 0; done < bytes;) {
      const auto written = ::write(to_, part.data() + done, static_cast<std::size_t>(bytes - done));
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) done += written;
    }
    return bytes > 0;
  }

 private:
  FileDescriptor from_;
  int to_;
};

class Machine {
 public:
  Machine(const VmOptions& options, bool kvm) : options_(options), kvm_(kvm), control_(options) {
    const auto words = arguments_for(options, kvm, control_);
    qemu_ = start_child(fmt::format("start {}", emulator), SIGKILL, [&] {
      ::setpgid(0, 0);  // the terminal's signals are for the parent
      if (const int null = ::open("/dev/null", O_RDONLY); null >= 0) ::dup2(null, STDIN_FILENO);
      signals_.restore_mask();
      ::execvp(emulator, exec_arguments(words).data());
      return exit_cannot_start;
    });
  }
  ~Machine() {
    if (qemu_ <= 0) return;
    ::kill(qemu_, SIGKILL);
    ::waitpid(qemu_, nullptr, 0);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Empty if the command never started.
  std::optional<int> run() {
    auto deadline = Deadline::after(kvm_ ? longest_boot_with_kvm : longest_boot);
    bool started = false;
    for (;;) {
      std::array<pollfd, 3> waiting{{{signals_.fd(), POLLIN, 0}, {output_.fd(), POLLIN, 0}, {errors_.fd(), POLLIN, 0}}};
      ::poll(waiting.data(), waiting.size(), 100);
      if (waiting[1].revents != 0) output_.pass_on();
      if (waiting[2].revents != 0) errors_.pass_on();
      while (const auto signal = signals_.next()) {
        if (signal->number != SIGCHLD) return exit_signal_offset + signal->number;
      }
      if (!started && control_.has_started()) {
        started = true;
        deadline = Deadline::after(options_.timeout);
      }
      if (has_ended()) break;
      if (!deadline.passed()) continue;
      if (!started) return std::nullopt;
      fmt::print(stderr, "ringmark-lab: timeout: ending the command after {}\n", options_.timeout);
      return exit_timeout;
    }
    while (output_.pass_on()) continue;
    while (errors_.pass_on()) continue;
    const auto status = control_.status();
    if (started && !status) throw Failed("the virtual machine died:\n" + console_tail());
    return status;
  }

  std::string console_tail() const {
    constexpr std::size_t most = 2000;
    std::error_code missing;
    if (!std::filesystem::exists(control_.console(), missing)) return "";
    const auto text = read_file(control_.console());
    return text.size() > most ? text.substr(text.size() - most) : text;
  }

 private:
  bool has_ended() {
    int status = 0;
    if (qemu_ > 0 && ::waitpid(qemu_, &status, WNOHANG) == qemu_) qemu_ = 0;
    return qemu_ == 0;
  }

  const VmOptions& options_;
  bool kvm_;
  ControlFolder control_;
  SignalQueue signals_;
  Port output_{control_.path() / "output", STDOUT_FILENO}, errors_{control_.path() / "errors", STDERR_FILENO};
  pid_t qemu_ = -1;
};

}  // namespace

int run_in_vm(const VmOptions& options) {
  if (!find_program(emulator))
    throw Unusable(fmt::format("{} is missing: install qemu-system-x86 (scripts/vm-image does)", emulator));
  find_image();
  if (options.only_check) return 0;
  if (!find_program(options.command.front()))
    throw BadUsage(fmt::format("command \"{}\" was not found, or is not executable", options.command.front()));
  for (const bool kvm : {true, false}) {
    if (kvm && !may_have_kvm()) continue;
    Machine machine(options, kvm);
    if (const auto status = machine.run()) return *status;
    if (kvm) continue;
    throw Failed("the virtual machine did not start the command; the end of its console:\n" + machine.console_tail());
  }
  return exit_unusable;
}

}  // namespace ringmark::lab
