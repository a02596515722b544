#pragma once

#include <string>

#include "ptx/experiment/frame.hpp"

namespace warpclock {

/// Registers for what composed copies write, four in a row each. They hold random bits before the first pass.
class Quads {
 public:
  /// Declares and loads them: quad q of thread t is at 16 x (q x most_threads + t) bytes of the kernel's data.
  Quads(Frame& frame, int count);

  void observe();
  /// Stores them at a place in shared memory, one over the other.
  void show(const std::string& place);
  /// After the closing clock read: changes them, so that a copy of the next pass that reads too early does not find the
  /// right value of this pass.
  void spoil();
  /// After the last pass: folds them into one word for each thread, which goes to the kernel's places.
  void fold(const std::string& place);

  [[nodiscard]] static std::string name(int quad, int k);

 private:
  [[nodiscard]] static std::string all_of(int quad);

  Frame& frame_;
  const int count_;
};

}  // namespace warpclock
