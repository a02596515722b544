#include "answer/sections/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "answer/numbers/figures.hpp"
#include "base/files/embedded.hpp"

namespace warpclock {

void describe(YamlArchive& a, PictureRow& v, const Quantities& quantities) {
  const auto quantity = yaml::entry_of(quantities, "quantity");
  WARPCLOCK_REQUIRED(label);
  a.required("of", v.quantity, quantity);
  a.optional("share_of", v.share_of, quantity);
}

void describe(YamlArchive& a, PictureBox& v, const Quantities& quantities) {
  a.required("box", v.name);
  a.required("rows", v.rows, yaml::list_of(yaml::with(quantities)));
}

void describe(YamlArchive& a, PictureLevel& v, const Quantities& quantities) {
  const auto list = yaml::list_of(yaml::with(quantities));
  std::string counted;
  PictureBox own;
  a.required("level", v.name);
  a.optional("count", counted, yaml::OneOfWords{{"sms"}});
  v.counts_sms = !counted.empty();
  a.optional("boxes", v.boxes, list);
  a.optional("rows", own.rows, list);
  a.one_of({"boxes", "rows"});
  if (a.has("rows")) v.boxes = {own};
  a.optional("link", v.link, list);
}

namespace {

/// GB/s of a quantity: its value, or that of all SMs.
std::optional<ClockedNumber> gigabytes_of(const QuantityValue& found, const Record& record) {
  if (found.unit == "GB/s") return ClockedNumber{found.value, found.low, found.high};
  return gigabytes_per_second(found.most.value_or(found.value), found.unit, record.device.sms, found.clock);
}

void fill(PictureRow& row, const Record& record) {
  row.found = find_quantity(record, *row.quantity);
  row.value = row.found ? value_text(*row.found) : "not found";
  if (!row.found || row.found->unit == "GB/s") return;
  const std::optional<ClockedNumber> rate = gigabytes_of(*row.found, record);
  if (!rate) return;
  row.more = (row.found->most ? "up to " : "") + gigabytes_text(*rate);
  if (row.share_of == nullptr) return;
  const std::optional<QuantityValue> whole = find_quantity(record, *row.share_of);
  const std::optional<ClockedNumber> all = whole ? gigabytes_of(*whole, record) : std::nullopt;
  if (!all || !(all->value > 0)) return;
  const double percent = 100 / all->value;
  const ClockedNumber share{percent * rate->value, percent * rate->low, percent * rate->high, rate->moved};
  row.more += fmt::format(", {} % of the peak", clocked_text(share, 1));
}

/// Whether the record has a case of a probe that could find the quantity.
bool looked_for(const Quantity& quantity, const Record& record) {
  return std::ranges::any_of(quantity.from, [&](const Selector& place) {
    return std::ranges::find(record.rows, place.probe, &Row::probe) != record.rows.end();
  });
}

void fill(std::vector<PictureRow>& rows, const Record& record) {
  for (PictureRow& row : rows) fill(row, record);
  std::erase_if(rows, [&](const PictureRow& row) { return !row.found && !looked_for(*row.quantity, record); });
}

/// What the drawing says about the SMs in general: their number, and the clock around its numbers.
std::string sms_text(const Picture& picture, const Record& record) {
  std::vector<double> clocks;
  const auto collect = [&](const std::vector<PictureRow>& rows) {
    for (const PictureRow& row : rows) {
      if (row.found && row.found->clock.mhz > 0)
        clocks.insert(clocks.end(), {row.found->clock.low, row.found->clock.high});
    }
  };
  for (const PictureLevel& level : picture.levels) {
    for (const PictureBox& box : level.boxes) collect(box.rows);
    collect(level.link);
  }
  std::string text = record.device.sms > 0 ? fmt::format("{} of them", record.device.sms) : "";
  if (clocks.empty()) return text;
  const auto [low, high] = std::ranges::minmax(clocks);
  const std::string least = fixed(low, 0), most = fixed(high, 0);
  return text + (text.empty() ? "" : ", ") + (least == most ? most : least + " to " + most) + " MHz";
}

}  // namespace

bool Picture::any() const {
  const auto measured = [](const PictureRow& row) { return row.found && !row.found->probe.empty(); };
  return std::ranges::any_of(levels, [&](const PictureLevel& level) {
    return std::ranges::any_of(level.link, measured) || std::ranges::any_of(level.boxes, [&](const PictureBox& box) {
             return std::ranges::any_of(box.rows, measured);
           });
  });
}

Expected<Picture> parse_picture(const std::string& file, std::string_view text, const Quantities& quantities) {
  const auto form = yaml::under("picture", yaml::list_of(yaml::with(quantities)));
  Picture picture;
  picture.levels = WARPCLOCK_TRY(read_yaml<std::vector<PictureLevel>>(file, text, form));
  return picture;
}

const Expected<Picture>& known_picture() {
  static const Expected<Picture> known = [] {
    const Expected<Quantities>& quantities = known_quantities();
    return quantities ? parse_picture("picture.yaml", embedded_assets().at("picture.yaml"), *quantities)
                      : std::unexpected(quantities.error());
  }();
  return known;
}

Picture fill(Picture picture, const Record& record) {
  picture.device = record.device.name;
  for (PictureLevel& level : picture.levels) {
    for (PictureBox& box : level.boxes) fill(box.rows, record);
    std::erase_if(level.boxes, [](const PictureBox& box) { return !box.name.empty() && box.rows.empty(); });
    fill(level.link, record);
  }
  for (PictureLevel& level : picture.levels) {
    if (level.counts_sms) level.count = sms_text(picture, record);
  }
  return picture;
}

}  // namespace warpclock
