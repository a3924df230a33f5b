#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "core/machine/machine.h"
#include "core/records/sha256.h"
#include "runner/commands/commands.h"
#include "runner/definition/aliases.h"
#include "runner/definition/toml_reader.h"
#include "runner/execution/gpu_choice.h"
#include "runner/execution/supervisor.h"
#include "runner/recording/provenance.h"
#include "runner/regular_file.h"
#include "runner/usage_error.h"
#include "submissions/build/build.h"
#include "submissions/judge/judgement_json.h"
#include "submissions/program/answers.h"
#include "submissions/program/rule_reader.h"
#include "submissions/sandbox/sandbox.h"

namespace gemmlab::submissions {
namespace {

Json to_json(const Grading& grading) {
  Json shares = Json::array();
  for (const GradedShare& one : grading.shares)
    shares.push_back({{"shape", shape_json(one.shape)},
                      {"device", one.device},
                      {"reference", one.reference},
                      {"full", one.full},
                      {"points", one.points}});
  Json groups = Json::array();
  for (const GradedGroup& one : grading.groups)
    groups.push_back({{"name", one.name}, {"where", one.where}, {"points", one.points}, {"why", one.why}});
  return {{"most", grading.most},
          {"correct", grading.correct},
          {"reduced_precision", grading.reduced_precision},
          {"bands", grading.bands},
          {"groups", groups},
          {"shares", shares},
          {"warning", grading.warning},
          {"warnings_at_most", grading.warnings_at_most},
          {"spills", grading.spills},
          {"first_call", grading.first_call}};
}

Json rule_json(const std::string& file, const runner::Catalogue& catalogue) {
  const Rule rule = read_rule(file, catalogue);
  const std::string text = runner::read_regular_file(file, runner::kMostDefinitionBytes);
  return {{"path", file},
          {"file", std::filesystem::path(file).filename().string()},
          {"sha256", sha256(text)},
          {"solve", to_json(rule.solve)},
          {"random_shapes", rule.random_shapes},
          {"busy", rule.busy},
          {"settled", rule.settled},
          {"grading", rule.grading ? to_json(*rule.grading) : Json()}};
}

/// The rung that is meant by an id or by what others call it, as rules write it: "gpu.tiled block=32". Whether
/// there is such an id is seen where the rung is timed.
std::string rung_meant(const runner::Catalogue& catalogue, const std::string& text) {
  if (text.empty() || text.rfind("cpu.", 0) == 0 || text.rfind("gpu.", 0) == 0) return text;
  const std::optional<runner::Alias> alias = runner::alias_called(text);
  if (!alias) throw runner::UsageError("--like: " + runner::near_names(catalogue, text));
  std::string rung = alias->id;
  for (const auto& [name, value] : alias->parameters) rung += " " + name + "=" + gemmlab::to_string(value);
  return rung;
}

/// Every file is looked at before any is judged: a mistake in the last must not show after an hour.
Json submissions_json(const Json& files) {
  Json all = Json::array();
  for (const Json& file : files) {
    const Submission submission = read_submission(file.get<std::string>());
    all.push_back({{"path", submission.path},
                   {"name", submission.name},
                   {"device", submission.device.name},
                   {"sha256", submission.sha256},
                   {"refused", submission.refused}});
  }
  return all;
}

}  // namespace

int answer_facts(const runner::Catalogue& catalogue, runner::Channel& channel) {
  try {
    const Json request = next_request(channel);
    const std::string rule = request.at("rule");
    Json answer{{"rule", rule_json(rule.empty() ? default_rule() : rule, catalogue)},
                {"like", rung_meant(catalogue, request.value("like", ""))},
                {"submissions", submissions_json(request.at("files"))},
                {"program", runner::program_facts().at("program")}};
    answer["not_isolated"] = why_not_isolated();
    runner::Supervisor supervisor;
    const Json worker = runner::facts_of_one_gpu(supervisor, request.value("gpu", ""));
    const Json& gpus = worker.at("gpus");
    answer["machine"] = {{"cpu", cpu_info().model},
                         {"cores", cpu_info().cores},
                         {"gpu", gpus.empty() ? Json() : gpus.at(0).at("name")}};
    answer["worker"] = worker;
    channel.send(answer);
    return runner::kExitDone;
  } catch (const runner::UsageError& refused) {
    channel.send({{"refused", refused.what()}});
  } catch (const std::invalid_argument& refused) {
    channel.send({{"refused", refused.what()}});
  }
  return runner::kExitUsage;
}

}  // namespace gemmlab::submissions
