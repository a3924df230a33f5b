#include "emulator/runtime/checks/findings.h"

#include <utility>

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
  if (withdrawn_.count({finding.kind, finding.array}) != 0) return;
  if (all_.size() >= kMost || known(finding.kind.c_str(), finding.place, finding.other_place)) return;
  index_[{finding.kind, finding.place, finding.other_place}] = all_.size();
  all_.push_back(std::move(finding));
}

void Findings::withdraw(const std::string& kind, const std::string& array) {
  if (!withdrawn_.emplace(kind, array).second) return;
  std::vector<Finding> all;
  all.swap(all_);
  index_.clear();
  for (Finding& finding : all) add(std::move(finding));
}

}  // namespace gemmlab::emulation
