#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/numbers/quantity.hpp"
#include "base/error.hpp"
#include "record/record.hpp"

namespace warpclock {

/// A number of the drawing.
struct PictureRow {
  std::string label;  ///< "latency"
  const Quantity* quantity = nullptr;
  const Quantity* share_of = nullptr;
  std::optional<QuantityValue> found;
  std::string value;  ///< "34.8 B/clk/SM", "not found"
  std::string more;   ///< "9107 GB/s, 97.1 % of 4814 GB/s"; usually empty
};

struct PictureBox {
  std::string name;
  std::vector<PictureRow> rows;
};

/// SM, L2, DRAM: one box, or several inside it.
struct PictureLevel {
  std::string name;
  bool counts_sms = false;
  std::string count;              ///< "132 in this GPU, 1980 MHz"; usually empty
  std::vector<PictureBox> boxes;  ///< a box without a name holds the level's own rows
  std::vector<PictureRow> link;   ///< numbers of the link to the next level
};

/// The memory system from the SM outwards.
struct Picture {
  std::string device;
  std::vector<PictureLevel> levels;

  /// Whether any of its numbers was measured.
  [[nodiscard]] bool any() const;
};

/// The drawing without numbers. The text is foreign input: error "config" at "file:line:column". Points into
/// `quantities`.
[[nodiscard]] Expected<Picture> parse_picture(const std::string& file, std::string_view text,
                                              const Quantities& quantities);

/// The drawing that the program carries.
[[nodiscard]] const Expected<Picture>& known_picture();

/// The drawing with the record's numbers. A number that the record's probes looked for but did not find is marked as
/// not found; one that none of them looked for is left out. Pure.
[[nodiscard]] Picture fill(Picture picture, const Record& record);

}  // namespace warpclock
