#include "cli/measuring.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include "answer/numbers/figures.hpp"
#include "base/files/packed_file.hpp"
#include "base/terminal.hpp"
#include "base/version.hpp"
#include "code/toolkit.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/ptxas.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/launch/clock.hpp"
#include "model/measured.hpp"
#include "record/json/record_json.hpp"
#include "record/record.hpp"

namespace warpclock {

Expected<void> warn_of_others(const Worker& worker, bool exclusive) {
  const Style style(Stream::Err);
  const std::string warning = style.yellow("warning:");
  const bool busy = worker.wait_us() >= foreign_wait_us, paused = worker.pause_us() >= foreign_pause_us;
  for (const std::string& process : worker.others())
    fmt::print(stderr, "{} another process is on this GPU: {}\n", warning, process);
  if (busy || paused) {
    fmt::print(stderr,
               "{} this GPU is busy: a kernel {} for {:.0f} us. Numbers will not be those of the GPU alone; end the "
               "other work and measure again\n",
               warning, busy ? "waits for it" : "stands still", busy ? worker.wait_us() : worker.pause_us());
  }
  const bool alone = !busy && !paused && worker.others().empty();
  if (!alone && exclusive) return refuse_to_share("the GPU is not this process's alone: nothing was measured");
  return {};
}

bool warn_of_timer(const Provenance& provenance) {
  const std::string warning = timer_warning(provenance.timer);
  if (!warning.empty()) fmt::print(stderr, "{} {}\n", Style(Stream::Err).yellow("warning:"), warning);
  return !warning.empty();
}

std::unexpected<Error> refuse_to_share(const char* what) {
  return fail("shared", fmt::format("--exclusive: {}", what));
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string one; std::getline(file, one, '\0');) arguments.push_back(one);
  if (!arguments.empty()) arguments.front() = std::filesystem::path(arguments.front()).filename().string();
  return arguments;
}

std::string date_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Provenance gather_provenance(const std::string& nvdisasm, const std::string& driver,
                             const std::string& counters_missing) {
  Provenance made;
  made.commit = version().commit;
  made.dirty = version().dirty;
  made.version = version().version;
  made.toolkit = version().toolkit;
  made.nvrtc = nvrtc_version();
  if (auto found = nvdisasm_version(nvdisasm))
    made.nvdisasm = *found;
  else if (!nvdisasm.empty())
    fmt::print(stderr, "{} the record does not say the version of nvdisasm: {}\n",
               Style(Stream::Err).yellow("warning:"), found.error().message());
  made.driver = driver;
  made.counters = counters_in_words(counters_missing);
  made.argv = command_line();
  made.host_cores = static_cast<int>(std::thread::hardware_concurrency());
  made.date = date_now();
  return made;
}

void note_ptxas(Provenance& provenance) {
  provenance.nvrtc.clear();
  if (const auto ptxas = find_ptxas()) provenance.ptxas = ptxas_version(*ptxas).value_or("");
}

void note_worker(Provenance& provenance, Worker& worker) {
  provenance.others = worker.others();
  provenance.timer = worker.timer();
  provenance.most_power_w = worker.most_power_w();
  provenance.gpu_events = worker.gpu_events();
  if (const std::string events = in_words(provenance.gpu_events); !events.empty())
    fmt::print(stderr, "{} NVML reported meanwhile: {} (the record has it as gpu_events)\n",
               Style(Stream::Err).yellow("warning:"), events);
}

bool is_of_the_machine(std::string_view code) {
  constexpr std::array<std::string_view, 10> codes = {"build",   "closed",     "compiler-died", "device-lost",
                                                      "io",      "nvdisasm",   "process",       "ptxas",
                                                      "toolkit", "worker-died"};
  return std::ranges::find(codes, code) != codes.end();
}

namespace {

namespace fs = std::filesystem;

struct Worth {
  std::size_t rows = 0, measured = 0, failed = 0;
  std::string why;  ///< of the first row that failed for reasons of the machine
};

Worth worth_of(const Record& record) {
  Worth worth{.rows = record.rows.size()};
  for (const Row& row : record.rows) {
    if (row.outcome == Outcome::Measured || row.outcome == Outcome::Unsteady) {
      ++worth.measured;
    } else if (is_of_the_machine(row.reason.code) && worth.failed++ == 0) {
      worth.why = fmt::format("{}: {}", row.reason.code, row.reason.text);
    }
  }
  return worth;
}

}  // namespace

Expected<void> may_take_place(const std::string& folder, const Record& record, bool replace) {
  const Worth now = worth_of(record);
  if (replace || now.failed == 0) return {};
  const fs::path path = fs::path(folder) / fmt::format("{}.json.gz", word(record.file));
  // One that is damaged is no better.
  const auto before = read_record(path, {{record.file}});
  if (!before && before.error().code == "io" && has_packed_file(path)) return std::unexpected(before.error());
  if (!before || worth_of(*before).measured <= now.measured) return {};
  return fail("worse",
              fmt::format("this record has {} measured rows and is not replaced: of the new one, {} of {} rows failed "
                          "for reasons of this machine ({}). Mend that and measure again, or replace it by --replace",
                          worth_of(*before).measured, now.failed, now.rows, now.why),
              path.string());
}

}  // namespace warpclock
