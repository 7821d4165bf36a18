// NVIDIA's own libnccl, as far as it answers without a GPU: its names, environment, files, log and refusals. It is the
// installed one, or the file in RINGMARK_REAL_NCCL.

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/file_descriptor.hpp"
#include "replay/import/import.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"
#include "transports/nccl/conf_files.hpp"
#include "transports/nccl/environment.hpp"
#include "transports/nccl/library.hpp"
#include "transports/nccl/log_lines.hpp"
#include "transports/nccl/parameters.hpp"

namespace ringmark {
namespace {

using testing::HasSubstr;
using testing::Not;

class RealNccl : public testing::Test {
 protected:
  void SetUp() override {
    const char* file = std::getenv("RINGMARK_REAL_NCCL");
    library_ = open_nccl(file == nullptr ? "" : file);
    if (!library_.api) GTEST_SKIP() << library_.why_not;
  }

  struct Answer {
    int result;
    std::string log;
  };

  /// A new process's ncclGetUniqueId, which reads the environment and looks for interfaces.
  Answer start_with(const std::map<std::string, std::string>& environment) const {
    const auto log = folder_.file("log");
    std::filesystem::remove(log);
    const auto child = ::fork();
    if (child == 0) {
      ::setenv("NCCL_DEBUG", "INFO", 1);
      ::setenv("NCCL_DEBUG_SUBSYS", "INIT,ENV,NET", 1);
      ::setenv("NCCL_DEBUG_FILE", log.c_str(), 1);
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      nccl::UniqueId id{};
      ::_exit(library_.api->get_unique_id(&id));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    std::stringstream text;
    text << std::ifstream(log).rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str()};
  }

  /// Names of variables at the ends of texts, as scripts/nccl-names finds them.
  std::set<std::string> names() const {
    const FileDescriptor file(::open(library_.path.c_str(), O_RDONLY | O_CLOEXEC));
    const auto size = static_cast<std::size_t>(std::filesystem::file_size(library_.path));
    auto* const bytes = static_cast<char*>(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0));
    std::set<std::string> names;
    constexpr std::string_view own = "NCCL_";
    for (const char* at = bytes; (at = static_cast<const char*>(::memmem(
                                      at, static_cast<std::size_t>(bytes + size - at), own.data(), own.size())));
         ++at) {
      const bool is_within_a_word =
          at > bytes && (std::isalnum(static_cast<unsigned char>(at[-1])) != 0 || at[-1] == '_');
      const std::string_view name(at, std::strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
      if (!is_within_a_word && at[name.size()] == '\0') names.emplace(name);
    }
    ::munmap(bytes, size);
    return names;
  }

  testing_support::ResultFolder folder_;
  NcclLibrary library_;
};

TEST_F(RealNccl, has_the_variables_of_its_version) {
  const auto has = names();
  for (const auto& parameter : nccl_parameters()) {
    const std::string name(parameter.name);
    if (!parameter.until.empty() || library_.version > newest_known_nccl) continue;
    const auto history = nccl_name_history(name);
    if (library_.version >= history.since && history.gone == 0) {
      EXPECT_TRUE(has.contains(name)) << name;
    } else if (library_.version <= history.last_without) {
      EXPECT_FALSE(has.contains(name)) << name;
      EXPECT_FALSE(wrong_parameters({{name, "1"}}, library_.version).empty()) << name;
    }
  }
}

TEST_F(RealNccl, knows_lists_of_interfaces_as_the_check_does) {
  for (const char* value : {"lo", "=lo", "zz,lo", "l,lo,", "lo,", "^zz", "^l,zzz", "lo,x"}) {
    EXPECT_FALSE(problem_of_parameter("NCCL_SOCKET_IFNAME", value)) << value;
    const auto answer = start_with({{"NCCL_SOCKET_IFNAME", value}});
    EXPECT_THAT(answer.log, HasSubstr("NCCL_SOCKET_IFNAME set")) << value;
    const bool may_fail = value[0] == '^';  // it may exclude all
    EXPECT_TRUE(answer.result == 0 || may_fail) << value;
  }
  for (const char* value : {"==lo", "=^lo", "^="}) {
    EXPECT_TRUE(problem_of_parameter("NCCL_SOCKET_IFNAME", value)) << value;
    EXPECT_NE(start_with({{"NCCL_SOCKET_IFNAME", value}}).result, 0) << value;
  }
  for (const char* value : {"l", "^"}) {
    EXPECT_THAT(problem_of_parameter("NCCL_SOCKET_IFNAME", value).value_or(Problem{}).text, HasSubstr("ignores"))
        << value;
    EXPECT_THAT(start_with({{"NCCL_SOCKET_IFNAME", value}}).log, Not(HasSubstr("NCCL_SOCKET_IFNAME set"))) << value;
  }
}

TEST_F(RealNccl, takes_the_default_for_numbers_that_are_too_large) {
  constexpr auto much = "99999999999999999999";
  EXPECT_THAT(problem_of_parameter("NCCL_IB_TC", much).value_or(Problem{}).text, HasSubstr("its default"));
  EXPECT_THAT(start_with({{"NCCL_GDRCOPY_ENABLE", much}}).log, HasSubstr("using default"));
}

TEST_F(RealNccl, ignores_lines_of_files_that_begin_with_a_blank) {
  if (library_.version < 22304) GTEST_SKIP() << "NCCL_CONF_FILE exists since 2.23";
  const auto file = folder_.file("nccl.conf");
  for (const std::string line : {"NCCL_SOCKET_IFNAME=zzz", " NCCL_SOCKET_IFNAME=zzz", "NCCL_SOCKET_IFNAME =zzz"}) {
    std::ofstream(file) << line << "\n";
    const auto answer = start_with({{"NCCL_CONF_FILE", file}});
    EXPECT_EQ(answer.result == 0, !nccl_conf_problems(line, "nccl.conf").empty()) << line << "\n" << answer.log;
  }
}

TEST_F(RealNccl, logs_lines_that_are_read) {
  const auto answer = start_with({{"NCCL_SOCKET_IFNAME", "lo"}});
  EXPECT_EQ(answer.result, 0);
  std::istringstream lines(answer.log);
  int read = 0;
  for (std::string line; std::getline(lines, line); ++read) EXPECT_TRUE(split_nccl_line(line)) << line;
  EXPECT_GT(read, 0);
}

TEST_F(RealNccl, refuses_calls_that_a_capture_then_leaves_out) {
  const auto folder = std::filesystem::path(library_.path).parent_path();
  const auto run =
      testing_support::run("LD_LIBRARY_PATH=" + folder.string() + " LD_PRELOAD=" + RINGMARK_CAPTURE_LIBRARY +
                           " RINGMARK_CAPTURE=" + folder_.path() + " " + RINGMARK_FAKES + "/refused-calls");
  EXPECT_EQ(run.status, 0) << run.output;
  std::string recorded;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (entry.path().extension() == ".jsonl") recorded += text.str();
  }
  EXPECT_THAT(recorded, Not(HasSubstr(R"("ranks":)"))) << "no communicator was made";
  EXPECT_THAT(recorded, HasSubstr(R"("error":4)"));
  try {
    replay::import_text("capture", recorded);
    FAIL() << "imported refused calls";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 of 'call that NCCL refused', 1 of 'group that NCCL refused'"));
  }
}

}  // namespace
}  // namespace ringmark
