#include "gpu/launch/driver_jit.hpp"

#include <array>

#include "base/elapsed.hpp"
#include "base/files/file.hpp"
#include "base/text.hpp"
#include "compile/compiler/compilation.hpp"

namespace warpclock {
namespace {

constexpr int timed_loads = 5;

/// Loads and unloads PTX or a cubin; returns the microseconds of the loading.
Expected<double> load_once(const Driver& driver, const std::string& image, std::string_view doing) {
  std::array<char, 8192> log{};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes the size in place of a pointer.
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  const auto started = Time::now();
  const auto loaded = check(
      driver, driver.cuModuleLoadDataEx(&module, image.c_str(), options.size(), options.data(), values.data()), doing);
  const double us = seconds_since(started) * 1e6;
  if (loaded) {
    WARPCLOCK_TRY(check(driver, driver.cuModuleUnload(module), "unloading a module"));
    return us;
  }
  log.back() = '\0';
  const std::string said(trim(log.data()));
  if (said.empty() || loaded.error().code != ErrorCode::Cuda) return std::unexpected(loaded.error());
  Compilation failed;
  failed.ptx = image;
  failed.log = said;
  return std::unexpected(compile_error(failed));
}

}  // namespace

Expected<Observation> assemble_by_driver(const Driver& driver, const Job& job, const LoadedCode& loaded_code) {
  const auto ptx = WARPCLOCK_TRY(read_file(job.ptx_path));
  constexpr std::string_view assembling = "assembling PTX", loading = "loading a cubin";
  Observation seen;
  // Also loads the driver's compiler, which is in none of the timed loads.
  const auto first_load = [&]() -> Expected<void> {
    (void)WARPCLOCK_TRY(load_once(driver, ptx, assembling));
    return {};
  };
  const auto cubin = WARPCLOCK_TRY(loaded_code(first_load));
  WARPCLOCK_TRY(write_file_atomically(job.cubin_path, cubin, Synced::No));
  for (int i = 0; i < timed_loads; ++i) {
    seen.jit_us.push_back(WARPCLOCK_TRY(load_once(driver, ptx, assembling)));
    seen.load_us.push_back(WARPCLOCK_TRY(load_once(driver, cubin, loading)));
  }
  return seen;
}

}  // namespace warpclock
