#include "api/blas/serve.h"

#include <functional>
#include <map>
#include <memory>

#include "api/answer.h"
#include "api/blas/settings.h"
#include "api/blas/trace.h"
#include "operations/gemm/batch.h"

namespace gemmlab::blas {
namespace {

thread_local bool inside = false;

class Inside {
 public:
  Inside() { inside = true; }
  ~Inside() { inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

/// This thread's, one for each device: a handle is one device's.
api::Handle& handle_of(Side side, const api::Choice& choice) {
  thread_local std::map<std::pair<Side, int>, api::Handle> handles;
  api::Handle& handle = handles[{side, api::is_gpu(choice) ? api::current_device() : -1}];
  handle.set_operands_on_host(side == Side::kHost);
  return handle;
}

/// Where each product of a batch is a launch of its own, they must be large enough to fill a card one by one. On an H200 32
/// products of 256×256×64 took 315 µs so, and 18 µs as cuBLAS' one launch.
constexpr double kLeastOfBatch = 2e9;  // operations of a product

bool is_batch_of_small(const Call& call, const api::Choice& choice) {
  const api::Product& product = call.product;
  if (call.side != Side::kDevice || product.count < 2 || product.shape.flop() >= kLeastOfBatch) return false;
  const auto* const row = dynamic_cast<const TakesBatches*>(choice.row);
  return row == nullptr || !row->one_launch(batch_of(product));
}

/// Why it is not ours to answer; empty where it was answered.
std::string why_passed_on(const Call& call) {
  const std::optional<api::Choice>& choice = choice_for(call.side);
  if (!choice) return "off";
  if (is_batch_of_small(call, *choice)) return "a batch of small products takes one launch there";
  try {
    api::Handle& handle = handle_of(call.side, *choice);
    handle.set_stream(call.stream);
    handle.multiply(*choice, call.product);
    return {};
  } catch (const std::exception& refusal) {
    return refusal.what();
  }
}

}  // namespace

void serve(const Call& call, const std::function<void()>& pass_on) {
  if (inside) return pass_on();
  const Inside here;
  Traced traced(call);
  if (const std::string reason = why_passed_on(call); reason.empty()) {
    traced.answered_by(choice_for(call.side)->row->description().id);
  } else {
    traced.passed_on(reason);
    pass_on();
  }
}

}  // namespace gemmlab::blas
