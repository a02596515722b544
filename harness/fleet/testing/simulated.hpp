#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/outline.hpp"

namespace warpclock::testing {

/// A deviation that was put into a simulated record.
struct Planted {
  std::size_t gpu = 0;
  std::string id, estimate;
};

/// Records of GPUs that do not exist, made from the text of a committed one: another UUID and node, and each estimate
/// with a deviation of its own. Samples, PTX and SASS stay, so a record is as large as a real one.
class SimulatedFleet {
 public:
  /// `ids`: the rows to keep; empty for all.
  SimulatedFleet(const std::string& record_text, const std::set<std::string>& ids) {
    const Record record = parse_record(record_text, "template").value();
    for (const Row& row : record.rows)
      if (ids.empty() || ids.contains(row.id)) add_row(row);
    std::string text = record_text.substr(0, record_text.find("\"rows\":["));
    std::size_t at = text.find("\"argv\":");
    pieces_ = {text.substr(0, at), "", ""};
    const std::size_t uuid = text.find(record.device.uuid);
    pieces_[1] = text.substr(at, uuid - at);
    pieces_[2] = text.substr(uuid + record.device.uuid.size()) + "\"rows\":[\n";
    for (const std::string& line : lines(std::string_view(record_text).substr(text.size()))) take_line(line, ids);
  }

  /// The standard deviation between GPUs, as a share: what fixes a number decides. Encoded latencies and facts are the
  /// same on all GPUs; latencies of L2 and DRAM depend on the die (between two H200s 4 and 5 % were seen).
  static double sigma_of(const Row& row, const Estimate& estimate) {
    switch (kind_of(row, estimate)) {
      case EstimateKind::FixedLatency:
      case EstimateKind::Exact:
        return 0;
      case EstimateKind::Rate:
        return 0.001;
      case EstimateKind::Bandwidth:
        return 0.002;
      case EstimateKind::Counter:
        return 0.001;
      case EstimateKind::Cycles:
        return estimate.unit == "cycles" && estimate.value > 200 && row.family == "memory" ? 0.015 : 0.0015;
    }
    return 0;
  }

  /// The record of one GPU; some GPUs have one number that is `share` off.
  std::string text_of(std::size_t gpu, double share, std::vector<Planted>& planted) const {
    std::mt19937_64 random(gpu + 1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const bool off = share > 0 && uniform(random) < 0.2;
    const std::size_t which = std::uniform_int_distribution<std::size_t>(0, numbers_.size() - 1)(random);
    const double side = uniform(random) < 0.5 ? -1 : 1;
    std::string text = pieces_[0];
    text += fmt::format("\"host\":\"node{:04}\",", gpu / 8) + pieces_[1];
    text += fmt::format("GPU-{:08x}-{:04x}-0000-0000-000000000000", gpu * 2654435761U % 4294967296U, gpu % 65536) +
            pieces_[2];
    std::size_t next = 0;
    for (const std::string& piece : rows_) {
      text += with_own_clock(piece, gpu);
      if (next == numbers_.size()) break;
      const Number& number = numbers_[next];
      // Real distributions have more far values than the normal one.
      const double wide = uniform(random) < 0.02 ? 2 : 1;
      double factor = 1 + number.sigma * wide * normal(random);
      if (off && next == which && number.estimate.value != 0 && !number.derived) {
        factor += side * share;
        planted.push_back({gpu, number.id, number.estimate.name});
      }
      text += fmt::format("\"value\":{},\"low\":{},\"high\":{}", number.estimate.value * factor,
                          number.estimate.low * factor, number.estimate.high * factor);
      ++next;
    }
    return text;
  }

  /// Writes so many records below `folder`, a folder for each.
  std::vector<Planted> write(const std::filesystem::path& folder, std::size_t gpus, double share) const {
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::vector<Planted>> planted(threads);
    {
      std::vector<std::jthread> writers;
      for (std::size_t first = 0; first < threads; ++first) {
        writers.emplace_back([&, first] {
          for (std::size_t gpu = first; gpu < gpus; gpu += threads)
            EXPECT_TRUE(write_file_atomically(folder / fmt::format("gpu{:05}", gpu) / "result.json.gz",
                                              packed(text_of(gpu, share, planted[first])), Synced::No));
        });
      }
    }
    std::vector<Planted> all;
    for (const auto& some : planted) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

  [[nodiscard]] std::size_t numbers() const { return numbers_.size(); }

 private:
  /// No two GPUs have the same clock to the last digit.
  static std::string with_own_clock(std::string piece, std::size_t gpu) {
    constexpr std::string_view key = "\"sm_mhz\":";
    constexpr std::size_t kept = 3;  // of the fraction, with its point
    for (std::size_t at = piece.find(key); at != std::string::npos; at = piece.find(key, at + 1)) {
      const std::size_t end = piece.find_first_of(",}", at), from = piece.find('.', at) + kept;
      if (from < end) piece.replace(from, end - from, fmt::format("{:05}", gpu % 100'000));
    }
    return piece;
  }

  struct Number {
    std::string id;
    Estimate estimate;
    double sigma = 0;
    bool derived = false;  ///< no number of the GPU: overheads and encoded cycles
  };

  void add_row(const Row& row) {
    for (const Estimate& estimate : row.estimates) {
      const bool derived = estimate.method == "intercept" || estimate.method == "encoded";
      numbers_.push_back({row.id, estimate, derived ? 0 : sigma_of(row, estimate), derived});
    }
  }

  /// Cuts the numbers of the estimates out of a row's line.
  void take_line(const std::string& line, const std::set<std::string>& ids) {
    constexpr std::string_view head = "{\"id\":\"", value = "\"value\":";
    if (!line.starts_with(head)) return;
    const std::string id = line.substr(head.size(), line.find('"', head.size()) - head.size());
    if (!ids.empty() && !ids.contains(id)) return;
    if (rows_.empty()) rows_.emplace_back();
    if (!first_) rows_.back() += ",\n";
    first_ = false;
    std::size_t from = 0;
    const std::size_t begin = line.find("\"estimates\":["),
                      end = begin == std::string::npos ? 0 : line.find("}]", begin);
    for (std::size_t at = line.find(value, begin); begin != std::string::npos && at < end;
         at = line.find(value, from)) {
      rows_.back() += line.substr(from, at - from);
      from = line.find_first_of(",}", line.find("\"high\":", at));
      rows_.emplace_back();
    }
    std::string rest = line.substr(from);
    if (rest.ends_with(',')) rest.pop_back();
    rows_.back() += rest;
  }

  /// Packed quickly: level 1.
  static std::string packed(const std::string& text) {
    z_stream stream{};
    constexpr int as_gzip = 31;
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, as_gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
    const std::string whole = text + "\n]}\n";
    std::string out(deflateBound(&stream, static_cast<uLong>(whole.size())), '\0');
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(whole.data()));
    stream.avail_in = static_cast<uInt>(whole.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }

  std::vector<std::string> pieces_;  ///< of the head: before the host, up to the UUID, after it
  std::vector<std::string> rows_;    ///< the text before each number, and after the last
  std::vector<Number> numbers_;
  bool first_ = true;
};

}  // namespace warpclock::testing
