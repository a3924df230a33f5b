#include "core/records/point.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/inputs/input_sets.h"
#include "core/records/attributes.h"
#include "core/records/sha256.h"

namespace gemmlab {

/// Label and name are left out: they name a point for the reader, and a new name measures nothing new. What
/// is as it is for most points is left out as well, so that a case_id stays what it was before there was a
/// choice.
Json Point::canonical() const {
  Json point{{"group", group}, {"implementation", implementation}, {"parameters", to_json(parameters)}};
  if (instance.operation != nullptr) {  // a line of a definition has none yet
    point.update(dims_json(instance));
    if (instance.operation->name() != kDefaultOperation) point["operation"] = instance.operation->name();
    if (Json options = options_json(instance); !options.empty()) point["options"] = std::move(options);
  }
  for (const Attribute& attribute : attributes()) {
    if (attribute.counts(*this)) attribute.add_to_canonical(point, *this);
  }
  if (replica > 0) point["replica"] = replica;
  if (handicap > 0) point["handicap"] = handicap;
  if (!twin_of.empty()) point["twin_of"] = twin_of;
  return nlohmann::json(point);  // sorts the keys
}

Identity identity_of(const Description& description, const Parameters& parameters) {
  return {description.device,
          description.precision,
          description.reference,
          description.family,
          description.variant_of,
          display_name(description, parameters),
          name_parts(description, parameters)};
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
  if (!counts_the_way) return {};
  if (room_of(point.parameters) == Room::kHost)
    return std::string("scope ") + to_string(point.scope) +
           " counts how the inputs come to the device; here they lie on the host in every scope, and their "
           "way "
           "counts in scope kernel";
  if (!implementation.operands_resident(point.parameters)) return {};
  return std::string("scope ") + to_string(point.scope) +
         " counts how the inputs come to the device; here they lie there in another form before the clock "
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

namespace {

Json json_of(const OptionValue& value) {
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

OptionValue option_from(const std::string& name, const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  throw std::invalid_argument("option '" + name + "' is " + json.dump() + "; allowed: a number or a word");
}

}  // namespace

Json dims_json(const Instance& instance) {
  Json dims = Json::object();
  const std::vector<DimensionSpec>& specs = instance.operation->dimensions();
  for (std::size_t i = 0; i < specs.size(); ++i) dims[specs[i].name] = instance.dims.at(i);
  return dims;
}

Json options_json(const Instance& instance) {
  Json options = Json::object();
  for (const auto& [name, value] : instance.given_options()) options[name] = json_of(value);
  return options;
}

Instance instance_from(const Json& record) {
  const std::string name = record.value("operation", kDefaultOperation);
  const Operation* operation = find_operation(name);
  if (operation == nullptr) throw std::invalid_argument("there is no operation '" + name + "'");
  const Json& dims = record.contains("dims") ? record.at("dims") : record;
  std::vector<std::int64_t> values;
  for (const DimensionSpec& spec : operation->dimensions())
    values.push_back(dims.at(spec.name).get<std::int64_t>());
  Options options;
  const Json given = record.value("options", Json::object());
  for (const auto& [key, value] : given.items()) options[key] = option_from(key, value);
  return instance_of(*operation, std::move(values), options);
}

}  // namespace gemmlab
