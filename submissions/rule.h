#pragma once

// By which rule submissions are judged: shapes, limits, ladder, what is forbidden. Read from a TOML file
// (submissions/rules/default.toml); what it says of marks is read by the report.

#include <cstdint>
#include <string>
#include <vector>

#include "core/gemm/shape.h"
#include "core/implementation.h"

namespace gemmlab::submissions {

/// An implementation of the suite that submissions are compared with.
struct Rung {
  std::string id;
  Parameters parameters;  ///< complete; those written alone where this build lacks the implementation
  std::string name;       ///< as the rule has it: "gpu.tiled block=32"
  std::string label;      ///< "tiled, block 32": the method, and the parameters that the rule names
};

/// What one device's submissions are compared with, and at which shapes.
struct DeviceRule {
  std::vector<Shape> timed;   ///< in the order of the page
  std::vector<Rung> ladder;   ///< slowest first
  std::vector<Rung> library;  ///< the first that is available here is the library
};

struct Limits {
  double build_s = 120;            ///< the compiler
  double call_s = 10;              ///< one call of solve
  double submission_s = 300;       ///< all of one submission's calls
  std::int64_t memory_mib = 4096;  ///< private memory that the submission may add
  int threads = 0;                 ///< it may start; 0: four for each processor and 16 more, at least 64
  std::int64_t file_mib = 64;      ///< the largest file in its scratch folder; all of them: four times that
};

struct Rule {
  std::string file;  ///< as given, for messages and the page
  Limits limits;
  int random_shapes = 12;                      ///< checked besides the fixed ones
  int rounds = 7;                              ///< timed calls of each subject at each shape
  double shape_s = 20;                         ///< after which no further round at a shape is begun
  bool forbid_libraries = true;                ///< a library opened at run time makes a submission dishonest
  std::vector<std::string> forbidden_headers;  ///< as in #include, a prefix: "Eigen/", "cblas.h"
  DeviceRule cpu;
  DeviceRule gpu;
};

}  // namespace gemmlab::submissions
