#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "capture/capture.hpp"
#include "capture/spool_text.hpp"
#include "gpu/device/driver.hpp"

namespace warpclock {

/// The kernels of each cubin, by its hash, with the hash of their machine code.
using CodeSymbols = std::map<std::string, std::map<std::string, std::string>>;

/// Puts together what several processes saw. A kernel whose process did not know where its machine code is has the
/// cubin that has a kernel of its name; if there are several, and their machine code is not the same, it has none, and
/// says so.
void assemble(Capture& capture, const std::vector<Spooled>& processes, const CodeSymbols& symbols);

struct CaptureRequest {
  std::vector<std::string> command;  ///< an argument vector; its program is a path, or a name that PATH knows
  std::filesystem::path folder;      ///< made; or that of an earlier capture, whose record is replaced at the end
  std::int64_t data_bytes = 0;       ///< kept at most of what is behind each pointer; 0: nothing
};

/// The library that is put into the captured program, from the place of this program. Error "capture" if it is not
/// there.
[[nodiscard]] Expected<std::filesystem::path> capture_library();

/// Runs a program with our library in it, waits for it, and writes what it and the processes that it started launched.
/// It has the standard input and outputs of this program. Signals that end this program go to it. Errors: "process" if
/// it cannot be started; "capture" if another library is to be put into it; "not-generated" for a folder that has files
/// and is no capture; "locked"; "io".
[[nodiscard]] Expected<Capture> capture_program(const CaptureRequest& request);

/// The kernel that does nothing, by which a capture knows how long the launch of any kernel is in its times.
inline constexpr const char* empty_kernel = "warpclock_empty";

/// Launches it some times on the first GPU, one after the other. Errors "no-device", "cuda" and "fault".
[[nodiscard]] Expected<void> launch_empty_kernel(const Driver& driver);

}  // namespace warpclock
