#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace warpclock::injected {

/// What one process saw, as lines of a file (capture/spool_text.hpp says what is in them). A line that is written is
/// kept however the process ends. If something cannot be kept, nothing that follows is, and spool/written becomes
/// empty: that needs no room.
class Spool {
 public:
  /// Makes the file. False if it cannot.
  bool open(const std::string& folder);
  /// Whole lines, by any thread.
  void write(std::string_view lines);
  /// In a child of this process, whose lines would be of another process.
  void leave();
  [[nodiscard]] const std::string& folder() const { return folder_; }

  /// Keeps bytes under the name of their hash, which it returns; empty if they cannot be kept.
  [[nodiscard]] std::string keep(std::string_view kind, std::string_view bytes);

 private:
  void lose();

  std::string folder_;
  int file_ = -1;
  std::atomic<bool> lost_ = false;
};

[[nodiscard]] std::string hex_of(std::string_view bytes);

}  // namespace warpclock::injected
