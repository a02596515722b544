#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// What a compilation is for: machine code of `arch`, or (for a GPU that NVRTC does not know) PTX that the driver
/// links.
struct Target {
  Arch arch;
  bool is_ptx = false;

  bool operator==(const Target&) const = default;
};

/// "13.0"
[[nodiscard]] std::string nvrtc_version();

/// Tells one installed NVRTC from another, also where both call themselves 13.0: version, path, size and time of the
/// library.
[[nodiscard]] const std::string& nvrtc_identity();

/// The version of the PTX ISA that NVRTC writes: "9.0".
[[nodiscard]] const std::string& ptx_isa_version();

/// Ascending, as sm numbers: 75, 80, ... 121.
[[nodiscard]] const std::vector<int>& supported_sms();

/// The newest architecture that NVRTC can compile for, without the `a`: PTX of it runs on whatever comes later.
[[nodiscard]] Arch newest_known_arch();

/// How to compile for `arch`: machine code where NVRTC knows it, else PTX of the newest one below it. Error
/// "unsupported-arch" when there is none, or for `a` before sm_90.
[[nodiscard]] Expected<Target> target_for(const Arch& arch);

/// The options that decide the machine code, without the include names.
[[nodiscard]] std::vector<std::string> compile_options(const Target& target);

struct CompileRequest {
  std::string unit;                                          ///< the translation unit, or the PTX module
  std::vector<std::pair<std::string, std::string>> headers;  ///< path below probes/, text
  Target target;
  bool line_info = false;  ///< changes no instruction, but the PTX gets .loc lines
  std::chrono::milliseconds limit{60000};
  std::chrono::milliseconds grace{5000};  ///< how long after `limit` NVRTC may take to stop
};

struct Compilation {
  enum class Status { Done, Failed, Cancelled };
  Status status = Status::Failed;
  std::string image;  ///< cubin, or PTX for a PTX target
  std::string ptx;    ///< also there when only ptxas failed
  std::string log;
  std::vector<std::string> headers;  ///< their paths below probes/
};

/// Compiles in this process, on a thread of its own. What bounds it: NVRTC asks every few milliseconds of the front end
/// and between the kernels of the back end whether to go on, so a compilation stops soon after `limit`. The back end
/// does not ask within one kernel (32 s seen for 20,000 multiplications over 512 live registers); a compilation that
/// has not stopped `limit` + `grace` after its start is abandoned: its thread goes on, nobody waits for it, and the
/// process then ends without running destructors under it. Either way the answer is Cancelled.
[[nodiscard]] Compilation compile(CompileRequest request);

/// How many compilations this process has started.
[[nodiscard]] std::uint64_t compilations_started();

/// The first error of a failed compilation as "compile-error", with file and line in `place`. An error of ptxas gets
/// its file and line from the PTX, when the compilation had `line_info`.
[[nodiscard]] Error compile_error(const Compilation& compilation);

}  // namespace warpclock
