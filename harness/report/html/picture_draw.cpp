
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/charts/svg.hpp"
#include "report/html/html_parts.hpp"
#include "report/sections/picture.hpp"

namespace warpclock {
namespace {

constexpr double gap = 14, title_height = 30, line_height = 22, second_line = 15;
constexpr double least_box = 236, least_cell = 190, most_cell = 270, cell_space = 2 * gap;

double height_of(const PictureRow& row) { return row.more.empty() ? line_height : line_height + second_line; }

double height_of(const std::vector<PictureRow>& rows) {
  double sum = 0;
  for (const PictureRow& row : rows) sum += height_of(row);
  return sum;
}

/// How many cells of a minimum width fit side by side, and the resulting width of each.
struct CellGrid {
  CellGrid(double room, std::size_t cells, double space, double least) {
    const double fit = (room + space) / (least + space);
    count = std::clamp(static_cast<std::size_t>(std::max(fit, 1.0)), std::size_t{1}, std::max(cells, std::size_t{1}));
    // The same number of rows of cells, filled as evenly as possible.
    const std::size_t rows = (std::max(cells, std::size_t{1}) + count - 1) / count;
    count = (std::max(cells, std::size_t{1}) + rows - 1) / rows;
    width = (room - space * static_cast<double>(count - 1)) / static_cast<double>(count);
  }
  std::size_t count = 1;
  double width = 0;
};

std::string tooltip(const PictureRow& row) {
  std::string text = row.quantity->says;
  if (!row.found) return text + ": not found";
  text += ": " + row.value;
  if (const std::string interval = interval_text(*row.found); !interval.empty()) text += ", " + interval;
  return text + " (" + (row.found->probe.empty() ? "" : row.found->probe + ", ") + row.found->from + ")";
}

std::string in_words(const std::string& name, const std::vector<PictureRow>& rows) {
  std::string text;
  for (const PictureRow& row : rows) {
    text += (text.empty() ? name + ": " : ", ") + row.label + " " + row.value;
    if (!row.more.empty()) text += " (" + row.more + ")";
  }
  return text.empty() ? text : text + ". ";
}

std::string description(const Picture& picture) {
  std::string text;
  for (std::size_t i = 0; i < picture.levels.size(); ++i) {
    const PictureLevel& level = picture.levels[i];
    for (const PictureBox& box : level.boxes) text += in_words(box.name.empty() ? level.name : box.name, box.rows);
    if (i + 1 < picture.levels.size()) {
      text += in_words("Between " + level.name + " and " + picture.levels[i + 1].name, level.link);
    }
  }
  return text;
}

/// The rate that determines the width of a link's band: that of its first row.
double rate_of(const std::vector<PictureRow>& link) {
  return link.empty() || !link.front().found ? 0 : link.front().found->value;
}

class Drawing {
 public:
  Drawing(const Picture& picture, const std::string& id, double width, double height)
      : picture_(picture),
        width_(width),
        svg_(id, "picture", width, height, "The memory system of " + picture.device, description(picture)) {
    for (const PictureLevel& level : picture.levels) widest_ = std::max(widest_, rate_of(level.link));
  }

  double draw() {
    double y = 1;
    for (std::size_t i = 0; i < picture_.levels.size(); ++i) {
      y = level(picture_.levels[i], y);
      if (i + 1 < picture_.levels.size()) y = link(picture_.levels[i].link, y);
    }
    return y + 1;
  }

  std::string finish() && { return std::move(svg_).finish(); }

 private:
  double level(const PictureLevel& level, double y) {
    const double inner = width_ - 2 - 2 * gap;
    const bool plain = level.boxes.size() == 1 && level.boxes.front().name.empty();
    const double body = plain ? cells_height(level.boxes.front().rows, inner) : boxes_height(level.boxes, inner);
    const double height = title_height + body + gap;
    svg_.rect("lvl", 1, y, width_ - 2, height);
    svg_.text("nm", 1 + gap, y + 21, "start", level.name);
    if (!level.count.empty()) svg_.text("t", width_ - 1 - gap, y + 21, "end", level.count);
    if (plain) {
      cells(level.boxes.front().rows, 1 + gap, y + title_height, inner);
    } else {
      boxes(level.boxes, 1 + gap, y + title_height, inner);
    }
    return y + height;
  }

  static double box_height(const PictureBox& box) { return title_height + height_of(box.rows) + 8; }

  /// The heights of the rows of boxes: each is that of its highest box.
  static std::vector<double> box_rows(const std::vector<PictureBox>& boxes, std::size_t columns) {
    std::vector<double> heights;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (i % columns == 0) heights.push_back(0);
      heights.back() = std::max(heights.back(), box_height(boxes[i]));
    }
    return heights;
  }

  static double boxes_height(const std::vector<PictureBox>& boxes, double room) {
    double sum = -gap;
    for (const double height : box_rows(boxes, CellGrid(room, boxes.size(), gap, least_box).count)) sum += height + gap;
    return sum;
  }

  void boxes(const std::vector<PictureBox>& boxes, double x, double y, double room) {
    const CellGrid columns(room, boxes.size(), gap, least_box);
    const std::vector<double> heights = box_rows(boxes, columns.count);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const std::size_t column = i % columns.count, row = i / columns.count;
      if (column == 0 && row > 0) y += heights[row - 1] + gap;
      const double left = x + static_cast<double>(column) * (columns.width + gap);
      svg_.rect("box", left, y, columns.width, heights[row]);
      svg_.text("nm", left + gap, y + 21, "start", boxes[i].name);
      double at = y + title_height;
      for (const PictureRow& each : boxes[i].rows) {
        number(each, left + gap, at, columns.width - 2 * gap);
        at += height_of(each);
      }
    }
  }

  /// The heights of the lines of cells.
  static std::vector<double> cell_lines(const std::vector<PictureRow>& rows, std::size_t columns) {
    std::vector<double> heights;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % columns == 0) heights.push_back(0);
      heights.back() = std::max(heights.back(), height_of(rows[i]));
    }
    return heights;
  }

  static double cells_height(const std::vector<PictureRow>& rows, double room) {
    double sum = 0;
    for (const double height : cell_lines(rows, CellGrid(room, rows.size(), cell_space, least_cell).count))
      sum += height;
    return sum;
  }

  void cells(const std::vector<PictureRow>& rows, double x, double y, double room) {
    const CellGrid columns(room, rows.size(), cell_space, least_cell);
    const std::vector<double> heights = cell_lines(rows, columns.count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t column = i % columns.count;
      if (column == 0 && i > 0) y += heights[i / columns.count - 1];
      const double width = columns.count > 1 ? std::min(columns.width, most_cell) : columns.width;
      number(rows[i], x + static_cast<double>(column) * (width + cell_space), y, width);
    }
  }

  /// A band between two levels, with a width in proportion to its rate, and its numbers.
  double link(const std::vector<PictureRow>& rows, double y) {
    const double band_room = width_ < 2 * least_box ? 60 : 96, widest_band = band_room - 2 * gap;
    const double room = width_ - 2 - 2 * gap - band_room;
    const double height = cells_height(rows, room) + 2 * gap;
    const double rate = rate_of(rows);
    const double middle = 1 + gap + band_room / 2 - gap / 2;
    if (rate > 0 && widest_ > 0) {
      const double half = std::max(widest_band * rate / widest_, 2.0) / 2;
      svg_.rect("band", middle - half, y, 2 * half, height);
    } else {
      svg_.line("pl", middle, y, middle, y + height);
    }
    cells(rows, 1 + gap + band_room, y + gap, room);
    return y + height;
  }

  void number(const PictureRow& row, double x, double y, double room) {
    const bool measured = row.found && !row.found->probe.empty();
    if (measured) {
      svg_.open_link("num", probe_anchor(row.found->probe), tooltip(row));
    } else {
      svg_.open_note("num", tooltip(row));
    }
    svg_.text("lb", x, y + 14, "start", row.label);
    svg_.text(measured ? "v" : "st", x + room, y + 14, "end", row.value);
    if (!row.more.empty()) svg_.text("lb", x + room, y + 14 + second_line, "end", row.more);
    if (measured) {
      svg_.close_link();
    } else {
      svg_.close_note();
    }
  }

  const Picture& picture_;
  double width_;
  Svg svg_;
  double widest_ = 0;
};

}  // namespace

std::string draw(const Picture& picture, const std::string& id, double width) {
  // The height is known only after drawing.
  const double height = Drawing(picture, id, width, width).draw();
  Drawing drawing(picture, id, width, height);
  drawing.draw();
  return std::move(drawing).finish();
}

}  // namespace warpclock
