#include "base/json/json_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/json/json_text.hpp"

namespace warpclock {

void JsonLine::write(std::int64_t value) { fmt::format_to(std::back_inserter(out_), "{}", value); }

void JsonLine::write(double value) {
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  if (std::abs(value) < exact_integers && value == std::trunc(value)) return write(static_cast<std::int64_t>(value));
  if (!std::isfinite(value)) {
    if (exact_) return write_text(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    out_ += "null";
    return;
  }
  out_ += Json(value).dump();  // the digits that the tree writes, so that committed records keep their bytes
}

void JsonLine::write_text(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, is_plain)) {
    ((out_ += '"') += text) += '"';
  } else {
    out_ += compact(Json(text));
  }
}

}  // namespace warpclock
