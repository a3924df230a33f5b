// What nvcc makes of neighbours in shared memory: accesses of one stretch of straight code to the same 16 aligned bytes.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "emulator/runtime/counting/counts.h"

namespace gemmlab::emulation {
namespace {

constexpr unsigned kWidest = 16, kPair = 8, kWord = 4;  ///< bytes of a lane's access
constexpr unsigned kAllWords = 0b1111;

/// Requests for words of the same 16 bytes, in every lane.
struct Group {
  std::vector<std::size_t> members;
  unsigned words = 0;  ///< of the four, by bits
};

unsigned first_lane(const WarpRequest& request) {
  return static_cast<unsigned>(__builtin_ctz(request.mask));
}

unsigned offset_of(const WarpRequest& request) {
  return static_cast<unsigned>(request.at[first_lane(request)] % kWidest);
}

unsigned words_of(const WarpRequest& request) {
  return ((1u << request.bytes / kWord) - 1) << offset_of(request) / kWord;
}

bool can_be_joined(const WarpRequest& request) {
  if (request.alone || (request.bytes != kWord && request.bytes != kPair)) return false;
  const unsigned offset = offset_of(request);
  for (unsigned left = request.mask; left != 0; left &= left - 1) {
    if (request.at[static_cast<std::size_t>(__builtin_ctz(left))] % kWidest != offset) return false;
  }
  return offset % request.bytes == 0;
}

bool same_sixteen(const WarpRequest& one, const WarpRequest& other) {
  if (one.mask != other.mask) return false;
  for (unsigned left = one.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(__builtin_ctz(left));
    if (one.at[lane] / kWidest != other.at[lane] / kWidest) return false;
  }
  return true;
}

/// The access of `bytes` at `offset` of the 16, as made by the group's first member that lies in it.
WarpRequest piece(const Group& group, const std::vector<WarpRequest>& requests, unsigned offset,
                  unsigned bytes) {
  const auto within = [&](std::size_t member) {
    const unsigned at = offset_of(requests[member]);
    return at >= offset && at < offset + bytes;
  };
  WarpRequest made = requests[*std::find_if(group.members.begin(), group.members.end(), within)];
  made.bytes = bytes;
  for (std::uint64_t& at : made.at) at = at / kWidest * kWidest + offset;
  return made;
}

/// Three words of the four are loaded as all four, as nvcc 13 does; a store must not touch the fourth. Two are one access
/// where they are a half.
void write(const Group& group, const std::vector<WarpRequest>& requests, std::vector<WarpRequest>& to) {
  const WarpRequest& head = requests[group.members.front()];
  if (group.members.size() == 1) return to.push_back(head);
  const bool load = head.operation == Operation::kLoad;
  if (group.words == kAllWords || (load && __builtin_popcount(group.words) == 3))
    return to.push_back(piece(group, requests, 0, kWidest));
  for (unsigned offset = 0; offset < kWidest; offset += kPair) {
    const unsigned half = group.words >> offset / kWord & 0b11;
    if (half == 0b11) to.push_back(piece(group, requests, offset, kPair));
    if (half == 0b01) to.push_back(piece(group, requests, offset, kWord));
    if (half == 0b10) to.push_back(piece(group, requests, offset + kWord, kWord));
  }
}

}  // namespace

std::vector<WarpRequest> widened(const std::vector<WarpRequest>& requests) {
  std::unordered_map<std::uint64_t, std::size_t> open;  // 16 bytes of the first lane -> head of their group
  std::unordered_set<std::uint32_t> passed;             // places of this stretch
  std::vector<Group> groups(requests.size());           // by head; a request that another took has none
  Operation doing = Operation::kLoad;
  std::uint16_t round = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const WarpRequest& request = requests[i];
    groups[i].members = {i};
    if (request.space != Space::kShared || request.asynchronous) continue;
    // the next round of a loop that was not unrolled, or not to its end
    const bool again = !passed.insert(request.place).second || request.round != round;
    round = request.round;
    if (again || request.operation != doing || request.operation == Operation::kAtomic) open.clear();
    if (again) passed = {request.place};
    doing = request.operation;
    if (!can_be_joined(request)) continue;
    const auto [found, fresh] = open.try_emplace(request.at[first_lane(request)] / kWidest, i);
    Group& group = groups[found->second];
    const unsigned words = words_of(request);
    if (!fresh && (group.words & words) == 0 && same_sixteen(requests[found->second], request)) {
      group.members.push_back(i);
      group.words |= words;
      groups[i].members.clear();
    } else {
      found->second = i;
      groups[i].words = words;
    }
  }
  std::vector<WarpRequest> made;
  made.reserve(requests.size());
  for (const Group& group : groups) {
    if (!group.members.empty()) write(group, requests, made);
  }
  return made;
}

}  // namespace gemmlab::emulation
