#pragma once

// Checks whether a submission is right. One process makes the calls; what it leaves in C is checked here.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "submissions/diagnosis/diagnosis.h"
#include "submissions/judge/checking/emulation.h"
#include "submissions/judge/failures/failure.h"
#include "submissions/judge/inputs/check_inputs.h"
#include "submissions/judge/inputs/secret.h"
#include "submissions/judge/processes/callee_process.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

struct CheckResult {
  std::vector<ShapeOutcome> outcomes;  ///< in the order checked
  std::vector<Shape> not_reached;      ///< the checks had ended before
  std::vector<Failure> failures;       ///< most telling first
  std::vector<std::string> notes;
  std::vector<std::string> opened;      ///< libraries that were opened at run time
  std::vector<KernelFinding> findings;  ///< of the emulator
  int calls = 0;
  double load_s = 0;
};

/// Checks one submission, shape by shape, until it fails in a way that ends its process. Wrong results do not end
/// it: marks may be given for the shapes that are right.
class Checker {
 public:
  /// `setup.matrices` are made here. `product`: for the references.
  Checker(CalleeSetup setup, const Limits& limits, DoubleProduct product);
  /// Inputs come out of the secret.
  CheckResult check(const std::vector<Shape>& shapes, const Secret& secret);

 private:
  /// What one call was given.
  struct Given {
    Shape shape;
    std::vector<float> a, b, c;  ///< C as it was before; empty where its content does not count
    Factors factors;
  };

  bool start();
  double limit_s() const;
  std::optional<Failure> failure_at(const Shape& shape, const CallEnd& end);
  void ones_by_twos();
  bool too_dear(const Shape& shape) const;
  void shape(const Shape& shape, const Secret& secret, std::size_t place);
  bool right_where_sampled(const Inputs& inputs);
  bool correct_where_written(const Inputs& inputs) const;
  bool exact(const Inputs& inputs, Placement placement);
  bool bound(const Inputs& inputs);
  bool call(const Inputs& inputs, Placement placement, std::uint32_t poison, bool zero_bands = false);
  void place(const Shape& shape, Placement placement, std::uint32_t poison);
  void place(const Inputs& inputs, Placement placement, std::uint32_t poison);
  void put(const std::vector<float>& a, const std::vector<float>& b);
  CallEnd ask();
  void fetch();
  Inputs inputs_at(const Shape& shape, Kind kind, std::uint64_t seed, Factors factors = {}) const;
  Given given();
  bool bands_whole(const Shape& shape);
  bool inputs_whole(const Inputs& inputs);
  Failure with_heap_checked(Failure failure, const CallEnd& end) const;
  bool has_failed_by(const std::string& pattern) const;
  bool remembered();
  bool finished_later(const Inputs& inputs);
  void wrong(const Inputs& inputs);
  void wrong_when_scaled(const Inputs& inputs);
  bool special(const Inputs& inputs);
  void only_whole_numbers(const Inputs& inputs);
  void wrong_for_special(const Inputs& inputs);
  void read_outside(const Inputs& inputs);
  bool small_in_norm(const Inputs& inputs);
  bool small_is_zero(const Inputs& inputs);
  std::optional<Failure> mixed_operands(const Inputs& inputs);
  std::optional<Failure> mixed_rows(const Inputs& inputs);
  void imprecise(const Inputs& inputs, const Check& check, bool cancelled);
  Evidence evidence(const Inputs& inputs);
  bool fail(Failure failure);
  void note_opened(const Reply& reply);
  void look_for_libraries();
  void explain_outside(Failure& failure) const;
  void explain_first_call();
  void explain();
  std::optional<std::vector<float>> probe(const Shape& shape, const std::vector<float>& a,
                                          const std::vector<float>& b);
  const Shape* clearest() const;
  void improve(Diagnosis& diagnosis, const Evidence& evidence);
  bool right_when_first(const Evidence& evidence);
  const float* c() const { return c_.data(); }
  const std::vector<float>& copy_of_c() const { return c_; }

  CalleeSetup setup_;
  Limits limits_;
  DoubleProduct product_;
  std::optional<EmulatorReports> reports_;  ///< of submissions that are emulated
  std::unique_ptr<CalleeProcess> process_;
  std::vector<MappedCode> code_;  ///< before the submission was loaded
  Request request_;
  std::vector<float> c_;         ///< as the last call left it
  std::vector<float> c_before_;  ///< see Given
  bool whole_ = true;            ///< the last call's A and B hold whole numbers
  CheckResult result_;
  std::vector<std::pair<int, Evidence>> evidence_;  ///< by how telling its shape is, best first
  Given before_;                                    ///< the call before the last
  bool over_ = false;                               ///< no further call can, or need, be made
  Reply refused_;                                   ///< to the last call: was memory refused?
  std::set<int> errors_noted_;                      ///< of CUDA
  double spent_s_ = 0, last_s_ = 0;                 ///< of all calls, of the last
  double least_s_of_element_ = 0;                   ///< of C, over the calls; 0: not known
  int probes_ = 0;
  double probed_s_ = 0;
  bool first_wrong_ = false;  ///< the very first call, of ones by twos
  int waits_for_late_ = 2;    ///< wrong results that are looked at once more, a while later
};

/// A·B in double of matrices as they are.
std::vector<double> product_of(const std::vector<float>& a, const std::vector<float>& b, const Shape& shape);
/// What a diagnosis says, as a failure at that shape.
Failure failure_from(const Diagnosis& diagnosis, const Shape& shape);

}  // namespace gemmlab::submissions
