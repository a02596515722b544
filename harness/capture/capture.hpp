#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"

namespace warpclock {

/// A GPU that a captured program used.
struct CapturedDevice {
  std::string name, uuid, arch;  ///< "NVIDIA H100 80GB HBM3", 32 hex digits, "sm_90"
  std::int64_t sms = 0;
  double most_mhz = 0;  ///< of the SM clock, as the driver states it

  bool operator==(const CapturedDevice&) const = default;
};

/// A parameter of a launch: where it is among those of its kernel, and its bytes as hex digits.
struct CapturedParameter {
  std::int64_t at = 0;
  std::string bytes;

  bool operator==(const CapturedParameter&) const = default;
};

/// A place below a pointer that a launch had later than the pointer itself.
struct UsedBelow {
  std::int64_t bytes = 0;  ///< how far below
  std::int64_t ago = 0;    ///< launches on the device

  auto operator<=>(const UsedBelow&) const = default;
};

/// A place in a parameter that had an address of memory on the device.
struct CapturedPointer {
  std::int64_t at = 0;                        ///< among the parameters
  std::int64_t offset = 0, buffer_bytes = 0;  ///< in its buffer, and of it
  std::int64_t buffer = 0;                    ///< its address in the captured process
  std::int64_t data_bytes = 0;                ///< how many bytes from the address on were kept
  std::string data;                           ///< the name of the file in data/ that has them; empty: none
  /// How many launches on its device ago a launch last had its address, most often; 0: never. Nothing: not known.
  std::optional<std::int64_t> ago;
  std::optional<UsedBelow> below;  ///< most often; its launch may have accessed the pointer's bytes too

  bool operator==(const CapturedPointer&) const = default;
};

/// Nanoseconds from the begin of a launch on the GPU to its end, by its activity records.
struct CapturedTimes {
  std::int64_t runs = 0;
  double total_ns = 0, least_ns = 0, median_ns = 0, most_ns = 0;
  double sm_mhz = 0;  ///< median of NVML's readings while the program ran; 0: none

  bool operator==(const CapturedTimes&) const = default;
};

/// A distinct launch of a kernel.
struct CapturedLaunch {
  std::int64_t kernel = 0, device = 0, process = 0;  ///< from 0, in Capture
  std::vector<std::int64_t> grid, block;             ///< along x, y and z
  std::vector<std::int64_t> cluster;                 ///< empty: as the kernel states
  std::int64_t shared_bytes = 0;                     ///< dynamic
  bool cooperative = false;
  bool overlaps = false;  ///< it may begin before the kernel before it ended, so its time may have a wait in it
  std::string missing;    ///< why its parameters are not known; empty: they are
  std::optional<std::int64_t>
      after;  ///< the launch, from 0 in Capture, after which it most often began; nothing: not known
  std::vector<CapturedParameter> parameters;
  std::vector<CapturedPointer> pointers;
  CapturedTimes times;

  bool operator==(const CapturedLaunch&) const = default;
};

struct CapturedKernel {
  std::string symbol;
  std::string code;     ///< the name of the cubin in code/; empty: it is not known
  std::string missing;  ///< why; empty if it is

  bool operator==(const CapturedKernel&) const = default;
};

struct CapturedProcess {
  std::int64_t pid = 0, parent = 0, driver = 0, cupti = 0;  ///< versions as the driver and CUPTI number them
  bool ended = false;  ///< it came to its end; else it was killed, and its last launches may have no times
  std::string wrong;   ///< why nothing of it was captured

  bool operator==(const CapturedProcess&) const = default;
};

/// What a program launched on GPUs.
struct Capture {
  std::string program;               ///< the version that captured
  std::vector<std::string> command;  ///< that was captured
  std::int64_t exit_status = 0;
  double seconds = 0;  ///< that it ran
  std::vector<CapturedProcess> processes;
  std::vector<CapturedDevice> devices;
  std::vector<CapturedKernel> kernels;
  std::vector<CapturedLaunch> launches;
  std::vector<std::string> notes;  ///< what was not kept

  bool operator==(const Capture&) const = default;
};

/// The parts of the folder that a capture is: the record, the cubins that it names by their hash, and what buffers
/// held.
inline constexpr const char* capture_record = "capture.json.gz";
inline constexpr const char* capture_code = "code";
inline constexpr const char* capture_data = "data";
/// While the program runs: what its processes see.
inline constexpr const char* capture_spool = "spool";

/// The record on one line; capture_schema() describes it.
[[nodiscard]] std::string to_json(const Capture& capture);
[[nodiscard]] std::string capture_schema();

/// Errors "json", "record" and "record-version", place = `place`.
[[nodiscard]] Expected<Capture> parse_capture(std::string_view text, const std::string& place);

/// Whether it is the name of a file in code/ or data/.
[[nodiscard]] bool is_hash(const std::string& name);

/// Why no record has such a launch; empty if one may.
[[nodiscard]] std::string wrong_with(const CapturedLaunch& launch, const Capture& capture);

/// The bytes that hex digits in lower case say; nothing if they say none.
[[nodiscard]] std::optional<std::string> bytes_of_hex(std::string_view text);

/// Whether a launch is not the program's, but of the empty kernel beside it.
[[nodiscard]] bool is_beside(const Capture& capture, const CapturedLaunch& launch);

/// Whether a path is a capture: its folder, or the record in it.
[[nodiscard]] bool is_capture(const std::filesystem::path& path);

/// The folder of a capture that a user names by it or by its record.
[[nodiscard]] std::filesystem::path capture_folder(const std::filesystem::path& path);

/// Errors "io", "gzip" and those of parse_capture().
[[nodiscard]] Expected<Capture> read_capture(const std::filesystem::path& folder);

/// A file of code/ or data/, whose name is a hash of what it holds. Errors "io", and "record" if it holds something
/// else.
[[nodiscard]] Expected<std::string> read_kept(const std::filesystem::path& folder, const char* part,
                                              const std::string& hash);

/// The time by kernel, longest first, and what was not kept.
[[nodiscard]] Sheet capture_sheet(const Capture& capture);

}  // namespace warpclock
