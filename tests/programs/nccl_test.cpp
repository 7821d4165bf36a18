// The whole program on NCCL, as a user runs it, with fake libraries of NVIDIA's (tests/nvidia): all paths but NVIDIA's
// own. Numbers mean nothing here; rows, refusals and failures do.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/datatype.hpp"
#include "results/schema/cells.hpp"
#include "tests/programs/nccl_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

const std::string model = RINGMARK_SOURCE_DIR "/tests/replay/files/llama4.model.json";

TEST_F(NcclPrograms, rows_say_what_ran_and_over_what) {
  for (const std::string program : {"all-reduce", "reduce-scatter", "all-gather"}) {
    const auto result = measure("", program, "--ranks 3 --sizes 1K,1M -n 10 -d float32,bfloat16");
    EXPECT_EQ(result.status, 0) << result.output;
  }
  const auto all = rows();
  ASSERT_EQ(all.size(), 24U);
  for (const auto& row : all) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.memory, MemoryKind::cuda);
    EXPECT_EQ(row.network, Network::device) << "the fake says P2P where ranks are of one host";
    EXPECT_EQ(row.algorithm_used, "Ring");
    EXPECT_EQ(row.protocol_used, "Simple");
    EXPECT_EQ(row.channels_used, 2);
    EXPECT_EQ(row.time_sliced, 0);
    EXPECT_EQ(row.wrong_elements, 0U);
    EXPECT_TRUE(row.issue_us_p50 && row.device_us_p50);
  }
}

TEST_F(NcclPrograms, all_types_and_reductions_are_measured_or_refused_by_an_older_library) {
  const auto result = measure("", "all-reduce", "--ranks 2 --sizes 4K -n 3 -d all -o all --in-place no");
  EXPECT_EQ(result.status, 0) << result.output;
  const auto all = rows();
  EXPECT_EQ(all.size(), all_datatypes().size() * all_reduce_ops().size());
  for (const auto& row : all)
    EXPECT_EQ(row.status, Status::ok) << to_cell(row.datatype) << " " << to_cell(row.op) << ": " << row.detail;
  const auto old = measure("", "all-reduce",
                           "--ranks 2 --sizes 4K -n 3 -d f8e5m2,float --in-place no --set nccl.buffer=cuda --set "
                           "nccl.library=" RINGMARK_FAKES "/libnccl.so.old");
  EXPECT_EQ(old.status, 0) << old.output;
  const auto more = rows();
  ASSERT_EQ(more.size(), all.size() + 2);
  EXPECT_EQ(more[all.size()].datatype, DataType::float8_e5m2);
  EXPECT_EQ(more[all.size()].status, Status::unsupported);
  EXPECT_TRUE(has(more[all.size()].detail, "invalid type 11")) << more[all.size()].detail;
  EXPECT_EQ(more.back().status, Status::ok);
}

class NcclProgramsUnderMpi : public NcclPrograms {};

TEST_F(NcclProgramsUnderMpi, ranks_are_started_by_mpirun) {
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  const auto result = measure("mpirun.mpich -n 3", "all-reduce", "--sizes 64K -n 10");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(rows().size(), 2U);
}

TEST_F(NcclPrograms, batches_rotate_graphs_replay_and_buffers_register) {
  for (const std::string flags :
       {"--timing batch", "--timing batch -n 7", "--set nccl.graph=1", "--set nccl.buffer=cuda",
        "--set nccl.buffer=registered", "--set nccl.buffer=window", "--set nccl.graph=1 --timing batch -n 5"}) {
    const auto result = measure("", "reduce-scatter", "--ranks 2 --sizes 1K,64K --max-time 0.1 " + flags);
    EXPECT_EQ(result.status, 0) << flags << ": " << result.output;
  }
  for (const auto& row : rows()) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.device_us_p50.has_value(), row.timing == Timing::each);
  }
}

TEST_F(NcclPrograms, windows_are_proven_by_the_kernel_that_ran) {
  ASSERT_EQ(measure("", "all-reduce", "--ranks 2 --sizes 64K -n 5 --set nccl.buffer=window").status, 0);
  for (const auto& row : rows()) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.algorithm_used, "Symmetric");
    EXPECT_EQ(row.protocol_used, "AllReduce_AGxLL_R");
  }
  ASSERT_EQ(
      measure("FAKE_NCCL_VOID_WINDOWS=1", "all-reduce", "--ranks 2 --sizes 64K -n 5 --set nccl.buffer=window").status,
      0);
  EXPECT_EQ(rows().back().status, Status::ignored);
  EXPECT_TRUE(has(rows().back().detail, "nccl.buffer=window: NCCL used Ring")) << rows().back().detail;
}

TEST_F(NcclPrograms, settings_of_nccls_own_files_are_checked_as_well) {
  const auto conf = results_.file("nccl.conf");
  std::ofstream(conf) << "# of the cluster\nNCCL_ALGO=Foo\nNCCL_COMM_BLOCKING=0\n";
  const auto refused = measure("NCCL_CONF_FILE=" + conf, "all-reduce", "--ranks 2 --sizes 1K");
  EXPECT_EQ(refused.status, 2) << refused.output;
  EXPECT_TRUE(has(refused.output, conf + ":2: NCCL_ALGO=Foo")) << refused.output;
  EXPECT_TRUE(has(refused.output, conf + ":3: NCCL_COMM_BLOCKING=0")) << refused.output;
  const auto overruled =
      measure("NCCL_ALGO=Ring NCCL_COMM_BLOCKING=1 NCCL_CONF_FILE=" + conf, "all-reduce", "--ranks 2 --sizes 1K -n 3");
  EXPECT_EQ(overruled.status, 0) << overruled.output;
}

TEST_F(NcclPrograms, rows_have_the_versions_that_were_loaded) {
  const auto flags = "--ranks 2 --sizes 1K -n 3 --in-place no --set nccl.buffer=cuda";
  ASSERT_EQ(measure("", "all-reduce", flags).status, 0);
  std::filesystem::create_symlink(RINGMARK_FAKES "/libnccl.so.old", results_.file("libnccl.so.2"));
  const auto swapped = measure("LD_LIBRARY_PATH=" + results_.path() + ":$LD_LIBRARY_PATH", "all-reduce", flags);
  ASSERT_EQ(swapped.status, 0) << swapped.output;
  const auto all = rows();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].settings.others.at("nccl_version"), "2.28.9");
  EXPECT_EQ(all[1].settings.others.at("nccl_version"), "2.16.5");
  for (const auto& row : all)
    EXPECT_TRUE(has(std::string(row.settings.others.at("driver_version")), "CUDA ")) << "the fake's file has none";
  if (!std::filesystem::exists(bin + "/ringmark-analyze")) return;
  const auto compared = run(bin + "/ringmark-analyze compare " + results_.file("r.csv") + " --by nccl_version");
  EXPECT_EQ(compared.status, 0) << compared.output;
  EXPECT_TRUE(has(compared.output, "2.28.9")) << compared.output;
}

TEST_F(NcclPrograms, one_rank_is_a_copy_or_nothing) {
  ASSERT_EQ(measure("", "all-reduce", "--ranks 1 --sizes 1M -n 10").status, 0);
  const auto all = rows();
  ASSERT_EQ(all.size(), 2U);
  for (const auto& row : all) {
    EXPECT_EQ(row.network, Network::device);
    EXPECT_EQ(row.algorithm_used, "");
    EXPECT_EQ(row.algbw_GBps.has_value(), row.in_place == 0);
    EXPECT_EQ(row.busbw_GBps.value_or(0), 0);
    EXPECT_TRUE(has(row.detail, row.in_place == 1 ? "nothing to do" : "a copy within the GPU")) << row.detail;
  }
}

TEST_F(NcclPrograms, a_setting_without_effect_is_told) {
  const auto result = measure("FAKE_NCCL_IGNORES_ALGO=1 NCCL_ALGO=Tree", "all-reduce", "--ranks 2 --sizes 1K -n 5");
  EXPECT_EQ(result.status, 0) << result.output;
  for (const auto& row : rows()) {
    EXPECT_EQ(row.status, Status::ignored);
    EXPECT_EQ(row.detail, "NCCL_ALGO=Tree: NCCL used Ring");
  }
}

TEST_F(NcclPrograms, as_many_channels_as_were_asked_for_are_proven) {
  const auto flags = "--ranks 2 --sizes 1K -n 5 --in-place no";
  EXPECT_EQ(measure("NCCL_MIN_NCHANNELS=4", "all-reduce", flags).status, 0);
  EXPECT_EQ(rows().back().status, Status::ok) << rows().back().detail;
  EXPECT_EQ(rows().back().channels_used, 4);
  EXPECT_EQ(measure("NCCL_MAX_NCHANNELS=1", "all-reduce", flags).status, 0);
  EXPECT_EQ(rows().back().status, Status::ok) << rows().back().detail;
  EXPECT_EQ(rows().back().channels_used, 1);
  // More than there can be.
  EXPECT_EQ(measure("NCCL_MIN_NCHANNELS=32", "all-reduce", flags).status, 0);
  EXPECT_EQ(rows().back().status, Status::ignored);
  EXPECT_EQ(rows().back().detail, "NCCL_MIN_NCHANNELS=32: NCCL created 8 channels");
}

TEST_F(NcclPrograms, replay_a_step_with_computation_on_the_gpu) {
  const std::string program = bin + "/ringmark-replay run --ranks 2 --forward-ms 5 --backward-ms 10 ";
  const auto of_deepspeed = "--model " + model;
  for (const std::string& flags :
       {of_deepspeed + " --zero 3", of_deepspeed + " --zero 1", of_deepspeed + " --zero 2 --compute busy",
        std::string("--model opt-125m --scale-sizes 0.01 --framework megatron")}) {
    const auto result = run("LD_LIBRARY_PATH=" RINGMARK_FAKES " " + program +
                            "--transport nccl --step-ms 1 -n 5 --csv " + results_.file("r.csv") + " " + flags);
    EXPECT_EQ(result.status, 0) << flags << ": " << result.output;
  }
  for (const auto& row : rows()) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.network, Network::device);
    EXPECT_EQ(row.wrong_elements, 0U);
    EXPECT_GE(*row.time_us_p50, 16'000);
  }
  const auto refused = run(program + "--zero 1 --compute gpu");
  EXPECT_EQ(refused.status, 2) << refused.output;
  EXPECT_TRUE(has(refused.output, "--compute gpu: ")) << refused.output;
}

TEST_F(NcclPrograms, find_the_library_in_the_python_environments_of_path) {
  const std::filesystem::path packages = results_.file("lib/python3.11/site-packages/nvidia/nccl/lib");
  std::filesystem::create_directories(packages);
  std::filesystem::create_directories(results_.file("bin"));
  std::filesystem::create_symlink(RINGMARK_FAKES "/libnccl.so.2", packages / "libnccl.so.2");
  std::ofstream(results_.file("bin/python3")).flush();
  const auto list = [&](const std::string& first) {
    return run("VIRTUAL_ENV= CONDA_PREFIX= LD_LIBRARY_PATH= PATH=" + first + "$PATH " + bin +
               "/ringmark-all-reduce --list")
        .output;
  };
  if (has(list(""), "libnccl.so.2)")) GTEST_SKIP() << "this machine has an NCCL of its own";
  for (const auto* slash : {"", "/"}) {
    const auto found = list(results_.file("bin") + slash + ":");
    EXPECT_TRUE(has(found, "NCCL 2.") && !has(found, "libnccl.so.2 cannot be opened")) << found;
  }
}

TEST_F(NcclPrograms, parameters_are_listed) {
  const auto list = run(bin + "/ringmark-all-reduce --list-parameters");
  EXPECT_EQ(list.status, 0);
  EXPECT_TRUE(has(list.output, "NCCL_ALGO") && has(list.output, "64 to 512, in steps of 32")) << list.output;
}

}  // namespace
}  // namespace ringmark
