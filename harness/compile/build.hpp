#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/sources.hpp"
#include "plan/plan.hpp"

namespace warpclock {

/// The PTX statements of entry `symbol` between its first and its last read of %clock64 (or %clock), without
/// indentation, blank lines and the compiler's markers around inline assembly. Empty if there is no such entry or it
/// has fewer than two reads.
[[nodiscard]] std::string ptx_window(std::string_view ptx, std::string_view symbol);

struct Kernel {
  std::int64_t n = 0;
  std::string symbol;
  Listing listing;
};

/// What one case compiled to: where its machine code is, and its listings.
struct Build {
  std::string cubin_path;       ///< a file in the cache, shared by the cases of a batch; PTX text when `is_ptx`
  bool is_ptx = false;          ///< NVRTC does not know the GPU: the driver makes the machine code, listings are empty
  std::vector<Kernel> kernels;  ///< one for each repeat count, in the case's order
  std::string ptx;      ///< window of the smallest repeat count, between the PTX clock reads; empty unless requested
  bool cached = false;  ///< true if nothing was compiled or disassembled for this case
  std::string warning;  ///< a problem of the cache folder for the user to know, the same for all cases; usually empty
};

struct BuildOptions {
  std::string cache_dir;                                ///< created if missing; empty: the user's cache folder
                                                        ///< (base/files/file.hpp)
  std::string nvdisasm;                                 ///< path of the program; empty: searched for (code/toolkit.hpp)
  unsigned threads = 0;                                 ///< 0: one per core
  bool ptx = false;                                     ///< fill `Build::ptx`
  std::chrono::milliseconds compile_limit{60000};       ///< for one kernel; 30 more double it
  std::int64_t compile_memory = std::int64_t{8} << 30;  ///< bytes of address space that a compiler may take
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< called from any thread, one call at a time
};

/// Compiles, disassembles and parses every case; a skipped case yields its skip error. A case that does not compile
/// fails alone, whatever else was in its batch: code "compile-error", text = the first error, place = its file (below
/// probes/) and line; "compiler-died" if it crashes the compiler. Other codes: "unsupported-arch", "nvdisasm",
/// "listing", "io".
[[nodiscard]] std::vector<Expected<Build>> build(const std::vector<Case>& cases, const Sources& sources,
                                                 const BuildOptions& options);

}  // namespace warpclock
