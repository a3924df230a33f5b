#pragma once

// The interface of an implementation of an operation. Read by .cu files: C++17 only.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/device.h"
#include "core/operation.h"

namespace gemmlab {

/// The precision that an implementation declares. kFp32Split must meet all that kFp32 must, but is a class of
/// its own: it splits its operands and computes with narrower multipliers.
enum class Precision { kFp32, kTf32, kFp16, kBf16, kFp8, kFp32Split };

const char* to_string(Precision precision);         // "fp32", "tf32", "fp16", "bf16", "fp8", "fp32-split"
Precision precision_from(const std::string& name);  ///< throws std::invalid_argument
bool as_accurate_as_fp32(Precision precision);

/// A parameter's value: whole numbers (block, threads) or words (isa, tile).
using ParameterValue = std::variant<std::int64_t, std::string>;
using Parameters = std::map<std::string, ParameterValue>;

std::string to_string(const ParameterValue& value);
std::int64_t integer(const Parameters& parameters, const std::string& name);  ///< throws std::out_of_range
std::string text(const Parameters& parameters, const std::string& name);      ///< throws std::out_of_range

/// One parameter: its name, its meaning, its allowed values and its default.
struct ParameterSpec {
  std::string name = {};
  std::string summary = {};
  /// The allowed values: numbers in rising order, words in any. Empty where `minimum`..`maximum` (whole
  /// numbers) is used instead.
  std::vector<ParameterValue> choices = {};
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  ParameterValue default_value = {};
  /// How a display name goes on where the value is another than the default, with the value as {name}:
  /// ", {gpus} cards". Empty: no name tells it.
  std::string told = {};

  bool allows(const ParameterValue& value) const;
  std::string allowed() const;  ///< for messages: "4, 8, 16, 32" or "1 to 4096"
};

/// An implementation's description of itself, by designated initialisers, which leave out what is empty. `id`
/// is `device.method` and never changes once results carry it.
struct Description {
  std::string id = {};
  Device device = Device::kCpu;
  /// What texts call it, with {parameter} where a value stands: "tiled {block}". Empty: the method of `id`,
  /// and every parameter.
  std::string name = {};
  /// Whose colour it has in figures: "plain", "tiles", "register tiles", "overlapped", "best" or "matrix
  /// units". Empty: the colour of what is none of these, or, of a reference, grey.
  std::string family = {};
  std::string summary = {};      ///< one line
  std::string source = {};       ///< where the idea comes from
  std::string counterpart = {};  ///< id of the matching implementation on the other device, or empty
  Precision precision = Precision::kFp32;
  bool reference = false;  ///< somebody else's library, measured for comparison
  std::vector<ParameterSpec> parameters = {};
  std::string operation = "gemm";  ///< the name of what it computes
  std::string variant_of = {};     ///< id of the implementation that it differs from in one thing, or empty

  const ParameterSpec* find(const std::string& parameter) const;  ///< nullptr where there is none
};

/// Facts about what really ran, for the record. Whole numbers, fractions and words only.
using Fact = std::variant<std::int64_t, double, std::string>;
using Facts = std::map<std::string, Fact>;

/// One instance and set of parameters, prepared to be run any number of times.
class Session {
 public:
  virtual ~Session() = default;

  /// Computes the operation once. Operands lie in the memory of the implementation's device (see
  /// Backend::allocate_bytes); outputs are overwritten, never read. On the GPU the call returns once the work
  /// is in the backend's stream. Throws std::runtime_error on failure.
  virtual void run(const Operands& operands) = 0;

  /// Outside the clock: converts the present values of these inputs to the form that run() takes. Until the
  /// next call of stage() only these may be run; stage() is called again when one of them changes. Needed
  /// only where Implementation::operands_resident returns true; other implementations read their inputs in
  /// run() and do nothing here.
  virtual void stage(const std::vector<Operands>&) {}

  /// Threads that took part in the last run; 0 on a GPU.
  virtual int threads_actual() const { return 0; }
  /// What the implementation chose by itself: tile, stages, version and file of a library, ...
  virtual Facts chosen() const { return {}; }
  /// GPU: registers, spill_bytes, shared_bytes (static_ and dynamic_shared_bytes), blocks_per_sm, occupancy.
  /// Empty where unknown. Loads the kernel's code if that has not been done yet.
  virtual Facts resources() const { return {}; }
};

/// An implementation: a row of a device's table. Stateless; sessions hold what an instance needs.
class Implementation {
 public:
  virtual ~Implementation() = default;
  virtual const Description& description() const = 0;

  /// Why it cannot run on this machine at all ("libblis.so.4 was not found"); empty when it can.
  virtual std::string unavailable() const { return {}; }
  /// What it declares of this instance: the description's, unless its sums are narrower for some types.
  virtual Precision precision(const Instance&) const { return description().precision; }
  /// Why this instance with these parameters is refused; empty if it is accepted. Must be as cheap as a
  /// comparison.
  virtual std::string why_not(const Instance& instance, const Parameters& parameters) const = 0;
  /// Does a pattern such as "gpu.*" mean it at this instance? Not where it multiplies other types; named by
  /// itself it is refused then, or computes it all the same.
  virtual bool meant_for(const Instance&) const { return true; }
  /// Bytes that it must move from and to memory because of its blocking, if only its tiles stay in cache; 0
  /// where unknown, as for libraries. Places it on the roofline.
  virtual double moved_bytes(const Instance& instance, const Parameters& parameters) const;
  /// Whether the inputs are converted to the implementation's own form before the clock starts
  /// (Session::stage). Only for a parameter that declares it: the conversion is not counted anywhere.
  virtual bool operands_resident(const Parameters&) const { return false; }
  /// Prepares a session. Sees the instance and the parameters (all of them), never the operands.
  virtual std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const = 0;
};

/// The given parameters, checked against the description and completed with its defaults.
/// Throws std::invalid_argument naming the parameter, the value and what is allowed.
Parameters complete(const Description& description, const Parameters& given);

/// What texts call the implementation with these parameters, as a text with {parameter} where a value stands
/// and what is added to it: {"tiled {block}"}, {"multi", ", {gpus} cards", ", {operands}"}.
std::vector<std::string> name_parts(const Description& description, const Parameters& parameters);
/// The parts in a row, with the values filled in: "tiled 32", "multi, 4 cards, sharded". Parameters that are
/// left out have their defaults; a parameter's "8x8" is told as "8×8".
std::string display_name(const Description& description, const Parameters& parameters);

/// Those of a table that compute the operation, in its order.
std::vector<const Implementation*> of_operation(const std::vector<const Implementation*>& table,
                                                const std::string& operation);

/// Every combination of parameter values with listed choices; parameters with a range keep their default.
std::vector<Parameters> all_choices(const Description& description);

}  // namespace gemmlab
