#pragma once

// The rule by which submissions are judged: shapes, limits, ladder, what is forbidden, marks.
// program/rule_reader.h reads it from a TOML file; submissions/rules/default.toml explains every key.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "operations/gemm/shape.h"
#include "submissions/solve_form.h"

namespace gemmlab::submissions {

/// An implementation of the suite that submissions are compared with.
struct Rung {
  std::string id;
  Parameters parameters;  ///< complete; only those of the rule where this build lacks the implementation
  std::string name;       ///< as written in the rule: "gpu.tiled block=32"
  std::string label;      ///< "tiled, block 32": the method and the parameters that the rule names
};

/// What one device's submissions are compared with, and at which shapes.
struct DeviceRule {
  std::vector<Shape> timed;        ///< in the order of the page
  std::vector<Shape> timed_alone;  ///< besides, where one file is judged and not a class
  std::vector<Rung> ladder;        ///< slowest first
  std::vector<Rung> library;       ///< the first that is available here is the library
};

struct Limits {
  double build_s = 120;            ///< the compiler
  double call_s = 10;              ///< one call of solve
  double submission_s = 300;       ///< all calls of one submission
  std::int64_t memory_mib = 4096;  ///< private memory that the submission may add
  int threads = 0;                 ///< that it may start; 0: four per processor and 16 more, at least 64
  std::int64_t file_mib = 64;      ///< the largest file in its scratch folder; all files: four times that
};

/// Points for speed: none at speed 0, all of them from `full` of the reference's speed on.
struct GradedShare {
  Shape shape;
  std::string device;     ///< "cpu", "gpu", or empty: both
  std::string reference;  ///< "library" or an entry of the ladder
  double full = 0;
  double points = 0;
};

/// Points for right results at a group of shapes, where not all of them are right.
struct GradedGroup {
  std::string name;   ///< for people
  std::string where;  ///< "square", "whole", "odd", "thin" or "large": default.toml says what they hold
  double points = 0;
  std::string why;  ///< what a kernel that is right there has shown
};

/// How a verdict becomes a mark. The pages compute it (submissions/verdicts/marks.py).
struct Grading {
  double most = 0;
  double correct = 0;
  double reduced_precision = 0;
  int bands = 0;  ///< steps that points for speed come in; 0: in proportion
  std::vector<GradedGroup> groups;
  std::vector<GradedShare> shares;
  double warning = 0;  ///< points that one compiler warning costs
  double warnings_at_most = 0;
  double spills = 0;
  double first_call = 0;
};

struct Rule {
  std::string file;  ///< as given, for messages
  SolveForm solve;   ///< what is asked for
  Limits limits;
  int random_shapes = 12;                      ///< checked besides the fixed ones
  int rounds = 7;                              ///< timed calls of each subject at each shape
  double shape_s = 20;                         ///< after which no further round at a shape begins
  double settled = 0.05;                       ///< half-width of the interval of a share that is settled
  int again = 3;                               ///< times that a shape is measured again until it is
  double busy = 0.1;                           ///< share of the processors that others may use meanwhile
  bool priority = true;                        ///< CPU code is timed at a real-time one, where the user may
  bool forbid_libraries = true;                ///< a library opened at run time makes a submission dishonest
  std::vector<std::string> forbidden_headers;  ///< as in #include, a prefix: "Eigen/", "cblas.h"
  DeviceRule cpu;
  DeviceRule gpu;
  std::optional<Grading> grading;  ///< none: no marks
};

}  // namespace gemmlab::submissions
