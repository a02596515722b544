#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "base/lookup.hpp"
#include "base/process.hpp"
#include "base/testing/chaos.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "gpu/launch/runner.hpp"
#include "gpu/testing/fake_gpu.hpp"
#include "gpu/worker/protocol.hpp"
#include "measure/suite_run.hpp"
#include "plan/config/stanza.hpp"
#include "plan/plan.hpp"

// Faults of a GPU without one: the worker is this program with a driver that begins to fail, of each kind at each stage
// of a run.

namespace warpclock {
namespace {

constexpr auto unheard_of = static_cast<CUresult>(1000), contained = static_cast<CUresult>(226);

struct FaultKind {
  const char* name;
  CUresult result;    ///< of each call that waits, from then on
  const char* cause;  ///< that its row names
};
constexpr std::array<FaultKind, 10> kinds = {
    {{"IllegalAddress", CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
     {"Misaligned", CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS (716)"},
     {"IllegalInstruction", CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION (715)"},
     {"EndlessLoop", CUDA_SUCCESS, "no answer in 1 s"},
     {"Trap", CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED (719)"},
     {"LostDevice", CUDA_ERROR_UNKNOWN, "CUDA_ERROR_NO_DEVICE (100)"},
     {"Ecc", CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE (214)"},
     // What a process gets of Xid 94.
     {"Xid", contained, "CUDA_ERROR_CONTAINED (226)"},
     {"WrongAnswer", unheard_of, "unknown CUDA error (1000)"},
     {"NoContext", CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE (46)"}}};

const FaultKind& kind_of(std::string_view name) { return *std::ranges::find(kinds, name, &FaultKind::name); }

constexpr std::array<const char*, 6> stages = {"Load", "FirstLaunch", "Timing", "Refining", "Counters", "Peer"};

/// What is in the environment of the worker.
struct Planned {
  std::string kind, stage, folder;  ///< of files that say what has happened
  std::uint64_t bytes = 0;          ///< of the data of the job that it strikes
  int launch = 0;                   ///< the launch of the job, if it is not the first

  static Planned from_environment() {
    const auto text = [](const char* name) {
      const char* value = std::getenv(name);
      return std::string(value == nullptr ? "" : value);
    };
    return {text("WARPCLOCK_FAULT_KIND"), text("WARPCLOCK_FAULT_STAGE"), text("WARPCLOCK_FAULT_FOLDER"),
            std::strtoull(text("WARPCLOCK_FAULT_BYTES").c_str(), nullptr, 10),
            std::atoi(text("WARPCLOCK_FAULT_LAUNCH").c_str())};
  }
  /// Whether the file is shorter than that; then it grows.
  [[nodiscard]] bool once_more(const char* file, std::uintmax_t most) const {
    const std::filesystem::path path = std::filesystem::path(folder) / file;
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(path, none);
    if (!none && size >= most) return false;
    std::ofstream(path, std::ios::app) << 'x';
    return true;
  }
};

/// The driver of the worker. Its functions have no state of their own.
class FaultyGpu {
 public:
  FaultyGpu() {
    current() = this;
    gpu_.devices = 2;
    gpu_.on_launch = [this](const FakeGpu::Launch& launch) { return run(launch); };
  }
  FaultyGpu(const FaultyGpu&) = delete;
  FaultyGpu& operator=(const FaultyGpu&) = delete;
  ~FaultyGpu() { current() = nullptr; }

  /// The launches from now on are of this job.
  void begin(const Job& job) { peer_ = job.data.peer, counted_ = !job.timed, launched_ = 0; }

  static Driver driver() {
    Driver driver = FakeGpu::driver();
    driver.cuInit = [](unsigned) { return current()->lost() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; };
    driver.cuDevicePrimaryCtxRetain = [](CUcontext* context, CUdevice device) {
      const bool none = device == 0 && current()->makes_no_context();
      return none ? CUDA_ERROR_DEVICE_UNAVAILABLE : FakeGpu::driver().cuDevicePrimaryCtxRetain(context, device);
    };
    driver.cuModuleLoadData = [](CUmodule* module, const void* image) {
      FaultyGpu& own = *current();
      const bool of_clock = std::string_view(static_cast<const char*>(image)).contains("warpclock_clock");
      const CUresult result = own.is("Load") && !of_clock ? own.strike() : CUDA_SUCCESS;
      return result != CUDA_SUCCESS ? result : FakeGpu::driver().cuModuleLoadData(module, image);
    };
    driver.cuCtxEnablePeerAccess = [](CUcontext, unsigned) {
      return current()->is("Peer") ? current()->strike() : CUDA_SUCCESS;
    };
    driver.cuGetErrorName = [](CUresult result, const char** name) {
      constexpr std::array<std::pair<CUresult, const char*>, 9> names = {
          {{CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
           {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
           {CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
           {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
           {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"},
           {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
           {CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE"},
           {CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
           {contained, "CUDA_ERROR_CONTAINED"}}};
      const auto* const found = std::ranges::find(names, result, &std::pair<CUresult, const char*>::first);
      return found == names.end() ? CUDA_ERROR_INVALID_VALUE : (*name = found->second, CUDA_SUCCESS);
    };
    return driver;
  }

 private:
  static FaultyGpu*& current() {
    static FaultyGpu* gpu = nullptr;
    return gpu;
  }
  [[nodiscard]] bool is(std::string_view stage) const { return planned_.stage == stage; }
  [[nodiscard]] bool lost() const {
    return planned_.kind == "LostDevice" && std::filesystem::exists(std::filesystem::path(planned_.folder) / "struck");
  }
  /// Twice after the fault: another process still has the GPU.
  [[nodiscard]] bool makes_no_context() const {
    return planned_.kind == "NoContext" && std::filesystem::exists(std::filesystem::path(planned_.folder) / "struck") &&
           planned_.once_more("contexts", 2);
  }

  /// The kernel takes 34 cycles for each load of up to 200 KiB, and 280 beyond.
  CUresult run(const FakeGpu::Launch& launch) {
    constexpr std::uint64_t level = 200 << 10;
    ++launched_;
    const bool struck_here = launch.args.data_bytes == planned_.bytes && !peer_;
    const bool first = is("FirstLaunch") && !counted_ && launched_ == 1;
    const bool later = (is("Timing") || is("Refining")) && !counted_ && launched_ == planned_.launch;
    if (struck_here && (first || later || (is("Counters") && counted_))) {
      if (const CUresult result = strike(); result != CUDA_SUCCESS) return gpu_.broken = result, CUDA_SUCCESS;
    }
    const std::uint64_t n = std::strtoull(launch.kernel.c_str() + 1, nullptr, 10);
    auto* clocks = reinterpret_cast<std::uint64_t*>(launch.args.clocks);
    for (unsigned w = 0; w < launch.blocks * launch.threads / 32; ++w) {
      clocks[2 * w] = 5000;
      clocks[2 * w + 1] = 5010 + (launch.args.data_bytes <= level ? 34 : 280) * n;
    }
    return CUDA_SUCCESS;
  }

  /// Cases are counted together first, and then alone.
  CUresult strike() {
    const FaultKind& kind = kind_of(planned_.kind);
    if (!planned_.once_more("struck", is("Counters") ? 2 : 1)) return CUDA_SUCCESS;
    while (kind.result == CUDA_SUCCESS) std::this_thread::sleep_for(std::chrono::hours(1));
    return kind.result;
  }

  FakeGpu gpu_;
  Planned planned_ = Planned::from_environment();
  bool peer_ = false, counted_ = false;
  int launched_ = 0;
};

class AnyCounters : public Counters {
 public:
  Expected<std::vector<CounterValues>> collect(const std::vector<std::string>& names,
                                               const std::vector<CountedLaunch>& launches) override {
    std::vector<CounterValues> all(launches.size());
    for (std::size_t i = 0; i < launches.size(); ++i) {
      WARPCLOCK_TRY(launches[i].prepare());
      WARPCLOCK_TRY(launches[i].launch());
      for (const std::string& name : names) all[i][name] = 42;
    }
    return all;
  }
  std::string chip() const override { return "GH100"; }
};

// Not a test by itself: the worker of the tests below.
TEST(FaultyGpu, DISABLED_Works) {
  const int channel = std::atoi(std::getenv("WARPCLOCK_FAULT_CHANNEL"));
  const auto write_line = [&](const std::string& line) {
    if (!write_fully(channel, line + '\n')) std::_Exit(1);
  };
  FaultyGpu gpu;
  const auto runner = Runner::open(FaultyGpu::driver(), [](CUctx_st*) -> Expected<std::unique_ptr<Counters>> {
    return std::make_unique<AnyCounters>();
  });
  if (!runner) {
    write_line(to_line(FatalEvent{runner.error()}));
    std::_Exit(1);
  }
  write_line(to_line(HelloEvent{(*runner)->device(), (*runner)->counters_missing(), {}, 0, 0}));
  // Launches say which job they are of by the names of its kernels.
  (void)serve(
      std::cin, write_line,
      [&](Job job) {
        const auto named = [](Job& one) {
          for (JobKernel& kernel : one.kernels) kernel.symbol = "k" + std::to_string(kernel.n);
        };
        named(job);
        std::ranges::for_each(job.counted_with, named);
        gpu.begin(job);
        return (*runner)->run(job);
      },
      [] { std::_Exit(1); });
  std::_Exit(0);
}

const char* const faulty_suite = R"(family: memory
probes:
  - name: chase
    asks: Over which bytes?
    sweep: {path: [ca], stride: [128]}
    along: {footprint: {from: 64 KiB, to: 1 MiB, per_octave: 4, step: 128 B}}
    repeat: [64, 128, 256]
    launch: {launches: 5}
    data: {bytes: [footprint], fill: chase, stride: [stride]}
    facts: [late]
    window: {target: LDG.E.64.STRONG.SM, count: [n], chain: true, before: [LDG.E.64.STRONG.SM]}
    measures:
      - {name: latency, method: slope, unit: cycles}
    counters: [l1_hit_rate]
    counters_of: passes
    finds:
      - {what: levels, of: latency, within: 4}
  - name: chase_peer
    asks: Over which bytes of another GPU?
    kernel: memory/chase.cu
    sweep: {path: [ca], stride: [128]}
    along: {footprint: {from: 16 KiB, to: 32 KiB, per_octave: 1, step: 128 B}}
    repeat: [64, 128, 256]
    launch: {launches: 5}
    data: {bytes: [footprint], fill: chase, stride: [stride], memory: peer}
    facts: [late]
    window: {target: LDG.E.64.STRONG.SM, count: [n], chain: true, before: [LDG.E.64.STRONG.SM]}
    measures:
      - {name: latency, method: slope, unit: cycles}
)";

/// What must be the same of a row in each run.
std::string words_of(const Row& row) {
  std::string text = row.id + ": " + std::string(enum_words<Outcome>.at(static_cast<std::size_t>(row.outcome))) + " " +
                     row.reason.text + row.counters_missing;
  for (const Estimate& one : row.estimates) text += fmt::format(" {}={}", one.name, one.value);
  for (const auto& [name, value] : row.counters) text += fmt::format(" {}={}", name, value);
  return text;
}

class GpuFault : public ::testing::Test {
 protected:
  GpuFault() {
    inputs_.configs = {{"configs/memory.yaml", faulty_suite},
                       {"configs/counters.yaml", inputs_.configs.at("configs/counters.yaml")}};
    inputs_.suite = must(load_suite(inputs_.configs));
    how_.cache_dir = cache_.path();
    how_.quiet = true;
  }

  struct Seen {
    Expected<std::vector<Row>> rows;  ///< or why the run stopped
    std::size_t taken_over = 0;
  };
  Seen run(const Planned& fault) {
    const testing::Variable kind("WARPCLOCK_FAULT_KIND", fault.kind), stage("WARPCLOCK_FAULT_STAGE", fault.stage),
        bytes("WARPCLOCK_FAULT_BYTES", std::to_string(fault.bytes)),
        launch("WARPCLOCK_FAULT_LAUNCH", std::to_string(fault.launch)), folder("WARPCLOCK_FAULT_FOLDER", fault.folder),
        shards("GTEST_TOTAL_SHARDS", "1"), shard("GTEST_SHARD_INDEX", "0");
    Seen seen;
    seen.rows = run_in(fault.folder, seen.taken_over);
    return seen;
  }

  Expected<std::vector<Row>> run_in(const std::filesystem::path& folder, std::size_t& taken_over) {
    WorkerOptions options;
    options.command = {"/bin/sh", "-c",
                       "exec 9>&1 >&2; WARPCLOCK_FAULT_CHANNEL=9 exec '" +
                           std::filesystem::read_symlink("/proc/self/exe").string() +
                           "' --gtest_also_run_disabled_tests --gtest_filter=FaultyGpu.DISABLED_Works"};
    options.case_timeout = std::chrono::seconds(1), options.retry_for = std::chrono::seconds(1);
    auto worker = WARPCLOCK_TRY(Worker::start(options));
    SuiteRun suite_run(inputs_, cases(), worker, [](const std::string&) {});
    const RunGround ground{inputs_.configs, inputs_.sources, worker.device(), "node1", "", {"nvrtc"}, {}};
    taken_over = WARPCLOCK_TRY(suite_run.keep_journal(folder / "run.journal", {ground, {"2026-01-01T00:00:00Z"}})).rows;
    WARPCLOCK_TRY(suite_run.time(how_, {}));
    WARPCLOCK_TRY(suite_run.refine());
    WARPCLOCK_TRY(suite_run.count());
    suite_run.forget_journal();
    return suite_run.finish().rows;
  }

  [[nodiscard]] std::vector<Case> cases() const { return must(plan(inputs_.suite, Arch{90, true})); }

  using Rows = std::map<std::string, std::string>;  ///< in words, by id
  Rows rows_of(const std::vector<Row>& all) {
    Rows rows;
    for (const Row& row : all) rows[row.id] = words_of(row);
    return rows;
  }

  /// One row is not as it was, and names the cause. Another point may have been measured instead of it.
  static void expect_one_lost(const Rows& clean, const Rows& rows, const std::string& cause) {
    int lost = 0;
    for (const auto& [id, words] : rows) {
      const auto before = clean.find(id);
      if (before != clean.end() ? words == before->second : words.contains(": measured ")) continue;
      ++lost;
      EXPECT_THAT(words, HasSubstr(cause));
    }
    EXPECT_EQ(lost, 1) << "rows that differ";
  }

  testing::TemporaryFolder cache_;
  Inputs inputs_ = must(load_inputs({}));
  CompileCasesOptions how_;
};

TEST_F(GpuFault, CostsItsOwnRowWhichNamesTheCause) {
  testing::Chaos draw(1);
  const testing::TemporaryFolder nothing;
  const std::vector<Row> measured = must(run({.folder = nothing.path()}).rows);
  const Rows clean = rows_of(measured);
  std::vector<std::uint64_t> planned, refined;
  std::set<std::string> ids;
  for (const Case& one : cases()) ids.insert(one.id);
  for (const Row& row : measured) {
    ASSERT_EQ(row.outcome, Outcome::Measured) << words_of(row);
    const auto bytes = std::get<std::int64_t>(*find(row.parameters, "footprint"));
    if (!row.id.contains("peer"))
      (ids.contains(row.id) ? planned : refined).push_back(static_cast<std::uint64_t>(bytes));
  }
  ASSERT_FALSE(refined.empty());
  for (std::size_t round = 0; round < draw.cases(); ++round) {
    for (const FaultKind& kind : kinds) {
      for (const char* stage : stages) {
        const testing::TemporaryFolder folder;
        const Planned fault{kind.name, stage, folder.path(), draw.one_of(stage == stages[3] ? refined : planned),
                            2 + static_cast<int>(draw.below(8))};
        SCOPED_TRACE(fmt::format("{} at {}, {} bytes, launch {}", kind.name, stage, fault.bytes, fault.launch));
        const Seen seen = run(fault);
        ASSERT_TRUE(std::filesystem::exists(folder / "struck")) << "nothing was hit";
        if (std::string_view(kind.name) != "LostDevice") {
          expect_one_lost(clean, rows_of(must(seen.rows)), kind.cause);
          continue;
        }
        EXPECT_THAT(failure_of(seen.rows), IsError("device-lost", HasSubstr(kind.cause)));
        const Seen again = run({.folder = folder.path()});
        EXPECT_EQ(rows_of(must(again.rows)), clean);
        EXPECT_GE(again.taken_over, stage == stages[4] ? cases().size() : 0) << "what was timed";
      }
    }
  }
}

}  // namespace
}  // namespace warpclock
