#include "base/files/marked.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/files/packed_file.hpp"
#include "base/files/paths.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t head_bytes = 4096;

struct Signature {
  std::string_view begins, has;  ///< `has` is searched for in the first head_bytes
};

constexpr std::string_view html_begins = "<!DOCTYPE html>\n<html lang=\"en\"";

constexpr Signature signatures[] = {
    {markdown_mark, ""},
    {html_begins, html_mark},
    {"{\"schema\":{\"major\":", "\"provenance\":"},
    {"{\"run\":\"", ""},  // run.journal
    {"id,family,ptx,types,arch,outcome,reason,", ""},
    {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<root>\n  <architecture", ""},
    {"{\n  \"context\": {", "\"executable\": \"warpclock\""},  // --benchmark_out
    {"20", "\nRunning warpclock\nRun on ("},                   // other formats of it, which begin with a date
    // Data of schema 1, and pages from before the mark was introduced.
    {"{\n  \"schema\": {\n    \"major\": 1,", "\"provenance\":"},
    {"# What GPUs answered\n\nOne folder a GPU", ""},
    {"# What GPUs answered\n\nNo GPU has been measured yet", ""},
    {"# Instructions of ", "A number is given only where the timed machine code was verified."},
    {"# ", "Behind every number stands machine code that was proven to be what its probe claims"},
    {html_begins, " warpclock</title>"},
};

}  // namespace

bool is_marked(std::string_view text) {
  const std::string_view head = text.substr(0, head_bytes);
  return std::ranges::any_of(signatures, [&](const Signature& one) {
    return head.starts_with(one.begins) && head.find(one.has) != std::string_view::npos;
  });
}

Expected<void> may_replace(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  const auto text = read_packed_file(path);
  if (text && (text->empty() || is_marked(*text))) return {};
  return fail(
      "not-generated",
      "there is a file that warpclock did not write, and it is not replaced: move it away, or name another place",
      path.string());
}

Expected<void> write_marked(const fs::path& path, std::string_view text) {
  WARPCLOCK_TRY(may_replace(path));
  return write_file_atomically(path, text);
}

}  // namespace warpclock
