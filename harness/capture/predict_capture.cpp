#include "capture/predict_capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <mutex>
#include <utility>

#include "base/lookup.hpp"
#include "base/parts.hpp"
#include "capture/capture.hpp"
#include "capture/launch_ranges.hpp"
#include "code/elf.hpp"
#include "execute/bank_turns.hpp"
#include "inspect/inspect.hpp"
#include "predict/program/fetch_cost.hpp"

namespace warpclock {

namespace {

/// Pointers by their addresses, of one allocation.
using HeldPointers = std::map<std::int64_t, const CapturedPointer*>;

void take_extents(const CapturedLaunch& launch, PredictOptions& what) {
  const auto at = [](const std::vector<std::int64_t>& extents, std::size_t axis) {
    return static_cast<int>(std::min<std::int64_t>(extents[axis], std::numeric_limits<int>::max()));
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    what.shape.grid[axis] = at(launch.grid, axis), what.shape.block[axis] = at(launch.block, axis);
  what.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  what.threads = what.shape.threads();
  what.dynamic_bytes = launch.shared_bytes;
}

Expected<void> take_parameters(const CapturedLaunch& launch, const KernelFacts& facts, PredictOptions& what) {
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    const ParameterPlace place = facts.parameters[i];
    const auto found = std::ranges::find(launch.parameters, place.at, &CapturedParameter::at);
    auto bytes = found == launch.parameters.end() ? std::nullopt : bytes_of_hex(found->bytes);
    if (!bytes || std::ssize(*bytes) != place.bytes)
      return fail("capture", fmt::format("the launch has no parameter of {} bytes at {}, which the kernel has",
                                         place.bytes, place.at));
    what.shape.arguments.push_back({.number = static_cast<int>(i), .bytes = *std::move(bytes)});
  }
  return {};
}

constexpr const char* repeated = "beyond what was kept of it, a buffer holds the same again";

/// Adds the buffers of one allocation: before the first pointer, and from each on.
Expected<void> add_allocation(const HeldPointers& places, const std::filesystem::path& folder, PredictOptions& what) {
  const CapturedPointer& any = *places.begin()->second;
  const std::int64_t end = any.buffer + any.buffer_bytes;
  std::vector<LaunchBuffer>& buffers = what.shape.buffers;
  const auto add = [&](std::int64_t begin, std::int64_t next, std::string contents) {
    if (begin >= next) return;
    if (std::ssize(contents) > next - begin) contents.resize(static_cast<std::size_t>(next - begin));
    if (!contents.empty() && std::ssize(contents) < next - begin) what.assumed = {repeated};
    buffers.push_back({.argument = static_cast<int>(buffers.size()),
                       .address = static_cast<std::uint64_t>(begin),
                       .bytes = next - begin,
                       .contents = std::move(contents),
                       .part = true});
  };
  add(any.buffer, places.begin()->first, {});
  for (auto at = places.begin(); at != places.end(); ++at) {
    const auto next = std::next(at);
    std::string contents;
    if (!at->second->data.empty()) contents = WARPCLOCK_TRY(read_kept(folder, capture_data, at->second->data));
    add(at->first, next == places.end() ? end : next->first, std::move(contents));
  }
  return {};
}

}  // namespace

Expected<PredictOptions> options_of(const CapturedLaunch& launch, const KernelFacts& facts,
                                    const std::filesystem::path& folder) {
  if (!launch.missing.empty()) return fail("capture", launch.missing);
  PredictOptions what;
  take_extents(launch, what);
  WARPCLOCK_TRY(take_parameters(launch, facts, what));
  for (std::size_t axis = 0; axis < launch.cluster.size(); ++axis)
    what.shape.cluster[axis] = static_cast<std::uint32_t>(launch.cluster[axis]);
  std::map<std::int64_t, HeldPointers> allocations;
  for (const CapturedPointer& one : launch.pointers) {
    const CapturedPointer*& held = allocations[one.buffer][one.buffer + one.offset];
    if (held == nullptr || held->data.empty()) held = &one;
  }
  for (const auto& [base, places] : allocations) WARPCLOCK_TRY(add_allocation(places, folder, what));
  return what;
}

namespace {

/// The SM clock of a GPU: that which was seen while the program ran, if it ran there, else the highest.
double clock_of(const Capture& capture, const Machine& machine) {
  std::vector<double> seen;
  for (const CapturedLaunch& one : capture.launches) {
    if (one.times.sm_mhz > 0 && capture.devices[static_cast<std::size_t>(one.device)].name == machine.gpu)
      seen.push_back(one.times.sm_mhz);
  }
  if (seen.empty()) return machine.stated.sm_clock_max_mhz;
  const auto middle = seen.begin() + std::ssize(seen) / 2;
  std::ranges::nth_element(seen, middle);
  return *middle;
}

/// What a launch adds to the predicted cycles, in microseconds: what the empty kernel took beyond its own.
double launch_of(const Capture& capture, const Machine& machine, const std::vector<PredictedLaunch>& predicted) {
  std::optional<double> here, elsewhere;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const CapturedLaunch& one = capture.launches[i];
    if (!is_beside(capture, one) || !predicted[i].low_us || one.times.runs == 0) continue;
    const bool same = capture.devices[static_cast<std::size_t>(one.device)].name == machine.gpu;
    (same ? here : elsewhere) = std::max(0.0, one.times.median_ns / 1000 - *predicted[i].low_us);
  }
  return here.value_or(elsewhere.value_or(0));
}

Expected<LoadedKernel> load(const CaptureToPredict& what, std::size_t k) {
  const CapturedKernel& kernel = what.capture.kernels[k];
  if (!kernel.missing.empty()) return fail("capture", kernel.missing);
  LoadOptions how;
  how.nvdisasm = what.nvdisasm;
  how.only = kernel.symbol;
  auto file = WARPCLOCK_TRY(load_file(what.folder / capture_code / kernel.code, how));
  for (LoadedKernel& one : file.kernels) {
    if (one.listing.kernel == kernel.symbol) return std::move(one);
  }
  return fail("capture", "its cubin has no kernel of this name");
}

/// How much machine code kernels have. A cubin is read when one of its kernels is first asked for.
class CodeSizes {
 public:
  explicit CodeSizes(const CaptureToPredict& what) : what_(what) {}

  /// 0 if it is not known. Errors: those of read_kept() of the moment.
  Expected<double> of(std::int64_t kernel) {
    const CapturedKernel& one = what_.capture.kernels[static_cast<std::size_t>(kernel)];
    if (one.code.empty()) return 0.0;
    const std::lock_guard guard(lock_);
    const auto [at, added] = cubins_.try_emplace(one.code);
    if (added) at->second = sizes_in(one.code);
    if (!at->second) return std::unexpected(at->second.error());
    return value_or(*at->second, one.symbol, 0.0);
  }

 private:
  using Sizes = std::map<std::string, double>;  // by symbol

  [[nodiscard]] Expected<Sizes> sizes_in(const std::string& code) const {
    Sizes sizes;
    const auto cubin = read_kept(what_.folder, capture_code, code);
    if (!cubin && is_of_the_moment(cubin.error())) return std::unexpected(cubin.error());
    const auto sections = cubin ? code_sections(*cubin) : std::unexpected(cubin.error());
    for (std::size_t i = 0; sections && i < sections->size(); ++i)
      sizes[(*sections)[i].kernel] = static_cast<double>((*sections)[i].code.size());
    return sizes;
  }

  const CaptureToPredict& what_;
  std::mutex lock_;
  std::map<std::string, Expected<Sizes>> cubins_;
};

std::string not_known(std::size_t launch, const Error& error) {
  return fmt::format("what launch {} accesses is not known: {}", launch, error.text);
}

Expected<Prediction> predicted(const CaptureToPredict& what, const Expected<LoadedKernel>& kernel, std::size_t index,
                               const Machine& machine, const RangesOfLaunch& ranges, CodeSizes& code) {
  if (!kernel) return std::unexpected(kernel.error());
  PredictOptions options = WARPCLOCK_TRY(options_of(what.capture.launches[index], kernel->facts, what.folder));
  options.limit = what.limit, options.annotate = what.annotate, options.energy = what.energy;
  LeftInL2 left = left_in_l2(what.capture, index, ranges, static_cast<double>(machine.stated.l2_bytes));
  options.in_l2 = std::move(left.parts);
  options.stored_apart = std::move(left.apart);
  options.stored_before = left.stored;
  std::optional<Error> unread;
  const auto bytes_of = [&](std::int64_t k) {
    const Expected<double> size = code.of(k);
    if (!size) unread = size.error();
    return size.value_or(0);
  };
  options.cold_code = code_is_gone(what.capture, index, bytes_of, fetch_cost(machine).second_lines * line_bytes);
  if (unread) return std::unexpected(*std::move(unread));
  return predict(*kernel, machine, options);
}

class CapturePredictor {
 public:
  CapturePredictor(const CaptureToPredict& what, CapturePredictions& made)
      : what_(what), made_(made), by_launch_(what.capture, what.folder), code_(what) {
    for (auto& of_machine : made_.launches) of_machine.resize(what.capture.launches.size());
    loaded_.resize(what.capture.kernels.size());
  }

  void run() {
    const auto& launches = what_.capture.launches;
    const auto follows = [](const CapturedLaunch& one) { return one.after.has_value(); };
    ranges_.resize(made_.machines.size(), std::vector<AccessedRanges>(launches.size()));
    if (std::ranges::any_of(launches, follows))
      for_each([](std::size_t) { return true; }, [this](std::size_t k, std::size_t index) { access(k, index); }, [] {});
    std::size_t done = 0;
    for_each([this](std::size_t index) { return is_chosen(index); },
             [this](std::size_t k, std::size_t index) { work(k, index); },
             [&] {
               if (what_.progress) what_.progress(++done);
             });
  }

 private:
  [[nodiscard]] bool stopped() const { return what_.stopped && what_.stopped(); }

  [[nodiscard]] bool is_chosen(std::size_t index) const {
    const CapturedLaunch& launch = what_.capture.launches[index];
    const CapturedKernel& kernel = what_.capture.kernels[static_cast<std::size_t>(launch.kernel)];
    return is_beside(what_.capture, launch) || is_meant(kernel.symbol, what_.kernel);
  }

  /// Loads each kernel once for those of its launches that are chosen.
  void for_each(const std::function<bool(std::size_t)>& chosen,
                const std::function<void(std::size_t k, std::size_t index)>& one, const std::function<void()>& done) {
    std::vector<std::vector<std::size_t>> by_kernel(what_.capture.kernels.size());
    for (std::size_t i = 0; i < what_.capture.launches.size(); ++i)
      if (chosen(i)) by_kernel[static_cast<std::size_t>(what_.capture.launches[i].kernel)].push_back(i);
    PartsAtOnce(
        by_kernel.size(),
        [&](std::size_t k) {
          if (!by_kernel[k].empty()) loaded_[k] = caught("", [&] { return load(what_, k); });
          return by_kernel[k].size();
        },
        [&](std::size_t k, std::size_t part) { one(k, by_kernel[k][part]); }, [&](std::size_t, std::size_t) { done(); },
        [&](std::size_t k) { loaded_[k] = fail("capture", ""); })
        .run();
  }

  void access(std::size_t k, std::size_t index) {
    for (std::size_t m = 0; m < made_.machines.size() && !stopped(); ++m) {
      auto ranges = by_launch_.of(index, loaded_[k], made_.machines[m]);
      const std::lock_guard guard(lock_);
      if (ranges)
        ranges_[m][index] = *std::move(ranges);
      else
        unread_ = not_known(index, ranges.error());
    }
  }

  void work(std::size_t k, std::size_t index) {
    for (std::size_t m = 0; m < made_.machines.size(); ++m) {
      PredictedLaunch& out = made_.launches[m][index];
      if (stopped() || unread_) {
        out.cause = unread_ ? *unread_ : "it was left out";
        continue;
      }
      const auto ranges = [&](std::size_t launch) -> const AccessedRanges& { return ranges_[m][launch]; };
      const auto one =
          caught("", [&] { return predicted(what_, loaded_[k], index, made_.machines[m], ranges, code_); });
      if (what_.use) what_.use(m, index, one);
      if (!one) {
        out.cause = one.error().text;
      } else if (!one->low) {
        out.cause = one->missing.empty() ? "no cause is known" : one->missing.front().why;
      } else {
        const double mhz = made_.mhz[m] * one->clock_part.value_or(1);
        out.low_us = (*one->low + one->drain) / mhz, out.high_us = (*one->high + one->drain) / mhz;
        out.limiter = one->limiter;
        if (one->energy && one->energy->missing.empty()) out.joules = one->energy->joules;
      }
    }
  }

  const CaptureToPredict& what_;
  CapturePredictions& made_;
  const LaunchRanges by_launch_;
  CodeSizes code_;
  std::vector<Expected<LoadedKernel>> loaded_;
  std::vector<std::vector<AccessedRanges>> ranges_;  ///< by machine, then by launch
  std::mutex lock_;
  std::optional<std::string> unread_;  ///< why it is not known what launches access
};

}  // namespace

Expected<Prediction> predict_launch(const CaptureToPredict& what, std::size_t index, const Machine& machine) {
  if (index >= what.capture.launches.size())
    return fail("option", fmt::format("the capture has launches 0 to {}", what.capture.launches.size() - 1));
  const auto kernel_of = [&](std::size_t launch) {
    return load(what, static_cast<std::size_t>(what.capture.launches[launch].kernel));
  };
  const auto kernel = kernel_of(index);
  const LaunchRanges by_launch(what.capture, what.folder);
  std::map<std::size_t, AccessedRanges> known;
  std::optional<Error> unread;
  const auto ranges = [&](std::size_t launch) -> const AccessedRanges& {
    const auto [at, added] = known.try_emplace(launch);
    if (!added) return at->second;
    auto accessed = by_launch.of(launch, launch == index ? kernel : kernel_of(launch), machine);
    if (accessed)
      at->second = *std::move(accessed);
    else
      unread = Error{accessed.error().code, not_known(launch, accessed.error()), accessed.error().place};
    return at->second;
  };
  CodeSizes code(what);
  auto made = predicted(what, kernel, index, machine, ranges, code);
  if (unread) return std::unexpected(*std::move(unread));
  if (made) made->file = what.folder.string();
  return made;
}

CapturePredictions predict_capture(const CaptureToPredict& what, std::vector<Machine> machines) {
  CapturePredictions made{.machines = std::move(machines)};
  for (const Machine& one : made.machines) made.mhz.push_back(clock_of(what.capture, one));
  made.launches.resize(made.machines.size());
  CapturePredictor(what, made).run();
  for (std::size_t m = 0; m < made.machines.size(); ++m) {
    const double launch = made.launch_us.emplace_back(launch_of(what.capture, made.machines[m], made.launches[m]));
    for (PredictedLaunch& one : made.launches[m]) {
      if (one.low_us) *one.low_us += launch, *one.high_us += launch;
    }
  }
  return made;
}

std::string cause_kind(const std::string& cause) {
  std::string kind;
  for (std::size_t i = 0; i < cause.size(); ++i) {
    const bool digit = cause[i] >= '0' && cause[i] <= '9';
    if (!digit) {
      kind += cause[i];
      continue;
    }
    const bool in_word = i > 0 && (std::isalpha(static_cast<unsigned char>(cause[i - 1])) != 0 || cause[i - 1] == '_');
    const bool hex = cause.substr(i, 2) == "0x";
    const std::size_t end =
        std::min(cause.size(), cause.find_first_not_of(hex ? "0123456789abcdefx" : "0123456789.", i));
    kind += in_word ? cause.substr(i, end - i) : "#";
    i = end - 1;
  }
  return kind;
}

}  // namespace warpclock
