#pragma once

// An experiment: a TOML file that names a question, and the points whose measurement answers it.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/records/record.h"
#include "core/timing/measure.h"
#include "runner/catalogue.h"

namespace gemmlab::runner {

/// Points that are compared on one instance of an operation, measured in interleaved rounds.
struct Group {
  std::string name;  ///< of the definition's group
  Instance instance;
  MeasureSettings settings;
  std::vector<Point> points;
};

/// A point that the definition leaves out, with its reason; it becomes a `skipped` record.
struct Excluded {
  std::string group;
  Point point;
  std::string reason;
};

/// Implementations that this program lacks (GPU ones in a build without CUDA).
struct LeftOut {
  std::string implementation;  ///< as the definition names it: "gpu.tiled", "gpu.*"
  std::string reason;
};

/// One of `count` parts that a plan is cut into: see shard.h.
struct Shard {
  int index = 0;  ///< from 0
  int count = 1;
};

/// What a definition of which a shard was kept is a part of.
struct Part {
  Shard shard;
  std::string plan;        ///< 16 hex digits: all shards of one plan must bear the same
  std::size_t points = 0;  ///< of the whole plan, those left out included
};

struct Definition {
  std::string name;  ///< the file's name without .toml
  std::string file;
  std::string title;
  std::string question;
  std::string source;
  std::string sha256;
  Json tables = Json::array();
  Json figures = Json::array();
  std::vector<std::string>
      lines;  ///< labels in the order of the file, the ladder's order: records come as they end
  std::vector<Group> groups;
  std::vector<Excluded> excluded;
  std::optional<Part> part;  ///< where it is a shard of what the file says
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;  ///< what a name in it stands for: "'kernel 3' is gpu.tiled, block 32"
  std::vector<const Operation*> operations;  ///< of its groups, each once, in the order of the file

  std::size_t point_count() const;
  /// Implementations that are left out, each once.
  std::map<std::string, std::set<std::string>> left_out_by_reason() const;
  /// What its operations are called and measured in: see operation_json().
  Json operations_json() const;
  /// What the report needs to know: name, title, question, source, tables, figures, lines, what is left out.
  Json presentation() const;
};

/// Reads and expands a definition. Throws UsageError with file, line, key, value and what is allowed.
Definition load_definition(const std::string& file, const Catalogue& catalogue);
/// The same of a text that was read, under a name of its own.
struct TomlFile;
Definition make_definition(const TomlFile& read, const std::string& file, const std::string& name,
                           const Catalogue& catalogue);

/// The file of an experiment given by name or by path. Throws UsageError naming the experiments there are.
std::string find_definition(const std::string& name_or_file);

/// Every .toml file under experiments/, sorted by name.
std::vector<std::string> shipped_definitions();

}  // namespace gemmlab::runner
