#include "record/json/record_fields.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace warpclock {

std::vector<WarpSeries> WrittenAs<std::map<int, Samples>>::to(const std::map<int, Samples>& by_warps) {
  std::vector<WarpSeries> out;
  for (const auto& [warps, samples] : by_warps)
    for (const Series& series : samples) out.push_back({warps, series.n, series.cycles});
  return out;
}

std::string_view WrittenAs<std::map<int, Samples>>::from(std::vector<WarpSeries>& written,
                                                         std::map<int, Samples>& by_warps) {
  for (WarpSeries& each : written) by_warps[each.warps].push_back({each.n, std::move(each.cycles)});
  return {};
}

std::string WrittenAs<Word>::to(const Word& word) { return fmt::format("{:016x}{:016x}", word.high, word.low); }

std::string_view WrittenAs<Word>::from(const std::string& written, Word& word) {
  constexpr std::size_t half = 16;
  const auto read = [&](std::size_t at, std::uint64_t& out) {
    const char* const first = written.data() + at;
    const auto [end, error] = std::from_chars(first, first + half, out, 16);
    return error == std::errc() && end == first + half;
  };
  const bool good = written.size() == 2 * half && read(0, word.high) && read(half, word.low);
  return good ? "" : "32 hexadecimal digits are wanted";
}

}  // namespace warpclock
