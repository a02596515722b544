#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "execute/stream.hpp"
#include "inspect/load.hpp"
#include "predict/kernel_loops.hpp"

namespace warpclock {

/// Whether something is called before the target of a jump forward.
[[nodiscard]] bool calls_before(const Listing& listing, std::size_t jump, std::size_t target);

/// Where warps go whose values nobody knows: as often through loops as is said of them, and past what comes after a
/// jump forward only if it calls a function for rare numbers.
class ChosenWays {
 public:
  ChosenWays(const LoadedKernel& kernel, const std::vector<KernelLoop>& loops,
             const std::map<std::size_t, bool>& by_loops, std::int64_t most_trips = 32);

  /// Nothing if a warp comes to a jump too often that nothing decides.
  [[nodiscard]] std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step);
  /// Notes an access without which the run goes on.
  bool lose(const CodeStep& step, const Error& why) {
    lost_.emplace(step.index, why.text);
    return true;
  }

  /// Notes a load that all lanes are taken to execute.
  bool presume(const CodeStep& step) {
    presumed_.insert(step.index);
    return true;
  }

  [[nodiscard]] bool was_lost(const CodeStep& step) const { return !lost_.empty() && lost_.contains(step.index); }

  /// Jumps of loops that values do not decide.
  [[nodiscard]] const std::set<std::size_t>& loops_asked() const { return asked_; }
  /// Jumps that neither values nor loops decide.
  [[nodiscard]] const std::set<std::size_t>& open() const { return open_; }
  /// Whether loops had fewer trips than is said of them.
  [[nodiscard]] bool shortened() const { return shortened_; }
  /// Accesses whose addresses are not known, with the reason.
  [[nodiscard]] const std::map<std::size_t, std::string>& lost() const { return lost_; }
  /// Loads that are taken to be executed by lanes of which nobody knows whether they do.
  [[nodiscard]] const std::set<std::size_t>& presumed() const { return presumed_; }

 private:
  [[nodiscard]] ChosenWay decided(const WarpPlace& warp, std::size_t jump, const KernelLoop& loop);

  const LoadedKernel& kernel_;
  const std::vector<KernelLoop>& loops_;
  const std::map<std::size_t, bool>& by_loops_;
  std::int64_t most_trips_;                      ///< that are executed of a loop whose trips are said
  std::map<std::size_t, std::size_t> deciders_;  ///< by jump: the position of the loop
  std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t> trips_, passes_;  ///< of a warp until now, by jump
  std::set<std::size_t> open_, asked_, presumed_;
  bool shortened_ = false;
  std::map<std::size_t, std::string> lost_;
};

}  // namespace warpclock
