#include "capture/spool_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "capture/capture.hpp"

namespace warpclock {
namespace {

/// The words of a line, taken one by one. After a word that is not what it should be, nothing is right any more.
class Words {
 public:
  explicit Words(std::string_view line) : words_(split(line, ' ')) {}

  std::string word() { return next_ < words_.size() ? words_[next_++] : wrong(); }
  std::int64_t number() {
    const auto value = whole_number<std::int64_t>(word());
    if (!value) wrong();
    return value.value_or(0);
  }
  std::array<std::int64_t, 3> three() {
    std::array<std::int64_t, 3> made{};
    for (std::int64_t& one : made) one = number();
    return made;
  }
  std::string text() {
    auto bytes = bytes_of_hex(word());
    return bytes ? *std::move(bytes) : wrong();
  }
  std::string hash(std::string_view none = {}) {
    std::string text = word();
    return is_hash(text) || (!none.empty() && text == none) ? text : wrong();
  }
  [[nodiscard]] bool more() const { return right_ && next_ < words_.size(); }
  [[nodiscard]] bool right() const { return right_; }
  std::string wrong() {
    right_ = false;
    return {};
  }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  bool right_ = true;
};

class SpoolReader {
 public:
  Spooled read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const bool whole = end != text.npos && line(text.substr(0, end));
      if (!whole) ++made_.damaged;
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return std::move(made_);
  }

 private:
  bool line(std::string_view text) {
    static const std::map<std::string, void (SpoolReader::*)(Words&)> kinds = {
        {"process", &SpoolReader::process},  {"device", &SpoolReader::device},
        {"code", &SpoolReader::code},        {"launch", &SpoolReader::launch},
        {"pointer", &SpoolReader::pointer},  {"data", &SpoolReader::data},
        {"time", &SpoolReader::time},        {"function", &SpoolReader::function},
        {"other", &SpoolReader::other},      {"lost", &SpoolReader::lost},
        {"wrong", &SpoolReader::says_wrong}, {"end", &SpoolReader::end},
        {"order", &SpoolReader::order},      {"ago", &SpoolReader::ago}};
    Words words(text);
    const auto kind = kinds.find(words.word());
    if (kind == kinds.end()) return false;
    (this->*kind->second)(words);
    return words.right();
  }

  void process(Words& words) {
    CapturedProcess one;
    one.pid = words.number(), one.parent = words.number(), one.cupti = words.number(), one.driver = words.number();
    if (words.right()) made_.process = one;
  }
  void device(Words& words) {
    constexpr double khz = 1000;
    const std::int64_t number = words.number();
    CapturedDevice one;
    one.uuid = words.word();
    const std::int64_t arch_major = words.number(), arch_minor = words.number();
    one.arch = fmt::format("sm_{}{}", arch_major, arch_minor);
    one.sms = words.number(), one.most_mhz = static_cast<double>(words.number()) / khz, one.name = words.text();
    if (words.right()) made_.devices[number] = std::move(one);
  }
  void code(Words& words) {
    std::string hash = words.hash();
    if (words.right()) made_.code.push_back(std::move(hash));
  }
  void launch(Words& words) {
    constexpr std::int64_t most_parameter = 1 << 16;
    const std::int64_t id = words.number();
    SpooledLaunch one;
    one.function = words.number(), one.device = words.number();
    one.grid = words.three(), one.block = words.three(), one.cluster = words.three();
    one.shared_bytes = words.number(), one.flags = words.number();
    while (words.more()) {
      const std::string word = words.word();
      const std::size_t colon = word.find(':');
      const auto at = decimal_or_hex(std::string_view(word).substr(0, colon));
      if (word == "more" || word == "none")
        one.missing = word;
      else if (at && *at <= most_parameter && colon != word.npos && bytes_of_hex(word.substr(colon + 1)))
        one.parameters.push_back({*at, word.substr(colon + 1)});
      else
        words.wrong();
    }
    if (words.right()) made_.launches[id] = std::move(one);
  }
  void pointer(Words& words) {
    SpooledLaunch* const of = known(words);
    SpooledPointer one;
    one.parameter = static_cast<std::size_t>(words.number());
    one.offset = words.number(), one.base = words.number(), one.bytes = words.number();
    if (words.right()) of->pointers.push_back(one);
  }
  void data(Words& words) {
    SpooledLaunch* const of = known(words);
    SpooledData one;
    one.address = words.number(), one.bytes = words.number(), one.hash = words.hash();
    if (words.right()) of->data.push_back(std::move(one));
  }
  void ago(Words& words) {
    SpooledLaunch* const of = known(words);
    while (words.more()) {
      const std::vector<std::string> numbers = split(words.word(), ':');
      std::array<std::int64_t, 5> at{};
      if (numbers.size() != 3 && numbers.size() != at.size()) return static_cast<void>(words.wrong());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = decimal_or_hex(numbers[i]);
        if (!number) return static_cast<void>(words.wrong());
        at[i] = *number;
      }
      for (SpooledPointer& one : of->pointers) {
        if (static_cast<std::int64_t>(one.parameter) != at[0] || one.offset != at[1]) continue;
        one.ago.push_back(at[2]);
        if (numbers.size() == at.size()) one.below.push_back({at[3], at[4]});
      }
    }
  }
  void function(Words& words) {
    const std::int64_t id = words.number();
    SpooledFunction one;
    one.code = words.hash("-");
    if (one.code == "-") one.code.clear();
    one.registers = words.number(), one.shared_bytes = words.number();
    words.number(), words.number();
    one.symbol = words.text();
    if (words.right()) made_.functions[id] = std::move(one);
  }
  void time(Words& words) {
    SpooledLaunch* const of = known(words);
    const std::int64_t mhz = words.number();
    std::vector<double> ns;
    while (words.more()) ns.push_back(static_cast<double>(words.number()));
    if (!words.right()) return;
    of->ns.insert(of->ns.end(), ns.begin(), ns.end());
    if (mhz > 0) of->mhz.push_back(static_cast<double>(mhz));
  }
  void order(Words& words) {
    while (words.more()) {
      const std::int64_t id = words.number();
      const auto launch = made_.launches.find(id);
      if (launch == made_.launches.end()) return static_cast<void>(words.wrong());
      const auto [before, first] = last_.try_emplace(launch->second.device, id);
      if (!first) ++made_.after[{id, std::exchange(before->second, id)}];
    }
  }
  void other(Words& words) {
    SpooledOther one;
    one.device = words.number(), one.grid = words.three(), one.block = words.three();
    one.shared_bytes = words.number(), one.ns = static_cast<double>(words.number()), one.symbol = words.text();
    if (words.right()) made_.others.push_back(std::move(one));
  }
  void lost(Words& words) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    const std::int64_t more = words.number();
    if (more < 0 || more > most - made_.lost) words.wrong();
    if (words.right()) made_.lost += more;
  }
  void says_wrong(Words& words) { made_.process.wrong = words.text(); }
  void end(Words&) { made_.process.ended = true; }

  SpooledLaunch* known(Words& words) {
    const auto found = made_.launches.find(words.number());
    if (found != made_.launches.end()) return &found->second;
    words.wrong();
    return nullptr;
  }

  Spooled made_;
  std::map<std::int64_t, std::int64_t> last_;  ///< launch, by device
};

}  // namespace

Spooled read_spool(std::string_view text) { return SpoolReader().read(text); }

}  // namespace warpclock
