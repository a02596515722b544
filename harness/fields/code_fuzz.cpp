// libFuzzer: any bytes as the text of a machine instruction, as a cubin, as a table of forms, and as a word with fields
// of its own. Built with -DWARPCLOCK_FUZZ=ON and clang++; see cmake/fuzz.cmake.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "code/elf.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "fields/form.hpp"
#include "fields/form_table.hpp"
#include "fields/skeleton.hpp"
#include "fields/testing/write_forms.hpp"

namespace {

using namespace warpclock;

void require(bool held) {
  if (!held) std::abort();
}

void texts(std::string_view text) {
  const Skeleton skeleton = skeleton_of(text);
  require(skeleton_of(text_of(skeleton)) == skeleton);
  static_cast<void>(parse_instruction(text));
  static_cast<void>(code_sections(text));
}

void tables(std::string_view text) {
  const auto table = read_forms(text);
  if (!table) return;
  const std::string written = write_forms(*table);
  const auto again = read_forms(written);
  require(again && write_forms(*again) == written);
}

/// Bytes 0 to 15 are a word and bytes 16 to 31 a number to write. The other bytes name the bits of the field.
void words(std::string_view bytes) {
  if (bytes.size() < 32) return;
  const std::vector<Word> all = words_of(bytes.substr(0, 32));
  WordForm form{all[0], skeleton_of("OP 0x0"), std::vector<Field>(2)};
  for (const char byte : bytes.substr(32, 64)) {
    const auto bit = static_cast<std::uint8_t>(byte & 127);
    auto& bits = form.fields[1].bits;
    if (std::ranges::find(bits, bit) == bits.end()) bits.push_back(bit);
  }
  const auto value = static_cast<std::int64_t>(all[1].low);
  if (const auto written = with_number(form, form.word, 1, value)) {
    for (std::size_t i = 0; i < form.fields[1].bits.size(); ++i) {
      const unsigned bit = form.fields[1].bits[i];
      const std::uint64_t half = bit < 64 ? written->low : written->high;
      require((half >> bit % 64 & 1) == (all[1].low >> i & 1));
    }
  }
  const Control control = decode_control(all[1].high);
  require(decode_control(with_control(form.word, control).high) == control);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  texts(bytes);
  tables(bytes);
  words(bytes);
  return 0;
}
