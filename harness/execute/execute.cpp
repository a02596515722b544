#include "execute/execute.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "execute/block_run.hpp"

namespace warpclock {
namespace {

/// Asks another reader where that decides something, and tells it nothing.
class SilentReader final : public StreamReader {
 public:
  explicit SilentReader(StreamReader& asked) : asked_(asked) {}

  void ran(const WarpPlace&, std::uint32_t, std::uint32_t, std::uint32_t, LaneMask) override {}
  void accessed(const WarpPlace&, const CodeStep&, std::size_t, LaneMask, const LaneAddresses&) override {}
  void copied(const WarpPlace&, const CodeStep&, const BulkCopy&) override {}
  std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step) override { return asked_.way(warp, step); }
  bool lost(const WarpPlace& warp, const CodeStep& step, const Error& why) override {
    return asked_.lost(warp, step, why);
  }
  [[nodiscard]] bool was_lost(const CodeStep& step) const override { return asked_.was_lost(step); }

 private:
  StreamReader& asked_;
};

/// Executes blocks that may wait for what others write: then the others run first.
class WaitingBlocks {
 public:
  WaitingBlocks(const LoadedKernel& kernel, const ExecutedLaunch& launch, GlobalMemory& global,
                const ExecuteLimits& limits)
      : kernel_(kernel), launch_(launch), global_(global), limits_(limits) {}

  /// Executes a block as far as others let it go on, and those of before that waited.
  Expected<void> run(std::uint64_t block, const CodeProgram& program, StreamReader& reader) {
    WARPCLOCK_TRY(begin(block, program, reader));
    return go_on();
  }
  /// Executes other blocks until none waits, those with lower numbers first: they are begun first.
  Expected<void> run_others(const CodeProgram& program, SilentReader& reader) {
    for (; next_ < launch_.blocks() && !waiting_.empty(); ++next_) {
      if (cluster_rank(launch_, next_) == 0 && !has_begun(next_)) WARPCLOCK_TRY(run(next_, program, reader));
    }
    if (!waiting_.empty()) return std::unexpected(waiting_.front().run->deadlock());
    return {};
  }
  /// Warp instructions that may still be executed.
  [[nodiscard]] std::uint64_t left() const { return left_; }
  /// The blocks in the order in which they ended.
  [[nodiscard]] const std::vector<std::uint64_t>& ended() const { return ended_; }
  [[nodiscard]] bool has_begun(std::uint64_t block) const { return begun_.contains(cluster_of(block)); }

 private:
  struct Waiting {
    std::uint64_t block = 0;
    std::unique_ptr<BlockRun> run;
  };

  [[nodiscard]] std::uint64_t cluster_of(std::uint64_t block) const {
    return cluster_number(launch_, block_index(launch_, block));
  }

  Expected<void> begin(std::uint64_t block, const CodeProgram& program, StreamReader& reader) {
    constexpr std::size_t most = 256;
    if (waiting_.size() * launch_.cluster_blocks() >= most)
      return fail("limit", "more blocks wait for what others write than are executed at the same time");
    begun_.insert(cluster_of(block));
    // To begin a warp takes as long as some instructions, so that many short blocks come to the limit, too.
    constexpr std::uint64_t as_long = 64;
    left_ -= std::min(left_, as_long * launch_.warps());
    auto made = std::make_unique<BlockRun>(kernel_, launch_, program, global_, between_, reader, limits_);
    made->begin(block);
    if (WARPCLOCK_TRY(made->go_on(left_)))
      ended_.push_back(block);
    else
      waiting_.push_back({block, std::move(made)});
    return {};
  }

  /// Lets those that wait look again, until no other has ended.
  Expected<void> go_on() {
    for (bool more = !waiting_.empty(); more;) {
      more = false;
      for (auto one = waiting_.begin(); one != waiting_.end();) {
        if (!WARPCLOCK_TRY(one->run->go_on(left_))) {
          ++one;
          continue;
        }
        ended_.push_back(one->block);
        one = waiting_.erase(one);
        more = true;
      }
    }
    return {};
  }

  const LoadedKernel& kernel_;
  const ExecutedLaunch& launch_;
  GlobalMemory& global_;
  const ExecuteLimits& limits_;
  BetweenBlocks between_;
  static constexpr std::uint64_t as_fast = 4;  ///< as many instructions of a path as of all that is followed
  std::uint64_t left_ = as_fast * limits_.warp_instructions;
  std::set<std::uint64_t> begun_;  ///< by cluster
  std::uint64_t next_ = 0;         ///< the other block that is begun next, if it has not begun
  std::vector<Waiting> waiting_;
  std::vector<std::uint64_t> ended_;
};

/// The order in which no block waits, if there is one.
Expected<std::vector<std::uint64_t>> order_of(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                              const CodeProgram& path, std::span<const std::uint64_t> blocks,
                                              SilentReader& silent, const ExecuteLimits& limits) {
  GlobalMemory memory(launch);
  WaitingBlocks all(kernel, launch, memory, limits);
  std::uint64_t spent = 0;
  for (std::size_t done = 0; done < blocks.size(); ++done) {
    if (done > 0 && spent + spent / done > limits.enough) break;
    const std::uint64_t before = all.left();
    if (!all.has_begun(blocks[done])) WARPCLOCK_TRY(all.run(blocks[done], path, silent));
    spent += before - all.left();
    WARPCLOCK_TRY(all.run_others(path, silent));
  }
  return all.ended();
}

/// Finds that order, and executes the blocks in it, so that the reader sees each wait once: it is time that decides how
/// often a warp looks. Of the other blocks, the path is enough.
Expected<void> execute_in_order(const LoadedKernel& kernel, const ExecutedLaunch& launch, const CodeProgram& program,
                                std::span<const std::uint64_t> blocks, StreamReader& reader, GlobalMemory& memory,
                                const ExecuteLimits& limits) {
  SilentReader silent(reader);
  CodeProgram path = program.follow == Follow::All ? program : code_program(kernel, launch, Follow::Signals);
  auto order = order_of(kernel, launch, path, blocks, silent, limits);
  if (!order && order.error().code == "unknown") {
    path = code_program(kernel, launch, Follow::Path);
    order = order_of(kernel, launch, path, blocks, silent, limits);
  }
  if (!order) return std::unexpected(order.error());
  WaitingBlocks all(kernel, launch, memory, limits);
  const CodeProgram& of_asked = program.follow == Follow::Path ? path : program;
  const std::set<std::uint64_t> asked(blocks.begin(), blocks.end());
  for (const std::uint64_t block : *order)
    WARPCLOCK_TRY(asked.contains(block) ? all.run(block, of_asked, reader) : all.run(block, path, silent));
  return all.run_others(path, silent);
}

}  // namespace

Expected<void> execute(const LoadedKernel& kernel, const ExecutedLaunch& launch, const CodeProgram& program,
                       std::span<const std::uint64_t> blocks, StreamReader& reader, const ExecuteLimits& limits) {
  GlobalMemory memory(launch);
  return execute(kernel, launch, program, blocks, reader, memory, limits);
}

Expected<void> execute(const LoadedKernel& kernel, const ExecutedLaunch& launch, const CodeProgram& program,
                       std::span<const std::uint64_t> blocks, StreamReader& reader, GlobalMemory& memory,
                       const ExecuteLimits& limits) {
  if (program.polls) return execute_in_order(kernel, launch, program, blocks, reader, memory, limits);
  BetweenBlocks between;
  BlockRun run(kernel, launch, program, memory, between, reader, limits);
  std::uint64_t left = limits.warp_instructions;
  for (std::size_t done = 0; done < blocks.size(); ++done) {
    const std::uint64_t spent = limits.warp_instructions - left;
    if (done > 0 && spent + spent / done > limits.enough) break;
    run.begin(blocks[done]);
    if (!WARPCLOCK_TRY(run.go_on(left))) return std::unexpected(run.deadlock());
  }
  return {};
}

}  // namespace warpclock
