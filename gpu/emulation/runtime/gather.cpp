// From what the lanes of a warp did, one after another, to what the warp did at once.

#include <algorithm>

#include "gpu/emulation/runtime/counts.h"

namespace gemmlab::emulation {
namespace {

constexpr unsigned kWidest = 16;  ///< bytes of a lane's access

WarpRequest request_of(const Access& access) {
  WarpRequest request;
  request.place = access.place;
  request.bytes = access.bytes;
  request.space = access.space;
  request.operation = access.operation;
  request.asynchronous = access.asynchronous;
  request.alone = access.alone;
  return request;
}

bool alike(const Access& one, const Access& other) {
  return one.place == other.place && one.bytes == other.bytes && one.space == other.space;
}

}  // namespace

void Counter::take(std::vector<Thread>& threads, int first, int lanes, unsigned live, const uint3& block,
                   int warp, Caches* caches, int sm) {
  gather(threads, first, lanes);
  widen();
  for (const WarpRequest& request : requests_) count(request, live, block, warp, caches, sm);
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

/// Accesses of neighbours in shared memory that stand in one stretch of straight code are one wide access for nvcc: places
/// that differ, since a loop that was not unrolled keeps its single ones, and nothing in between that might touch the same.
void Counter::widen() {
  std::unordered_map<std::uint64_t, std::size_t>
      open;  // where an access of the first lane ends -> its request
  std::vector<std::vector<std::uint32_t>> places(requests_.size());
  std::vector<bool> taken(requests_.size(), false);
  Operation doing = Operation::kLoad;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    WarpRequest& request = requests_[i];
    if (request.space != Space::kShared || request.asynchronous) continue;
    if (request.operation != doing || request.operation == Operation::kAtomic) open.clear();
    doing = request.operation;
    if (request.alone) continue;
    const auto lane = static_cast<std::size_t>(__builtin_ctz(request.mask));
    places[i] = {request.place};
    const auto found = open.find(request.at[lane]);
    if (found != open.end() && joins(requests_[found->second], request, places[found->second])) {
      const std::size_t head = found->second;
      requests_[head].bytes += request.bytes;
      places[head].push_back(request.place);
      taken[i] = true;
      open.erase(found);
      open[requests_[head].at[lane] + requests_[head].bytes] = head;
    } else {
      open[request.at[lane] + request.bytes] = i;
    }
  }
  std::vector<WarpRequest> kept;
  kept.reserve(requests_.size());
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (!taken[i]) split_to_powers(requests_[i], kept);
  }
  requests_ = std::move(kept);
}

bool Counter::joins(const WarpRequest& head, const WarpRequest& next,
                    const std::vector<std::uint32_t>& places) {
  if (head.mask != next.mask || head.bytes + next.bytes > kWidest || next.bytes < 4) return false;
  if (std::find(places.begin(), places.end(), next.place) != places.end()) return false;
  // the first stands at a multiple of what it begins: 8 bytes for two floats, 16 for four
  const std::uint64_t alignment = head.bytes + next.bytes > 8 ? 16 : 8;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((head.mask >> lane & 1) == 0) continue;
    if (next.at[lane] != head.at[lane] + head.bytes) return false;
    if (head.at[lane] % (head.bytes == 4 ? 8 : alignment) != 0) return false;
  }
  return true;
}

/// 12 bytes that found no fourth word are a load of 8 and one of 4.
void Counter::split_to_powers(const WarpRequest& request, std::vector<WarpRequest>& to) {
  to.push_back(request);
  if (request.bytes != 12) return;
  to.back().bytes = 8;
  WarpRequest rest = request;
  rest.bytes = 4;
  for (std::uint64_t& at : rest.at) at += 8;
  to.push_back(rest);
}

}  // namespace gemmlab::emulation
