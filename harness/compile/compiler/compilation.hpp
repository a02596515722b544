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

struct CompileRequest {
  std::string unit;                                          ///< the translation unit, or the PTX module
  std::vector<std::pair<std::string, std::string>> headers;  ///< path below probes/, text
  Target target;
  std::string name = "generated.cu";  ///< of the unit, in messages and line information
  std::vector<std::string> options;   ///< in addition to compile_options()
  bool line_info = false;             ///< adds .loc lines to PTX, and what they say to cubins; changes no instruction
  std::chrono::milliseconds limit{60000};
  std::int64_t memory = std::int64_t{8} << 30;  ///< bytes of address space that the compiler may take
  std::string nvcc = {};  ///< path of nvcc, to compile the file `name` (without `unit` and `headers`) instead of NVRTC
  std::string folder = {};  ///< where nvcc puts its temporary files
};

struct Compilation {
  enum class Status { Done, Failed, Cancelled, Died };
  Status status = Status::Failed;
  std::string image;                 ///< cubin, or PTX for a PTX target
  std::string ptx;                   ///< also present if only ptxas failed
  std::string log;                   ///< what the compiler said; if it died, how
  std::vector<std::string> headers;  ///< their paths below probes/
};

/// The first error of a failed compilation as "compile-error", with file and line in `place`. For an error of ptxas
/// these come from the PTX, if the compilation had `line_info`. "compiler-died" if the compiler ended itself.
[[nodiscard]] Error compile_error(const Compilation& compilation);

}  // namespace warpclock
