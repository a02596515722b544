#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/overview/overview_sheets.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

constexpr double most_ratio = 1.2, most_share = 0.2;

std::optional<double> whole_of(const std::string& unit) {
  if (unit == "1") return 1;
  if (unit == "%") return 100;
  return std::nullopt;
}

std::optional<GpuDifference> difference_of(const SharedNumber& number) {
  GpuDifference found{.number = &number};
  const Estimate *least = nullptr, *most = nullptr;
  for (std::size_t gpu = 0; gpu < number.on.size(); ++gpu) {
    const Estimate* on = number.on[gpu];
    if (on == nullptr || !std::isfinite(on->value)) continue;
    if (least == nullptr || on->value < least->value) least = on, found.least = gpu;
    if (most == nullptr || on->value > most->value) most = on, found.most = gpu;
  }
  if (least == nullptr || least == most || least->unit != most->unit || most->low <= least->high) return std::nullopt;
  if (const auto whole = whole_of(least->unit)) {
    found.share = true;
    found.ratio = (most->value - least->value) / *whole;
    return found.ratio > most_share ? std::optional(found) : std::nullopt;
  }
  if (!(least->value > 0)) return std::nullopt;
  found.ratio = most->value / least->value;
  return found.ratio > most_ratio ? std::optional(found) : std::nullopt;
}

/// How large a difference is, on one scale for ratios and shares: two GPUs that hit 0 and 100 % differ as by a factor
/// e.
double size_of(const GpuDifference& difference) {
  return difference.share ? difference.ratio : std::log(difference.ratio);
}

/// Takes the number with the middle ratio among those of all second methods.
void look_for_second(const std::vector<SharedNumber>& numbers, const std::vector<SecondMethod>& methods,
                     GpuDifference& difference) {
  struct Other {
    const SharedNumber* number;
    double ratio;
  };
  std::vector<Other> others;
  for (const SecondMethod& method : methods) {
    const SharedNumber& own = *difference.number;
    if (difference.share || !means(method.of, own)) continue;
    const auto by = bound_to(own.parameters, method.by);
    if (!by) continue;
    for (const SharedNumber& number : numbers) {
      if (number.group == own.group || !means(*by, number)) continue;
      const Estimate *low = number.on[difference.least], *high = number.on[difference.most];
      if (low != nullptr && high != nullptr && low->value > 0 && high->value > 0) {
        others.push_back({&number, high->value / low->value});
      }
    }
    if (!others.empty()) break;
  }
  if (others.empty()) return;
  std::ranges::stable_sort(others, {}, &Other::ratio);
  const Other& middle = others[others.size() / 2];
  difference.second = middle.number;
  difference.second_ratio = middle.ratio;
  // The same direction, and at least half of the difference on the scale of ratios, at most twice.
  const double first = std::log(difference.ratio), second = std::log(middle.ratio);
  difference.confirmed = second >= first / 2 && second <= first * 2;
}

}  // namespace

bool means(const Selector& selector, const SharedNumber& number) {
  const RowName row{number.of, number.of == Selector::Kind::Cases ? number.group : number.id, number.parameters};
  return (selector.name.empty() || selector.name == number.estimate) && means(selector, row, {});
}

namespace {

using Kind = Selector::Kind;

const std::vector<Kind> shared_kinds = {Kind::Cases, Kind::Instruction, Kind::Form};
const SelectorKeys of_one_estimate{.kinds = shared_kinds, .of_rows = true},
    of_any_estimate{.kinds = shared_kinds, .of_rows = true, .any_number = true};

}  // namespace

void describe(YamlArchive& a, SecondMethod& v) {
  a.required("of", v.of, yaml::with(of_any_estimate));
  a.required("by", v.by, yaml::with(of_one_estimate));
}

void describe(YamlArchive& a, DifferenceCause& v) {
  WARPCLOCK_REQUIRED(name, says);
  a.required("of", v.of, yaml::list_of(yaml::with(of_any_estimate)));
}

void describe(YamlArchive& a, DifferenceNotes& v) { WARPCLOCK_REQUIRED(second, causes); }

Expected<DifferenceNotes> parse_difference_notes(const std::string& file, std::string_view text) {
  return read_yaml<DifferenceNotes>(file, text);
}

const Expected<DifferenceNotes>& known_difference_notes() {
  static const Expected<DifferenceNotes> known =
      parse_difference_notes("second.yaml", embedded_assets().at("second.yaml"));
  return known;
}

std::size_t DifferenceGroup::confirmed() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows, &GpuDifference::confirmed));
}

std::size_t DifferenceGroup::open() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const GpuDifference& one) { return !one.confirmed && one.cause == nullptr; }));
}

GpuDifferences find_differences(const std::vector<SharedNumber>& numbers, const DifferenceNotes& notes) {
  GpuDifferences all;
  all.other_code = static_cast<std::size_t>(std::ranges::count_if(numbers, &SharedNumber::other_code));
  all.compared = numbers.size() - all.other_code;
  std::map<std::string, std::size_t> place;
  for (const SharedNumber& number : numbers) {
    if (number.other_code) continue;
    // Latencies from several operands are one estimate.
    const std::string estimate = number.estimate.substr(0, number.estimate.find('.'));
    const auto [at, fresh] = place.emplace(number.group + '\n' + estimate, all.groups.size());
    if (fresh) all.groups.push_back({number.group, estimate, 0, {}});
    DifferenceGroup& group = all.groups[at->second];
    ++group.compared;
    if (auto found = difference_of(number)) {
      look_for_second(numbers, notes.second, *found);
      const auto cause = std::ranges::find_if(notes.causes, [&](const DifferenceCause& one) {
        return std::ranges::any_of(one.of, [&](const Selector& each) { return means(each, number); });
      });
      if (cause != notes.causes.end()) found->cause = &*cause;
      group.rows.push_back(*found);
    }
  }
  std::erase_if(all.groups, [](const DifferenceGroup& group) { return group.rows.empty(); });
  for (DifferenceGroup& group : all.groups) {
    std::ranges::stable_sort(group.rows, std::greater(), size_of);
    all.differ += group.rows.size();
    all.confirmed += group.confirmed();
    all.open += group.open();
  }
  std::ranges::stable_sort(all.groups, std::greater(),
                           [](const DifferenceGroup& group) { return size_of(group.rows.front()); });
  return all;
}

namespace {

struct TimedCode {
  std::string arch, hash;
};

/// Collects numbers by id and estimate, in the order of first mention.
class Numbers {
 public:
  explicit Numbers(std::size_t gpus) : gpus_(gpus) {}

  /// `code`: the architecture and a hash of the timed machine code; empty if the id says what was timed, or the record
  /// does not.
  void add(std::size_t gpu, const Estimate& estimate, SharedNumber&& number, const TimedCode& code = {}) {
    const auto key = number.page + '\n' + number.id + '\n' + number.estimate;
    const auto [at, fresh] = place_.emplace(key, all_.size());
    if (fresh) {
      number.on.resize(gpus_);
      all_.push_back(std::move(number));
      codes_.emplace_back();
    }
    SharedNumber& shared = all_[at->second];
    shared.on[gpu] = &estimate;
    if (code.hash.empty()) return;
    // Of another architecture, the code of the same probe always is another one.
    const auto [first, is_first] = codes_[at->second].emplace(code.arch, code.hash);
    if (!is_first && first->second != code.hash) shared.other_code = true;
  }
  [[nodiscard]] std::vector<SharedNumber> take() { return std::move(all_); }

 private:
  std::size_t gpus_;
  std::vector<SharedNumber> all_;
  std::map<std::string, std::size_t> place_;
  std::vector<std::map<std::string, std::string>> codes_;  ///< by number: the first hash of each architecture
};

/// Intercepts are overhead, encoded distances no measurement, and other numbers of instructions the reciprocal of
/// these.
bool is_shared(const Row& row, const Estimate& estimate) {
  if (row.kind == RowKind::Probe) return estimate.method != "intercept" && estimate.method != "encoded";
  return estimate.name.starts_with("latency.") || estimate.name == (row.kind == RowKind::Ptx ? "issue" : "interval");
}

/// The rows of a record, which are on this page; none of relations.
void add_rows(const Record& record, const std::string& page, std::size_t gpu, Numbers& numbers) {
  for (const Row& row : record.rows) {
    const bool probe = row.kind == RowKind::Probe, ptx = row.kind == RowKind::Ptx;
    if (row.outcome != Outcome::Measured || !(probe || ptx || row.kind == RowKind::Form)) continue;
    const std::string group = probe ? row.probe : ptx ? row.family : "machine instructions";
    const std::string place = probe ? anchor(row.id) : "i=" + percent_encoded(row.id);
    for (const Estimate& estimate : row.estimates) {
      if (!is_shared(row, estimate)) continue;
      numbers.add(gpu, estimate, {row_name(row).of, group, row.id, estimate.name, page, place, row.parameters, {}},
                  {row.arch, ptx ? timed_code({record, row}, estimate.name) : row.window.sass_hash});
    }
  }
}

}  // namespace

std::vector<SharedNumber> shared_numbers(const std::vector<ReportedGpu>& gpus) {
  Numbers numbers(gpus.size());
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const auto& [suite, record] : gpus[gpu].results) {
      add_rows(*record, ReportedGpu::page_of(suite), gpu, numbers);
    }
    if (gpus[gpu].table != nullptr) add_rows(*gpus[gpu].table, "instructions.html", gpu, numbers);
    if (gpus[gpu].machine != nullptr) add_rows(*gpus[gpu].machine, "machine.html", gpu, numbers);
  }
  std::vector<SharedNumber> all = numbers.take();
  std::erase_if(all, [](const SharedNumber& number) {
    return std::ranges::count_if(number.on, [](const Estimate* estimate) { return estimate != nullptr; }) < 2;
  });
  // A probe that several suites run counts once: on the page with most of its numbers.
  std::map<std::string, std::map<std::string, std::size_t>> pages;
  for (const SharedNumber& number : all) ++pages[number.group][number.page];
  std::erase_if(all, [&](const SharedNumber& number) {
    const auto& own = pages.at(number.group);
    return std::ranges::max_element(own, {}, [](const auto& page) { return page.second; })->first != number.page;
  });
  return all;
}

}  // namespace warpclock
