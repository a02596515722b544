#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/files/embedded.hpp"
#include "base/files/file.hpp"
#include "base/testing/files.hpp"
#include "compile/sources.hpp"
#include "plan/plan.hpp"

namespace warpclock::testing {

inline Arch arch(const std::string& name) { return parse_arch(name).value(); }

inline Case make_case(std::string kernel, const std::string& arch_name, std::vector<std::int64_t> repeats,
                      Parameters parameters = {}) {
  Case c;
  c.kernel = std::move(kernel);
  c.arch = arch(arch_name);
  c.repeats = std::move(repeats);
  c.parameters = std::move(parameters);
  return c;
}

/// probe.cuh as the program carries it, and one probe file.
inline Sources sources_with(const std::string& path, const std::string& text) {
  return {{"probe.cuh", embedded_probes().at("probe.cuh")}, {path, text}};
}

/// A chain of FMAs; ADD is the sweep's parameter. It holds an `#error` for ADD == 13 and bad PTX for ADD == 14.
inline const char* const fma_probe = R"(#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
#if ADD == 13
  v = undeclared_name;
#endif
  PASSES {
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#if ADD == 14
      asm volatile("shfl.sync.bogus.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
#else
      asm volatile("mad.lo.u32 %0, %0, %0, %1;" : "+r"(v) : "n"(ADD));
#endif
    }
    window.wait(v);
    window.close();
  }
  window.report(args);
}
)";

/// NVRTC aborts at its initial value, if it has `little_memory`.
inline const char* const hungry_kernel =
    "__device__ int many[1L << 40] = {1};\nextern \"C\" __global__ void k(int* p) { *p = many[threadIdx.x]; }\n";
inline constexpr std::int64_t little_memory = std::int64_t{1} << 29;

/// Whether a compiler's memory is not limited.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool memory_is_unlimited = true;
#else
inline constexpr bool memory_is_unlimited = false;
#endif

}  // namespace warpclock::testing
