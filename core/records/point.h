#pragma once

// What is measured: one implementation with its parameters on one instance of its operation under one regime.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/implementation.h"
#include "core/inputs/inputs.h"
#include "core/operations.h"

namespace gemmlab {

using Json = nlohmann::ordered_json;  ///< whoever looks into one includes <nlohmann/json.hpp>

/// When CUDA loads a program's kernels: each at its first use, or all of them with the context.
enum class ModuleLoading { kLazy, kEager };
const char* to_string(ModuleLoading loading);  // "lazy", "eager"

/// How a device is kept busy while a point is timed: in short samples between those of others, or by nothing
/// else for seconds, until its clock and its temperature are what its power allows for good.
enum class Load { kBurst, kSustained };
const char* to_string(Load load);  // "burst", "sustained"

/// The conditions under which a point is measured. The name of each member, where a definition sets it and
/// how it is written stand in attributes.cpp: a new one is a member here, a row there, and the code that uses
/// it.
struct Regime {
  Scope scope = Scope::kKernel;
  bool cold = true;  ///< inputs rotate past the last-level cache
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 1;
  HostMemory host_memory = HostMemory::kPageable;       ///< end-to-end
  Allocation allocation = Allocation::kNotCounted;      ///< end-to-end
  ModuleLoading module_loading = ModuleLoading::kLazy;  ///< first-call, on a GPU
  Load load = Load::kBurst;                             ///< kernel and call

  InputValues values() const { return {distribution, seed}; }
  InputValues integers() const { return {Distribution::kInteger, seed}; }
};

/// What a record says about an implementation besides its id.
struct Identity {
  Device device = Device::kCpu;
  Precision precision = Precision::kFp32;  ///< what it declares
  bool reference = false;
  std::string family;
  std::string variant_of;
  std::string name;                     ///< display_name()
  std::vector<std::string> name_parts;  ///< name_parts()
};
Identity identity_of(const Description& description, const Parameters& parameters);

struct Point : Regime, Identity {
  std::string implementation;
  Parameters parameters;  ///< complete
  std::string label;
  std::string group;  ///< of the definition: the same point in another group is compared with others, so it
                      ///< counts apart
  Instance instance;
  int replica = 0;      ///< 1, 2, ...: the same point again, under another label, in the same group and shape
  double handicap = 0;  ///< share of the work that each call does twice: a slow-down of known size
  std::string
      twin_of;  ///< case_id of the point whose A/A twin this is; empty for all that a definition names

  /// The canonical point: keys sorted, the same text everywhere.
  Json canonical() const;
  /// First 16 hex digits of the SHA-256 of canonical().
  std::string case_id() const;
  /// The same point again, which the harness measures to learn how far two measurements of the same code
  /// differ.
  Point twin() const;
};

/// Why the point's scope is refused: the scope counts the transfers of the inputs, but the implementation has
/// them on the device in its own form before the clock starts. Empty if there is no such conflict.
std::string refused_scope(const Implementation& implementation, const Point& point);

Json to_json(const Parameters& parameters);
/// Throws std::invalid_argument, naming the parameter, for a value that is neither a whole number nor a word.
Parameters parameters_from(const Json& object);

/// The dimensions by their names, and the options that are not default.
Json dims_json(const Instance& instance);
Json options_json(const Instance& instance);
/// The instance of a record: operation, dims and options, or m, n and k of gemm in older ones. Throws
/// std::invalid_argument where this program has no such operation, or what instance_of() throws.
Instance instance_from(const Json& record);

}  // namespace gemmlab
