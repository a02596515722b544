#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

namespace warpclock {

/// Works on the parts of several wholes in as many threads as there are cores, without waiting for the slowest part of
/// one whole before the next one. `open(i)` prepares whole i and returns how many parts it has, `work(i, part)` does
/// one of them: both are called in any order, several at once. `use(i, part)` is called once for each part that is
/// done, in order and one at a time, and `close(i)` after the last of them. run() throws their first exception, once
/// what has begun is done. A few wholes at most are open at once.
template <class Open, class Work, class Use, class Close>
class PartsAtOnce {
 public:
  PartsAtOnce(std::size_t wholes, const Open& open, const Work& work, const Use& use, const Close& close)
      : open_(open), work_(work), use_(use), close_(close), wholes_(wholes) {}

  void run() {
    work_at_once(cores(), [this] { help_or_end(); });
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  struct Whole {
    bool open = false;
    std::vector<bool> done;  ///< by part
  };

  static std::size_t cores() { return std::max(1U, std::thread::hardware_concurrency()); }

  void help_or_end() {
    try {
      help();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!problem_) problem_ = std::current_exception();
      changed_.notify_all();
    }
  }

  void help() {
    const std::size_t ahead = 2 * cores();
    std::unique_lock lock(mutex_);
    while (!problem_) {
      if (!ready_.empty()) {
        const auto [whole, part] = ready_.front();
        ready_.pop_front();
        lock.unlock();
        work_(whole, part);
        lock.lock();
        wholes_[whole].done[part] = true;
      } else if (next_ < wholes_.size() && next_ < used_ + ahead) {
        const std::size_t whole = next_++;
        ++opening_;
        lock.unlock();
        const std::size_t parts = open_(whole);
        lock.lock();
        --opening_;
        wholes_[whole] = {true, std::vector<bool>(parts, false)};
        for (std::size_t part = 0; part < parts; ++part) ready_.emplace_back(whole, part);
      } else if (next_ == wholes_.size() && opening_ == 0) {
        return;
      } else {
        changed_.wait(lock);
        continue;
      }
      use_what_is_done(lock);
      changed_.notify_all();
    }
  }

  void use_what_is_done(std::unique_lock<std::mutex>& lock) {
    if (std::exchange(using_, true)) return;
    while (used_ < wholes_.size() && wholes_[used_].open) {
      const std::vector<bool>& done = wholes_[used_].done;
      const bool all = used_part_ == done.size();
      if (!all && !done[used_part_]) break;
      lock.unlock();
      if (all)
        close_(used_);
      else
        use_(used_, used_part_);
      lock.lock();
      used_part_ = all ? 0 : used_part_ + 1;
      used_ += all ? 1 : 0;
    }
    using_ = false;
  }

  const Open& open_;
  const Work& work_;
  const Use& use_;
  const Close& close_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Whole> wholes_;
  std::deque<std::pair<std::size_t, std::size_t>> ready_;  ///< whole and part
  std::size_t next_ = 0, opening_ = 0;                     ///< the whole that is opened next; how many are being opened
  std::size_t used_ = 0, used_part_ = 0;                   ///< what is used next
  bool using_ = false;
  std::exception_ptr problem_;
};

}  // namespace warpclock
