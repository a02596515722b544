#include "code/disassembler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/lookup.hpp"

namespace warpclock {
namespace {

/// Prints word n as "OP n", or as a branch by n if n is above a thousand. Fails on 13.
class Printer {
 public:
  Expected<std::string> operator()(std::uint64_t base, const std::string& code) {
    ++runs;
    const int now = ++at_a_time;
    for (int most = most_at_a_time; now > most && !most_at_a_time.compare_exchange_weak(most, now);) continue;
    std::this_thread::sleep_for(pause);
    std::string out;
    std::uint64_t address = base;
    bool refused = false;
    for (const Word& word : words_of(code)) {
      ++printed;
      refused = refused || word.low == 13;
      const std::string text =
          word.low > 1000 ? fmt::format("BRA {:#x}", address + word.low) : fmt::format("OP {}", word.low);
      out += fmt::format("/*{:x}*/ {} ; /* {:#018x} */\n/* {:#018x} */\n", address, text, word.low, word.high);
      address += 16;
    }
    --at_a_time;
    if (refused) return fail("nvdisasm", "13");
    return out;
  }

  std::atomic<int> runs = 0, printed = 0, at_a_time = 0, most_at_a_time = 0;
  std::chrono::milliseconds pause{0};
};

std::vector<Word> words(std::initializer_list<std::uint64_t> lows) {
  return mapped(lows, [&](const std::uint64_t low) { return Word{low, 0}; });
}

class WordTableTest : public ::testing::Test {
 protected:
  Expected<void> learn(std::initializer_list<std::uint64_t> lows) { return table_.learn({words(lows)}).front(); }
  std::string text(std::uint64_t low) { return table_.texts(words({low})).front()->text; }

  Printer printer_;
  WordTable table_{[this](std::uint64_t base, const std::string& code) { return printer_(base, code); }};
};

TEST_F(WordTableTest, AsksForEachWordOnce) {
  ASSERT_TRUE(learn({1, 2, 3}));
  EXPECT_EQ(printer_.printed, 6) << "at two addresses";
  ASSERT_TRUE(learn({3, 1}));
  EXPECT_EQ(printer_.runs, 1);
  ASSERT_TRUE(learn({2, 4}));
  EXPECT_EQ(printer_.printed, 8);
  EXPECT_EQ(text(4), "OP 4");
  ASSERT_TRUE(table_.learn({}).empty());
  ASSERT_TRUE(learn({}));
}

TEST_F(WordTableTest, TellsBranchesFromTheirAddresses) {
  ASSERT_TRUE(learn({1, 0x1230}));
  const WordText branch = *table_.texts(words({0x1230})).front();
  EXPECT_EQ(branch, (WordText{"BRA ", 0x1230, 4}));
}

TEST_F(WordTableTest, ARefusedWordFailsOnlyItsRequest) {
  const auto answers = table_.learn({words({1, 2}), words({2, 13}), words({3})});
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_TRUE(answers[0]);
  ASSERT_FALSE(answers[1]);
  EXPECT_EQ(answers[1].error().text, "13");
  EXPECT_TRUE(answers[2]);
  EXPECT_EQ(text(3), "OP 3");
  EXPECT_FALSE(table_.hopeless());
}

TEST_F(WordTableTest, GivesUpAnArchitectureOfWhichNothingIsPrinted) {
  EXPECT_FALSE(learn({13}));
  EXPECT_TRUE(table_.hopeless());
  const int runs = printer_.runs;
  EXPECT_FALSE(learn({1}));
  EXPECT_EQ(printer_.runs, runs);
}

TEST_F(WordTableTest, OneOddWordIsNotTheArchitecture) {
  EXPECT_FALSE(learn({1, 13}));
  EXPECT_FALSE(table_.hopeless());
  EXPECT_TRUE(learn({1}));
}

TEST_F(WordTableTest, ThreadsThatWaitShareTheNextRun) {
  printer_.pause = std::chrono::milliseconds(100);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < 16; ++i) {
      threads.emplace_back([this, i] {
        EXPECT_TRUE(learn({i + 100, 7}));
        EXPECT_EQ(text(i + 100), fmt::format("OP {}", i + 100));
        EXPECT_EQ(text(7), "OP 7");
      });
    }
  }
  EXPECT_LT(printer_.runs, 8);
  EXPECT_EQ(printer_.most_at_a_time, 1);
}

TEST_F(WordTableTest, AsManyRunsAtATimeAsItMay) {
  printer_.pause = std::chrono::milliseconds(50);
  WordTable table([this](std::uint64_t base, const std::string& code) { return printer_(base, code); }, 3);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < 16; ++i) {
      threads.emplace_back([&, i] {
        for (std::uint64_t round = 0; round < 4; ++round)
          EXPECT_TRUE(table.learn({words({i + 100 * (round + 1), 7})}).front());
      });
    }
  }
  EXPECT_EQ(table.texts(words({415})).front()->text, "OP 415");
  EXPECT_GT(printer_.most_at_a_time, 1);
  EXPECT_LE(printer_.most_at_a_time, 3);
}

}  // namespace
}  // namespace warpclock
