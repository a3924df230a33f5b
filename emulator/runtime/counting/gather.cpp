// From what the lanes of a warp did, one after another, to what the warp did at once.

#include <algorithm>
#include <unordered_map>

#include "emulator/runtime/counting/counts.h"

namespace gemmlab::emulation {
namespace {

WarpRequest request_of(const Access& access) {
  WarpRequest request;
  request.place = access.place;
  request.bytes = access.bytes;
  request.space = access.space;
  request.operation = access.operation;
  request.asynchronous = access.asynchronous;
  request.alone = access.alone;
  request.round = access.round;
  return request;
}

bool alike(const Access& one, const Access& other) {
  return one.place == other.place && one.bytes == other.bytes && one.space == other.space;
}

}  // namespace

void Counter::take(std::vector<Thread>& threads, int first, int lanes, unsigned live, const uint3& block,
                   int warp, Caches* caches, int sm) {
  gather(threads, first, lanes);
  for (const WarpRequest& request : widened(requests_)) count(request, live, block, warp, caches, sm);
  requests_.clear();
  for (int lane = 0; lane < lanes; ++lane) threads[static_cast<std::size_t>(first + lane)].log.clear();
}

/// Lanes that went the same way are taken step by step, others by place: the n-th time at a place is one request for all
/// lanes that came there n times.
void Counter::gather(std::vector<Thread>& threads, int first, int lanes) {
  const std::vector<Access>* one = nullptr;
  bool same = true;
  for (int lane = 0; lane < lanes && same; ++lane) {
    const std::vector<Access>& log = threads[static_cast<std::size_t>(first + lane)].log;
    if (log.empty()) continue;
    if (one == nullptr) one = &log;
    same = log.size() == one->size() && std::equal(log.begin(), log.end(), one->begin(), alike);
  }
  if (one == nullptr) return;
  if (same) {
    gather_alike(threads, first, lanes, one->size());
  } else {
    gather_by_place(threads, first, lanes);
  }
}

void Counter::gather_alike(std::vector<Thread>& threads, int first, int lanes, std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    WarpRequest request;
    for (int lane = 0; lane < lanes; ++lane) {
      const std::vector<Access>& log = threads[static_cast<std::size_t>(first + lane)].log;
      if (log.empty()) continue;
      if (request.mask == 0) request = request_of(log[i]);
      request.mask |= 1u << lane;
      request.at[lane] = log[i].at;
      request.source[lane] = log[i].source;
    }
    requests_.push_back(request);
  }
}

void Counter::gather_by_place(std::vector<Thread>& threads, int first, int lanes) {
  std::unordered_map<std::uint64_t, std::size_t> where;  // place and how often -> request
  std::unordered_map<std::uint64_t, std::uint64_t> times;
  for (int lane = 0; lane < lanes; ++lane) {
    times.clear();
    for (const Access& access : threads[static_cast<std::size_t>(first + lane)].log) {
      // an asynchronous copy is a load and a store of one place
      const std::uint64_t place =
          std::uint64_t{access.place} << 32 | (access.space == Space::kShared ? 1u << 31 : 0u);
      const std::uint64_t key = place + times[place]++;
      const auto [found, fresh] = where.try_emplace(key, requests_.size());
      if (fresh) requests_.push_back(request_of(access));
      WarpRequest& request = requests_[found->second];
      request.mask |= 1u << lane;
      request.at[lane] = access.at;
      request.source[lane] = access.source;
    }
  }
}

}  // namespace gemmlab::emulation
