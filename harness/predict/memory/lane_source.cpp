#include "predict/memory/lane_source.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace warpclock {

LaneRef bank_value(const LaneLaunch& launch, std::uint32_t offset, bool wide) {
  constexpr int buffer_zeros = 8;
  const int at = static_cast<int>(offset);
  const int axis = (at - launch.block_at) / 4;
  if (at >= launch.block_at && axis < 3 && at % 4 == 0 && launch.block[0] > 0)
    return constant_lanes(static_cast<std::uint32_t>(launch.block[static_cast<std::size_t>(axis)]));
  if (at >= launch.block_at && axis >= 3 && axis < 6 && at % 4 == 0 && launch.grid[0] > 0)
    return constant_lanes(static_cast<std::uint32_t>(launch.grid[static_cast<std::size_t>(axis) - 3]));
  const bool argument = at >= launch.parameters_at && at < launch.parameters_end;
  const int place = at - launch.parameters_at;
  if (const auto word = launch.words.find(place); argument && word != launch.words.end())
    return constant_lanes(word->second);
  if (!argument || !(launch.buffers_known ? launch.buffers.contains(place) : wide))
    return shared_number(0, false, Axes::None);
  LaneValue value = *shared_number(buffer_zeros, false, Axes::None);
  value.parameter = place;
  return std::make_shared<const LaneValue>(std::move(value));
}

LaneRef special_value(const LaneLaunch& launch, std::string_view name) {
  const auto lanes = [&](auto&& each) {
    std::vector<std::uint32_t> values(launch.threads);
    for (std::size_t t = 0; t < values.size(); ++t)
      values[t] = static_cast<std::uint32_t>(each(launch.first_thread + t));
    return values.empty() ? LaneRef() : own_lanes(std::move(values));
  };
  if (name == "SR_LANEID") return lanes([](std::size_t t) { return t % warp_lanes; });
  if (name == "SRZ" || (name == "SR_CgaCtaId" && launch.first_of_cluster)) return constant_lanes(0);
  if (name.starts_with("SR_TID.")) {
    const auto x = static_cast<std::size_t>(launch.block[0]), y = static_cast<std::size_t>(launch.block[1]);
    if (x == 0) return nullptr;
    if (name == "SR_TID.X") return lanes([x](std::size_t t) { return t % x; });
    if (name == "SR_TID.Y") return lanes([x, y](std::size_t t) { return t / x % y; });
    if (name == "SR_TID.Z") return lanes([x, y](std::size_t t) { return t / x / y; });
  }
  constexpr std::string_view axes = "XYZ";
  const std::size_t axis = axes.find(name.empty() ? ' ' : name.back());
  if (name.starts_with("SR_NCTAID") && axis != axes.npos && launch.grid[axis] > 0)
    return constant_lanes(static_cast<std::uint32_t>(launch.grid[axis]));
  if (name.starts_with("SR_NCTAID")) return shared_number(0, false, Axes::None);
  if (name.starts_with("SR_CTAID.") && axis != axes.npos && launch.block_index)
    return constant_lanes((*launch.block_index)[axis]);
  if (name == "SR_CTAID.X") return shared_number(0, false, Axes::X);
  if (name == "SR_CTAID.Y") return shared_number(0, false, Axes::Y);
  if (name == "SR_CTAID.Z") return shared_number(0, false, Axes::Z);
  return shared_number(0, name != "SR_CgaCtaId", Axes::All);
}

}  // namespace warpclock
