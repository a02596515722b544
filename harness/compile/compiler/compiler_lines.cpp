#include "compile/compiler/compiler_lines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "base/json/json_document.hpp"
#include "base/json/json_line.hpp"
#include "base/json/json_reader.hpp"
#include "base/lookup.hpp"
#include "base/words.hpp"

namespace warpclock {

template <>
inline constexpr auto enum_words<Compilation::Status> = std::to_array<std::string_view>({"done", "failed", "cancelled",
                                                                                         "died"});

namespace {

/// A request as it is written, all bytes as text.
struct RequestLine {
  std::string unit, name, nvcc, folder, arch;
  bool is_ptx = false, line_info = false;
  std::int64_t limit_ms = 0, memory = 0;
  std::vector<std::string> options, headers, texts;
};

struct CompilationLine {
  Compilation::Status status = Compilation::Status::Failed;
  std::string image, ptx, log;
  std::vector<std::string> headers;
};

void describe(auto& a, Like<RequestLine> auto& v) {
  WARPCLOCK_REQUIRED(unit, name, nvcc, folder, arch, is_ptx, line_info, limit_ms, memory, options, headers, texts);
}

void describe(auto& a, Like<CompilationLine> auto& v) { WARPCLOCK_REQUIRED(status, image, ptx, log, headers); }

constexpr unsigned moved = 0x100;

bool stays(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/// Any bytes as UTF-8 that JSON need not escape: printable ASCII stays, and byte b becomes the character U+0100 + b,
/// which takes two bytes. (Machine code is half zeros, each of which JSON would write in six.)
std::string as_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 2);
  for (const char each : bytes) {
    const auto c = static_cast<unsigned char>(each);
    if (stays(c)) {
      text += each;
    } else {
      text += static_cast<char>(0xc0U | (moved + c) >> 6U);
      text += static_cast<char>(0x80U | (c & 0x3fU));
    }
  }
  return text;
}

/// The bytes of such a text.
std::string as_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80 || i + 1 == text.size()) {
      bytes += text[i];
    } else {
      bytes += static_cast<char>((c & 3U) << 6U | (static_cast<unsigned char>(text[++i]) & 0x3fU));
    }
  }
  return bytes;
}

std::vector<std::string> as_texts(const std::vector<std::string>& all) { return mapped(all, as_text); }
std::vector<std::string> as_bytes(const std::vector<std::string>& all) {
  return mapped(all, [](const std::string& text) { return as_bytes(std::string_view(text)); });
}

template <class Line>
Expected<Line> line_of(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  if (!document) return fail("protocol", document.error().text);
  Line line;
  JsonReader reader(true);
  reader.read_at("line", document->root(), line);
  if (reader.problem() != nullptr) return fail("protocol", *reader.problem());
  return line;
}

}  // namespace

std::string to_line(const CompileRequest& request) {
  RequestLine line{.unit = as_text(request.unit),
                   .name = as_text(request.name),
                   .nvcc = as_text(request.nvcc),
                   .folder = as_text(request.folder),
                   .arch = to_string(request.target.arch),
                   .is_ptx = request.target.is_ptx,
                   .line_info = request.line_info,
                   .limit_ms = request.limit.count(),
                   .memory = request.memory,
                   .options = as_texts(request.options)};
  for (const auto& [path, text] : request.headers) {
    line.headers.push_back(as_text(path));
    line.texts.push_back(as_text(text));
  }
  return JsonLine::of(line, true);
}

std::string to_line(const Compilation& compilation) {
  return JsonLine::of(CompilationLine{compilation.status, as_text(compilation.image), as_text(compilation.ptx),
                                      as_text(compilation.log), as_texts(compilation.headers)},
                      true);
}

Expected<CompileRequest> parse_request(std::string_view text) {
  const auto line = WARPCLOCK_TRY(line_of<RequestLine>(text));
  if (line.headers.size() != line.texts.size()) return fail("protocol", "headers without texts");
  CompileRequest request;
  request.unit = as_bytes(line.unit);
  request.name = as_bytes(line.name);
  request.nvcc = as_bytes(line.nvcc);
  request.folder = as_bytes(line.folder);
  request.target = {WARPCLOCK_TRY(parse_arch(line.arch)), line.is_ptx};
  request.line_info = line.line_info;
  request.limit = std::chrono::milliseconds(line.limit_ms);
  request.memory = line.memory;
  request.options = as_bytes(line.options);
  for (std::size_t i = 0; i < line.headers.size(); ++i)
    request.headers.emplace_back(as_bytes(line.headers[i]), as_bytes(line.texts[i]));
  return request;
}

Expected<Compilation> parse_compilation(std::string_view text) {
  const auto line = WARPCLOCK_TRY(line_of<CompilationLine>(text));
  Compilation compilation;
  compilation.status = line.status;
  compilation.image = as_bytes(line.image);
  compilation.ptx = as_bytes(line.ptx);
  compilation.log = as_bytes(line.log);
  compilation.headers = as_bytes(line.headers);
  return compilation;
}

}  // namespace warpclock
