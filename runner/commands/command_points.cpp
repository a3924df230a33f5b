#include <fmt/format.h>

#include "runner/commands/commands.h"
#include "runner/definition/definition.h"
#include "runner/execution/channel.h"

namespace gemmlab::runner {

int command_points(const Catalogue& catalogue, const std::string& experiment) {
  const Definition definition = load_definition(find_definition(experiment), catalogue);
  Json points = Json::array();
  for (const Group& group : definition.groups) {
    for (const Point& point : group.points) {
      Json entry = to_wire(point);
      entry["case_id"] = point.case_id();
      entry["experiment"] = definition.name;
      points.push_back(std::move(entry));
    }
  }
  fmt::print("{}\n", points.dump(1));
  return kExitDone;
}

}  // namespace gemmlab::runner
