#include "record/json/packed_json_read.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/json/json_writer.hpp"

namespace warpclock::packed {

using Keys = std::initializer_list<const char*>;

struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::size_t whole(const Json& value) {
  if (!value.is_number_unsigned()) throw Damaged("an index or a count is no whole number");
  return value.get<std::size_t>();
}

/// [value, value, ...] by these keys.
Json named(Keys keys, const Json& values) {
  Json out = Json::object();
  std::size_t i = 0;
  for (const char* key : keys) out[key] = values.at(i++);
  return out;
}

using NewNames = std::initializer_list<std::pair<const char*, const char*>>;

/// The values of optional keys under new names.
void rename(NewNames names, const Json& from, Json& to) {
  for (const auto& [before, now] : names)
    if (from.contains(before)) to[now] = from.at(before);
}

void copy(Keys keys, const Json& from, Json& to) {
  for (const char* key : keys) rename({{key, key}}, from, to);
}

/// The elements of an optional list.
const Json& each_of(const Json& object, const char* key) {
  static const Json none = Json::array();
  return object.contains(key) ? object.at(key) : none;
}

/// What rows of schema 2 (of machine.json: 1) share is stated once, in lists before the rows, and they mean it by its
/// index.
class PackedPools {
 public:
  explicit PackedPools(const Json& file) : file_(file) {}

  void spend(std::size_t pieces) {
    constexpr std::size_t most = 10'000'000;
    spent_ += pieces;
    if (pieces > most || spent_ > most) throw Damaged("more than a record can hold");
  }
  /// What `index` means in the list `pool`.
  const Json& shared(const char* pool, const Json& index) {
    const Json& found = file_.at(pool).at(whole(index));
    spend(1 + (found.is_string() ? found.get_ref<const std::string&>().size() / 16 : found.size()));
    return found;
  }
  void share(Keys keys, const char* pool, const Json& from, Json& to) {
    for (const char* key : keys)
      if (from.contains(key)) to[key] = shared(pool, from.at(key));
  }
  Json mix(const Json& index) {
    const Json& packed = shared("mixes", index);
    Json out = Json::array();
    for (std::size_t i = 0; i + 1 < packed.size(); i += 2)
      out.push_back({{"opcode", shared("opcodes", packed.at(i))}, {"count", packed.at(i + 1)}});
    return out;
  }
  /// [3, [16, 4, 5], 6]: the third, sixteen times the fourth and the fifth, the sixth.
  Json lines(const char* pool, const Json& packed) {
    Json out = Json::array();
    for (const Json& each : packed) {
      if (!each.is_array()) {
        out.push_back(line(pool, each));
        continue;
      }
      if (each.size() < 2) throw Damaged("no lines are repeated");
      spend(whole(each.at(0)));
      for (std::size_t times = whole(each.at(0)); times > 0; --times)
        for (std::size_t i = 1; i < each.size(); ++i) out.push_back(line(pool, each.at(i)));
    }
    return out;
  }
  Json estimate(const Json& packed) {
    const Json& kind = shared("kinds", packed.at(0));
    Json out = {{"name", kind.at(0)}, {"value", packed.at(1)}, {"unit", kind.at(1)}, {"method", kind.at(2)}};
    out["n"] = kind.at(3);
    out["low"] = packed.at(packed.size() > 2 ? 2 : 1);
    out["high"] = packed.at(packed.size() > 2 ? 3 : 1);
    if (packed.size() > 4) out["note"] = shared("texts", packed.at(4));
    if (kind.size() > 4) out["note"] = kind.at(4);
    return out;
  }
  Json pairs(const char* pool, const Json& packed) {
    Json out = Json::object();
    for (std::size_t i = 0; i < packed.size(); i += 2)
      out[shared(pool, packed.at(i)).get<std::string>()] = packed.at(i + 1);
    return out;
  }
  static Json clock(const Json& row) {
    const Json& packed = each_of(row, "clock");
    Json out = Json::object();
    if (!packed.empty()) out = named({"sm_mhz", "memory_mhz", "power_w", "temperature_c"}, packed);
    for (std::size_t i = 4; i < packed.size(); ++i) out["throttle"].push_back(packed.at(i));
    if (row.contains("sharing")) out.update(named({"wait_us", "pause_us", "others"}, row.at("sharing")));
    return out;
  }

 private:
  Json line(const char* pool, const Json& index) {
    const Json& found = shared(pool, index);
    if (!found.is_array()) return found;
    const auto& control = shared("controls", found.at(0)).get_ref<const std::string&>();
    return control.empty() ? found.at(1) : Json(control + "  " + found.at(1).get<std::string>());
  }

  const Json& file_;
  std::size_t spent_ = 0;
};

}  // namespace warpclock::packed

namespace warpclock {
namespace {

using namespace packed;

void unpack_kernel(PackedPools& file, const Json& packed, Json& row) {
  Json& window = row["window"] = {{"verdict", packed.value("verdict", "")}};
  rename({{"label", "label"}, {"hash", "sass_hash"}, {"encoded", "encoded_cycles"}}, packed, window);
  if (packed.contains("mix")) window["opcodes"] = file.mix(packed.at("mix"));
  window["sass"] = file.lines("lines", each_of(packed, "sass"));
  std::string ptx;
  for (const Json& line : file.lines("ptx", each_of(packed, "ptx"))) ptx += line.get<std::string>() + '\n';
  row["ptx"] = ptx.substr(0, ptx.size() - (ptx.empty() ? 0 : 1));
}

Json unpack_case(PackedPools& file, const Json& row) {
  const Json& group = file.shared("groups", row.at("group"));
  Json out = {{"probe", group.at(0)}, {"family", group.at(1)}, {"arch", group.at(2)}};
  std::string id = group.at(0).get<std::string>(), separator = "[";
  for (const Json& name : group.at(3)) {
    const Json& value = row.at("at").at(out["parameters"].size());
    out["parameters"][name.get<std::string>()] = value;
    id += separator + name.get<std::string>() + '=' + (value.is_string() ? value.get<std::string>() : value.dump());
    separator = ",";
  }
  out["id"] = row.value("id", separator == "," ? id + ']' : id);
  out["outcome"] = row.value("outcome", "measured");
  if (row.contains("reason"))
    out["reason"] = named({"stage", "code", "text"}, file.shared("reasons", row.at("reason")));
  for (const Json& each : each_of(row, "estimates")) out["estimates"].push_back(file.estimate(each));
  for (const Json& each : each_of(row, "premises")) {
    out["premises"].push_back(named({"text", "known", "held", "why_unknown"}, file.shared("judgements", each.at(0))));
    out["premises"].back()["value"] = each.at(1);
  }
  for (const Json& each : each_of(row, "samples")) {
    out["samples"].push_back({{"n", each.at(0)}, {"cycles", each}});
    out["samples"].back()["cycles"].erase(0);
  }
  for (const char* key : {"facts", "counters"}) out[key] = file.pairs("names", each_of(row, key));
  copy({"places"}, row, out);
  file.share({"counters_missing"}, "texts", row, out);
  out["clock"] = PackedPools::clock(row);
  if (row.contains("kernel")) unpack_kernel(file, file.shared("kernels", row.at("kernel")), out);
  for (const Json& each : each_of(row, "measures")) out["measures"].push_back(file.shared("measures", each));
  for (const Json& each : each_of(row, "rules")) out["premise_rules"].push_back(file.shared("rules", each));
  return out;
}

/// 52: so many cycles in every launch; [56, 0, 3, 1]: 56, 59 and 57 in a launch each.
Json unpack_series(PackedPools& file, const Json& packed, std::size_t launches) {
  if (packed.is_array()) {
    Json out = packed;
    out.erase(0);
    for (Json& each : out)
      if (!each.is_null()) each = std::round((packed.at(0).get<double>() + each.get<double>()) * 100) / 100;
    return out;
  }
  file.spend(launches);
  return Json(launches, packed);
}

Json unpack_run(PackedPools& file, const Json& packed) {
  Json out = named({"name", "verdict", "safeguard"}, file.shared("asks", packed.at(0)));
  out["sass_hash"] = packed.at(1);
  out["opcodes"] = file.mix(packed.at(2));
  const Json rest = packed.size() > 3 ? packed.at(3) : Json::object();
  if (rest.contains("text")) out["reason"] = file.shared("texts", rest.at("text"));
  file.share({"note"}, "texts", rest, out);
  out["trips"] = rest.value("trips", 1);
  out["sass"] = file.lines("lines", each_of(rest, "sass"));
  rename({{"encoded", "encoded_cycles"}}, rest, out);
  for (const Json& each : each_of(rest, "via")) out["via"].push_back(named({"instruction", "cycles"}, each));
  const Json& samples = each_of(rest, "samples");
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Json& place = file.shared("grids", samples.at(0)).at(i - 1);
    out["samples"].push_back({{"warps", place.at(0)}, {"n", place.at(1)}});
    out["samples"].back()["cycles"] = unpack_series(file, samples.at(i), whole(place.at(2)));
  }
  return out;
}

Json unpack_instruction(PackedPools& file, const std::string& arch, const Json& row) {
  const auto id = row.at("id").get<std::string>(), ptx = row.at("ptx").get<std::string>();
  Json out = {{"id", id}, {"ptx", ptx.starts_with(' ') ? id.substr(id.find('/') + 1) + ptx : ptx}};
  out["family"] = row.value("family", id.substr(0, id.find('/')));
  out["arch"] = row.value("arch", arch);
  out["outcome"] = row.value("outcome", "measured");
  if (row.contains("reason")) out["reason"] = named({"stage", "code", "text"}, file.shared("lists", row.at("reason")));
  file.share({"section", "types", "counters_missing"}, "texts", row, out);
  file.share({"labels", "pipes"}, "lists", row, out);
  rename({{"findings", "disagreements"}}, row, out);
  Json& expansion = out["expansion"] = Json::array();
  if (row.contains("became"))
    for (const Json& each : file.mix(row.at("became"))) {
      file.spend(whole(each.at("count")));
      expansion.insert(expansion.end(), whole(each.at("count")), each.at("opcode"));
    }
  for (const Json& each : each_of(row, "estimates")) out["estimates"].push_back(file.estimate(each));
  const Json& curve = each_of(row, "curve");
  for (std::size_t i = 1; i < curve.size(); ++i) {
    out["curve"].push_back(named({"warps", "ilp"}, file.shared("grids", curve.at(0)).at(i - 1)));
    out["curve"].back()["rate"] = curve.at(i);
  }
  out["counters"] = file.pairs("metrics", each_of(row, "counters"));
  for (const Json& each : each_of(row, "runs")) out["experiments"].push_back(unpack_run(file, each));
  out["clock"] = PackedPools::clock(row);
  return out;
}

Json unpack_cell(PackedPools& file, const Json& packed) {
  const Json& place = file.shared("machine", packed.at(0));
  Json out = {{"warps", place.at(0)}, {"stall", place.at(1)}, {"yield", place.at(2) != 0}};
  for (const Json& cycles : packed.at(1))
    out["curve"].push_back({{"n", place.at(3 + out["curve"].size())}, {"cycles", cycles}});
  if (packed.size() < 3) return out;
  out["cycles"] = packed.at(2);
  out["low"] = packed.at(packed.size() > 3 ? 3 : 2);
  out["high"] = packed.at(packed.size() > 3 ? 4 : 2);
  if (packed.size() > 5) out["note"] = file.shared("texts", packed.at(5));
  return out;
}

Json unpack_machine(PackedPools& file, const Json& row) {
  Json out = {{"id", row.at("key")}, {"text", row.value("text", "")}};
  copy({"word", "scoreboard"}, row, out);
  rename({{"encoded", "encoded_cycles"}}, row, out);
  if (row.contains("interval")) out["issue_interval"] = file.estimate(row.at("interval"));
  for (const Json& each : each_of(row, "latencies")) {
    Json one = {{"source", each.at("from")}};
    copy({"operand"}, each, one);
    rename({{"through", "return_path"},
            {"through_cycles", "return_path_cycles"},
            {"wrong", "wrong_stalls"},
            {"least", "minimum_stall"},
            {"busy", "minimum_stall_among_warps"}},
           each, one);
    if (each.contains("cycles")) one["cycles"] = file.estimate(each.at("cycles"));
    file.share({"note"}, "texts", each, one);
    out["latencies"].push_back(std::move(one));
  }
  for (const Json& each : each_of(row, "cells")) out["cells"].push_back(unpack_cell(file, each));
  if (row.contains("reason"))
    out["reason"] = named({"code", "text", "place"}, file.shared("reasons", row.at("reason")));
  return out;
}

/// Rows of result.json of schema 1 have their keys, but a window or PTX that an earlier row has shown is meant by that
/// row's id.
struct ShownRow {
  Json ptx = "", sass = Json::array();
};

Json unpack_first(PackedPools& file, std::map<std::string, ShownRow>& shown, Json row) {
  const auto earlier = [&](const Json& id) -> const ShownRow& {
    const auto found = shown.find(id.get<std::string>());
    if (found == shown.end()) throw Damaged(fmt::format("no earlier case '{}'", id.get<std::string>()));
    file.spend(1 + found->second.ptx.get_ref<const std::string&>().size() / 16 + found->second.sass.size());
    return found->second;
  };
  if (row.contains("ptx_of")) row["ptx"] = earlier(row.at("ptx_of")).ptx;
  ShownRow own{row.value("ptx", ""), Json::array()};
  if (row.contains("window")) {
    Json& window = row.at("window");
    if (window.contains("sass_of")) window["sass"] = earlier(window.at("sass_of")).sass;
    own.sass = window.value("sass", Json::array());
  }
  shown.try_emplace(row.at("id").get<std::string>(), std::move(own));
  return row;
}

Json unpack_guide(const Json& packed) {
  Json out = Json::object();
  rename({{"guide_title", "title"}, {"guide_missing", "missing"}}, packed, out);
  for (Json line : each_of(packed, "guide")) {
    line["results"] = line.value("results", 1);
    rename({{"trick", "safeguard"}}, Json(line), line);
    if (line.contains("measured")) line.update(named({"measured", "low", "high"}, Json(line.at("measured"))));
    out["lines"].push_back(std::move(line));
  }
  return out;
}

}  // namespace

Expected<Json> unpack_record(const Json& packed, RecordFile kind, int major, const std::string& place) {
  const char* const key = kind == RecordFile::Result ? "cases" : "rows";
  Json out = Json::object(), rows = Json::array();
  copy({"provenance", "device", "probes", "metrics", "features"}, packed, out);
  PackedPools file(packed);
  std::map<std::string, ShownRow> shown;
  try {
    const std::string arch = packed.at("device").value("arch", "");
    for (const Json& row : packed.at(key)) {
      if (kind == RecordFile::Instructions) {
        rows.push_back(unpack_instruction(file, arch, row));
      } else if (kind == RecordFile::Machine) {
        rows.push_back(unpack_machine(file, row));
      } else {
        rows.push_back(major == 1 ? unpack_first(file, shown, row) : unpack_case(file, row));
      }
    }
    if (kind == RecordFile::Instructions) out["guide"] = unpack_guide(packed);
  } catch (const Json::exception& error) {
    return fail("record", fmt::format("{}[{}]: {}", key, rows.size(), json_problem(error)), place);
  } catch (const Damaged& error) {
    return fail("record", fmt::format("{}[{}]: {}", key, rows.size(), error.what()), place);
  }
  out["rows"] = std::move(rows);
  return out;
}

}  // namespace warpclock
