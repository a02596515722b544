#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "build/listing.hpp"
#include "build/sources.hpp"
#include "plan/case.hpp"

namespace warpclock {

struct Kernel {
  std::int64_t n = 0;
  std::string symbol;
  Listing listing;
};

/// What one case became: where its machine code is, and what it says.
struct Build {
  std::string cubin_path;        ///< a file in the cache, shared by the cases of a batch
  std::vector<Kernel> kernels;   ///< one a repeat count, ascending
  std::string ptx;               ///< window of the smallest repeat count, between the PTX clock reads; empty unless asked
};

struct BuildOptions {
  std::string cache_dir;         ///< created when missing
  std::string nvdisasm;          ///< path of the program
  unsigned threads = 0;          ///< 0: one a core
  bool ptx = false;              ///< also compile the smallest repeat count to PTX
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< called from any thread, serialised
};

/// Compiles, disassembles and parses every case (skipped ones get their skip error). A case that does not compile fails
/// alone (code "compile-error", text = NVRTC's first error line, with the probe's file and line), whatever shared its batch.
[[nodiscard]] std::vector<Expected<Build>> build(const std::vector<Case>& cases, const Sources& sources,
                                                 const BuildOptions& options);

}  // namespace warpclock
