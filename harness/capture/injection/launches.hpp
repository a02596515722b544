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
#include "capture/injection/graphs.hpp"
#include "capture/injection/last_uses.hpp"
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
  LaunchAddresses addresses;
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
  void expect(std::uint32_t correlation, const Noted& noted);
  void unexpect(std::uint32_t correlation);
  /// A node of a graph allocates memory, or fills it with a byte before nodes that are made later use it.
  void allocated(std::uint64_t address, std::size_t bytes);
  void filled(std::uint64_t address, std::size_t bytes, char with);
  /// Activity records that are complete.
  void timed(std::vector<const CUpti_ActivityKernel10*> kernels, const GraphNodes& nodes);

 private:
  struct Pointer {
    ParameterWord where;
    std::uint64_t address = 0, base = 0;
    std::size_t bytes = 0;
  };

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
                    const std::vector<Pointer>& pointers, bool with_data);
  /// What the call has at the places at which the function had addresses. `lock_` is held.
  static LaunchAddresses addresses_of(const LaunchCall& call, const Function& function, const LaunchBytes& bytes);
  /// A launch has run: notes how many launches on its device ago its addresses were last used. Returns the line that
  /// says so, after runs 1, 2, 4, 8 and so on; else it is empty. `lock_` is held.
  std::string used(unsigned device, int launch, const LaunchAddresses& addresses);
  [[nodiscard]] std::vector<Pointer> pointers_of(const LaunchBytes& bytes) const;
  [[nodiscard]] std::string data_lines(int launch, const std::vector<Pointer>& pointers, CUstream stream);

  Spool& spool_;
  Functions& functions_;
  std::uint64_t data_limit_;
  mutable std::mutex lock_;
  using ByKey = std::unordered_map<LaunchKey, int, LaunchKeyHash>;
  ByKey seen_;                                   ///< launches by all of their bytes
  ByKey distinct_;                               ///< by what is left of them without addresses
  Allocations allocations_;                      ///< some may be gone
  Allocations of_graphs_;                        ///< those that graphs make when they run
  std::map<std::uint64_t, std::string> filled_;  ///< what memory holds for the next launch, by address
  std::unordered_map<std::uint32_t, Planned> expected_;
  std::map<unsigned, std::int64_t> launched_;  ///< on each device
  LastUses last_uses_;
  std::vector<std::uint64_t> runs_;  ///< by launch
  int next_ = 0;
};

}  // namespace warpclock::injected
