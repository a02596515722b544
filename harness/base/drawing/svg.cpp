#include "base/drawing/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"

namespace warpclock {
std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  const double tenths = std::round(std::clamp(value, -1e6, 1e6) * 10);
  if (tenths == 0) return "0";
  const bool whole = std::fmod(tenths, 10) == 0;
  return fmt::format("{:.{}f}", tenths / 10, whole ? 0 : 1);
}

std::vector<double> binary_ticks(double low, double high, int most) {
  if (!std::isfinite(high) || !(low > 0) || high < low) return {1, 2};
  const int first = static_cast<int>(std::floor(std::log2(low) + 1e-9));
  const int last = std::max(static_cast<int>(std::ceil(std::log2(high) - 1e-9)), first + 1);
  const int step = std::max(1, (last - first) / std::max(most, 1) + ((last - first) % std::max(most, 1) != 0 ? 1 : 0));
  std::vector<double> ticks;
  for (int i = first; i < last + step; i += step) ticks.push_back(std::ldexp(1.0, i));
  return ticks;
}

Scale::Scale(double low, double high, double from, double to, bool log2)
    : low_(log2 ? std::log2(low) : low), high_(log2 ? std::log2(high) : high), from_(from), to_(to), log2_(log2) {}

double Scale::operator()(double value) const {
  const double v = log2_ ? std::log2(value) : value;
  const double share = (v - low_) / (high_ - low_);
  return std::isfinite(share) ? from_ + share * (to_ - from_) : (from_ + to_) / 2;
}

Svg::Svg(std::string_view id, double width, double height, std::string_view title, std::string_view description,
         std::string_view says, std::string_view style) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\" "
      "role=\"group\" "
      "aria-labelledby=\"{0}-t {0}-d\"><metadata>{5}</metadata><style>{6}</style><title id=\"{0}-t\">{3}</title>"
      "<desc id=\"{0}-d\">{4}</desc>",
      id, coordinate(width), coordinate(height), escape(title), escape(description), says, style);
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

void Svg::path(std::string_view css_class, std::string_view data, std::string_view more) {
  next() += fmt::format("<path class=\"{}\" d=\"{}\"{}{}/>", css_class, data, more.empty() ? "" : " ", more);
}

void Svg::rectangle(std::string_view css_class, const Box& box) {
  next() += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", css_class,
                        coordinate(box.x), coordinate(box.y), coordinate(box.width), coordinate(box.height));
}

void Svg::text(std::string_view css_class, double x, double y, std::string_view align, std::string_view text) {
  std::string look = fmt::format(" class=\"{}\"", css_class);
  if (align != "start") look += fmt::format(" text-anchor=\"{}\"", align);
  if (look != look_) next(), look_ = look;
  texts_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", coordinate(x), coordinate(y), escape(text));
}

void Svg::open_group(double x, double y) {
  next() += fmt::format("<g transform=\"translate({} {})\">", coordinate(x), coordinate(y));
}

void Svg::open_note(std::string_view css_class, std::string_view tooltip) {
  next() += fmt::format("<g class=\"{}\"><title>{}</title>", css_class, escape(tooltip));
}

void Svg::close_group() { next() += "</g>"; }

std::string Svg::finish() && { return next() + "</svg>\n"; }

}  // namespace warpclock
