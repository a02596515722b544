#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files/packed_file.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "cli/fleet/run.hpp"
#include "fleet/observations.hpp"
#include "measure/testing/fake_worker.hpp"
#include "plan/plan.hpp"
#include "record/json/record_json.hpp"

// Tasks of a launcher. `.ci/launchers` starts the same task under a real Slurm and a real Open MPI.

namespace warpclock {
namespace {

std::optional<LaunchedTask> task_with(const std::map<std::string, std::string>& variables) {
  return launched_task([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launcher, IsKnownByItsVariables) {
  EXPECT_FALSE(task_with({{"SLURM_JOB_ID", "7"}}));
  const auto slurm = must(task_with({{"SLURM_JOB_ID", "7"},
                                     {"SLURM_PROCID", "11"},
                                     {"SLURM_LOCALID", "3"},
                                     {"SLURM_STEP_ID", "0"},
                                     {"PMI_RANK", "11"}}));
  EXPECT_EQ(slurm.job, "Slurm job 7, task 11");
  EXPECT_EQ(slurm.local, 3);
  const auto mpi = must(task_with({{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}));
  EXPECT_EQ(mpi.job, "Open MPI, task 5");
  EXPECT_EQ(mpi.local, 1);
  EXPECT_EQ(task_with({{"PMI_RANK", "2"}, {"MPI_LOCALRANKID", "0"}})->local, 0);
}

// An sbatch script without srun is one process: all GPUs that it sees are its own.
TEST(Launcher, OfABatchScriptChoosesNoGpu) {
  const auto script = must(task_with({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}}));
  EXPECT_FALSE(script.local);
  EXPECT_EQ(gpu_of_task(script, "0,1"), "");
}

TEST(Launcher, GivesEachTaskOfANodeItsGpu) {
  const LaunchedTask third{"Slurm job 7, task 10", 2};
  EXPECT_EQ(gpu_of_task(third, nullptr), "2");
  EXPECT_EQ(gpu_of_task(third, "4,5,6,7"), "2");
  EXPECT_EQ(gpu_of_task(third, "6"), "");
  EXPECT_THAT(gpu_of_task(third, "0,1").error().text, HasSubstr("start as many tasks on a node as it has GPUs"));
}

TEST(AllGpus, AreThoseThatAreVisible) {
  EXPECT_THAT(all_gpus("2,3").value(), ElementsAre("0", "1"));
  EXPECT_THAT(all_gpus("GPU-5f,GPU-60").value(), ElementsAre("GPU-5f", "GPU-60"));
  EXPECT_THAT(all_gpus("0,-1,1").value(), ElementsAre("0"));
  EXPECT_EQ(all_gpus("").error().code, "no-device");
}

TEST(FleetSlug, IsTheModelsAndTheGpus) {
  DeviceFacts device;
  device.slug = "nvidia-h200";
  device.uuid = "GPU-d483ba7f-aaa5-bad0-9d98-020dbaec1eb9";
  EXPECT_EQ(fleet_slug(device, "node1"), "nvidia-h200-d483ba7f-aaa5");
  device.uuid.clear();
  device.pci = "0000:1B:00.0";
  EXPECT_EQ(fleet_slug(device, "node1"), "nvidia-h200-node1-0000-1b-00-0");
}

// What may not run while other GPUs work says so: whatever lies in another GPU's memory.
TEST(Alone, IsEveryProbeOfAPeer) {
  const Inputs inputs = load_inputs({}).value();
  std::set<std::string> alone;
  for (const Probe& probe : inputs.suite.probes)
    if (!probe.alone.empty()) alone.insert(probe.family + "/" + probe.name);
  const std::vector<Case> cases = plan(inputs.suite, parse_arch("sm_90a").value(), Filter{"all", {}}).value();
  std::size_t peers = 0;
  for (const Case& one : cases) {
    peers += one.data.peer ? 1 : 0;
    EXPECT_TRUE(!one.data.peer || alone.contains(one.probe)) << one.id;
  }
  EXPECT_GT(peers, 0U);
  EXPECT_TRUE(alone.contains("wgmma/sustained"));
  EXPECT_TRUE(alone.contains("synchronization/launch_gap"));
}

/// The cases of the task.
std::vector<Case> task_cases() {
  const Inputs inputs = load_inputs({}).value();
  return plan(inputs.suite, parse_arch("sm_90a").value(), Filter{"full", {"shuffle/latency"}}).value();
}

/// Makes standard output a pipe whose reader has gone, as that of `run | head -1`.
void lose_the_reader() {
  Descriptor reader, writer;
  ASSERT_TRUE(make_pipe(reader, writer));
  reader.reset();
  ASSERT_EQ(dup2(writer.get(), STDOUT_FILENO), STDOUT_FILENO);
}

// Not a test by itself: what a launcher starts, with a worker that is a shell script. WARPCLOCK_TASK_OUT is --out,
// WARPCLOCK_TASK_PAUSE the seconds that each case takes, WARPCLOCK_TASK_UNREAD is set if nobody reads what it prints.
TEST(LaunchedTask, DISABLED_Measures) {
  const char* out = std::getenv("WARPCLOCK_TASK_OUT");
  const char* pause = std::getenv("WARPCLOCK_TASK_PAUSE");
  ASSERT_NE(out, nullptr);
  open_output();
  if (std::getenv("WARPCLOCK_TASK_UNREAD") != nullptr) lose_the_reader();
  RunOptions options;
  options.selection.patterns = {"shuffle/latency"};
  options.out = out;
  options.measuring.no_counters = true;
  options.compile.cache_dir = std::string(out) + "/.cache";
  options.compile.quiet = true;
  const auto taken = take_from_launcher(options);
  ASSERT_TRUE(taken) << taken.error().message();
  DeviceFacts device;
  device.name = "Simulated";
  device.slug = "simulated";
  device.arch = "sm_90a";
  device.uuid = "GPU-0000000@gpu@-0000-0000-0000-000000000000";
  options.worker.command = testing::fake_worker(device, std::string("sleep ") + (pause == nullptr ? "0" : pause) +
                                                            "; " + testing::answer_with(task_cases().front(), 23));
  EXPECT_EQ(must(run_one(options)), 0);
}

/// The test below, in a process of its own; it is no part of the tests that this process shares with others.
auto run_task() {
  const testing::Variable all("GTEST_TOTAL_SHARDS", "1"), part("GTEST_SHARD_INDEX", "0");
  return run_process(
             {"/proc/self/exe", "--gtest_also_run_disabled_tests", "--gtest_filter=LaunchedTask.DISABLED_Measures"})
      .value();
}

TEST(LaunchedTask, WritesARecordOfItsOwn) {
  const testing::TemporaryFolder folder;
  const testing::Variable out("WARPCLOCK_TASK_OUT", folder.path());
  const testing::Variable visible("CUDA_VISIBLE_DEVICES", "0,1,2");
  const testing::Variable size("OMPI_COMM_WORLD_RANK", "0");
  for (const char* local : {"0", "2"}) {
    const testing::Variable rank("OMPI_COMM_WORLD_LOCAL_RANK", local);
    const auto ran = run_task();
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  }
  const Observations all = read_fleet(folder.path(), {}).value();
  ASSERT_EQ(all.gpus.size(), 2U);
  EXPECT_EQ(all.gpus[0].folder, "simulated-00000000-0000");
  EXPECT_EQ(all.gpus[1].folder, "simulated-00000002-0000");
  EXPECT_EQ(all.gpus[0].host, host_name());
  const auto record =
      must(parse_record(must(read_packed_file(folder.path() + "/simulated-00000002-0000/result.json.gz"))));
  EXPECT_EQ(record.provenance.job, "Open MPI, task 0");
  EXPECT_EQ(record.rows.size(), task_cases().size());
}

// No output is worth a measurement.
TEST(LaunchedTask, IsNotEndedByAReaderThatStopsReading) {
  const testing::TemporaryFolder folder;
  const testing::Variable out("WARPCLOCK_TASK_OUT", folder.path());
  const testing::Variable unread("WARPCLOCK_TASK_UNREAD", "1");
  const auto ran = run_task();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(must(parse_record(must(read_packed_file(folder.path() + "/result.json.gz")))).rows.size(),
            task_cases().size());
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/run.journal"));
}

}  // namespace
}  // namespace warpclock
