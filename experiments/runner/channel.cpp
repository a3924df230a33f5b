#include "experiments/runner/channel.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace gemmlab::runner {

bool Channel::send(const Json& message) {
  const std::string line = message.dump() + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(write_fd_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Json> Channel::receive(int timeout_ms) {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      const std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return Json::parse(line);
    }
    pollfd wait{read_fd_, POLLIN, 0};
    const int ready = ::poll(&wait, 1, timeout_ms);
    if (ready <= 0) return {};
    char part[1 << 16];
    const ssize_t count = ::read(read_fd_, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      closed_ = true;
      return {};
    }
    buffer_.append(part, static_cast<std::size_t>(count));
  }
}

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Json to_wire(const Point& point) {
  return {{"implementation", point.implementation},
          {"parameters", to_json(point.parameters)},
          {"label", point.label},
          {"group", point.group},
          {"m", point.shape.m},
          {"n", point.shape.n},
          {"k", point.shape.k},
          {"scope", static_cast<int>(point.scope)},
          {"cold", point.cold},
          {"distribution", to_string(point.distribution)},
          {"seed", point.seed}};
}

Point point_from_wire(const Json& json) {
  Point point;
  point.implementation = json.at("implementation");
  for (const auto& [name, value] : json.at("parameters").items()) {
    point.parameters[name] = value.is_string() ? ParameterValue(value.get<std::string>())
                                               : ParameterValue(value.get<std::int64_t>());
  }
  point.label = json.at("label");
  point.group = json.at("group");
  point.shape = {json.at("m"), json.at("n"), json.at("k")};
  point.scope = static_cast<Scope>(json.at("scope").get<int>());
  point.cold = json.at("cold");
  point.distribution = distribution_from(json.at("distribution"));
  point.seed = json.at("seed");
  return point;
}

}  // namespace gemmlab::runner
