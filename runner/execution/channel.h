#pragma once

// Lines of JSON between the parent and its worker, and the page on which the worker says where it is.

#include <atomic>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/records/record.h"

namespace gemmlab::runner {

/// Two ends of a pipe. Not thread-safe.
class Channel {
 public:
  Channel(int read_fd, int write_fd) : read_fd_(read_fd), write_fd_(write_fd) {}

  /// False when the other side is gone.
  bool send(const Json& message);
  /// The next line; empty after `timeout_ms` without one, or at the end of the stream (then closed() is
  /// true).
  std::optional<Json> receive(int timeout_ms);
  bool closed() const { return closed_; }

 private:
  int read_fd_;
  int write_fd_;
  bool closed_ = false;
  std::string buffer_;
};

/// In memory shared by both processes. The worker writes it before each step; when the worker dies or hangs,
/// the parent reads here which point is to blame.
struct StatusPage {
  std::atomic<std::int32_t> entry{-1};
  std::atomic<std::int64_t> deadline_ns{0};  ///< steady clock; 0: none
  char phase[32] = {};
};

/// Now, by the clock that both processes share.
std::int64_t steady_ns();

Json to_wire(const Point& point);
Point point_from_wire(const Json& json);

/// The result of a first call's process: no statistics, at most one sample.
Json to_wire(const Outcome& outcome);
Outcome outcome_from_wire(const Json& json);

}  // namespace gemmlab::runner
