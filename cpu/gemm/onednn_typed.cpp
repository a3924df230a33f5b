// oneDNN's matmul primitive on operands of 16 bits and int8 as they lie there: what it reorders, it reorders in the call.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

#include "cpu/gemm/typed/library_row.h"
#include "cpu/libraries/onednn.h"

namespace gemmlab::cpu {
namespace {

// From oneDNN's C interface, dnnl.h and dnnl_types.h. Descriptors of memory and primitives are the library's own objects: version 3 makes
// them, version 2 has them made in memory of the caller's.
constexpr int kCpu = 1;
constexpr unsigned kDefaultStream = 1;
constexpr int kDimensions = 2;
constexpr int kMaxDimensions = 12;
constexpr int kSource = 1;
constexpr int kDestination = 17;
constexpr int kWeights = 33;
using Dimensions = std::int64_t[kMaxDimensions];
struct Argument {
  int which;
  void* memory;
};

int dnnl_type(ElementType type) {
  switch (type) {
    case ElementType::kFloat16:
      return 1;
    case ElementType::kBfloat16:
      return 2;
    case ElementType::kFloat32:
      return 3;
    case ElementType::kInt32:
      return 4;
    default:
      return 5;  // int8
  }
}

/// Throws std::runtime_error that names the function.
template <typename Function, typename... Arguments>
void call(const char* name, Arguments... arguments) {
  const int status = onednn_library().symbol<Function>(name)(arguments...);
  if (status == 0) return;
  constexpr int kUnimplemented = 3;
  throw std::runtime_error(std::string("oneDNN's ") + name + " failed with status " + std::to_string(status) +
                           (status == kUnimplemented ? ": not implemented on this processor" : ""));
}

/// An object of the library's, destroyed with the function of that name.
class Owned {
 public:
  explicit Owned(const char* destroy) : destroy_(destroy) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (object_ != nullptr) onednn_library().symbol<int(void*)>(destroy_)(object_);
  }
  void** address() { return &object_; }
  void* get() const { return object_; }

 private:
  const char* destroy_;
  void* object_ = nullptr;
};

/// Of a matrix where it lies.
class MatrixDescriptor {
 public:
  MatrixDescriptor(bool version_2, std::int64_t rows, std::int64_t cols, ElementType type,
                   std::int64_t row_stride, std::int64_t col_stride) {
    const Dimensions dims = {rows, cols};
    const Dimensions strides = {row_stride, col_stride};
    if (version_2) {
      call<int(void*, int, const std::int64_t*, int, const std::int64_t*)>(
          "dnnl_memory_desc_init_by_strides", static_cast<void*>(of_version_2_), kDimensions, dims,
          dnnl_type(type), strides);
    } else {
      call<int(void**, int, const std::int64_t*, int, const std::int64_t*)>(
          "dnnl_memory_desc_create_with_strides", made_.address(), kDimensions, dims, dnnl_type(type),
          strides);
    }
  }
  const void* get() const { return made_.get() == nullptr ? of_version_2_ : made_.get(); }

 private:
  static constexpr std::size_t kBytes = 4096;  // 696 of version 2.6
  alignas(64) char of_version_2_[kBytes] = {};
  Owned made_{"dnnl_memory_desc_destroy"};
};

class OneDnnTypedSession : public Session {
 public:
  OneDnnTypedSession(const GemmTypes& types, const Shape& shape, const GemmForm& form, int threads)
      : calls_(threads) {
    // a primitive is written for the threads that it is made under
    calls_.run([&] { make(types, shape, form); });
  }

  void run(const Operands& operands) override {
    call<SetHandle>("dnnl_memory_set_data_handle", a_.get(), operands.at(0));
    call<SetHandle>("dnnl_memory_set_data_handle", b_.get(), operands.at(1));
    call<SetHandle>("dnnl_memory_set_data_handle", c_.get(), operands.at(2));
    const Argument arguments[] = {{kSource, a_.get()}, {kWeights, b_.get()}, {kDestination, c_.get()}};
    calls_.run([&] {
      call<int(void*, void*, int, const Argument*)>("dnnl_primitive_execute", primitive_.get(), stream_.get(),
                                                    3, static_cast<const Argument*>(arguments));
      call<int(void*)>("dnnl_stream_wait", stream_.get());
    });
  }
  int threads_actual() const override { return calls_.threads_actual(); }
  Facts chosen() const override {
    return calls_.chosen(
        reinterpret_cast<const void*>(onednn_library().symbol<void()>("dnnl_primitive_execute")));
  }

 private:
  using SetHandle = int(void* memory, void* handle);
  using CreateMemory = int(void** memory, const void* descriptor, void* engine, void* handle);

  void make(const GemmTypes& types, const Shape& shape, const GemmForm& form) {
    call<int(void**, int, std::size_t)>("dnnl_engine_create", engine_.address(), kCpu, std::size_t{0});
    call<int(void**, void*, unsigned)>("dnnl_stream_create", stream_.address(), engine_.get(),
                                       kDefaultStream);
    const bool version_2 = calls_.version().major == 2;
    const auto matrix = [&](std::int64_t rows, std::int64_t cols, ElementType type, std::int64_t stride,
                            bool transposed) {
      return MatrixDescriptor(version_2, rows, cols, type, transposed ? 1 : stride, transposed ? stride : 1);
    };
    const MatrixDescriptor a = matrix(shape.m, shape.k, types.type, form.lda, form.transpose_a);
    const MatrixDescriptor b = matrix(shape.k, shape.n, types.type, form.ldb, form.transpose_b);
    const MatrixDescriptor c = matrix(shape.m, shape.n, types.result, form.ldc, false);
    Owned descriptor("dnnl_primitive_desc_destroy");
    const void* none = nullptr;
    if (version_2) {
      constexpr std::size_t kBytes = 32768;  // four descriptors of memory and little else
      alignas(64) char product[kBytes] = {};
      call<int(void*, const void*, const void*, const void*, const void*)>(
          "dnnl_matmul_desc_init", static_cast<void*>(product), a.get(), b.get(), none, c.get());
      call<int(void**, const void*, const void*, void*, const void*)>(
          "dnnl_primitive_desc_create", descriptor.address(), static_cast<const void*>(product), none,
          engine_.get(), none);
    } else {
      call<int(void**, void*, const void*, const void*, const void*, const void*, const void*)>(
          "dnnl_matmul_primitive_desc_create", descriptor.address(), engine_.get(), a.get(), b.get(), none,
          c.get(), none);
    }
    call<int(void**, const void*)>("dnnl_primitive_create", primitive_.address(),
                                   static_cast<const void*>(descriptor.get()));
    void* nothing = nullptr;
    call<CreateMemory>("dnnl_memory_create", a_.address(), a.get(), engine_.get(), nothing);
    call<CreateMemory>("dnnl_memory_create", b_.address(), b.get(), engine_.get(), nothing);
    call<CreateMemory>("dnnl_memory_create", c_.address(), c.get(), engine_.get(), nothing);
  }

  OneDnnCalls calls_;
  Owned engine_{"dnnl_engine_destroy"};
  Owned stream_{"dnnl_stream_destroy"};
  Owned primitive_{"dnnl_primitive_destroy"};
  Owned a_{"dnnl_memory_destroy"};
  Owned b_{"dnnl_memory_destroy"};
  Owned c_{"dnnl_memory_destroy"};
};

/// Why the library has no such product on this processor; empty where it has one.
const std::string& not_here(const GemmTypes& types) {
  static std::map<std::pair<ElementType, ElementType>, std::string> known;
  const auto [found, first] = known.try_emplace({types.type, types.result});
  if (!first) return found->second;
  const Shape smallest{1, 1, 1};
  try {
    OneDnnTypedSession(types, smallest, form_of(smallest), 1);
  } catch (const std::runtime_error& error) {
    found->second = error.what();
  }
  return found->second;
}

bool takes(const GemmTypes& types) {
  return types.type == ElementType::kBfloat16 || types.type == ElementType::kFloat16 ||
         types.type == ElementType::kInt8;
}

std::string refuse(const GemmTypes& types, const Shape& shape, const GemmForm& form) {
  if (form.alpha != 1 || form.beta != 0)
    return "oneDNN's matmul takes no alpha or beta here, and this is " + describe(shape, form);
  return onednn_library().missing().empty() ? not_here(types) : std::string();
}

std::unique_ptr<Session> prepare(const GemmTypes& types, const Shape& shape, const GemmForm& form,
                                 int threads) {
  return std::make_unique<OneDnnTypedSession>(types, shape, form, threads);
}

}  // namespace

const Implementation& onednn_typed() {
  static const TypedLibraryRow row({.id = "cpu.onednn_typed",
                                    .name = "oneDNN, typed",
                                    .summary = "oneDNN's matmul on operands of 16 bits and int8",
                                    .source = "oneDNN, github.com/oneapi-src/oneDNN",
                                    .library = onednn_library,
                                    .takes = takes,
                                    .taken = "bfloat16, float16 and int8",
                                    .refuse = refuse,
                                    .prepare = prepare});
  return row;
}

}  // namespace gemmlab::cpu
