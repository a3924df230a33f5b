#include "submissions/judge/processes/tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/inputs/inputs.h"

namespace gemmlab::submissions {
namespace {

constexpr double kToolStart_s = 120;
constexpr double kSlower = 60;  ///< times what a call takes without the tool

}  // namespace

std::string find_tool(const std::string& name) {
  std::vector<std::string> folders;
  std::stringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) folders.push_back(folder);
  folders.insert(folders.end(), {"/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/local/cuda/" + name});
  for (const std::string& folder : folders) {
    const std::string file = folder + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::string call_under(const std::vector<std::string>& command, CalleeSetup setup,
                       const std::vector<Request>& requests, double call_limit_s) {
  std::vector<Shape> shapes;
  for (const Request& request : requests) shapes.push_back({request.m, request.n, request.k});
  setup.program.insert(setup.program.begin(), command.begin(), command.end());
  setup.confinement.memory_bytes = 0;  // the tool's own memory is not the submission's
  setup.matrices = Matrices::for_shapes(shapes, setup.solve.types);
  setup.writable_inputs = true;
  CalleeProcess process(setup);
  const CallEnd ready = process.ready(kToolStart_s);
  if (ready.how != CallEnd::How::kAnswered || ready.reply.said != Said::kReady)
    return fmt::format("it did not start: {} {}", ready.reply.text, process.printed());
  if (process.load(kSlower).reply.said != Said::kLoaded) return "the library was not loaded under it";
  for (const Request& request : requests) {
    setup.matrices.fill_with_ones({request.m, request.n, request.k});
    process.ask(request, call_limit_s * kSlower);
    if (!process.alive()) break;  // what the tool found until then is in its log
  }
  process.leave(kToolStart_s);
  return {};
}

std::string text_of_log(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gemmlab::submissions
