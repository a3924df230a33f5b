#include "runner/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

#include "runner/commands/commands.h"
#include "runner/commands/emulated.h"
#include "runner/execution/supervisor.h"
#include "runner/execution/worker.h"
#include "runner/message_text.h"
#include "runner/name_suggestion.h"
#include "runner/recording/provenance.h"
#include "runner/standard_output.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

/// What the commands' options are read into, and THE list of commands: each is described and done in one
/// place.
struct CommandLine {
  using Act = std::function<int(const Catalogue&)>;
  CLI::App* add(CLI::App& app, const char* name, const char* summary, Act act) {
    acts[name] = std::move(act);
    return app.add_subcommand(name, summary);
  }

  std::map<std::string, Act> acts;
  bool json = false;
  std::string gpu;
  std::string listed;
  std::vector<std::string> patterns;
  bool emulate = false;
  RunOptions run;
  std::string experiment;
  std::string builds;
  MultiplyOptions multiply;
  CountsOptions counts;
  TuneOptions tune;
  std::vector<std::string> tuned_shapes;
};

constexpr const char* kGpuHelp = "The GPU, by its number in nvidia-smi or by its uuid (default: the first)";

/// The name becomes that of a folder: no separators, no "..", nothing that surprises a shell.
CLI::Validator machine_name() {
  return CLI::Validator(
      [](const std::string& name) {
        const bool plain =
            !name.empty() && name.front() != '.' &&
            name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
                std::string::npos;
        return plain ? std::string()
                     : "'" + name + "' is not allowed: letters, digits, '.', '_' and '-' only";
      },
      "NAME");
}

/// What a script's empty variable leaves is no choice.
CLI::Validator not_empty() {
  return CLI::Validator([](const std::string& text) { return text.empty() ? "'' names no GPU" : ""; },
                        "N|UUID");
}

/// Unlike CLI::Range it refuses a NaN.
CLI::Validator number_between(double least, double most) {
  return CLI::Validator(
      [least, most](const std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
        return good ? std::string() : fmt::format("'{}' is not a number from {} to {}", text, least, most);
      },
      "NUMBER");
}

void describe(CLI::App& app, CommandLine& line) {
  app.require_subcommand(1);
  CLI::App* list =
      line.add(app, "list", "Implementations and experiments, and what is available here",
               [&](const Catalogue& catalogue) { return command_list(catalogue, line.listed, line.json); });
  list->add_option("NAME", line.listed,
                   "One implementation, by its id or what others call it (default: all)");
  list->add_flag("--json", line.json, "Print JSON");
  list->footer("Example: gemmlab list\nExample: gemmlab list '2D blocktiling'");
  CLI::App* info = line.add(app, "info", "The machine, compiler, flags, libraries, GPUs",
                            [&](const Catalogue&) { return command_info(line.json, line.gpu); });
  info->add_flag("--json", line.json, "Print JSON");
  info->add_option("--gpu", line.gpu, kGpuHelp)->check(not_empty());
  info->footer("Example: gemmlab info --json");
  CLI::App* check = line.add(
      app, "check",
      "Verify every implementation over odd shapes; exit 1 if any fails, 2 if a named one cannot be checked",
      [&](const Catalogue& catalogue) {
        return command_check(catalogue, line.patterns, line.emulate, line.gpu);
      });
  check->add_option("ID", line.patterns,
                    "Implementations, by id or usual name, or cpu.*, gpu.* (default: all)");
  check->add_flag(
      "--emulate", line.emulate,
      "Run GPU kernels on the CPU, each access checked (done by itself where no GPU can be used)");
  check->footer("Example: gemmlab check gpu.tiled cpu.*");
  check->add_option("--gpu", line.gpu, kGpuHelp)->check(not_empty());
  CLI::App* run = line.add(app, "run", "Measure what is not yet recorded, then build the report",
                           [&](const Catalogue& catalogue) { return command_run(catalogue, line.run); });
  run->add_option("EXPERIMENT", line.run.experiments, "Names (see gemmlab list) or .toml files");
  run->add_option("--from-trace", line.run.traces,
                  "A file of GEMMLAB_TRACE=FILE: measure exactly the products that a program asked for");
  run->add_option("--output", line.run.output, "Folder for the records (default: data/results/<machine>)");
  run->add_option("--machine", line.run.machine, "Name of this machine (default: from CPU and GPU)")
      ->check(machine_name());
  run->add_option("--gpu", line.run.gpu, kGpuHelp)->check(not_empty());
  run->add_option("--shard", line.run.shard,
                  "Only this part of the plan, from 0/N to N-1/N, into a file of its own; no report");
  run->add_flag(
      "--all", line.run.all,
      "Then every other experiment that can be measured here, the shortest first; at a commit alone");
  run->add_option("--hours", line.run.hours,
                  "Begin nothing that is likely to end later, and say what is left; the same command goes on")
      ->check(CLI::Range(0.001, 1000.0));
  run->add_flag("--dry-run", line.run.dry_run, "Print points, memory and estimated time; measure nothing");
  run->add_flag("--fresh", line.run.fresh, "Measure again what is recorded; older records stay");
  run->add_flag("--no-report", line.run.no_report, "Records only");
  run->add_flag("--verbose", line.run.verbose, "Print one line per point");
  run->footer("Example: gemmlab run quick\nExample: gemmlab run block_size my_sweep.toml --output results");
}

/// "4096x1024x2048", as M×N×K. Throws UsageError.
Shape shape_from(const std::string& text) {
  long long sides[3] = {};
  int end = 0;
  constexpr long long kMostSide = 1 << 20;
  const bool three =
      std::sscanf(text.c_str(), "%lldx%lldx%lld%n", &sides[0], &sides[1], &sides[2], &end) == 3;
  const bool good =
      three && end == static_cast<int>(text.size()) &&
      std::all_of(sides, sides + 3, [](long long side) { return side >= 1 && side <= kMostSide; });
  if (!good)
    throw UsageError(
        "'" + clipped(text) +
        "' is not a shape: MxNxK with sides from 1 to 1048576 is allowed, such as 4096x1024x2048");
  return {sides[0], sides[1], sides[2]};
}

void describe_tune(CLI::App& app, CommandLine& line) {
  CLI::App* tune =
      line.add(app, "tune", "Measure the tiles of gpu.pipelined on this card, and use the best from then on",
               [&](const Catalogue& catalogue) {
                 for (const std::string& text : line.tuned_shapes)
                   line.tune.shapes.push_back(shape_from(text));
                 return command_tune(catalogue, line.tune);
               });
  tune->add_option("SHAPE", line.tuned_shapes, "MxNxK, such as 4096x1024x2048 (default: twenty shapes)");
  tune->add_option("--seconds", line.tune.seconds, "Most timed work per tile (default: 4)")
      ->check(number_between(0.05, 60));
  tune->add_option("--gpu", line.tune.gpu, kGpuHelp)->check(not_empty());
  tune->add_flag("--forget", line.tune.forget, "Forget what was tuned on this card");
  tune->footer("Example: gemmlab tune\nExample: gemmlab tune 4096x1024x2048 --forget");
}

/// What `gemmlab profile` asks this program for; of no use to a person, so --help does not list it.
void describe_profile(CLI::App& app, CommandLine& line) {
  CLI::App* points =
      line.add(app, "points", "The points of an experiment as JSON",
               [&](const Catalogue& catalogue) { return command_points(catalogue, line.experiment); });
  points->group("");
  points->add_option("EXPERIMENT", line.experiment, "Name or .toml file")->required();
  CLI::App* multiply =
      line.add(app, "multiply", "One call inside the profiled range", [&](const Catalogue& catalogue) {
        line.multiply.instance = app.get_subcommand("multiply")->remaining();
        return command_multiply(catalogue, line.multiply);
      });
  multiply->group("");
  multiply->add_option("--implementation", line.multiply.implementation, "Its id")->required();
  multiply->add_option("--parameters", line.multiply.parameters, "A JSON object");
  multiply->add_flag("--counters", line.multiply.counters, "Print the processor's counters, too");
  multiply->allow_extras();  // --m 4096 ...: the dimensions and options of its operation
}

/// Likewise for who predicts the time of a GPU kernel.
void describe_counts(CLI::App& app, CommandLine& line) {
  CLI::App* counts =
      line.add(app, "counts", "What one call asks of a card, as JSON", [&](const Catalogue& catalogue) {
        line.counts.call.instance = app.get_subcommand("counts")->remaining();
        return command_counts(catalogue, line.counts);
      });
  counts->group("");
  counts->add_option("--implementation", line.counts.call.implementation, "Its id")->required();
  counts->add_option("--parameters", line.counts.call.parameters, "A JSON object");
  counts->add_option("--blocks", line.counts.blocks, "Blocks of each grid that are run; 0: all");
  counts->allow_extras();
}

/// Likewise for `gemmlab report` and `gemmlab doctor`.
void describe_fingerprints(CLI::App& app, CommandLine& line) {
  CLI::App* fingerprints = line.add(app, "fingerprints", "What the points of builds would bear, as JSON",
                                    [&](const Catalogue&) { return command_fingerprints(line.builds); });
  fingerprints->group("");
  fingerprints->add_option("BUILDS", line.builds, "A JSON list of builds as run lines bear them")->required();
}

std::string no_such_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) commands.push_back(command->get_name());
  }
  return fmt::format("there is no command '{}'{}; allowed: {}", clipped(word), guess(word, commands),
                     listed(commands));
}

/// "--hlep" -> " (did you mean '--help'?)", of the options of the command.
std::string option_meant(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  const auto chosen = app.get_subcommands();
  for (const CLI::Option* option : (chosen.empty() ? &app : chosen.front())->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return guess(word.substr(0, word.find('=')), known);
}

/// The value after a misspelt option looks like a FILE that does not exist: then the option is what to name.
/// So is a word that should be a command.
std::string said_of(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> left = app.remaining(true);
  if (app.get_subcommands().empty() && !left.empty() && left.front().rfind('-', 0) != 0)
    return no_such_command(app, left.front());
  for (const std::string& rest : left) {
    if (rest.size() > 1 && rest.front() == '-')
      return fmt::format("there is no option {}{}", clipped(rest), option_meant(app, rest));
  }
  return error.what();
}

/// On standard error; who asked for JSON gets it on standard output, too.
void complain(const std::string& message, bool json) {
  const std::string line = one_line(message);
  fmt::print(stderr, "gemmlab: {}\n", line);
  if (json) fmt::print("{}\n", to_text(Json{{"error", line}}));
}

/// What no argument may be, as a script's unset variable leaves it, or a file's name that a terminal would obey; empty where
/// none is.
std::string wrong_argument(const std::vector<std::string>& arguments) {
  std::string before;
  for (const std::string& argument : arguments) {
    const bool without_value = argument.rfind("--", 0) == 0 && argument.find('=') == argument.size() - 1;
    const std::string where = without_value                ? " (" + argument + ")"
                              : before.rfind("--", 0) == 0 ? " (after " + before + ")"
                                                           : "";
    if (argument.empty() || without_value)
      return fmt::format("an argument is empty{}: leave it out, or give it a value", clipped(where));
    if (has_control(argument)) return fmt::format("there are control characters in '{}'", clipped(argument));
    before = argument;
  }
  return {};
}

/// The exit code of what was done, if all that it said has reached standard output.
int told(int exit_code, bool json) {
  try {
    flush_output();
  } catch (const OutputLost& lost) {
    complain(lost.what(), json);
    return kExitUsage;
  }
  return exit_code;
}

}  // namespace

int program(int argc, char** argv, const std::vector<const Implementation*>& extra) {
  if (!open_standard_streams()) {
    complain("standard output is closed, so nobody would read the answer; > /dev/null keeps it away", false);
    return kExitUsage;
  }
  const Catalogue catalogue(extra);
  if (argc == 5 && std::strcmp(argv[1], "worker") == 0) {
    const bool emulates = std::getenv(kEmulates) != nullptr;
    return worker_main(emulates ? Catalogue::of_rows(emulation::emulated_rows()) : catalogue,
                       std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
  }
  // Idle OpenMP threads spin for about a millisecond instead of some twenty: in interleaved rounds they would
  // take the cores from the next point. Set before the worker starts, and recorded with the environment; the
  // user's own value wins.
  ::setenv("GOMP_SPINCOUNT", "4000", 0);
  CommandLine line;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  line.run.arguments = arguments;
  const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  CLI::App app("Experiments on matrix products and other operations: what each step of optimising them buys",
               "gemmlab");
  app.set_version_flag("--version", program_facts().at("program").at("version").get<std::string>());
  describe(app, line);
  describe_tune(app, line);
  describe_profile(app, line);
  describe_counts(app, line);
  describe_fingerprints(app, line);
  if (const std::string wrong = wrong_argument(arguments); !wrong.empty()) {
    complain(wrong, json);
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help or --version
    return told(app.exit(asked), json);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    complain(fmt::format("{}; see gemmlab {}--help", clipped(said_of(app, error), 3000),
                         chosen.empty() ? "" : chosen.front()->get_name() + " "),
             json);
    return kExitUsage;
  }
  try {
    return told(line.acts.at(app.get_subcommands().front()->get_name())(catalogue), json);
  } catch (const UsageError& error) {
    complain(error.what(), json);
    return kExitUsage;
  } catch (const OutputLost& lost) {
    complain(lost.what(), json);
    return kExitUsage;
  } catch (const Interrupted&) {
    return exit_interrupted();
  } catch (const std::exception& error) {
    // whoever read the output has seen enough, as `head` has: no message
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    const bool unread = system != nullptr && system->code() == std::errc::broken_pipe;
    const bool unsaid = system != nullptr && !unread && std::ferror(stdout) != 0;
    if (!unread) complain(unsaid ? OutputLost(system->code().value()).what() : error.what(), json);
    return unsaid ? kExitUsage : kExitWrong;
  }
}

}  // namespace gemmlab::runner
