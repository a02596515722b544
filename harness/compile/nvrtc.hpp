#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// What to compile to: machine code of `arch`, or, for a GPU that NVRTC does not know, PTX that the driver links.
struct Target {
  Arch arch;
  bool is_ptx = false;

  bool operator==(const Target&) const = default;
};

/// "13.0"; "none" if there is no NVRTC.
[[nodiscard]] std::string nvrtc_version();

/// Distinguishes installed NVRTC libraries even if both report 13.0: version, path, size and time of the library.
[[nodiscard]] const std::string& nvrtc_identity();

/// The version of the PTX ISA that NVRTC emits: "9.0".
[[nodiscard]] const std::string& ptx_isa_version();

/// Ascending, as sm numbers: 75, 80, ... 121. Empty if there is no NVRTC.
[[nodiscard]] const std::vector<int>& supported_sms();

/// The newest architecture for which NVRTC can compile, without the `a`: its PTX runs on all later ones.
[[nodiscard]] Arch newest_known_arch();

/// How to compile for `arch`: machine code if NVRTC knows it, else PTX of the newest known architecture below it. Error
/// "unsupported-arch" if there is none, or for `a` before sm_90; "toolkit" if there is no NVRTC.
[[nodiscard]] Expected<Target> target_for(const Arch& arch);

/// The options that determine the machine code, without the include names.
[[nodiscard]] std::vector<std::string> compile_options(const Target& target);

struct CompileRequest {
  std::string unit;                                          ///< the translation unit, or the PTX module
  std::vector<std::pair<std::string, std::string>> headers;  ///< path below probes/, text
  Target target;
  std::string name = "generated.cu";  ///< of the unit, in messages and line information
  std::vector<std::string> options;   ///< in addition to compile_options()
  bool line_info = false;             ///< adds .loc lines to PTX, and what they say to cubins; changes no instruction
  std::chrono::milliseconds limit{60000};
  std::chrono::milliseconds grace{5000};  ///< how much longer than `limit` NVRTC may take to stop
};

struct Compilation {
  enum class Status { Done, Failed, Cancelled };
  Status status = Status::Failed;
  std::string image;  ///< cubin, or PTX for a PTX target
  std::string ptx;    ///< also present if only ptxas failed
  std::string log;
  std::vector<std::string> headers;  ///< their paths below probes/
};

/// Compiles in this process, on a separate thread, within a time limit. NVRTC asks whether to continue every few
/// milliseconds in the front end, and between the kernels in the back end, so a compilation stops soon after `limit`.
/// Within one kernel the back end does not ask (32 s seen for 20,000 multiplications over 512 live registers). So a
/// compilation that has not stopped `limit` + `grace` after its start is abandoned: its thread continues, nothing waits
/// for it, and the process later ends without running destructors, which that thread may need. The result is Cancelled
/// in either case.
[[nodiscard]] Compilation compile(CompileRequest request);

/// How many compilations this process has started.
[[nodiscard]] std::uint64_t compilations_started();

/// The first error of a failed compilation as "compile-error", with file and line in `place`. For an error of ptxas
/// these come from the PTX, if the compilation had `line_info`.
[[nodiscard]] Error compile_error(const Compilation& compilation);

}  // namespace warpclock
