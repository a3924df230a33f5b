#include "gpu/emulation/runtime/order.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "gpu/emulation/runtime/device_memory.h"
#include "gpu/emulation/runtime/devices.h"
#include "gpu/emulation/runtime/run.h"
#include "gpu/emulation/runtime/wording.h"

namespace gemmlab::emulation {

void Order::merge(const Order& other) {
  for (const auto& [stream, works] : other.done_) add(stream, works);
}

void Order::add(std::uint32_t stream, std::uint64_t work) {
  std::uint64_t& done = done_[stream];
  done = std::max(done, work);
}

bool Order::holds(std::uint32_t stream, std::uint64_t work) const {
  return works_of(stream) >= work;
}

std::uint64_t Order::works_of(std::uint32_t stream) const {
  const auto found = done_.find(stream);
  return found == done_.end() ? 0 : found->second;
}

Writes& make_writes() {
  static Writes one;
  return one;
}

void Writes::begin(std::uint32_t stream, const std::string& name, const Order& behind) {
  on_ = device_count() > 1;
  if (!on_) return;
  stream_ = stream;
  work_ = behind.works_of(stream) + 1;
  name_ = name;
  behind_ = &behind;
  safe_from_ = safe_to_ = 0;
  written_.clear();
}

void Writes::end() {
  for (const auto& [allocation, range] : written_) {
    if (range.bytes == range.to - range.from) note(range.from, range.to);
  }
  written_.clear();
  on_ = false;
}

void Writes::forget() {
  ranges_.clear();
}

/// The first range that ends behind `offset`.
Writes::Ranges::iterator Writes::first_beyond(std::uint64_t offset) {
  auto at = ranges_.upper_bound(offset);
  if (at != ranges_.begin() && std::prev(at)->second.to > offset) --at;
  return at;
}

void Writes::check(const Writer& writer, std::uint64_t offset, bool reads) {
  if (writer.stream == stream_ || behind_->holds(writer.stream, writer.work)) return;
  const char* const kind = "unordered-work";
  const std::uint32_t place = current != nullptr ? current->place : 0;
  if (run().findings().known(kind, place)) return;
  const Allocation& allocation = device_memory().allocation(device_memory().owner(offset));
  const auto byte = static_cast<std::int64_t>(offset - allocation.at);
  const Operation operation = reads ? Operation::kLoad : Operation::kStore;
  Finding finding;
  if (current != nullptr) finding = finding_at(kind, operation, byte);
  finding.kind = kind;
  finding.operation = reads ? "read" : "write";
  finding.array = allocation.name;
  finding.text = (current != nullptr ? "At " + place_text(place) + " " + who() : name_) + " " +
                 verb(operation) + " byte " + std::to_string(byte) + " of " + allocation.name + ", where " +
                 writer.name +
                 " in another stream has written, and no event makes the one wait for the other.";
  run().add(std::move(finding));
}

void Writes::check(std::uint64_t from, std::uint64_t to, bool reads) {
  for (auto at = first_beyond(from); at != ranges_.end() && at->first < to; ++at)
    check(at->second, std::max(from, at->first), reads);
}

/// The present work has written [from, to).
void Writes::note(std::uint64_t from, std::uint64_t to) {
  auto at = first_beyond(from);
  if (at != ranges_.end() && at->first < from) {
    Writer behind = at->second;
    at->second.to = from;
    at = behind.to > to ? ranges_.emplace(to, std::move(behind)).first : std::next(at);
  }
  while (at != ranges_.end() && at->first < to) {
    Writer rest = std::move(at->second);
    at = ranges_.erase(at);
    if (rest.to > to) at = ranges_.emplace(to, std::move(rest)).first;
  }
  ranges_[from] = {to, stream_, work_, name_};
}

void Writes::copy_reads(const void* address, std::uint64_t bytes) {
  if (!on_ || !device_memory().holds(address)) return;
  const std::uint64_t from = device_memory().offset(address);
  check(from, from + bytes, true);
}

void Writes::copy_writes(const void* address, std::uint64_t bytes) {
  if (!on_ || bytes == 0 || !device_memory().holds(address)) return;
  const std::uint64_t from = device_memory().offset(address);
  check(from, from + bytes, false);
  note(from, from + bytes);
}

void Writes::kernel_touches(std::uint64_t offset, bool reads) {
  if (offset - safe_from_ < safe_to_ - safe_from_) return;
  const auto at = first_beyond(offset);
  const bool inside = at != ranges_.end() && at->first <= offset;
  if (inside) check(at->second, offset, reads);
  if (inside) {
    safe_from_ = at->first;
    safe_to_ = at->second.to;
  } else {
    safe_from_ = at == ranges_.begin() ? 0 : std::prev(at)->second.to;
    safe_to_ = at == ranges_.end() ? std::numeric_limits<std::uint64_t>::max() : at->first;
  }
}

void Writes::kernel_writes(std::int32_t allocation, std::uint64_t offset, unsigned bytes) {
  kernel_touches(offset, false);
  Written& range = written_.try_emplace(allocation, Written{offset, offset, 0}).first->second;
  range.from = std::min(range.from, offset);
  range.to = std::max(range.to, offset + bytes);
  range.bytes += bytes;
}

}  // namespace gemmlab::emulation
