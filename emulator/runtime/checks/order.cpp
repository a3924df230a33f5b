#include "emulator/runtime/checks/order.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/calls/devices.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/run.h"

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

Uses& make_uses() {
  static Uses one;
  return one;
}

void Uses::begin(std::uint32_t stream, const std::string& name, int line, std::uint32_t place,
                 const Order& behind) {
  on_ = device_count() > 1 || has_streams() || device_memory().shared_with_host();
  if (!on_) return;
  line_ = line;
  call_place_ = place;
  stream_ = stream;
  work_ = behind.works_of(stream) + 1;
  name_ = name;
  behind_ = &behind;
  safe_from_ = safe_to_ = 0;
  written_.clear();
  read_.clear();
}

namespace {

template <typename Visit>
void each_stretch(const std::map<std::int32_t, Touched>& all, const Visit& visit) {
  for (const auto& [allocation, touched] : all) {
    const std::uint64_t at = device_memory().allocation(allocation).at;
    touched.each_stretch([&](std::uint64_t from, std::uint64_t to) { visit(at + from, at + to); });
  }
}

}  // namespace

void Uses::end() {
  each_stretch(written_, [&](std::uint64_t from, std::uint64_t to) {
    check_readers(from, to);
    note(from, to);
  });
  each_stretch(read_, [&](std::uint64_t from, std::uint64_t to) { note_read(from, to); });
  written_.clear();
  read_.clear();
  on_ = false;
}

void Uses::host_touches(std::int32_t allocation, std::uint64_t offset, unsigned bytes, bool reads,
                        std::uint32_t place) {
  stream_ = kHost;
  name_ = "code of the host";
  line_ = 0;
  call_place_ = host_place_ = place;
  behind_ = &behind_of_host();
  safe_from_ = safe_to_ = 0;
  kernel_touches(offset, reads);
  (reads ? host_read_ : host_written_)[allocation].add(offset - device_memory().allocation(allocation).at,
                                                       bytes);
}

void Uses::end_host_work(Order& host) {
  if (host_written_.empty() && host_read_.empty()) return;
  stream_ = kHost;
  work_ = host_work_;
  name_ = "code of the host";
  line_ = 0;
  call_place_ = host_place_;
  behind_ = &host;
  each_stretch(host_written_, [&](std::uint64_t from, std::uint64_t to) {
    check_readers(from, to);
    note(from, to);
  });
  each_stretch(host_read_, [&](std::uint64_t from, std::uint64_t to) { note_read(from, to); });
  host_written_.clear();
  host_read_.clear();
  host.add(kHost, host_work_++);
}

void Uses::forget() {
  ranges_.clear();
  readers_.clear();
  host_written_.clear();
  host_read_.clear();
}

/// The first range that ends behind `offset`.
Uses::Ranges::iterator Uses::first_beyond(std::uint64_t offset) {
  auto at = ranges_.upper_bound(offset);
  if (at != ranges_.begin() && std::prev(at)->second.to > offset) --at;
  return at;
}

Uses::Writer Uses::present(std::uint64_t to) const {
  return {to, stream_, work_, name_, line_, call_place_};
}

bool Uses::ordered(const Writer& other) const {
  return other.stream == stream_ || behind_->holds(other.stream, other.work);
}

void Uses::check(const Writer& writer, std::uint64_t offset, bool reads) {
  if (!ordered(writer)) tell(writer, offset, reads ? "read" : "write", "written");
}

void Uses::tell(const Writer& other, std::uint64_t offset, const char* does, const char* has) {
  const char* const kind = "unordered-work";
  const std::uint32_t place = current != nullptr ? current->place : call_place_;
  if (run().findings().known(kind, place)) return;
  const Allocation& allocation = device_memory().allocation(device_memory().owner(offset));
  const auto byte = static_cast<std::int64_t>(offset - allocation.at);
  const Operation operation = std::string(does) == "read" ? Operation::kLoad : Operation::kStore;
  Finding finding;
  if (current != nullptr) finding = finding_at(kind, operation, byte);
  finding.kind = kind;
  finding.operation = does;
  finding.array = allocation.name;
  finding.place = place;
  finding.other_place = other.place;
  const auto of = [](const std::string& name, int line, std::uint32_t at) {
    return name + (line > 0  ? " (line " + std::to_string(line) + ")"
                   : at != 0 ? " (" + place_text(at) + ")"
                             : std::string());
  };
  const bool host = other.stream == kHost || stream_ == kHost;
  finding.text =
      (current != nullptr ? "At " + place_text(place) + " " + who() : of(name_, line_, call_place_)) + " " +
      verb(operation) + " byte " + std::to_string(byte) + " of " + allocation.name + ", which " +
      of(other.name, other.line, other.place) + (host ? " has " : " in another stream has ") + has +
      (host ? ", and the host has not waited for the one before the other (cudaStreamSynchronize, "
              "cudaDeviceSynchronize)."
            : ", and no event makes the one wait for the other.");
  run().add(std::move(finding));
}

void Uses::check_readers(std::uint64_t from, std::uint64_t to) {
  for (const Reader& reader : readers_) {
    if (reader.from < to && from < reader.who.to && !ordered(reader.who))
      tell(reader.who, std::max(from, reader.from), "write", "read");
  }
}

void Uses::note_read(std::uint64_t from, std::uint64_t to) {
  // of a stream's works the last says most
  const auto same = std::find_if(readers_.begin(), readers_.end(), [&](const Reader& one) {
    return one.from == from && one.who.to == to && one.who.stream == stream_;
  });
  const Reader reader{from, present(to)};
  if (same != readers_.end()) {
    *same = reader;
  } else {
    readers_.push_back(reader);
  }
}

void Uses::check(std::uint64_t from, std::uint64_t to, bool reads) {
  for (auto at = first_beyond(from); at != ranges_.end() && at->first < to; ++at)
    check(at->second, std::max(from, at->first), reads);
}

/// The present work has written [from, to).
void Uses::note(std::uint64_t from, std::uint64_t to) {
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
  ranges_[from] = present(to);
  // whoever comes behind this work comes behind those that it came behind
  readers_.erase(std::remove_if(readers_.begin(), readers_.end(),
                                [&](const Reader& one) { return from <= one.from && one.who.to <= to; }),
                 readers_.end());
}

void Uses::copy_reads(const void* address, std::uint64_t bytes) {
  if (!on_ || bytes == 0 || !device_memory().holds(address)) return;
  const std::uint64_t from = device_memory().offset(address);
  check(from, from + bytes, true);
  note_read(from, from + bytes);
}

void Uses::copy_writes(const void* address, std::uint64_t bytes) {
  if (!on_ || bytes == 0 || !device_memory().holds(address)) return;
  const std::uint64_t from = device_memory().offset(address);
  check(from, from + bytes, false);
  check_readers(from, from + bytes);
  note(from, from + bytes);
}

void Uses::kernel_touches(std::uint64_t offset, bool reads) {
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

void Uses::kernel_reads(std::int32_t allocation, std::uint64_t offset, unsigned bytes) {
  kernel_touches(offset, true);
  read_[allocation].add(offset - device_memory().allocation(allocation).at, bytes);
}

void Uses::kernel_writes(std::int32_t allocation, std::uint64_t offset, unsigned bytes) {
  kernel_touches(offset, false);
  written_[allocation].add(offset - device_memory().allocation(allocation).at, bytes);
}

}  // namespace gemmlab::emulation
