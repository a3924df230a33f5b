#include "api/handle.h"

#include <string>

#include "api/answer.h"
#include "api/rows.h"
#include "operations/gemm/batch.h"

namespace gemmlab::api {
namespace {

/// While it lives, this thread alone calls what is on the device: gpu/ knows one current stream in a process.
/// Calls return before the work is done, so that little is lost.
class DeviceCall {
 public:
  DeviceCall() : lock_(mutex()) {}

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  std::lock_guard<std::mutex> lock_;
  RelaxedCapture relaxed_;
};

void check_form(const Shape& shape, const GemmForm& form) {
  if (const std::string reason = wrong_form(shape, form); !reason.empty())
    throw Refusal(GEMMLAB_INVALID, reason);
}

void check(const Product& product) {
  const Shape& shape = product.shape;
  check_form(shape, product.form);
  if (product.count < 0)
    throw Refusal(GEMMLAB_INVALID,
                  "count is " + std::to_string(product.count) + ", and must not be negative");
  if (product.bias != nullptr && product.count != 1)
    throw Refusal(GEMMLAB_REFUSED, "a bias is added to one product alone");
  const bool reads = !scales_only(shape, product.form);
  const bool writes = shape.m > 0 && shape.n > 0;
  if ((writes && product.c == nullptr) || (reads && (product.a == nullptr || product.b == nullptr)))
    throw Refusal(GEMMLAB_INVALID, "A, B or C is a null pointer");
}

/// The i-th product's operands.
Operands operands_of(const Product& product, std::int64_t i) {
  const auto at = [&](const void* first, std::int64_t stride, ElementType type) {
    return const_cast<char*>(static_cast<const char*>(first)) +
           i * stride * static_cast<std::int64_t>(bytes_of(type));
  };
  return Operands({at(product.a, product.stride_a, product.types.type),
                   at(product.b, product.stride_b, product.types.type),
                   at(product.c, product.stride_c, product.types.result), const_cast<void*>(product.bias)});
}

void run(const Prepared& prepared, const Product& product) {
  const std::int64_t times = prepared.purpose.count > 1 ? 1 : product.count;
  if (times > 1 && product.types.plain())
    return multiply_batch(*prepared.session, strides_of(batch_of(product)), times,
                          static_cast<const float*>(product.a), static_cast<const float*>(product.b),
                          static_cast<float*>(product.c));
  for (std::int64_t i = 0; i < times; ++i) prepared.session->run(operands_of(product, i));
}

}  // namespace

GemmBatch batch_of(const Product& product) {
  return {product.shape, product.form, product.count, product.stride_a, product.stride_b, product.stride_c};
}

Product merged(const Product& product) {
  const GemmBatch one = gemmlab::merged(batch_of(product));
  Product same = product;
  same.shape = one.shape;
  same.count = one.count;
  return same;
}

Purpose purpose_of(const Choice& choice, const Product& product, void* stream) {
  Purpose purpose{choice, product.shape, product.form, stream};
  purpose.types = product.types;
  if (product.bias != nullptr) purpose.bias = product.bias_type;
  // a row that prepares batches does so for these products and their strides
  if (product.count > 1 && dynamic_cast<const PreparesBatches*>(choice.row) != nullptr) {
    purpose.count = product.count;
    purpose.strides = strides_of(batch_of(product));
  }
  return purpose;
}

const Implementation& last_rung(const Device& device, const Product& product) {
  const Shape& shape = product.shape;
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) throw Refusal(GEMMLAB_REFUSED, "a dimension is below 1");
  const Instance instance = instance_of(product_before_bias(purpose_of({}, product, nullptr)));
  if (!device.own_memory) return last_rung(device, instance);
  const DeviceCall call;  // rows ask the card by a kernel which code it runs
  const InStream in_stream(side_stream());
  return last_rung(device, instance);
}

Handle::Handle() {
  choice_.row = &last_rung_here();
}

Handle::~Handle() {
  try {
    release();
  } catch (const std::exception&) {
    // the device is gone, and its memory with it
  }
}

void Handle::set_choice(const Choice& choice) {
  refuse_unavailable(*choice.row);
  parameters_of(choice.row->description(), choice.parameters);  // throws where they cannot be
  const std::lock_guard lock(mutex_);
  choice_ = choice;
}

void Handle::set_stream(void* stream) {
  const std::lock_guard lock(mutex_);
  stream_ = stream;
}

void* Handle::stream() const {
  const std::lock_guard lock(mutex_);
  return stream_;
}

void Handle::set_operands_on_host(bool on_host) {
  const std::lock_guard lock(mutex_);
  operands_on_host_ = on_host;
}

void Handle::set_workspace(void* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (workspace_ == nullptr ? memory == nullptr : workspace_->is(memory, bytes)) return;
  if (reinterpret_cast<std::uintptr_t>(memory) % 256 != 0)
    throw Refusal(GEMMLAB_INVALID, "the workspace does not start at a multiple of 256 bytes");
  if (device_ >= 0) {
    const DeviceCall call;
    sessions_.forget_of(workspace_);
  }
  workspace_ = memory == nullptr ? nullptr : std::make_shared<Workspace>(memory, bytes);
}

std::size_t Handle::workspace_bytes(const Shape& shape, const GemmForm& form) {
  const std::lock_guard lock(mutex_);
  check_form(shape, form);
  if (!is_gpu(choice_)) return 0;
  refuse_unavailable(*choice_.row);
  const DeviceCall call;
  const InStream in_stream(side_stream());
  const auto made = prepare({choice_, shape, form, side_stream()}, nullptr);
  wait_for_stream(side_stream());
  return made->bytes;
}

void Handle::multiply(const Product& product) {
  const std::lock_guard lock(mutex_);
  multiply_locked(choice_, product);
}

void Handle::multiply(const Choice& choice, const Product& product) {
  const std::lock_guard lock(mutex_);
  multiply_locked(choice, product);
}

void Handle::multiply_locked(const Choice& choice, const Product& given) {
  check(given);
  if (given.shape.m == 0 || given.shape.n == 0 || given.count == 0) return;
  const Product product = merged(given);
  if (!is_gpu(choice)) {
    return run(*sessions_.of(purpose_of(choice, product, nullptr), nullptr, false), product);
  }
  if (device_ < 0) refuse_unavailable(*choice.row);  // before the first call of CUDA, which would fail
  const DeviceCall call;
  release_of_graphs();
  operands_on_host_ ? from_host(choice, product) : on_device(choice, product);
}

void Handle::on_device(const Choice& choice, const Product& product) {
  bind_to_device();
  const bool captured = is_captured(stream_);
  const auto one = sessions_.of(purpose_of(choice, product, stream_), workspace_, captured);
  const InStream in_stream(stream_);
  run(*one, product);
  if (captured) held_by_graph(stream_, one);
}

void Handle::from_host(const Choice& choice, const Product& product) {
  bind_to_device();
  if (is_captured(stream_))
    throw Refusal(GEMMLAB_INVALID, "operands on the host cannot be captured into a graph");
  if (product.bias != nullptr)
    throw Refusal(GEMMLAB_REFUSED, "a bias is added where operands lie on the device alone");
  if (!host_operands_) host_operands_ = std::make_unique<HostOperands>();
  const GemmForm& form = product.form;
  GemmForm dense = form_of(product.shape, form.transpose_a, form.transpose_b);
  dense.alpha = form.alpha;
  dense.beta = form.beta;
  Purpose purpose{choice, product.shape, dense, stream_};
  purpose.types = product.types;
  const auto one = sessions_.of(purpose, workspace_, false);
  const InStream in_stream(stream_);
  for (std::int64_t i = 0; i < product.count; ++i) {
    const Operands host = operands_of(product, i);
    const HostOperands::Device at = host_operands_->upload(stream_, product.shape, form, product.types,
                                                           host.at(0), host.at(1), host.at(2));
    gemmlab::multiply(*one->session, at.a, at.b, at.c);
    host_operands_->download(stream_, product.shape, form, product.types.result, host.at(2));
  }
}

void Handle::bind_to_device() {
  const int now = current_device();
  if (device_ < 0) device_ = now;
  if (device_ == now) return;
  throw Refusal(GEMMLAB_INVALID, "the handle was first used on device " + std::to_string(device_) +
                                     ", and device " + std::to_string(now) +
                                     " is current: each device takes a handle of its own");
}

void Handle::release() {
  const std::lock_guard lock(mutex_);
  if (device_ < 0) return sessions_.forget_all();
  const DeviceCall call;
  sessions_.forget_all();
  host_operands_.reset();
}

Handle& default_handle() {
  thread_local Handle handle;
  return handle;
}

void release_set_aside() {
  if (!any_set_aside()) return;  // without a device there is no lock to take, either
  const DeviceCall call;
  end_set_aside();
}

}  // namespace gemmlab::api
