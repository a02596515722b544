#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/files/packed_file.hpp"
#include "capture/capture.hpp"
#include "check/study.hpp"
#include "fleet/fleet.hpp"
#include "fleet/observations.hpp"
#include "plan/config/stanza.hpp"
#include "predict/counts.hpp"
#include "record/json/record_json.hpp"

namespace warpclock::testing {

struct Reading {
  bool taken = false;  ///< the text was what it must be
  std::string wrong;   ///< what no text may make of a reader, or empty
};

/// What a reader makes of foreign text.
template <class Read>
Reading read_once(std::string_view text, const Read& read) {
  const auto made = read(text);
  return {made.has_value(), made || !made.error().text.empty() ? "" : "an error without a text"};
}

/// What it takes it must take again from its own writer, which then writes the same.
template <class Read, class Write>
Reading read_again(std::string_view text, const Read& read, const Write& write) {
  const auto first = read(text);
  if (!first) return read_once(text, read);
  const std::string written = write(*first);
  const auto again = read(written);
  if (!again) return {true, "it does not read what it wrote: " + again.error().message()};
  return {true, write(*again) == written ? "" : "it writes something else the second time"};
}

inline Reading read_record_of(std::string_view text, RecordFile file, bool numbers) {
  const auto read = [&](std::string_view of) { return parse_record(of, "record", {{file}, numbers}); };
  if (numbers) return read_once(text, read);
  return read_again(text, read, [](const Record& record) { return to_json(record); });
}

/// A reader of foreign text. Its name is that of its folder in harness/cli/testdata/readers.
struct Reader {
  std::string_view name;
  Reading (*read)(std::string_view text);
};

constexpr std::array readers = {
    Reader{"result", [](std::string_view text) { return read_record_of(text, RecordFile::Result, false); }},
    Reader{"instructions", [](std::string_view text) { return read_record_of(text, RecordFile::Instructions, false); }},
    Reader{"machine", [](std::string_view text) { return read_record_of(text, RecordFile::Machine, false); }},
    Reader{"kernels", [](std::string_view text) { return read_record_of(text, RecordFile::Cases, false); }},
    Reader{"numbers", [](std::string_view text) { return read_record_of(text, RecordFile::Result, true); }},
    Reader{"journal",
           [](std::string_view text) {
             return read_again(
                 text, [](std::string_view of) { return parse_row(of); },
                 [](const Row& row) { return to_json_line(row); });
           }},
    Reader{"baseline",
           [](std::string_view text) {
             return read_again(
                 text, [](std::string_view of) { return parse_baseline(of, "baseline"); },
                 [](const Baseline& baseline) { return to_json(baseline); });
           }},
    Reader{"capture",
           [](std::string_view text) {
             return read_again(
                 text, [](std::string_view of) { return parse_capture(of, "capture"); },
                 [](const Capture& capture) { return to_json(capture); });
           }},
    Reader{"config",
           [](std::string_view text) {
             return read_once(text, [](std::string_view of) { return load_suite({{"a.yaml", std::string(of)}}); });
           }},
    Reader{"launches",
           [](std::string_view text) {
             return read_once(text, [](std::string_view of) -> Expected<std::vector<KernelCase>> {
               return kernel_cases(WARPCLOCK_TRY(read_studies("a.yaml", of, SourceKey::Optional)), 132);
             });
           }},
    Reader{"gpus",
           [](std::string_view text) {
             return read_once(text, [](std::string_view of) { return listed_gpus(of, "gpus"); });
           }},
    Reader{"counts",
           [](std::string_view text) { return read_once(text, [](std::string_view of) { return parse_counts(of); }); }},
    Reader{"gzip",
           [](std::string_view text) {
             return read_again(
                 text, [](std::string_view of) { return gunzip(of, std::size_t{1} << 20U); },
                 [](const std::string& bytes) { return gzip_compress(bytes); });
           }},
};

}  // namespace warpclock::testing
