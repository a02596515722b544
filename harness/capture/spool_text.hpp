#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/capture.hpp"

namespace warpclock {

// What the library in a captured process writes, a line at a time. Numbers are decimal and texts are hex digits.
//
//   process PID PARENT CUPTI DRIVER
//   device NUMBER UUID MAJOR MINOR SMS CLOCK_KHZ NAME
//   code HASH                          a module was loaded, whose cubin is code/HASH
//   launch ID FUNCTION DEVICE GRID… BLOCK… CLUSTER… SHARED FLAGS AT:BYTES…   FLAGS: 1 cooperative, 2 overlaps;
//                                      "more" or "none" instead of the parameters: they are not known
//   pointer LAUNCH PARAMETER OFFSET BASE BYTES
//   data LAUNCH ADDRESS BYTES HASH
//   ago LAUNCH PARAMETER:OFFSET:COUNT… how many launches on its device ago its addresses were last used, 0: never;
//                                      COUNT:BYTES:COUNT: of a place so many bytes below that was used later, too
//   function ID HASH|- REGISTERS SHARED LOCAL THREADS SYMBOL
//   time LAUNCH CLOCK_MHZ NS…
//   order LAUNCH…                      the launches of the last times, as they began
//   other DEVICE GRID… BLOCK… SHARED NS SYMBOL   a kernel whose launch was not seen
//   lost COUNT                         activity records that CUPTI dropped
//   wrong TEXT
//   end

struct SpooledFunction {
  std::string symbol, code;  ///< code: the hash of its cubin; empty if the process did not know it
  std::int64_t registers = 0, shared_bytes = 0;
};

struct SpooledPointer {
  std::size_t parameter = 0;
  std::int64_t offset = 0, base = 0, bytes = 0;
  std::vector<std::int64_t> ago;  ///< in some of its runs
  std::vector<UsedBelow> below;   ///< in some of these
};

struct SpooledData {
  std::int64_t address = 0, bytes = 0;
  std::string hash;
};

struct SpooledLaunch {
  std::int64_t function = 0, device = 0, shared_bytes = 0, flags = 0;
  std::array<std::int64_t, 3> grid{}, block{}, cluster{};
  std::string missing;  ///< "more", "none"
  std::vector<CapturedParameter> parameters;
  std::vector<SpooledPointer> pointers;
  std::vector<SpooledData> data;
  std::vector<double> ns, mhz;
};

/// A kernel that ran without a launch that was seen.
struct SpooledOther {
  std::int64_t device = 0, shared_bytes = 0;
  std::array<std::int64_t, 3> grid{}, block{};
  double ns = 0;
  std::string symbol;
};

/// What one process saw.
struct Spooled {
  CapturedProcess process;
  std::map<std::int64_t, CapturedDevice> devices;
  std::map<std::int64_t, SpooledFunction> functions;
  std::map<std::int64_t, SpooledLaunch> launches;
  std::vector<std::string> code;
  /// How often a launch began right after another one on its device: the later one, the earlier one.
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> after;
  std::vector<SpooledOther> others;
  std::int64_t lost = 0;
  std::int64_t damaged = 0;  ///< lines that say nothing: the last one of a process that was killed may be cut
};

[[nodiscard]] Spooled read_spool(std::string_view text);

}  // namespace warpclock
