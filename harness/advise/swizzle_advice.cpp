#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include "advise/advisers.hpp"
#include "base/text.hpp"
#include "execute/bank_turns.hpp"

namespace warpclock {

std::int64_t swizzled(std::int64_t address, std::int64_t span) {
  constexpr std::int64_t line = 128, row_bytes = 16;
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

/// The byte address in shared memory at which each lane of a warp begins its access.
using BankAddresses = std::array<std::uint32_t, lanes_in_warp>;

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

double wavefronts(Kind kind, const BankAddresses& at, int bytes) {
  return kind == Kind::Matrix ? matrix_wavefronts(at, bytes)
                              : wavefronts_of(at, bytes, kind == Kind::Load ? BankUse::Load : BankUse::Store);
}

/// The most of all columns.
std::int64_t most_wavefronts(const AccessKind& access, const Lanes& pattern, const Place& place) {
  double most = 0;
  for (std::int64_t column = 0; column < pattern.columns; ++column) {
    BankAddresses at{};
    for (std::int64_t lane = 0; lane < lanes_in_warp; ++lane) {
      const auto [row, byte] = pattern.at(lane, column);
      at.at(static_cast<std::size_t>(lane)) = static_cast<std::uint32_t>(place(row, byte));
    }
    most = std::max(most, wavefronts(access.kind, at, static_cast<int>(access.bytes)));
  }
  return static_cast<std::int64_t>(most);
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
BankAddresses recorded_places(const Row& row) {
  const std::int64_t at = std::max<std::int64_t>(whole(row, "at"), 1), bytes = whole(row, "bytes");
  const std::string pattern = word_of(row, "pattern");
  BankAddresses places{};
  for (std::int64_t lane = 0; lane < lanes_in_warp; ++lane) {
    std::int64_t place = 0;
    if (pattern == "stride") place = lane * at * bytes;
    if (pattern == "degree") place = lane % at * all_banks / 4 * bytes + lane / at * bytes;
    if (pattern == "share") place = lane / at * bytes;
    if (pattern == "interleave") place = lane % at * bytes;
    places.at(static_cast<std::size_t>(lane)) = static_cast<std::uint32_t>(place);
  }
  return places;
}

std::optional<ModelCheck> matrix_check(const MeasuredGpu& gpu, const std::string& name) {
  const std::string probe = "matrix/" + name + "_conflicts";
  ErrorSum all("cycles of " + name + " over the distance of rows by wavefronts");
  for (const RecordRow& at : rows_of(gpu, probe, "throughput")) {
    BankAddresses rows{};
    for (std::size_t lane = 0; lane < rows.size(); ++lane)
      rows.at(lane) = static_cast<std::uint32_t>(static_cast<std::int64_t>(lane) * whole(*at.row, "stride"));
    constexpr double matrix_bytes = 128;
    constexpr int row_bytes = 16;
    const auto moved = matrix_bytes * static_cast<double>(whole(*at.row, "num"));
    all.add(matrix_wavefronts(rows, row_bytes), moved / at.estimate->value, at.row->id);
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
      const BankAddresses places = recorded_places(*at.row);
      const int bytes = static_cast<int>(whole(*at.row, "bytes"));
      if (bytes != 4 && bytes != 8 && bytes != 16) continue;
      all.add(wavefronts(kind, places, bytes), at.estimate->value, at.row->id);
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
