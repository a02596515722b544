#include "report/html/html_encoding.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/files/gzip.hpp"

namespace warpclock {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::size_t piece = 3 << 10;  // whole groups of three; EVP_EncodeBlock counts in int
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const std::string_view part = bytes.substr(0, piece);
    const std::size_t before = out.size(), letters = (part.size() + 2) / 3 * 4;
    out.resize(before + letters + 1);  // it ends what it writes with a zero
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data() + before),
                    reinterpret_cast<const unsigned char*>(part.data()), static_cast<int>(part.size()));
    out.pop_back();
  }
  return out;
}

}  // namespace

std::string packed(std::string_view text) { return base64(deflate_raw(text)); }

std::string csp_hash(std::string_view text) {
  std::array<char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return "sha256-" + base64({digest.data(), digest.size()});
}

}  // namespace warpclock
