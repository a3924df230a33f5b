#include "runner/execution/channel.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <variant>

#include "core/records/attributes.h"

namespace gemmlab::runner {

bool Channel::send(const Json& message) {
  const std::string line = to_text(message) + "\n";
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

namespace {

/// JSON has no NaN: null stands for it.
double number(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

Facts facts_from(const Json& object) {
  Facts facts;
  for (const auto& [name, json] : object.items()) {
    if (json.is_number_integer()) {
      facts[name] = json.get<std::int64_t>();
    } else if (json.is_string()) {
      facts[name] = json.get<std::string>();
    } else {
      facts[name] = number(json);
    }
  }
  return facts;
}

}  // namespace

Json to_wire(const Point& point) {
  Json json{{"operation", point.instance.operation->name()},
            {"implementation", point.implementation},
            {"name", point.name},
            {"name_parts", point.name_parts},
            {"device", point.device.name},
            {"precision", to_string(point.precision)},
            {"reference", point.reference},
            {"family", point.family},
            {"variant_of", point.variant_of},
            {"parameters", gemmlab::to_json(point.parameters)},
            {"label", point.label},
            {"group", point.group},
            {"dims", dims_json(point.instance)},
            {"options", options_json(point.instance)},
            {"replica", point.replica},
            {"handicap", point.handicap}};
  for (const Attribute& attribute : attributes()) json[attribute.name] = attribute.get(point);
  return json;
}

Point point_from_wire(const Json& json) {
  Point point;
  point.implementation = json.at("implementation");
  static_cast<Identity&>(point) = {device_from(json.at("device")), precision_from(json.at("precision")),
                                   json.at("reference"),           json.at("family"),
                                   json.at("variant_of"),          json.at("name"),
                                   json.at("name_parts")};
  point.parameters = parameters_from(json.at("parameters"));
  point.label = json.at("label");
  point.group = json.at("group");
  point.instance = instance_from(json);
  point.replica = json.at("replica");
  point.handicap = json.at("handicap");
  for (const Attribute& attribute : attributes()) attribute.set(point, json.at(attribute.name));
  return point;
}

Json to_wire(const Outcome& outcome) {
  Json calls = Json::array();
  for (const FirstCall& call : outcome.first_calls) {
    Json phases = Json::array();
    for (const auto& [phase, seconds] : call.phases_s) phases.push_back({phase, seconds});
    calls.push_back({{"phases", phases}, {"steady_s", call.steady_s}});
  }
  Json checks = Json::array();
  for (const Check& check : outcome.checks) {
    checks.push_back({{"method", check.method},
                      {"eta_max", check.eta_max},
                      {"row", check.worst_row},
                      {"col", check.worst_col},
                      {"residual", check.residual},
                      {"verdict", static_cast<int>(check.verdict)}});
  }
  return {{"status", static_cast<int>(outcome.status)},
          {"reason", outcome.reason},
          {"moved_bytes", outcome.moved_bytes},
          {"samples_s", outcome.samples_s},
          {"first_calls", calls},
          {"checks", checks},
          {"threads_actual", outcome.threads_actual},
          {"chosen", gemmlab::to_json(outcome.chosen)},
          {"resources", gemmlab::to_json(outcome.resources)}};
}

Outcome outcome_from_wire(const Json& json) {
  Outcome outcome;
  outcome.status = static_cast<Status>(json.at("status").get<int>());
  outcome.reason = json.at("reason");
  outcome.moved_bytes = json.at("moved_bytes");
  outcome.samples_s = json.at("samples_s").get<std::vector<double>>();
  for (const Json& entry : json.at("first_calls")) {
    FirstCall call;
    call.steady_s = entry.at("steady_s");
    for (const Json& phase : entry.at("phases")) call.phases_s.emplace_back(phase.at(0), phase.at(1));
    outcome.first_calls.push_back(std::move(call));
  }
  for (const Json& check : json.at("checks")) {
    outcome.checks.push_back({check.at("method"), number(check.at("eta_max")), number(check.at("residual")),
                              check.at("row"), check.at("col"),
                              static_cast<Verdict>(check.at("verdict").get<int>())});
  }
  outcome.threads_actual = json.at("threads_actual");
  outcome.chosen = facts_from(json.at("chosen"));
  outcome.resources = facts_from(json.at("resources"));
  return outcome;
}

}  // namespace gemmlab::runner
