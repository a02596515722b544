#include <gtest/gtest.h>

#include <charconv>

#include "base/testing/matchers.hpp"
#include "ptx/testing/testdata.hpp"

namespace warpclock {
namespace {

/// The text with the escapes of malformed.txt replaced.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
    } else if (text[++i] == 'x') {
      int byte = 0;
      std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i] == 'n' ? '\n' : '\t';
    }
  }
  return result;
}

std::string complaint(const std::string& text) {
  const auto instruction = described(unescaped(text));
  return instruction ? "accepted" : instruction.error().code + ": " + instruction.error().message();
}

TEST(MalformedPtx, IsRefusedWithPlaceAndReason) {
  const auto entries = testdata("harness/ptx/testdata/malformed.txt", complaint);
  EXPECT_GT(entries.size(), 90u);
  for (const auto& [text, expected] : entries) {
    const std::string message = complaint(text);
    EXPECT_EQ(message, expected) << text;
    EXPECT_THAT(message, testing::MatchesRegex("ptx(-opcode|-unsupported)?: [0-9]+:[0-9]+: .+")) << text;
  }
}

TEST(MalformedPtx, OnlyAsLongAsALineMayBe) {
  const std::string head = "add.f32 {d}, {a}, {b}";
  EXPECT_TRUE(described(head + std::string(max_ptx_bytes - head.size(), ' ')));
  EXPECT_EQ(failure_of(described(head + std::string(max_ptx_bytes - head.size() + 1, ' '))).message(),
            "1:1: 4097 bytes are too long for one instruction (at most 4096)");
}

TEST(MalformedPtx, NestsNoDeeperThanPtxDoes) {
  for (const std::string_view open : {"[", "{", "(", "{{", "!", "|", "-", "@", "_|", "/*", "a:"}) {
    std::string text = "add.f32 ";
    while (text.size() + open.size() <= max_ptx_bytes) text += open;
    EXPECT_FALSE(described(text)) << open;
    EXPECT_FALSE(described(text.substr(8))) << open;
  }
}

}  // namespace
}  // namespace warpclock
