#include "emulator/runtime/checks/findings.h"

#include <algorithm>
#include <iterator>

namespace gemmlab::emulation {

std::string place_text(std::uint32_t place) {
  return "{pc:" + std::to_string(place) + "}";
}

std::string thread_text(const uint3& thread) {
  return "thread (" + std::to_string(thread.x) + ", " + std::to_string(thread.y) + ", " +
         std::to_string(thread.z) + ")";
}

bool Findings::known(const char* kind, std::uint32_t place, std::uint32_t other_place) {
  const auto found = index_.find({kind, place, other_place});
  if (found == index_.end()) return false;
  ++all_[found->second].times;
  return true;
}

void Findings::add(Finding finding) {
  if (all_.size() >= kMost || known(finding.kind.c_str(), finding.place, finding.other_place)) return;
  index_[{finding.kind, finding.place, finding.other_place}] = all_.size();
  all_.push_back(std::move(finding));
}

void Findings::withdraw(const std::string& kind, const std::string& array) {
  std::vector<Finding> kept;
  const auto stays = [&](const Finding& one) { return one.kind != kind || one.array != array; };
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(kept), stays);
  if (kept.size() == all_.size()) return;
  clear();
  for (Finding& finding : kept) add(std::move(finding));
}

}  // namespace gemmlab::emulation
