#include "predict/simulation/register_ports.hpp"

#include <algorithm>
#include <limits>

namespace warpclock {
namespace {

constexpr int cycles = std::numeric_limits<std::uint64_t>::digits;
constexpr int past = 2;  ///< cycles that are kept before the last issue

std::uint64_t bit(int cycle) { return cycle < cycles ? std::uint64_t{1} << static_cast<unsigned>(cycle) : 0; }

std::uint64_t later(std::uint64_t mask, std::int64_t by) { return by < cycles ? mask << by : 0; }
std::uint64_t sooner(std::uint64_t mask, std::int64_t by) { return by < cycles ? mask >> by : 0; }

}  // namespace

int RegisterPorts::Bank::take_from(int cycle) {
  for (; (read & bit(cycle)) != 0; ++cycle) {
  }
  // Of two cycles in one of which the tensor core reads, it takes the other one.
  if (const std::uint64_t one = bit(cycle); (either & one) != 0) {
    either &= ~one;
    read |= one << 1U;
  } else if ((either & one >> 1U) != 0) {
    either &= ~(one >> 1U);
    read |= one >> 1U;
  }
  read |= bit(cycle);
  return cycle;
}

int RegisterPorts::last_read(Bank& bank, int reads, int from) {
  int last = from;
  for (; reads > 0; --reads) last = bank.take_from(last);
  return last;
}

int RegisterPorts::behind(const RegisterUse& use, std::int64_t by) const {
  int late = 0;
  const auto taken = [&](std::size_t b) { return (later(use.read_in[b], by + late) & banks_[b].read) != 0; };
  while (taken(0) || taken(1)) ++late;
  return late;
}

/// The read of one register of a bank may be one cycle behind the issue, and so may those of the tensor core. An
/// instruction that reads several of a bank holds up what follows until all are read, as composed loops show
/// (docs/findings.md, "Exact costs of banks and reuse").
int RegisterPorts::held_by_reads(const RegisterUse& use, std::int64_t now) const {
  const std::int64_t by = now - first_;
  if (by >= cycles) return 0;
  int held = behind(use, by) - 1;
  for (std::size_t b = 0; b < register_banks; ++b) {
    const int reads = use.reads[b], from = static_cast<int>(by);
    if (reads == 0) continue;
    Bank bank = banks_[b];
    if (use.queued) bank.read &= ~bank.tensor;
    held = std::max(held, last_read(bank, reads, from) - from - std::max(1, reads - 1));
  }
  return std::max(held, 0);
}

bool RegisterPorts::just_read(std::int64_t now) const {
  const std::int64_t by = now - first_;
  if (by >= cycles) return false;
  const std::uint64_t at = bit(static_cast<int>(by)), two = sooner(at | at << 1U, past);
  return std::ranges::any_of(banks_, [&](const Bank& bank) {
    return (bank.asked & two) == two || ((bank.late & at) != 0 && (bank.read & at >> 1U) != 0);
  });
}

bool RegisterPorts::can_write(const RegisterUse& use, std::int64_t now) const {
  return (later(use.written_in, now - first_) & written_) == 0;
}

void RegisterPorts::take(const RegisterUse& use, std::int64_t read, std::int64_t now) {
  const int late = behind(use, read - first_);
  const std::int64_t by = read - past - first_;
  first_ = read - past;
  written_ = sooner(written_, by) | later(use.written_in, now - first_);
  for (std::size_t b = 0; b < register_banks; ++b) {
    Bank& bank = banks_[b];
    // A pair whose first cycle is over was read in it.
    bank.either = sooner(bank.either, by);
    bank.read = sooner(bank.read, by);
    bank.asked = sooner(bank.asked, by);
    bank.late = sooner(bank.late, by);
    const int last = last_read(bank, use.reads[b], past);
    if (use.reads[b] == 1) {
      bank.asked |= bit(static_cast<int>(now - first_));
      if (last > past) bank.late |= bit(last);
    }
    const std::uint64_t tensor = later(use.read_in[b], past + late);
    bank.read |= tensor;
    bank.tensor = sooner(bank.tensor, by) | tensor;
    bank.either |= later(use.either[b], past + late);
  }
}

}  // namespace warpclock
