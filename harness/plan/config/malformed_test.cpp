#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml.hpp"
#include "plan/config/stanza.hpp"
#include "plan/testing/corpus.hpp"

namespace warpclock {
namespace {

using corpus::Configs;

/// The single error of the configs as one line, or a description of what is wrong with that error.
std::string complaint(const Configs& configs) {
  const auto suite = load_suite(configs);
  if (!suite) {
    const Error& error = suite.error();
    if (error.code != "config") return "wrong code: " + error.code;
    return error.message();
  }
  return "accepted";
}

/// Checks every entry of a corpus file; WARPCLOCK_ACCEPT=1 rewrites the messages instead.
void check(const std::string& file, const std::function<Configs(const std::string&)>& configs) {
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) {
    std::string accepted;
    for (const std::string& line : lines(corpus::read(corpus::folder() / file))) {
      if (line.starts_with("  ")) continue;
      accepted += line + "\n";
      if (!line.starts_with('#')) accepted += "  " + complaint(configs(line.substr(line.find(' ') + 1))) + "\n";
    }
    std::ofstream(corpus::folder() / file) << accepted;
  }
  for (const corpus::Entry& entry : corpus::entries(file)) {
    const std::string message = complaint(configs(entry.change));
    EXPECT_EQ(message, entry.message) << entry.change;
    EXPECT_THAT(message, ::testing::MatchesRegex("configs/[a-z]+\\.yaml:[0-9]+:[0-9]+: .+")) << entry.change;
  }
}

TEST(Malformed, TheUnchangedTemplatesLoad) {
  EXPECT_EQ(complaint({{"configs/f.yaml", corpus::family()}, {"configs/counters.yaml", corpus::metrics()}}),
            "accepted");
}

TEST(Malformed, Stanzas) {
  check("stanzas.txt", [](const std::string& change) {
    return Configs{
        {"configs/f.yaml", corpus::family(change)},
        {"configs/counters.yaml",
         corpus::metrics() + "  - {name: rate, counters: [a.sum, b.sum], formula: percent, unit: \"%\", text: t}\n"}};
  });
}

TEST(Malformed, Metrics) {
  check("metrics.txt", [](const std::string& change) {
    return Configs{{"configs/counters.yaml", corpus::metrics(change)}};
  });
}

TEST(Malformed, Documents) {
  check("documents.txt", [](const std::string& json) {
    return Configs{{"configs/f.yaml", nlohmann::json::parse(json).get<std::string>()}};
  });
}

TEST(Malformed, TheCorpusIsLargeAndItsMessagesTellThingsApart) {
  std::size_t count = 0;
  std::set<std::string> messages;
  for (const char* file : {"stanzas.txt", "metrics.txt", "documents.txt"}) {
    for (const corpus::Entry& entry : corpus::entries(file)) {
      ++count;
      messages.insert(entry.message);
    }
  }
  EXPECT_GE(count, 250U);
  EXPECT_GE(messages.size(), count * 3 / 4);
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

struct Large {
  const char* name;
  std::string text;
  const char* message;  ///< a part of the expected message
};

TEST(Malformed, LargeDeepAndBinaryFilesAreRefusedWhereTheyGoWrong) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 167 + 13) % 256);
  const std::size_t full = max_config_bytes - 64;
  const std::vector<Large> files = {
      {"10 MB", repeated("family: f # so on\n", 600000), "f.yaml:1:1: the file has 10800000 bytes"},
      {"ELF",
       std::string("\x7f"
                   "ELF\x02\x01\x01\0\0\0\0\0",
                   12),
       "f.yaml:1:1: control character 0x7f"},
      {"pseudorandom bytes", bytes, "f.yaml:1:2: byte 0xb4 is not UTF-8"},
      {"Latin-1", "family: f\nprobes: caf\xe9\n", "f.yaml:2:12: byte 0xe9 is not UTF-8"},
      {"overlong form", "family: \xc0\xaf\n", "f.yaml:1:9: byte 0xc0 is not UTF-8"},
      {"surrogate", "family: \xed\xa0\x80\n", "f.yaml:1:9: byte 0xed is not UTF-8"},
      {"UTF-16",
       std::string("\xff\xfe"
                   "f\0a\0",
                   6),
       "f.yaml:1:1: byte 0xff is not UTF-8"},
      {"flow lists", "a: " + repeated("[", full), "f.yaml:1:"},
      {"closed flow lists", "a: " + repeated("[", 1000) + repeated("]", 1000), "f.yaml:1:19: nested more than 16 deep"},
      {"flow maps", "a: " + repeated("{a: ", full / 4), "nested more than 16 deep"},
      {"block lists", repeated("- ", full / 2), "f.yaml:1:33: nested more than 16 deep"},
      {"block maps",
       [] {
         std::string text;
         for (int i = 0; i < 300; ++i) text += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
         return text;
       }(),
       "f.yaml:17:17: nested more than 16 deep"},
      {"complex keys", repeated("? ", full / 2), "f.yaml:1:3: a list or a map is where a key must be"},
      {"anchors", repeated("&a ", full / 3), "f.yaml:1:"},
      {"one long quote", "family: \"" + std::string(full, 'a') + "\n",
       "f.yaml:1:9: the quote that starts here does not end"},
      {"one long word", "family: " + std::string(full, 'a'), "f.yaml:1:9: family: a name has"},
      {"one long unknown key", std::string(1000, 'a') + ": f\n", "f.yaml:1:1: unknown key 'aaa"},
      {"many keys",
       [] {
         std::string text;
         for (int i = 0; i < 20000; ++i) text += "k" + std::to_string(i) + ": 1\n";
         return text;
       }(),
       "f.yaml:1:1: unknown key 'k0' (one of family, probes)"},
      {"many parameters of a point",
       [] {
         std::string text = "family: f\nprobes:\n  - name: p\n    asks: Why?\n    sweep:\n      points:\n        - {";
         for (int i = 0; i < 20000; ++i) text += "k" + std::to_string(i) + ": 1, ";
         return text + "}\n";
       }(),
       "f.yaml:7:11: sweep.points[0]: more than 32 parameters"},
      {"many points of all sweeps",
       [] {
         std::string values, text = "family: f\nprobes:\n";
         for (int i = 0; i < 64; ++i) values += std::to_string(i) + ", ";
         for (int i = 0; i < 5; ++i)
           text +=
               "  - {name: p" + std::to_string(i) + ", asks: \"Why?\", sweep: {a: [" + values + "], b: [" + values +
               "]}, window: {target: FFMA}, measures: [{name: m, method: slope, unit: cycles}], repeat: [1, 2, 3]}\n";
         return text;
       }(),
       "f.yaml:7:37: sweep: the sweeps of the file have more than 16384 points"},
      {"many lines", std::string(full, '\n'), "the document is empty"},
      {"many documents", repeated("---\n", full / 4), "f.yaml:2:1: a second document"},
      {"many commas", "[" + repeated(",", full), "f.yaml:1:"},
      {"many bangs", repeated("!", full), "f.yaml:1:"},
  };
  for (const Large& file : files) {
    const std::string message = complaint({{"configs/f.yaml", file.text}});
    EXPECT_THAT(message, HasSubstr(file.message)) << file.name;
    EXPECT_THAT(message, ::testing::MatchesRegex("configs/f\\.yaml:[0-9]+:[0-9]+: .+")) << file.name;
    EXPECT_LT(message.size(), 400U) << file.name;
  }
}

}  // namespace
}  // namespace warpclock
