#include "advise/swizzle_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "advise/advisers.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t banks = 32, word = 4, row_bytes = 16;
constexpr std::size_t lanes_of_matrix = 8;

/// The most words that one bank has to deliver.
int rounds(std::span<const std::int64_t> addresses, std::int64_t bytes) {
  std::array<std::set<std::int64_t>, banks> wanted;
  for (const std::int64_t address : addresses) {
    for (std::int64_t at = address / word; at < (address + bytes) / word; ++at)
      wanted.at(static_cast<std::size_t>(at % banks)).insert(at);
  }
  return static_cast<int>(std::ranges::max(wanted, {}, &std::set<std::int64_t>::size).size());
}

/// Whether each lane reads what the lane reads whose number differs in that bit.
bool in_pairs(const LaneAddresses& lanes, std::size_t bit) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] != lanes[i ^ bit]) return false;
  }
  return true;
}

int wavefronts(const LaneAddresses& lanes, int bytes, bool paired) {
  std::size_t group = lanes.size() * word / static_cast<std::size_t>(bytes);
  if (paired && group < lanes.size()) group *= 2;
  int sum = 0;
  for (std::size_t first = 0; first < lanes.size(); first += group)
    sum += rounds(std::span(lanes).subspan(first, group), bytes);
  return sum;
}

}  // namespace

int load_wavefronts(const LaneAddresses& lanes, int bytes) {
  return wavefronts(lanes, bytes, in_pairs(lanes, 1) || in_pairs(lanes, 2));
}

int store_wavefronts(const LaneAddresses& lanes, int bytes) { return wavefronts(lanes, bytes, false); }

int matrix_wavefronts(std::span<const std::int64_t> rows) {
  int sum = 0;
  for (std::size_t first = 0; first + lanes_of_matrix <= rows.size(); first += lanes_of_matrix)
    sum += rounds(rows.subspan(first, lanes_of_matrix), row_bytes);
  return sum;
}

std::int64_t swizzled(std::int64_t address, std::int64_t span) {
  constexpr std::int64_t line = 128;
  const std::int64_t chunk = (address / line) % (span / row_bytes);
  return address ^ (chunk * row_bytes);
}

namespace {

enum class Kind { Load, Store, Matrix };

struct AccessKind {
  const char* name;
  Kind kind;
  std::int64_t bytes;  ///< of a lane, or of a row of a matrix
};

constexpr std::array<AccessKind, 8> kinds = {{{"ldmatrix", Kind::Matrix, 16},
                                              {"stmatrix", Kind::Matrix, 16},
                                              {"lds.32", Kind::Load, 4},
                                              {"lds.64", Kind::Load, 8},
                                              {"lds.128", Kind::Load, 16},
                                              {"sts.32", Kind::Store, 4},
                                              {"sts.64", Kind::Store, 8},
                                              {"sts.128", Kind::Store, 16}}};

constexpr std::int64_t all_banks = 128;

/// Which byte of which row each lane accesses.
struct Lanes {
  std::string name;
  std::int64_t columns = 1;  ///< how many places in a row the first lane may have, `AccessKind::bytes` apart
  std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t lane, std::int64_t column)> at;  ///< row, byte
};

std::vector<Lanes> patterns(const AccessKind& access, std::int64_t row_bytes) {
  const std::int64_t columns = row_bytes / access.bytes;
  const auto down = [access](std::int64_t lane, std::int64_t column) { return std::pair(lane, column * access.bytes); };
  if (access.kind == Kind::Matrix) return {{"eight rows of a matrix", columns, down}};
  const auto along = [access, columns](std::int64_t lane, std::int64_t) {
    return std::pair(lane / columns, lane % columns * access.bytes);
  };
  return {{"down a column", columns, down}, {"along rows", 1, along}};
}

using Place = std::function<std::int64_t(std::int64_t row, std::int64_t byte)>;

int wavefronts(const AccessKind& access, const LaneAddresses& at) {
  if (access.kind == Kind::Matrix) return matrix_wavefronts(at);
  const int bytes = static_cast<int>(access.bytes);
  return access.kind == Kind::Load ? load_wavefronts(at, bytes) : store_wavefronts(at, bytes);
}

/// The most of all columns.
std::int64_t most_wavefronts(const AccessKind& access, const Lanes& pattern, const Place& place) {
  int most = 0;
  for (std::int64_t column = 0; column < pattern.columns; ++column) {
    LaneAddresses at{};
    for (std::int64_t lane = 0; lane < lanes_in_warp; ++lane) {
      const auto [row, byte] = pattern.at(lane, column);
      at.at(static_cast<std::size_t>(lane)) = place(row, byte);
    }
    most = std::max(most, wavefronts(access, at));
  }
  return most;
}

/// A box is as wide as the swizzle's span; a longer row continues in the next box.
Place in_boxes(std::int64_t row_bytes, std::int64_t span) {
  const std::int64_t width = std::min(row_bytes, span);
  return [=](std::int64_t row, std::int64_t byte) {
    // Boxes begin at multiples of 1024 bytes.
    constexpr std::int64_t box = std::int64_t{1} << 20;
    return byte / width * box + swizzled(row * width + byte % width, span);
  };
}

void add_layouts(const AccessKind& access, const Lanes& pattern, SwizzleAdvice& out) {
  const auto add = [&](const std::string& layout, std::int64_t pitch, const Place& place, bool checked) {
    const std::int64_t count = most_wavefronts(access, pattern, place);
    out.layouts.push_back({layout, pattern.name, pitch, count, count - out.fewest, checked});
    return count == out.fewest;
  };
  const auto rows_of = [](std::int64_t pitch) {
    return [pitch](std::int64_t row, std::int64_t byte) { return row * pitch + byte; };
  };
  add("plain", out.row_bytes, rows_of(out.row_bytes), true);
  for (std::int64_t more = access.bytes; more <= all_banks; more += access.bytes) {
    const std::int64_t pitch = out.row_bytes + more;
    const bool last = more + access.bytes > all_banks;
    if (!last && most_wavefronts(access, pattern, rows_of(pitch)) != out.fewest) continue;
    add("padded", pitch, rows_of(pitch), true);
    break;
  }
  for (const std::int64_t span : {32, 64, 128}) {
    if (out.row_bytes % std::min(span, out.row_bytes) != 0 || out.row_bytes % 16 != 0) continue;
    const std::int64_t pitch = std::min(span, out.row_bytes);
    add(fmt::format("swizzle {}B", span), pitch, in_boxes(out.row_bytes, span), out.row_bytes >= span);
  }
}

/// The pattern of a row of geometry/: probes/geometry/bank_places.cuh.
LaneAddresses recorded_places(const CaseRecord& row) {
  const std::int64_t at = std::max<std::int64_t>(whole(row, "at"), 1), bytes = whole(row, "bytes");
  const std::string pattern = word_of(row, "pattern");
  LaneAddresses places{};
  for (std::int64_t lane = 0; lane < lanes_in_warp; ++lane) {
    std::int64_t& place = places.at(static_cast<std::size_t>(lane));
    if (pattern == "stride") place = lane * at * bytes;
    if (pattern == "degree") place = lane % at * all_banks / 4 * bytes + lane / at * bytes;
    if (pattern == "share") place = lane / at * bytes;
    if (pattern == "interleave") place = lane % at * bytes;
  }
  return places;
}

std::optional<ModelCheck> matrix_check(const MeasuredGpu& gpu, const std::string& name) {
  const std::string probe = "matrix/" + name + "_conflicts";
  ErrorSum all("cycles of " + name + " over the distance of rows by wavefronts");
  for (const RecordRow& at : rows_of(gpu, probe, "throughput")) {
    LaneAddresses rows{};
    for (std::size_t lane = 0; lane < rows.size(); ++lane)
      rows.at(lane) = static_cast<std::int64_t>(lane) * whole(*at.row, "stride");
    constexpr double matrix_bytes = 128;
    const auto moved = matrix_bytes * static_cast<double>(whole(*at.row, "num"));
    all.add(matrix_wavefronts(rows), moved / at.estimate->value, at.row->id);
  }
  return all.result();
}

std::optional<ModelCheck> bank_check(const MeasuredGpu& gpu, Kind kind) {
  const bool load = kind == Kind::Load;
  ErrorSum all(load ? "wavefronts of loads that counters saw" : "wavefronts of stores that counters saw");
  const std::vector<std::string> probes = load ? std::vector<std::string>{"bank", "bank_wide", "conflict", "broadcast"}
                                               : std::vector<std::string>{"store_conflict", "store_same"};
  for (const std::string& probe : probes) {
    for (const RecordRow& at : rows_of(gpu, "geometry/" + probe, "wavefronts")) {
      const LaneAddresses places = recorded_places(*at.row);
      const int bytes = static_cast<int>(whole(*at.row, "bytes"));
      if (bytes != 4 && bytes != 8 && bytes != 16) continue;
      all.add(load ? load_wavefronts(places, bytes) : store_wavefronts(places, bytes), at.estimate->value, at.row->id);
    }
  }
  return all.result();
}

}  // namespace

std::vector<std::string> swizzle_accesses() {
  std::vector<std::string> names;
  for (const AccessKind& access : kinds) names.emplace_back(access.name);
  return names;
}

Expected<Advice> advise_swizzle(const AdviceSource& from, const SwizzleQuestion& question) {
  const auto* const access = std::ranges::find(kinds, question.access, &AccessKind::name);
  if (access == kinds.end())
    return fail("option", fmt::format("--access: unknown access '{}'{}", question.access,
                                      hint(question.access, swizzle_accesses())));
  constexpr std::int64_t longest = 4096;
  if (question.row_bytes < access->bytes || question.row_bytes > longest || question.row_bytes % access->bytes != 0)
    return fail("option", fmt::format("--row-bytes: rows for {} are a multiple of {} bytes long, up to {}",
                                      access->name, access->bytes, longest));
  Advice answer{.gpu = from.machine.gpu, .arch = from.machine.arch};
  Citations cite(from, answer);
  cite.leaf("capacities/shared.banks/words");
  SwizzleAdvice out{.row_bytes = question.row_bytes, .access = access->name};
  out.fewest = lanes_in_warp * access->bytes / all_banks;
  for (const Lanes& pattern : patterns(*access, out.row_bytes)) add_layouts(*access, pattern, out);
  const auto check =
      access->kind == Kind::Matrix ? matrix_check(from.gpu, access->name) : bank_check(from.gpu, access->kind);
  if (check) answer.checks.push_back(*check);
  if (!check) cite.unknown(fmt::format("not measured: conflicts of {}", access->name));
  const auto layouts = rows_of(from.gpu, "tensor_copy/swizzle_layout", "mismatches");
  for (const RecordRow& at : layouts) cite.row(at.record, *at.row, *at.estimate);
  if (layouts.empty()) cite.unknown("not measured: tensor_copy/swizzle_layout, where a swizzle puts which bytes");
  if (std::ranges::any_of(out.layouts, [](const LayoutChoice& one) { return !one.checked; }))
    cite.unknown(
        "no row shows the layout of a box that is narrower than its swizzle: it is taken to follow the same rule");
  answer.swizzle = std::move(out);
  return answer;
}

}  // namespace warpclock
