#include "record/json/row_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "record/json/json_writer.hpp"
#include "record/repeats.hpp"

namespace warpclock {

std::string member(const std::string& name, const Json& array) { return ",\n\"" + name + "\":" + tall(array); }

Json repeats_json(const std::vector<std::size_t>& indexes) {
  Json out = Json::array();
  for (const Repeat& block : find_repeats(std::span<const std::size_t>(indexes))) {
    const auto from = indexes.begin() + static_cast<std::ptrdiff_t>(block.first);
    const std::vector<std::size_t> body(from, from + static_cast<std::ptrdiff_t>(block.length));
    if (block.count == 1) {
      for (const std::size_t index : body) out.push_back(index);
    } else {
      Json repeated = Json::array({block.count});
      for (const std::size_t index : body) repeated.push_back(index);
      out.push_back(std::move(repeated));
    }
  }
  return out;
}

std::size_t CodeWriter::mix(const OpcodeMix& opcodes) {
  Json out = Json::array();
  for (const auto& [opcode, count] : opcodes) {
    out.push_back(opcodes_.index(opcode));
    out.push_back(count);
  }
  return mixes_.index(out);
}

Json CodeWriter::sass(const std::vector<std::string>& lines) {
  std::vector<std::size_t> indexes;
  for (const std::string& line : lines) {
    const std::size_t gap = line.starts_with('B') ? line.find("  ") : std::string::npos;
    const bool split = gap != std::string::npos;
    indexes.push_back(lines_.index(Json::array(
        {controls_.index(split ? line.substr(0, gap) : std::string()), split ? line.substr(gap + 2) : line})));
  }
  return repeats_json(indexes);
}

std::string CodeWriter::members() const {
  return member("opcodes", opcodes_.json()) + member("mixes", mixes_.json()) + member("controls", controls_.json()) +
         member("lines", lines_.json());
}

Json clock_json(const ClockReading& clock) {
  Json out = Json::array();
  ClockReading alone = clock;
  alone.wait_us = alone.pause_us = alone.others = 0;
  if (alone == ClockReading{}) return out;
  for (const double each : {clock.sm_mhz, clock.memory_mhz, clock.power_w, clock.temperature_c}) {
    out.push_back(JsonWriter::write(each));
  }
  for (const std::string& reason : clock.throttle) out.push_back(reason);
  return out;
}

Json estimate_json(const Estimate& e, JsonPool& kinds, JsonPool& texts) {
  Json out = Json::array({kinds.index(Json::array({e.name, e.unit, e.method, e.n})), JsonWriter::write(e.value)});
  if (e.low == e.value && e.high == e.value && e.note.empty()) return out;
  out.push_back(JsonWriter::write(e.low));
  out.push_back(JsonWriter::write(e.high));
  if (!e.note.empty()) out.push_back(texts.index(e.note));
  return out;
}

void round_to(double& value, int digits) {
  if (!std::isfinite(value)) return;
  const std::string text = fmt::format("{:.{}g}", value, digits);
  std::from_chars(text.data(), text.data() + text.size(), value);
}

Json sharing_json(const ClockReading& clock) {
  if (clock.wait_us == 0 && clock.pause_us == 0 && clock.others == 0) return Json::array();
  return Json::array({JsonWriter::write(clock.wait_us), JsonWriter::write(clock.pause_us), clock.others});
}

void RowReader::read_code(const Json& file) {
  get(file, "opcodes", opcodes_);
  get(file, "controls", controls_);
  each(file, "lines", 2, [&](const Json& array) {
    std::string& line = lines_.emplace_back();
    item(array, 1, line);
    if (const std::string* control = at(array[0], controls_, "control"); control && !control->empty()) {
      line = *control + "  " + line;
    }
  });
  each(file, "mixes", 0, [&](const Json& array) {
    OpcodeMix& mix = mixes_.emplace_back();
    for (std::size_t i = 0; i + 1 < array.size(); i += 2) {
      auto& [opcode, times] = mix.emplace_back();
      if (const std::string* known = at(array[i], opcodes_, "opcode")) opcode = *known;
      item(array, i + 1, times);
    }
  });
}

void RowReader::read_estimates(const Json& file) {
  get(file, "texts", texts_);
  each(file, "kinds", 4, [&](const Json& array) {
    Estimate& kind = kinds_.emplace_back();
    item(array, 0, kind.name);
    item(array, 1, kind.unit);
    item(array, 2, kind.method);
    item(array, 3, kind.n);
  });
}

void RowReader::estimate(const Json& array, Estimate& out) {
  if (const Estimate* kind = at(array[0], kinds_, "kind")) out = *kind;
  item(array, 1, out.value);
  out.low = out.high = out.value;
  if (array.size() < 4) return;
  item(array, 2, out.low);
  item(array, 3, out.high);
  if (array.size() < 5) return;
  if (const std::string* note = at(array[4], texts_, "text")) out.note = *note;
}

void RowReader::repeated(const Json& object, const char* key, const std::vector<std::string>& pool,
                         std::vector<std::string>& out) {
  each_any(object, key, [&](const Json& element) {
    std::vector<std::string> body;
    std::size_t copies = 1;
    if (!element.is_array()) {
      if (const std::string* line = at(element, pool, "line")) body.push_back(*line);
    } else if (is_array(element, 2)) {
      std::int64_t times = 0;
      in_.read(element[0], times);
      copies = count(times, element.size() - 1);
      for (std::size_t i = 1; i < element.size(); ++i) {
        if (const std::string* line = at(element[i], pool, "line")) body.push_back(*line);
      }
    }
    for (std::size_t i = 0; i < copies; ++i) out.insert(out.end(), body.begin(), body.end());
  });
}

void RowReader::mix(const Json& index, OpcodeMix& out) {
  if (const OpcodeMix* known = at(index, mixes_, "mix")) out = *known;
}

void RowReader::clock(const Json& object, ClockReading& out) {
  if (const auto found = object.find("clock"); found != object.end()) {
    in_.at("clock", [&] {
      if (!is_array(*found, 4)) return;
      double* const numbers[] = {&out.sm_mhz, &out.memory_mhz, &out.power_w, &out.temperature_c};
      for (std::size_t i = 0; i < 4; ++i) item(*found, i, *numbers[i]);
      for (std::size_t i = 4; i < found->size(); ++i) item(*found, i, out.throttle.emplace_back());
    });
  }
  if (const auto found = object.find("sharing"); found != object.end()) {
    in_.at("sharing", [&] {
      if (!is_array(*found, 3)) return;
      item(*found, 0, out.wait_us);
      item(*found, 1, out.pause_us);
      item(*found, 2, out.others);
    });
  }
}

}  // namespace warpclock
