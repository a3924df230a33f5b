#pragma once

// What several cards do while a sample runs on them, told as one.

#include <memory>
#include <string>
#include <vector>

#include "gpu/device/watching/watch.h"

namespace gemmlab::gpu {

/// Of readings made at about the same times, card by card: the lowest clock, the highest temperature, the power and the energy of
/// all together, and every reason for which a clock was held down. As many as the card with the fewest has; what one of
/// them does not tell is left out, but for reasons.
std::vector<Reading> told_together(const std::vector<std::vector<Reading>>& by_card);
/// The energy of all, of the first card's time; nothing where one does not tell its own or tells it another way.
std::optional<Energy> energy_together(const std::vector<std::optional<Energy>>& by_card);

/// A GpuWatch for each card that the process sees. All are read while a sample runs, and as many told of as it ran on.
class CardsWatch {
 public:
  explicit CardsWatch(const std::vector<std::string>& pci_bus_ids, const std::string& library = kNvmlLibrary);

  void begin(GpuWatch::Clock::duration quiet = GpuWatch::Clock::duration::zero());
  void end(bool after = false);
  /// Of the last sample and the first `cards` cards.
  Conditions seen(int cards);
  /// Why seen() told no energy of the last sample, which was long: of the first card that told none.
  std::string why_no_energy(int cards);

 private:
  std::vector<std::unique_ptr<GpuWatch>> cards_;
};

}  // namespace gemmlab::gpu
