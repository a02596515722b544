#include "base/files/packed_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

#include "base/files/file.hpp"
#include "base/text.hpp"

#define ZLIB_CONST
#include <zlib.h>

namespace warpclock {

namespace fs = std::filesystem;

fs::path without_gz(const fs::path& path) {
  return path.extension() == ".gz" ? fs::path(path).replace_extension() : path;
}

fs::path packed_path(const fs::path& path) {
  std::error_code error;
  const fs::path other = path.extension() == ".gz" ? without_gz(path) : fs::path(path.string() + ".gz");
  return !fs::exists(path, error) && fs::exists(other, error) ? other : path;
}

bool has_packed_file(const fs::path& path) {
  std::error_code error;
  return fs::exists(packed_path(path), error);
}

Expected<std::string> read_packed_file(const fs::path& path, std::size_t most) {
  const fs::path found = packed_path(path);
  auto bytes = WARPCLOCK_TRY(read_file(found, most));
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  auto text = gunzip(bytes);
  if (!text) return fail(text.error().code, text.error().text, found.string());
  return text;
}

namespace {

// What deflateInit2 and inflateInit2 call the window also chooses what is around the data.
constexpr int as_gzip = MAX_WBITS + 16;

constexpr std::size_t piece_bytes = 1 << 16;

using Zstream = std::unique_ptr<z_stream, int (*)(z_stream*)>;

/// Appends to `out` what `step` makes of `bytes` until it ends, fails, or gave more than `most`. Returns its status.
int pump(z_stream& stream, int (*step)(z_stream*, int), int last_flush, std::string_view& bytes, std::size_t most,
         std::string& out) {
  std::array<Bytef, piece_bytes> piece;
  int status = Z_OK;
  while (status == Z_OK && out.size() <= most) {
    if (stream.avail_in == 0) {
      // avail_in has 32 bits.
      const std::size_t taken = std::min<std::size_t>(bytes.size(), 1u << 30);
      stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
      stream.avail_in = static_cast<uInt>(taken);
      bytes.remove_prefix(taken);
    }
    stream.next_out = piece.data();
    stream.avail_out = static_cast<uInt>(piece.size());
    status = step(&stream, bytes.empty() ? last_flush : Z_NO_FLUSH);
    out.append(reinterpret_cast<const char*>(piece.data()), piece.size() - stream.avail_out);
  }
  bytes = {reinterpret_cast<const char*>(stream.next_in), stream.avail_in + bytes.size()};
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  return status;
}

/// As many bytes as the member says that it holds, if that can be. Without them, what is unpacked would be copied each
/// time that it outgrows its room, into twice the room.
std::size_t room_for(std::string_view member, std::size_t most) {
  constexpr std::size_t most_ratio = 1032;  // of the format
  std::uint32_t stated = 0;
  if (member.size() < sizeof(stated)) return 0;
  std::memcpy(&stated, member.data() + member.size() - sizeof(stated), sizeof(stated));
  return std::min({std::size_t{stated}, most, member.size() * most_ratio}) + piece_bytes;
}

}  // namespace

std::string gzip_compress(std::string_view bytes) {
  z_stream state{};
  if (deflateInit2(&state, Z_BEST_COMPRESSION, Z_DEFLATED, as_gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  const Zstream stream(&state, deflateEnd);
  std::string out;
  pump(*stream, deflate, Z_FINISH, bytes, std::string::npos, out);
  return out;
}

Expected<std::string> gunzip(std::string_view member, std::size_t most) {
  z_stream state{};
  if (inflateInit2(&state, as_gzip) != Z_OK) throw std::bad_alloc();
  const Zstream stream(&state, inflateEnd);
  std::string out;
  out.reserve(room_for(member, most));
  const int status = pump(*stream, inflate, Z_NO_FLUSH, member, most, out);
  if (out.size() > most) return fail("gzip", "the gzip data holds more than " + human_bytes(most));
  if (status == Z_BUF_ERROR) return fail("gzip", "the gzip data ends early");
  if (status != Z_STREAM_END) {
    return fail("gzip", std::string("not gzip data, or damaged: ") + (stream->msg ? stream->msg : zError(status)));
  }
  if (!member.empty()) return fail("gzip", "there are bytes after the end of the gzip data");
  return out;
}

}  // namespace warpclock
