#include "core/point.h"

#include <stdexcept>

namespace gemmlab {

const char* to_string(ModuleLoading loading) {
  return loading == ModuleLoading::kEager ? "eager" : "lazy";
}

/// The label is left out: it names a point for the reader, and a new name measures nothing new. What is as it
/// is for most points is left out as well, so that a case_id stays what it was before there was a choice.
Json Point::canonical() const {
  Json point{{"cache", cold ? "cold" : "warm"},
             {"distribution", to_string(distribution)},
             {"group", group},
             {"implementation", implementation},
             {"k", shape.k},
             {"m", shape.m},
             {"n", shape.n},
             {"parameters", to_json(parameters)},
             {"scope", to_string(scope)},
             {"seed", seed}};
  if (scope == Scope::kEndToEnd) {
    point["host_memory"] = to_string(host_memory);
    point["allocation"] = allocation != Allocation::kNotCounted;
    if (allocation == Allocation::kHostToo) point["host_allocation"] = true;
  }
  if (scope == Scope::kFirstCall) point["module_loading"] = to_string(module_loading);
  if (replica > 0) point["replica"] = replica;
  if (handicap > 0) point["handicap"] = handicap;
  if (!twin_of.empty()) point["twin_of"] = twin_of;
  return nlohmann::json(point);  // sorts the keys
}

std::string Point::case_id() const {
  return sha256(canonical().dump()).substr(0, 16);
}

Point Point::twin() const {
  Point twin = *this;
  twin.label += " (again)";
  twin.twin_of = case_id();
  return twin;
}

std::string refused_scope(const Implementation& implementation, const Point& point) {
  const bool counts_the_way = point.scope == Scope::kEndToEnd || point.scope == Scope::kFirstCall;
  if (!counts_the_way || !implementation.operands_resident(point.parameters)) return {};
  return std::string("scope ") + to_string(point.scope) +
         " counts how A and B come to the device; here they lie there in another form before the clock "
         "starts";
}

Json to_json(const Parameters& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters) {
    std::visit([&, key = name](const auto& plain) { object[key] = plain; }, value);
  }
  return object;
}

Parameters parameters_from(const Json& object) {
  Parameters parameters;
  for (const auto& [name, json] : object.items()) {
    if (json.is_number_integer()) {
      parameters[name] = json.get<std::int64_t>();
    } else if (json.is_string()) {
      parameters[name] = json.get<std::string>();
    } else {
      throw std::invalid_argument("'" + name + "' is " + json.dump() + "; allowed: a whole number or a word");
    }
  }
  return parameters;
}

}  // namespace gemmlab
