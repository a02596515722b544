#include "base/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/escape.hpp"

namespace warpclock {
namespace {

constexpr double apart = 28;            // between what is beside each other
constexpr double lane = 12;             // of an edge that passes a layer
constexpr double gap = 40, wide = 110;  // between layers: the least, and the most
constexpr int sweeps = 12;

/// What a layer holds: a box, or the place where an edge passes.
struct Item {
  double width = 0, height = 0;
  std::size_t layer = 0;
  double x = 0;  ///< of the middle
  bool passes = false;
};

/// Two items of neighbouring layers that an edge connects; or of one layer, where an edge turns upwards.
struct Link {
  std::size_t upper = 0, lower = 0;
};

class Layers {
 public:
  Layers(const std::vector<Box>& sizes, const std::vector<DirectedEdge>& edges) : edges_(edges) {
    for (const Box& size : sizes) items_.push_back({.width = size.width, .height = size.height});
    choose_layers();
    for (const DirectedEdge& edge : edges) lead(edge);
    near_.resize(items_.size());
    for (const auto& [upper, lower] : links_) near_[upper].push_back(lower), near_[lower].push_back(upper);
    std::size_t count = 0;
    for (const Item& item : items_) count = std::max(count, item.layer + 1);
    layers_.resize(count);
    for (std::size_t i = 0; i < items_.size(); ++i) layers_[items_[i].layer].push_back(i);
  }

  Drawing draw() && {
    order();
    place();
    return drawn();
  }

 private:
  /// The longest way from a box that nothing leads to.
  void choose_layers() {
    std::vector<int> before(items_.size(), 0);
    std::vector<std::vector<std::size_t>> after(items_.size());
    for (const DirectedEdge& edge : edges_)
      if (!edge.back) ++before[edge.to], after[edge.from].push_back(edge.to);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (before[i] == 0) open.push_back(i);
    while (!open.empty()) {
      const std::size_t item = open.back();
      open.pop_back();
      for (const std::size_t next : after[item]) {
        items_[next].layer = std::max(items_[next].layer, items_[item].layer + 1);
        if (--before[next] == 0) open.push_back(next);
      }
    }
  }

  /// The items through which the edge passes; one that goes back also passes the layers of its ends, beside them.
  void lead(const DirectedEdge& edge) {
    std::vector<std::size_t>& way = ways_.emplace_back(1, edge.from);
    const std::size_t from = items_[edge.from].layer, to = items_[edge.to].layer;
    const auto pass = [&](std::size_t layer) {
      way.push_back(items_.size());
      items_.push_back({.width = lane, .layer = layer, .passes = true});
    };
    if (edge.back)
      for (std::size_t layer = from + 1; layer-- > to;) pass(layer);
    else
      for (std::size_t layer = from + 1; layer < to; ++layer) pass(layer);
    way.push_back(edge.to);
    for (std::size_t i = 0; i + 1 < way.size(); ++i)
      links_.push_back(edge.back ? Link{way[i + 1], way[i]} : Link{way[i], way[i + 1]});
  }

  /// Sorts each layer by the middle of what it is connected with, downwards and upwards in turn.
  void order() {
    std::vector<double> rank(items_.size());
    const auto number = [&](std::vector<std::size_t>& layer) {
      for (std::size_t i = 0; i < layer.size(); ++i) rank[layer[i]] = static_cast<double>(i);
    };
    std::ranges::for_each(layers_, number);
    std::vector<std::vector<std::size_t>> best = layers_;
    std::vector<double> wanted(items_.size());
    std::size_t fewest = crossings(rank);
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        std::vector<std::size_t>& layer = layers_[sweep % 2 == 0 ? i : layers_.size() - 1 - i];
        for (const std::size_t item : layer) wanted[item] = middle(item, rank, sweep % 2 == 0 ? -1 : 1);
        std::ranges::stable_sort(layer, {}, [&](std::size_t item) { return wanted[item]; });
        number(layer);
      }
      const std::size_t now = crossings(rank);
      if (now < fewest) fewest = now, best = layers_;
    }
    layers_ = std::move(best);
  }

  /// The mean place of the items in the layer above (-1) or below (1), and of those in its own; its own without any.
  double middle(std::size_t item, const std::vector<double>& place, int side) const {
    double sum = 0, count = 0;
    for (const std::size_t other : near_[item]) {
      const auto distance = static_cast<int>(items_[other].layer) - static_cast<int>(items_[item].layer);
      if (distance != side && distance != 0) continue;
      sum += place[other] + (distance == 0 && items_[item].passes ? 0.5 : 0);
      ++count;
    }
    return count > 0 ? sum / count : place[item];
  }

  std::size_t crossings(const std::vector<double>& rank) const {
    std::vector<std::vector<std::pair<double, double>>> by_layer(layers_.size());
    for (const auto& [upper, lower] : links_)
      if (items_[upper].layer != items_[lower].layer)
        by_layer[items_[upper].layer].emplace_back(rank[upper], rank[lower]);
    std::size_t count = 0;
    for (const auto& [upper, lower] : links_)
      if (items_[upper].layer == items_[lower].layer)
        count += static_cast<std::size_t>(std::abs(rank[upper] - rank[lower])) - 1;
    for (auto& all : by_layer) {
      std::ranges::sort(all);
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j)
          count += all[i].first < all[j].first && all[i].second > all[j].second ? 1 : 0;
    }
    return count;
  }

  /// Moves the items of each layer as near as their widths allow to the middle of what they are connected with.
  void place() {
    for (const auto& layer : layers_) {
      double x = 0;
      for (const std::size_t item : layer) items_[item].x = x + items_[item].width / 2, x += items_[item].width + apart;
    }
    for (int sweep = 0; sweep < 2 * sweeps; ++sweep)
      for (std::size_t i = 0; i < layers_.size(); ++i)
        move(layers_[sweep % 2 == 0 ? i : layers_.size() - 1 - i], sweep % 3 == 2 ? 0 : sweep % 2 == 0 ? -1 : 1);
  }

  /// Side 0: both. Edges between layers that pass are straight where that is possible.
  void move(const std::vector<std::size_t>& layer, int side) {
    struct Group {
      double sum = 0, weight = 0;  ///< of what the places are wanted to be, less the offsets in the group
      std::size_t end = 0;
    };
    std::vector<Group> groups;
    std::vector<double> offsets;
    double offset = 0;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const Item& item = items_[layer[i]];
      if (i > 0) offset += (items_[layer[i - 1]].width + item.width) / 2 + apart;
      offsets.push_back(offset);
      double sum = 0, weight = 0;
      for (const std::size_t other : near_[layer[i]]) {
        const auto distance = static_cast<int>(items_[other].layer) - static_cast<int>(item.layer);
        if (distance == 0 && item.passes) {
          const double beside = (items_[other].width + item.width) / 2 + apart;
          sum += 8 * (items_[other].x + (items_[other].x < item.x ? beside : -beside)), weight += 8;
        }
        if (distance == 0 || (side != 0 && distance != side)) continue;
        const double pull = item.passes && items_[other].passes ? 8 : item.passes || items_[other].passes ? 2 : 1;
        sum += pull * items_[other].x, weight += pull;
      }
      if (weight == 0) sum = 0.05 * item.x, weight = 0.05;
      groups.push_back({sum - weight * offset, weight, i + 1});
      // Neighbours that want to cover each other move together, to the mean of where they want to be.
      while (groups.size() > 1 && groups[groups.size() - 2].sum * groups.back().weight >=
                                      groups.back().sum * groups[groups.size() - 2].weight) {
        const Group last = groups.back();
        groups.pop_back();
        groups.back() = {groups.back().sum + last.sum, groups.back().weight + last.weight, last.end};
      }
    }
    std::size_t i = 0;
    for (const Group& group : groups)
      for (; i < group.end; ++i) items_[layer[i]].x = group.sum / group.weight + offsets[i];
  }

  /// The edges at the bottom or at the top of an item, from left to right, are this far from its middle.
  std::vector<std::pair<double, double>> ports() const {
    std::vector<std::vector<std::pair<double, std::size_t>>> out(items_.size()), in(items_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      out[edges_[e].from].emplace_back(items_[ways_[e][1]].x, e);
      in[edges_[e].to].emplace_back(items_[ways_[e][ways_[e].size() - 2]].x, e);
    }
    std::vector<std::pair<double, double>> shifts(edges_.size());
    const auto spread = [&](auto& sides, double std::pair<double, double>::*shift) {
      for (std::size_t i = 0; i < sides.size(); ++i) {
        std::ranges::sort(sides[i]);
        for (std::size_t k = 0; k < sides[i].size(); ++k)
          shifts[sides[i][k].second].*shift =
              items_[i].width * ((static_cast<double>(k) + 0.5) / static_cast<double>(sides[i].size()) - 0.5);
      }
    };
    spread(out, &std::pair<double, double>::first);
    spread(in, &std::pair<double, double>::second);
    return shifts;
  }

  Drawing drawn() const {
    Drawing out;
    const auto shifts = ports();
    double left = items_.empty() ? 0 : items_[0].x, right = left;
    for (const Item& item : items_) {
      left = std::min(left, item.x - item.width / 2);
      right = std::max(right, item.x + item.width / 2);
    }
    // Between layers there is more room where an edge goes far to the side.
    std::vector<double> sideways(layers_.size() + 1, 0), top(layers_.size(), 0), bottom(layers_.size(), 0);
    for (const auto& [upper, lower] : links_) {
      const Item &a = items_[upper], &b = items_[lower];
      const std::size_t between = a.layer == b.layer && b.passes ? a.layer : a.layer + 1;
      sideways[between] = std::max(sideways[between], std::abs(a.x - b.x));
    }
    double y = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      y += i == 0 && sideways[0] == 0 ? 0 : std::clamp(sideways[i] / 8, gap, wide);
      top[i] = y;
      for (const std::size_t item : layers_[i]) y = std::max(y, top[i] + items_[item].height);
      bottom[i] = y;
    }
    out.width = right - left;
    out.height = y + (sideways[layers_.size()] > 0 ? wide / 2 : 0);
    for (std::size_t i = 0; i < items_.size() && !items_[i].passes; ++i)
      out.boxes.push_back(
          {items_[i].x - items_[i].width / 2 - left, top[items_[i].layer], items_[i].width, items_[i].height});
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const auto& way = ways_[e];
      const Item &from = items_[way.front()], &to = items_[way.back()];
      Way& points = out.ways.emplace_back();
      points.push_back({from.x + shifts[e].first - left, top[from.layer] + from.height});
      points.push_back({points.back().x, bottom[from.layer]});
      for (std::size_t i = 1; i + 1 < way.size(); ++i) {
        const Item& item = items_[way[i]];
        const double x = item.x - left, above = top[item.layer], below = bottom[item.layer];
        points.push_back({x, edges_[e].back ? below : above});
        points.push_back({x, edges_[e].back ? above : below});
      }
      points.push_back({to.x + shifts[e].second - left, top[to.layer]});
    }
    return out;
  }

  std::vector<DirectedEdge> edges_;
  std::vector<Item> items_;
  std::vector<std::vector<std::size_t>> ways_;  ///< of each edge, the items on it
  std::vector<Link> links_;
  std::vector<std::vector<std::size_t>> near_;
  std::vector<std::vector<std::size_t>> layers_;
};

}  // namespace

Drawing draw_in_layers(const std::vector<Box>& sizes, const std::vector<DirectedEdge>& edges) {
  return Layers(sizes, edges).draw();
}

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
