#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/escape.hpp"

namespace warpclock {
namespace {

constexpr double too_large = 1e150;

}  // namespace

bool drawable(double value) { return std::isfinite(value) && std::abs(value) < too_large; }

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  const double tenths = std::round(std::clamp(value, -1e6, 1e6) * 10);
  if (tenths == 0) return "0";
  const bool whole = std::fmod(tenths, 10) == 0;
  return fmt::format("{:.{}f}", tenths / 10, whole ? 0 : 1);
}

std::vector<double> nice_ticks(double low, double high, int count) {
  if (!drawable(low) || !drawable(high) || low > high) low = 0, high = 1;
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low);
    if (low < 0) low -= room;
    high = low < 0 ? 0 : high + room;
    if (low > 0) low = 0;
  }
  const double raw = (high - low) / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  if (!(power > 0) || !std::isfinite(power)) return {0, 1};
  const double scaled = raw / power;
  const double step = power * (scaled < 1.5 ? 1 : scaled < 2.25 ? 2 : scaled < 3.5 ? 2.5 : scaled < 7 ? 5 : 10);
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  std::vector<double> ticks;
  // If low and high differ by only a few units in the last place, steps cannot be distinguished.
  if (last - first > 1000 || (first + 1) * step == first * step) return {low, high};
  for (int i = 0; first + i <= last; ++i) ticks.push_back(first + i == 0 ? 0 : (first + i) * step);
  if (ticks.size() < 2) ticks.push_back(ticks.front() + step);
  return ticks;
}

std::vector<double> binary_ticks(double low, double high, int most) {
  if (!drawable(low) || !drawable(high) || low <= 0 || high < low) return {1, 2};
  const int first = static_cast<int>(std::floor(std::log2(low) + 1e-9));
  const int last = std::max(static_cast<int>(std::ceil(std::log2(high) - 1e-9)), first + 1);
  const int step = std::max(1, (last - first) / std::max(most, 1) + ((last - first) % std::max(most, 1) != 0 ? 1 : 0));
  std::vector<double> ticks;
  for (int i = first; i < last + step; i += step) ticks.push_back(std::ldexp(1.0, i));
  return ticks;
}

namespace {

/// The value in units of 1024, 1024^2 and so on, and the prefix for it.
std::pair<double, const char*> scaled(double value) {
  constexpr std::array<const char*, 5> prefixes = {"Ki", "Mi", "Gi", "Ti", "Pi"};
  value /= 1024;
  std::size_t i = 0;
  while (value >= 1024 && i + 1 < prefixes.size()) value /= 1024, ++i;
  return {value, prefixes[i]};
}

}  // namespace

std::string tick_label(double value, bool binary) {
  if (binary && value >= 1024 && std::floor(value) == value) {
    const auto [share, prefix] = scaled(value);
    return fmt::format("{:g}{}", share, prefix);
  }
  return fmt::format("{:.6g}", value == 0 ? 0 : value);
}

std::string place_label(double value, bool binary) {
  if (!binary || value < 1024) return coordinate(value);
  const auto [share, prefix] = scaled(value);
  return coordinate(share) + prefix;
}

Scale::Scale(double low, double high, double from, double to, bool log2)
    : low_(log2 ? std::log2(low) : low), high_(log2 ? std::log2(high) : high), from_(from), to_(to), log2_(log2) {}

double Scale::operator()(double value) const {
  const double v = log2_ ? std::log2(value) : value;
  const double share = (v - low_) / (high_ - low_);
  return std::isfinite(share) ? from_ + share * (to_ - from_) : (from_ + to_) / 2;
}

Svg::Svg(std::string_view id, std::string_view css_class, double width, double height, std::string_view title,
         std::string_view description) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{0}\" viewBox=\"0 0 {1} {2}\" role=\"group\" "
      "aria-labelledby=\"{3}-t {3}-d\"><title id=\"{3}-t\">{4}</title><desc id=\"{3}-d\">{5}</desc>",
      css_class, coordinate(width), coordinate(height), escape(id), escape(title), escape(description));
}

std::string& Svg::next() {
  if (texts_.empty()) return out_;
  const bool several = texts_.find("<text", 1) != std::string::npos;
  if (!several) texts_.insert(5, look_);
  out_ += several ? "<g" + look_ + ">" + texts_ + "</g>" : texts_;
  texts_.clear();
  return out_;
}

void Svg::line(std::string_view css_class, double x1, double y1, double x2, double y2) {
  const std::string left = coordinate(x1), top = coordinate(y1), right = coordinate(x2), bottom = coordinate(y2);
  std::string data = fmt::format("M{} {}", left, top);
  data += top == bottom ? "H" + right : left == right ? "V" + bottom : "L" + right + " " + bottom;
  const std::string begin = fmt::format("<path class=\"{}\" d=\"", css_class);
  constexpr std::string_view end = "\"/>";
  // Lines of one class that follow each other are one path.
  if (next().ends_with(end) && out_.substr(out_.rfind('<')).starts_with(begin)) {
    out_.insert(out_.size() - end.size(), data);
  } else {
    out_ += begin + data + std::string(end);
  }
}

void Svg::rect(std::string_view css_class, double x, double y, double width, double height) {
  next() += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", css_class, coordinate(x),
                        coordinate(y), coordinate(std::max(width, 0.0)), coordinate(std::max(height, 0.0)));
}

void Svg::path(std::string_view css_class, std::string_view data) {
  next() += fmt::format("<path class=\"{}\" d=\"{}\"/>", css_class, data);
}

void Svg::text(std::string_view css_class, double x, double y, std::string_view align, std::string_view text) {
  std::string look = fmt::format(" class=\"{}\"", css_class);
  if (align != "start") look += fmt::format(" text-anchor=\"{}\"", align);
  if (look != look_) next(), look_ = look;
  texts_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", coordinate(x), coordinate(y), escape(text));
}

void Svg::open_link(std::string_view css_class, std::string_view target_id, std::string_view tooltip) {
  next() += fmt::format("<a class=\"{}\" href=\"#{}\" tabindex=\"-1\"><title>{}</title>", css_class,
                        escape(anchor(target_id)), escape(tooltip));
}

void Svg::close_link() { next() += "</a>"; }

void Svg::open_note(std::string_view css_class, std::string_view tooltip) {
  next() += fmt::format("<g class=\"{}\"><title>{}</title>", css_class, escape(tooltip));
}

void Svg::close_note() { next() += "</g>"; }

std::string Svg::finish() && { return next() + "</svg>\n"; }

std::string shorten(const std::string& text, std::size_t columns) {
  std::size_t points = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (points + 1 == columns) cut = i;
    if (++points > columns) return text.substr(0, cut) + "\xE2\x80\xA6";
  }
  return text;
}

}  // namespace warpclock
