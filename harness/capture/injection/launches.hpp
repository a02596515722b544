#pragma once

#include <cuda.h>
#include <cupti_activity.h>

#include <array>
#include <cstdint>
#include <map>
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

  [[nodiscard]] unsigned flags() const { return (cooperative ? 1U : 0U) + (overlaps ? 2U : 0U); }
};

/// The bytes of each parameter.
struct LaunchBytes {
  std::vector<std::string> parameters;
  bool known = false;

  /// 0 where it is not known.
  [[nodiscard]] std::uint64_t word(ParameterWord where) const;
};

[[nodiscard]] LaunchBytes bytes_of(const LaunchCall& call, const Function& function);

/// 128 bits that tell launches apart.
struct LaunchKey {
  std::uint64_t a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;

  void add(std::uint64_t word);
  void add(const char* bytes, std::size_t count);
  /// All of a call but its parameters.
  void add(const LaunchCall& call, int function, int device);
  bool operator==(const LaunchKey&) const = default;
};

struct LaunchKeyHash {
  std::size_t operator()(const LaunchKey& key) const { return key.a ^ key.b; }
};

/// What a launch found in this call.
struct Noted {
  int launch = -1;
  Function* function = nullptr;  ///< that has no line yet
  bool added = false;            ///< whether it is the first of its kind
};

/// The distinct launches of this process. Two are the same if all is the same but where buffers are: their addresses
/// may differ, not how they are aligned to 256 bytes, nor which of them are equal.
class Launches {
 public:
  Launches(Spool& spool, Functions& functions, std::uint64_t data_limit)
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
    ParameterWord where;
    std::uint64_t address = 0, base = 0;
    std::size_t bytes = 0;
  };

  [[nodiscard]] static std::vector<Pointer> pointers_of(const LaunchBytes& bytes);
  /// Those of the places at which the function had pointers before that lie in known allocations.
  [[nodiscard]] std::vector<Pointer> likely_pointers(const LaunchBytes& bytes, const Function& function) const;
  [[nodiscard]] static LaunchKey key_of(const LaunchCall& call, int function, int device, const LaunchBytes& bytes,
                                        const std::vector<Pointer>& pointers);
  /// A launch whose bytes were not seen before.
  Noted begin_new(const LaunchCall& call, Function& function, int device, bool with_data, const LaunchKey& raw);
  /// The launch that has this key, or a new one.
  Noted distinct(const LaunchKey& raw, const LaunchKey& key, Function& function);
  void learn(Function& function, const std::vector<Pointer>& pointers);
  void write_launch(const LaunchCall& call, const Function& function, int device, int launch, const LaunchBytes& bytes,
                    const std::vector<Pointer>& pointers, bool with_data) const;
  /// A launch runs: notes how many launches on its device ago its addresses were last used. Returns the line that says
  /// so, after runs 1, 2, 4, 8 and so on; else it is empty. `lock_` is held.
  std::string used(const LaunchCall& call, const Function& function, int device, int launch, const LaunchBytes& bytes);
  [[nodiscard]] std::string data_lines(int launch, const std::vector<Pointer>& pointers, CUstream stream) const;

  Spool& spool_;
  Functions& functions_;
  std::uint64_t data_limit_;
  mutable std::mutex lock_;
  using ByKey = std::unordered_map<LaunchKey, int, LaunchKeyHash>;
  ByKey seen_;                                        ///< launches by all of their bytes
  ByKey distinct_;                                    ///< by what is left of them without addresses
  std::map<std::uint64_t, std::size_t> allocations_;  ///< bytes, by address; some may be gone
  std::unordered_map<std::uint32_t, int> expected_;
  std::unordered_map<std::uint64_t, int> nodes_;
  std::map<int, std::int64_t> launched_;                       ///< on each device
  std::unordered_map<std::uint64_t, std::int64_t> last_used_;  ///< by address: the number of that launch on its device
  std::vector<std::uint64_t> runs_;                            ///< by launch
  int next_ = 0;
};

}  // namespace warpclock::injected
