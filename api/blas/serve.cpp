#include "api/blas/serve.h"

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "api/answer.h"
#include "api/blas/settings.h"
#include "api/blas/trace.h"
#include "api/rows.h"
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

bool is_batch_of_small(Side side, const api::Product& product, const api::Choice& choice) {
  if (side != Side::kDevice || product.count < 2 || product.shape.flop() >= kLeastOfBatch) return false;
  const auto* const row = dynamic_cast<const TakesBatches*>(choice.row);
  return row == nullptr || !row->one_launch(batch_of(product));
}

/// What a device's last rung for a product in other types than float32 is, or why none takes it.
struct Rung {
  api::Choice choice;
  std::string why_none;
};

/// Looked up once for each product: a walk through the table takes longer than a small product.
const Rung& rung_for(const Device& device, const api::Product& product) {
  constexpr std::size_t kMostKept = 4096;
  using Known = std::unordered_map<api::Purpose, Rung, api::PurposeHash>;
  thread_local std::map<int, Known> of_devices;
  Known& known = of_devices[device.own_memory ? api::current_device() : -1];
  if (known.size() > kMostKept) known.clear();
  const auto [place, is_new] = known.try_emplace(api::purpose_of({}, product, nullptr));
  if (!is_new) return place->second;
  try {
    place->second.choice.row = &api::last_rung(device, product);
  } catch (const std::exception& none) {
    place->second.why_none = none.what();
  }
  return place->second;
}

/// Throws where nothing of ours takes the product.
const api::Choice& choice_for(const api::Product& product, const Answerer& answerer) {
  if (!answerer.is_device || product.types.plain()) return answerer.choice;
  const Rung& rung = rung_for(answerer.choice.row->description().device, product);
  if (!rung.why_none.empty()) throw api::Refusal(GEMMLAB_REFUSED, rung.why_none);
  return rung.choice;
}

/// Who answers it, if the reason why it is passed on stays empty.
struct Outcome {
  std::string by;
  std::string why_passed_on;
};

Outcome answer(const Call& call) {
  const std::optional<Answerer>& answerer = answerer_for(call.side);
  if (!answerer) return {"", "off"};
  try {
    const api::Product product = api::merged(call.product);
    const api::Choice& choice = choice_for(product, *answerer);
    if (is_batch_of_small(call.side, product, choice))
      return {"", "a batch of small products takes one launch there"};
    api::Handle& handle = handle_of(call.side, choice);
    handle.set_stream(call.stream);
    handle.multiply(choice, product);
    return {choice.row->description().id, ""};
  } catch (const std::exception& refusal) {
    return {"", refusal.what()};
  }
}

}  // namespace

void serve(const Call& call, const std::function<void()>& pass_on) {
  if (inside) return pass_on();
  const Inside here;
  Traced traced(call);
  if (const Outcome outcome = answer(call); outcome.why_passed_on.empty()) {
    traced.answered_by(outcome.by);
  } else {
    traced.passed_on(outcome.why_passed_on);
    pass_on();
  }
}

}  // namespace gemmlab::blas
