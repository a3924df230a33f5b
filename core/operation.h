#pragma once

// What is computed, apart from how: an operation, such as C = A·B, with its dimensions, operands, rates,
// inputs and reference. Implementations name theirs; the harness asks it for all that it has to know. Read by
// .cu files: C++17 only.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/element_type.h"
#include "core/inputs/inputs.h"
#include "core/verification/verify.h"

namespace gemmlab {

/// kInOut: read and overwritten; written anew before every call that is checked.
enum class Direction { kIn, kOut, kInOut };

/// One dimension: "m", what it means, and the values that are allowed. Names of dimensions and options stand
/// in a definition's [[group]], so they are none of its other keys ("name", "size", "scope", "seed", ...).
struct DimensionSpec {
  std::string name;
  std::string summary;
  std::int64_t minimum = 1;
  std::int64_t maximum = 1 << 20;
};

/// One operand of an instance, in the order in which a session gets them: "A", its direction and its element
/// type.
struct OperandSpec {
  std::string name;
  Direction direction = Direction::kIn;
  ElementType type = ElementType::kFloat32;
};

/// An option of an operation changes what is computed ("alpha", "transpose_a", "pattern"). Options with their
/// default value are left out of the canonical form of a point.
using OptionValue = std::variant<std::int64_t, double, std::string>;
using Options = std::map<std::string, OptionValue>;
struct OptionSpec {
  std::string name;
  std::string summary;
  std::vector<OptionValue> choices;  ///< empty: any value of the default's type
  OptionValue default_value;
};
std::string to_string(const OptionValue& value);

class Operation;

/// What one call computes: an operation at its dimensions (in the operation's order) with its options
/// (complete: every one named).
struct Instance {
  const Operation* operation = nullptr;
  std::vector<std::int64_t> dims;
  Options options;

  std::int64_t dim(const std::string& name) const;           ///< throws std::out_of_range
  const OptionValue& option(const std::string& name) const;  ///< throws std::out_of_range
  /// Those that are not default.
  Options given_options() const;
  std::vector<OperandSpec> operands() const;
  std::int64_t bytes(std::size_t operand) const;
  /// Of all operands.
  std::int64_t bytes() const;
  /// Is there an operand that is read and overwritten?
  bool in_out() const;

  bool operator==(const Instance& other) const;
  bool operator!=(const Instance& other) const { return !(*this == other); }
};

/// An instance with its options completed by their defaults. Throws std::invalid_argument naming what is
/// wrong: the number or a value of the dimensions, an option, its value, or why_not().
Instance instance_of(const Operation& operation, std::vector<std::int64_t> dims, const Options& given = {});

/// "1024" where all dimensions are equal, else "8192×4096×6144 (M×N×K)"; then ", alpha 2".
std::string to_string(const Instance& instance);

/// The values of the inputs. Set s of rotated inputs must be checkable by one reference (see
/// Operation::fill).
struct InputValues {
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 1;
};

/// An amount of work per call: the rate is amount per second, in `unit`.
struct Rate {
  std::string name;   ///< key of the record: "gflop_per_s"
  std::string unit;   ///< "GFLOP/s"
  double amount = 0;  ///< of one call, in the unit's numerator (1e9 FLOP)
  /// The rate is time per amount, as for a latency: seconds over `amount`, which is then in the unit's
  /// denominator (1e-9 loads: ns per load).
  bool inverse = false;

  double of(double seconds) const { return inverse ? seconds / amount : amount / seconds; }
};

/// The operands of one call, where they lie in the memory of the session's device, in the operation's order.
/// Of which types their elements are, the instance says.
class Operands {
 public:
  Operands() = default;
  explicit Operands(std::vector<void*> at) : at_(std::move(at)) {}
  template <typename T>
  const T* in(std::size_t operand) const {
    return static_cast<const T*>(at_.at(operand));
  }
  template <typename T>
  T* out(std::size_t operand) const {
    return static_cast<T*>(at_.at(operand));
  }
  void* at(std::size_t operand) const { return at_.at(operand); }
  void* const* begin() const { return at_.data(); }
  std::size_t size() const { return at_.size(); }

 private:
  std::vector<void*> at_;
};

/// The expected outputs, for one instance and one choice of inputs; made once for all implementations.
class OperationReference {
 public:
  virtual ~OperationReference() = default;
  /// Checks the outputs of input set `set`. Of `operands`, outputs and what is read and overwritten lie in
  /// host memory; of pure inputs there may be nullptr.
  virtual std::vector<Check> check(const Operands& operands, std::int64_t set) const = 0;
};

/// An operation: stateless, one object for the program's life. operations/NAME/operation.cpp defines
/// `const Operation& NAME()` in namespace gemmlab; the list of all is made by CMake (core/operations.h).
class Operation {
 public:
  virtual ~Operation() = default;

  virtual const std::string& name() const = 0;  ///< "gemm": stays for ever once results carry it
  virtual std::string title() const;            ///< "C = A·B, float32"; the name unless it says more
  virtual const std::vector<DimensionSpec>& dimensions() const = 0;
  virtual const std::vector<OptionSpec>& options() const = 0;
  /// Of each instance the same operands; an option may change their directions (gemm's C is read where beta is
  /// not 0) and their element types.
  virtual std::vector<OperandSpec> operands(const Instance& instance) const = 0;
  /// The dimensions that `size = n` stands for in a definition.
  virtual std::vector<std::int64_t> dims_of_size(std::int64_t size) const = 0;

  /// Elements of an operand.
  virtual std::int64_t count(const Instance& instance, std::size_t operand) const = 0;
  /// Floating-point operations (or those that the operation counts) of one call.
  virtual double operation_count(const Instance& instance) const = 0;
  /// The fewest bytes that must move: what is read once, and what is written once. All of every operand unless
  /// an operation says otherwise.
  virtual double least_bytes(const Instance& instance) const;
  /// The first is the one that tables and axes take unless told otherwise.
  virtual std::vector<Rate> rates(const Instance& instance) const = 0;
  /// Why these dimensions and options are not an instance of the operation; empty if they are.
  virtual std::string why_not(const Instance& instance) const = 0;

  /// Fills an operand of input set `set` (host memory) with what it holds before a call. Sets differ so that
  /// a result cannot be kept from call to call, and in a way that one reference can follow.
  virtual void fill(const Instance& instance, std::size_t operand, const InputValues& values,
                    std::int64_t set, void* host_to) const = 0;
  /// False where every set holds the same, which is then made once and copied.
  virtual bool differs_by_set(std::size_t operand) const;
  /// Checks that the pure inputs in host memory are bit for bit what fill() made. One check,
  /// "inputs-unchanged", covers all of them; by default they are filled once more and compared.
  virtual Check unchanged(const Instance& instance, const Operands& operands, const InputValues& values,
                          std::int64_t set) const;
  /// An instance that does about this share of the work (0 to 1), on operands at the same addresses: a pilot
  /// uses it to estimate the time of the whole, and a handicap to do extra work. Empty: the operation has no
  /// such parts, and neither is possible.
  virtual std::optional<Instance> part(const Instance& instance, double share) const;
  /// In double precision, with a bound relative to the sum of absolute terms.
  virtual std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                        const DoubleProduct& product) const = 0;
  /// Small and odd dimensions at which `check` and the tests try every implementation.
  virtual std::vector<std::vector<std::int64_t>> odd_dimensions() const = 0;
  /// Options beside the default ones at which they try those that take them.
  virtual std::vector<Options> odd_options() const { return {}; }
};

}  // namespace gemmlab
