#pragma once

#include <cuda.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/injection/spool.hpp"

namespace warpclock::injected {

/// Where a parameter is among those of its kernel, in bytes.
struct Parameter {
  std::size_t at = 0, bytes = 0;
};

/// Eight bytes of a parameter.
struct ParameterWord {
  std::size_t parameter = 0, at = 0;

  auto operator<=>(const ParameterWord&) const = default;
};

/// A kernel as the driver knows it.
struct Function {
  int id = 0;
  CUfunction handle = nullptr;
  std::vector<Parameter> parameters;
  int distinct = 0;                     ///< launches with different arguments
  std::vector<ParameterWord> pointers;  ///< where it had addresses of the device
};

/// The kernels of this process by their handles, and the machine code that each came from. The driver calls some
/// functions while it holds locks of its own, so none of them calls the driver while it holds one of ours.
class Functions {
 public:
  explicit Functions(Spool& spool) : spool_(spool) {}

  /// The kernel that a launch names, by CUfunction or CUkernel; null if the driver does not know it.
  Function* find(CUfunction handle);

  /// A module was loaded in this thread's call: its machine code is kept.
  void loaded(std::string_view cubin);
  /// A call of this thread began, or ended and was about this module, or about the kernel that a CUfunction or a
  /// CUkernel names: what was loaded in between is of it.
  static void call_begins();
  void module_is(CUmodule module);
  void kernel_is(CUfunction handle);
  /// After its first launch, which may have loaded its machine code: notes where it is.
  void launched(Function& function, const char* symbol);
  /// Modules went away, so that handles may mean others.
  void forget();

 private:
  Spool& spool_;
  std::mutex lock_;
  std::unordered_map<CUfunction, Function*> by_handle_;
  std::vector<std::unique_ptr<Function>> all_;
  std::map<CUmodule, std::vector<std::string>> code_;
};

}  // namespace warpclock::injected
