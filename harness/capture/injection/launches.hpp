#pragma once

#include <cuda.h>
#include <cupti_activity.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/injection/functions.hpp"
#include "capture/injection/spool.hpp"

namespace warpclock::injected {

/// What a call of the driver launches.
struct LaunchCall {
  CUfunction function = nullptr;
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};  ///< cluster 0: what the kernel states
  unsigned shared = 0;
  bool cooperative = false, overlaps = false;  ///< it may begin before the kernel before it has ended
  void** parameters = nullptr;                 ///< one pointer to each
  void** extra = nullptr;                      ///< or all of them in one buffer
  CUstream stream = nullptr;
};

/// What a launch found in this call.
struct Noted {
  int launch = -1;
  Function* function = nullptr;  ///< that has no line yet
};

/// The distinct launches of this process. Two are the same if all is the same but where buffers are: their addresses
/// may differ, not how they are aligned to 256 bytes, nor which of them are equal.
class Launches {
 public:
  Launches(const Spool& spool, Functions& functions, std::uint64_t data_limit)
      : spool_(spool), functions_(functions), data_limit_(data_limit) {}

  /// A launch begins. Its buffers are looked up, and with a limit read, when it is the first of its kind.
  Noted begin(const LaunchCall& call, int device, bool with_data);
  /// Its activity will have this number.
  void expect(std::uint32_t correlation, int launch);
  void unexpect(std::uint32_t correlation);
  /// A node of a graph launches it.
  void node_is(std::uint64_t node, int launch);
  /// A node of an executable graph is that of another graph.
  void node_cloned(std::uint64_t from, std::uint64_t to);
  /// Activity records that are complete.
  void timed(const std::vector<const CUpti_ActivityKernel10*>& kernels);

 private:
  struct Pointer {
    std::size_t parameter = 0, at = 0;
    std::uint64_t address = 0, base = 0;
    std::size_t bytes = 0;
  };
  struct Bytes {
    std::vector<std::string> parameters;
    bool known = false;
  };

  /// All that two equal launches have in common, as fast as can be.
  static void write_raw(const LaunchCall& call, const Function& function, int device, std::string& raw);
  [[nodiscard]] static Bytes bytes_of(const LaunchCall& call, const Function& function);
  [[nodiscard]] static std::vector<Pointer> pointers_of(const Bytes& bytes);
  [[nodiscard]] static std::string key_of(const std::string& head, Bytes bytes, const std::vector<Pointer>& pointers);
  [[nodiscard]] std::string data_lines(int launch, const std::vector<Pointer>& pointers, CUstream stream) const;

  const Spool& spool_;
  Functions& functions_;
  std::uint64_t data_limit_;
  std::mutex lock_;
  std::unordered_map<std::string, int> seen_;      ///< launches by their bytes
  std::unordered_map<std::string, int> distinct_;  ///< by key_of()
  std::unordered_map<std::uint32_t, int> expected_;
  std::unordered_map<std::uint64_t, int> nodes_;
  int next_ = 0;
};

}  // namespace warpclock::injected
