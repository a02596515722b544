#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/version.hpp"
#include "cli/measuring.hpp"
#include "code/nvdisasm.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "gpu/counters/counters.hpp"

namespace warpclock {

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
  if (auto found = nvdisasm_version(nvdisasm)) made.nvdisasm = *found;
  made.driver = driver;
  made.counters = counters_in_words(counters_missing);
  made.argv = command_line();
  made.host_cores = static_cast<int>(std::thread::hardware_concurrency());
  made.date = date_now();
  return made;
}

void note_worker(Provenance& provenance, const Worker& worker) {
  provenance.others = worker.others();
  provenance.timer = worker.timer();
  provenance.most_power_w = worker.most_power_w();
}

}  // namespace warpclock
