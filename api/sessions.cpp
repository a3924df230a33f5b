#include "api/sessions.h"

#include <functional>
#include <iterator>
#include <mutex>
#include <utility>

#include "api/answer.h"
#include "api/rows.h"
#include "core/backend.h"
#include "gpu/table.h"

namespace gemmlab::api {
namespace {

/// What a handle keeps at most. Sessions are small; the memory that they hold may not be.
constexpr std::size_t kMostKept = 1024;
constexpr std::size_t kMostOwnBytes = std::size_t{2} << 30;
constexpr std::size_t kMostBytesAside = std::size_t{2} << 30;

/// A library's sessions on a GPU that nobody holds any more. To end one waits for the whole device (cublasDestroy
/// does), and CUDA answers that by giving up every capture that goes on, in whatever thread. So they are kept, taken
/// again for the same purpose, and end where the caller asks for it, where memory runs out, or where they have become
/// too many.
class SetAside {
 public:
  static SetAside& all() {
    static auto* const one = new SetAside;  // never ends: that would be after CUDA has
    return *one;
  }

  void put(std::unique_ptr<Prepared> one) {
    Kept over;  // ends without the lock
    const std::lock_guard lock(mutex_);
    bytes_ += one->bytes;
    kept_.push_front(std::move(one));
    while (bytes_ > kMostBytesAside) {
      bytes_ -= kept_.back()->bytes;
      over.splice(over.begin(), kept_, std::prev(kept_.end()));
    }
  }

  /// nullptr where there is none.
  std::unique_ptr<Prepared> take(const Purpose& purpose, int device) {
    const std::lock_guard lock(mutex_);
    for (auto one = kept_.begin(); one != kept_.end(); ++one) {
      if ((*one)->device != device || !((*one)->purpose == purpose)) continue;
      std::unique_ptr<Prepared> found = std::move(*one);
      bytes_ -= found->bytes;
      kept_.erase(one);
      return found;
    }
    return nullptr;
  }

  bool any() {
    const std::lock_guard lock(mutex_);
    return !kept_.empty();
  }

  void end() {
    Kept over;
    const std::lock_guard lock(mutex_);
    over.swap(kept_);
    bytes_ = 0;
  }

 private:
  using Kept = std::list<std::unique_ptr<Prepared>>;

  std::mutex mutex_;
  Kept kept_;  ///< latest first
  std::size_t bytes_ = 0;
};

/// What is set aside in the end: a library's on a GPU, with memory of its own.
bool is_set_aside(const Purpose& purpose, const std::shared_ptr<Workspace>& lender) {
  return is_gpu(purpose.choice) && purpose.choice.row->description().reference && lender == nullptr;
}

std::shared_ptr<Prepared> set_aside_in_the_end(std::unique_ptr<Prepared> one) {
  return {one.release(), [](Prepared* last) { SetAside::all().put(std::unique_ptr<Prepared>(last)); }};
}

}  // namespace

bool any_set_aside() {
  return SetAside::all().any();
}

void end_set_aside() {
  SetAside::all().end();
}

InStream::InStream(void* stream) {
  gpu::use_stream(stream);
}
InStream::~InStream() {
  gpu::use_stream(nullptr);
}

bool is_gpu(const Choice& choice) {
  return choice.row->description().device.own_memory;
}

Choice choice_from(const std::string& text) {
  const std::size_t end = text.find(' ');
  return {&row(text.substr(0, end)), end == std::string::npos ? "" : text.substr(end + 1)};
}

bool Purpose::operator==(const Purpose& other) const {
  const auto same = [](const GemmForm& x, const GemmForm& y) {
    return x.transpose_a == y.transpose_a && x.transpose_b == y.transpose_b && x.alpha == y.alpha &&
           x.beta == y.beta && x.lda == y.lda && x.ldb == y.ldb && x.ldc == y.ldc;
  };
  const auto same_strides = [](const BatchStrides& x, const BatchStrides& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c;
  };
  return choice.row == other.choice.row && types == other.types && bias == other.bias &&
         shape == other.shape && stream == other.stream && same(form, other.form) && count == other.count &&
         same_strides(strides, other.strides) && choice.parameters == other.choice.parameters;
}

std::size_t PurposeHash::operator()(const Purpose& purpose) const {
  std::size_t all = std::hash<const void*>()(purpose.choice.row);
  const auto add = [&](auto value) {
    all = (all ^ std::hash<decltype(value)>()(value)) * 0x9E3779B97F4A7C15u;
  };
  const GemmForm& form = purpose.form;
  for (std::int64_t number : {purpose.shape.m, purpose.shape.n, purpose.shape.k, form.lda, form.ldb, form.ldc,
                              purpose.count, purpose.strides.a, purpose.strides.b, purpose.strides.c}) {
    add(number);
  }
  add(form.alpha);
  add(form.beta);
  add(2 * form.transpose_a + form.transpose_b);
  add(static_cast<int>(purpose.types.type));
  add(static_cast<int>(purpose.types.result));
  add(purpose.bias ? static_cast<int>(*purpose.bias) : -1);
  add(purpose.stream);
  return all;
}

Instance instance_of(const Purpose& purpose) {
  const GemmForm& form = purpose.form;
  const GemmForm least = form_of(purpose.shape, form.transpose_a, form.transpose_b);
  Instance instance = gemm_at(purpose.shape);
  const auto set = [&](const char* name, OptionValue value) { instance.options[name] = std::move(value); };
  const auto word = [](const char* text) { return std::string(text); };
  set("transpose_a", word(form.transpose_a ? "yes" : "no"));
  set("transpose_b", word(form.transpose_b ? "yes" : "no"));
  set("alpha", double{form.alpha});
  set("beta", double{form.beta});
  set("lda_extra", form.lda - least.lda);
  set("ldb_extra", form.ldb - least.ldb);
  set("ldc_extra", form.ldc - least.ldc);
  set("type", word(to_string(purpose.types.type)));
  set("result", word(purpose.types.result == purpose.types.type ? kSame : to_string(purpose.types.result)));
  return instance;
}

Purpose product_before_bias(const Purpose& purpose) {
  Purpose product = purpose;
  product.bias.reset();
  if (!purpose.bias || purpose.types.result == ElementType::kFloat32) return product;
  if (purpose.types.result == ElementType::kInt32)
    throw Refusal(GEMMLAB_REFUSED, "a bias is added to no int32");
  if (purpose.form.beta != 0)
    throw Refusal(GEMMLAB_REFUSED, "a bias is added to 16 bits with beta = 0 alone");
  product.types.result = ElementType::kFloat32;
  product.form.ldc = purpose.shape.n;
  return product;
}

namespace {

/// Why the row does not multiply so; empty where it does. Rows in other types know no dimension of 0.
std::string why_not(const Purpose& purpose, const Parameters& parameters) {
  if (const auto* const row = dynamic_cast<const GemmImplementation*>(purpose.choice.row);
      row != nullptr && purpose.types.plain())
    return row->why_not_form(purpose.shape, purpose.form, parameters);
  if (purpose.shape.k == 0) return "k is 0";
  return purpose.choice.row->why_not(instance_of(purpose), parameters);
}

/// What a session on the host says that it holds.
std::size_t host_bytes(const Session& session) {
  const Facts facts = session.chosen();
  const auto found = facts.find("workspace_bytes");
  return found == facts.end() ? 0 : static_cast<std::size_t>(std::get<std::int64_t>(found->second));
}

std::unique_ptr<Session> session_for(const Purpose& purpose, const Parameters& parameters, bool whole) {
  if (purpose.bias)
    return with_bias(session_for(product_before_bias(purpose), parameters, whole), purpose.shape,
                     purpose.form, purpose.types.result, *purpose.bias);
  const Implementation& row = *purpose.choice.row;
  const BatchStrides& strides = purpose.strides;
  if (const auto* const batches = dynamic_cast<const PreparesBatches*>(&row);
      whole && purpose.count > 1 && batches != nullptr) {
    const GemmBatch batch{purpose.shape, purpose.form, purpose.count, strides.a, strides.b, strides.c};
    if (auto made = batches->prepare_batch(batch, parameters)) return made;
  }
  const auto* const of_float32 = dynamic_cast<const GemmImplementation*>(&row);
  if (of_float32 == nullptr) return row.prepare(instance_of(purpose), parameters);
  auto one = of_float32->prepare_form(purpose.shape, purpose.form, parameters);
  return purpose.count > 1 ? batch_session(std::move(one), strides, purpose.count) : std::move(one);
}

}  // namespace

std::shared_ptr<Prepared> prepare(const Purpose& purpose, const std::shared_ptr<Workspace>& lender,
                                  bool whole) {
  const Implementation& row = *purpose.choice.row;
  const Parameters parameters = parameters_of(row.description(), purpose.choice.parameters);
  refuse_unavailable(row);
  if (const std::string reason = why_not(product_before_bias(purpose), parameters); !reason.empty())
    throw Refusal(GEMMLAB_REFUSED, row.description().id + ": " + reason);
  const bool aside = is_set_aside(purpose, lender);
  const int device = aside ? current_device() : 0;
  if (aside) {
    if (auto again = SetAside::all().take(purpose, device)) return set_aside_in_the_end(std::move(again));
  }
  auto made = std::make_unique<Prepared>();
  made->purpose = purpose;
  made->device = device;
  made->lender = lender;
  const std::size_t used = lender ? lender->used() : 0;
  const Placement placement(lender.get());
  try {
    made->session = session_for(purpose, parameters, whole);
  } catch (const std::exception&) {
    if (lender) lender->reuse(used);
    if (!placement.ran_out()) throw;
    throw Refusal(GEMMLAB_WORKSPACE,
                  row.description().id + " takes more than what is left of the workspace's " +
                      std::to_string(lender->bytes()) + " bytes: gemmlab_workspace_bytes() says how much");
  }
  made->bytes = is_gpu(purpose.choice) ? placement.bytes() : host_bytes(*made->session);
  if (aside) return set_aside_in_the_end(std::move(made));
  return made;
}

std::shared_ptr<Prepared> Sessions::of(const Purpose& purpose, const std::shared_ptr<Workspace>& lender,
                                       bool captured) {
  if (const auto found = by_purpose_.find(purpose); found != by_purpose_.end()) {
    kept_.splice(kept_.begin(), kept_, found->second);
    return kept_.front();
  }
  if (!is_gpu(purpose.choice)) {
    keep(prepare(purpose, nullptr));
    return kept_.front();
  }
  if (captured && purpose.choice.row->description().reference)
    throw Refusal(GEMMLAB_REFUSED, purpose.choice.row->description().id +
                                       ": a library's product of a new shape cannot be captured: multiply "
                                       "once before the capture");
  // what is done once must not become part of the graph
  const InStream in_stream(captured ? side_stream() : purpose.stream);
  keep(made_on_device(purpose, lender));
  if (captured) wait_for_stream(side_stream());
  return kept_.front();
}

std::shared_ptr<Prepared> Sessions::made_on_device(const Purpose& purpose,
                                                   const std::shared_ptr<Workspace>& lender) {
  if (purpose.count == 1) return made_in_memory(purpose, lender, true);
  try {
    return made_in_memory(purpose, lender, true);
  } catch (const OutOfMemory&) {
    // product by product below
  } catch (const Refusal& refusal) {
    if (refusal.answer != GEMMLAB_WORKSPACE) throw;
  }
  return made_in_memory(purpose, lender, false);
}

std::shared_ptr<Prepared> Sessions::made_in_memory(const Purpose& purpose,
                                                   const std::shared_ptr<Workspace>& lender, bool whole) {
  try {
    return prepare(purpose, lender, whole);
  } catch (const OutOfMemory&) {
    if (!any_set_aside()) throw;
    end_set_aside();
    return prepare(purpose, lender, whole);
  } catch (const Refusal& refusal) {
    if (refusal.answer != GEMMLAB_WORKSPACE) throw;
    for (const auto& one : kept_) {
      if (one->lender != lender) continue;
      // a graph holds it, or another stream may still be at work there
      if (one.use_count() > 1 || one->purpose.stream != purpose.stream) throw;
    }
  }
  forget_of(lender);
  lender->reuse();
  return prepare(purpose, lender, whole);
}

void Sessions::keep(std::shared_ptr<Prepared> made) {
  const std::size_t own = made->lender ? 0 : made->bytes;
  while (!kept_.empty() && (kept_.size() >= kMostKept || own_bytes_ + own > kMostOwnBytes)) {
    forget(std::prev(kept_.end()));
  }
  own_bytes_ += own;
  kept_.push_front(std::move(made));
  by_purpose_[kept_.front()->purpose] = kept_.begin();
}

void Sessions::forget(Kept::iterator one) {
  if (!(*one)->lender) own_bytes_ -= (*one)->bytes;
  by_purpose_.erase((*one)->purpose);
  kept_.erase(one);
}

void Sessions::forget_of(const std::shared_ptr<Workspace>& lender) {
  for (auto one = kept_.begin(); one != kept_.end();) {
    const auto next = std::next(one);
    if ((*one)->lender && (*one)->lender == lender) forget(one);
    one = next;
  }
}

void Sessions::forget_all() {
  while (!kept_.empty()) forget(kept_.begin());
}

}  // namespace gemmlab::api
