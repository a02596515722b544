#pragma once

#include <openssl/evp.h>
#include <zlib.h>

#include <array>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json/json_text.hpp"
#include "record/testing/columns.hpp"

namespace warpclock::testing {

/// What packed() packed. What is no letter of base64 ends the text.
inline std::string unpacked(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  text = text.substr(0, text.find_first_not_of(alphabet));
  std::string bytes(text.size(), '\0');
  EVP_DecodeBlock(reinterpret_cast<Bytef*>(bytes.data()), reinterpret_cast<const Bytef*>(text.data()),
                  static_cast<int>(text.size()));
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    std::array<char, 4096> piece;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("damaged");
  return out;
}

/// The first record that the page of a table carries, as text.
inline std::string table_of(const std::string& page) {
  const std::string begin = "class=\"table\">";
  Json table = Json::parse(unpacked(std::string_view(page).substr(page.find(begin) + begin.size())));
  table["rows"] = values_of(table["rows"])[0];
  return compact(table);
}

/// The page of a result, followed by what its rows open to.
inline std::string unfolded(const std::string& page) {
  const std::string begin = "id=\"folds\">";
  const std::size_t from = page.find(begin) + begin.size();
  const auto cases = nlohmann::json::parse(unpacked(page.substr(from, page.find("</script>", from) - from)));
  std::string text = page;
  for (const auto& [id, markup] : cases.items()) text += "\n" + markup.get<std::string>();
  return text;
}

}  // namespace warpclock::testing
