// The lab on machines that lack something, as bash makes them in a mount namespace; they need root.
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/lab/lab_fixture.hpp"

namespace ringmark::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LabOnBareMachineTest : public LabTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can hide a machine's files";
    LabTest::SetUp();
  }

  static Words machine(const std::string& text) {
    return {"unshare", "--mount", "bash", "-ec", "mount -t tmpfs none /mnt\n" + text + "\"$@\"", "bash"};
  }
  /// Its root is a directory, and no mount. It has no /etc/hosts.
  static Words chroot(const std::string& text) {
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    return machine(fmt::format(R"(
      root=/mnt/root
      mkdir -p $root/{{etc,proc,sys,dev,tmp}}
      see() {{ mkdir -p $root$1; mount --rbind $1 $root$1; }}
      see /dev; see '{}'; see '{}'
      for folder in /usr /bin /sbin /lib /lib64; do
        if [ -L $folder ]; then cp -a $folder $root; elif [ -d $folder ]; then see $folder; fi
      done
      cd /
      {}
      exec chroot $root )",
                               self.parent_path().string(), std::filesystem::path(lab_binary()).parent_path().string(),
                               text));
  }
  /// A message reaches host 1 by its name.
  static Words reach_by_name() {
    return script({"--hosts", "2", "--timeout", "60"}, R"(
      $lab exec 1 -- $traffic receive 5000 & receiver=$!
      $traffic send host-1 5000 1000 >/dev/null && wait $receiver && echo reached)");
  }
};

TEST_F(LabOnBareMachineTest, names_hosts_without_etc_hosts) {
  const Finished lab = run_lab(reach_by_name(), {.within = machine(R"(
    cp -a /etc /mnt/etc
    rm -f /mnt/etc/hosts
    mount --bind /mnt/etc /etc
    trap '[ ! -e /etc/hosts ] || exit 99' EXIT
  )")});
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_THAT(lines_of(lab.output), ElementsAre("reached"));
}

/// Libraries ask for localhost when a program starts, and a name server that is beyond the lab answers nobody.
TEST_F(LabOnBareMachineTest, knows_localhost_and_asks_no_name_server) {
  const auto in_fabric = script({"--leaves", "2", "--hosts-per-leaf", "1"}, R"(
    getent ahostsv4 localhost | awk '$2 == "STREAM" { print $1 }'
    cat /etc/resolv.conf)");
  const Finished lab = run_lab(in_fabric, {.within = machine(R"(
    cp -a /etc /mnt/etc
    rm -f /mnt/etc/hosts /mnt/etc/resolv.conf
    echo nameserver 10.255.255.53 >/mnt/etc/resolv.conf
    mount --bind /mnt/etc /etc
  )")});
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_THAT(lines_of(lab.output), ElementsAre("127.0.0.1", "nameserver 127.0.0.1"));
}

TEST_F(LabOnBareMachineTest, works_in_a_chroot) {
  const Finished lab = run_lab(reach_by_name(), {.within = chroot("mount -t proc none $root/proc")});
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_THAT(lines_of(lab.output), ElementsAre("reached"));
}

TEST_F(LabOnBareMachineTest, works_in_a_chroot_that_is_a_mount) {
  const Finished lab = run_lab(reach_by_name(), {.within = chroot(R"(
    mount --rbind $root $root
    mount -t proc none $root/proc)")});
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_THAT(lines_of(lab.output), ElementsAre("reached"));
}

TEST_F(LabOnBareMachineTest, names_what_a_chroot_lacks) {
  const Finished lab = run_lab({"run", "--hosts", "2", "--", "true"}, {.within = chroot("")});
  EXPECT_EQ(lab.status, 4);
  EXPECT_THAT(lab.errors, HasSubstr("mount -t proc"));
}

}  // namespace
}  // namespace ringmark::lab
