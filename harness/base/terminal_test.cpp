#include "base/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace warpclock {
namespace {

// Replaces stdout by a pseudo-terminal during a test.
class Terminal : public ::testing::Test {
 protected:
  void SetUp() override {
    controller_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (controller_ < 0 || grantpt(controller_) != 0 || unlockpt(controller_) != 0)
      GTEST_SKIP() << "no pseudo-terminal";
    saved_ = dup(STDOUT_FILENO);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
  }
  void TearDown() override {
    if (saved_ >= 0) close(saved_);
    if (controller_ >= 0) close(controller_);
    unsetenv("NO_COLOR");
  }

  // Calls `look` while stdout is a terminal. gtest prints to stdout too, so `look` must not hold expectations.
  template <class Look>
  auto on_terminal(Look look) {
    const int screen = open(ptsname(controller_), O_RDWR | O_NOCTTY);
    dup2(screen, STDOUT_FILENO);
    const auto seen = look();
    dup2(saved_, STDOUT_FILENO);
    close(screen);
    return seen;
  }

  int controller_ = -1, saved_ = -1;
};

TEST_F(Terminal, IsSeen) {
  EXPECT_TRUE(on_terminal([] { return is_terminal(Stream::Out); }));
  EXPECT_TRUE(on_terminal([] { return wants_color(Stream::Out); }));
}

TEST_F(Terminal, NoColorWinsWhenNotEmpty) {
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(on_terminal([] { return wants_color(Stream::Out); }));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(on_terminal([] { return wants_color(Stream::Out); }));
}

TEST_F(Terminal, ADumbOneGetsNoColor) {
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(on_terminal([] { return wants_color(Stream::Out); }));
}

TEST_F(Terminal, AFileHasNoWidthAndNoColor) {
  const int file = open("/dev/null", O_WRONLY);
  dup2(file, STDOUT_FILENO);
  const bool terminal = is_terminal(Stream::Out);
  const bool color = wants_color(Stream::Out);
  const int width = terminal_width(Stream::Out, 77);
  dup2(saved_, STDOUT_FILENO);
  close(file);
  EXPECT_FALSE(terminal);
  EXPECT_FALSE(color);
  EXPECT_EQ(width, 77);
}

TEST(Counted, HasTheRightPlural) {
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(0, "case"), "0 cases");
  EXPECT_EQ(counted(2, "window"), "2 windows");
}

TEST(Style, OffLeavesTheTextAlone) {
  EXPECT_EQ(Style(false).red("x"), "x");
  EXPECT_EQ(Style(true).red("x"), "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace warpclock
