#include "gpu/device/watching/cards_watch.h"

#include <algorithm>
#include <cstring>

namespace gemmlab::gpu {
namespace {

/// Combines a reading of one card with that of all by `add`; empty if either is missing.
template <typename Add>
void join(std::optional<double>& all, const std::optional<double>& one, const Add& add) {
  all = all && one ? std::optional<double>(add(*all, *one)) : std::nullopt;
}

void join(Reading& all, const Reading& one) {
  const auto sum = [](double x, double y) { return x + y; };
  join(all.clock_mhz, one.clock_mhz, [](double x, double y) { return std::min(x, y); });
  join(all.temperature_c, one.temperature_c, [](double x, double y) { return std::max(x, y); });
  join(all.power_w, one.power_w, sum);
  join(all.energy_j, one.energy_j, sum);
  if (!one.throttle_reasons) return;
  if (!all.throttle_reasons) all.throttle_reasons.emplace();
  for (const std::string& reason : *one.throttle_reasons) {
    auto& reasons = *all.throttle_reasons;
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
  }
}

}  // namespace

std::vector<Reading> told_together(const std::vector<std::vector<Reading>>& by_card) {
  if (by_card.empty()) return {};
  std::vector<Reading> all = by_card.front();
  for (std::size_t card = 1; card < by_card.size(); ++card) {
    all.resize(std::min(all.size(), by_card[card].size()));
    for (std::size_t i = 0; i < all.size(); ++i) join(all[i], by_card[card][i]);
  }
  return all;
}

std::optional<Energy> energy_together(const std::vector<std::optional<Energy>>& by_card) {
  if (by_card.empty() || !by_card.front()) return {};
  Energy all = *by_card.front();
  for (std::size_t card = 1; card < by_card.size(); ++card) {
    const std::optional<Energy>& one = by_card[card];
    if (!one || std::strcmp(one->source, all.source) != 0) return {};
    all.joules += one->joules / one->seconds * all.seconds;  // the cards' counters rise at other moments
  }
  return all;
}

CardsWatch::CardsWatch(const std::vector<std::string>& pci_bus_ids, const std::string& library) {
  for (const std::string& id : pci_bus_ids) cards_.push_back(std::make_unique<GpuWatch>(id, library));
}

void CardsWatch::begin(GpuWatch::Clock::duration quiet) {
  for (const auto& card : cards_) card->begin(quiet);
}

void CardsWatch::end(bool after) {
  for (const auto& card : cards_) card->end(after);
}

Conditions CardsWatch::seen(int cards) {
  std::vector<std::vector<Reading>> readings;
  std::vector<std::optional<Energy>> energies;
  for (std::size_t card = 0; card < std::min(cards_.size(), static_cast<std::size_t>(cards)); ++card) {
    Conditions one = cards_[card]->seen();
    readings.push_back(std::move(one.readings));
    energies.push_back(one.energy);
  }
  Conditions all;
  all.readings = told_together(readings);
  all.energy = energy_together(energies);
  return all;
}

std::string CardsWatch::why_no_energy(int cards) {
  for (std::size_t card = 0; card < std::min(cards_.size(), static_cast<std::size_t>(cards)); ++card) {
    if (!cards_[card]->seen().energy) return cards_[card]->why_no_energy();
  }
  return "the cards tell their energy in different ways";
}

}  // namespace gemmlab::gpu
