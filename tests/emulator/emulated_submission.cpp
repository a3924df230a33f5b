#include "tests/emulator/emulated_submission.h"

#include <dlfcn.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "emulator/compile.h"
#include "emulator/lines.h"
#include "emulator/rewrite/rewrite.h"

namespace gemmlab::emulation {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string quoted(const std::filesystem::path& path) {
  return " '" + path.string() + "'";
}

void execute(const std::string& command, const std::filesystem::path& log) {
  if (std::system((command + " 2>" + quoted(log)).c_str()) != 0) {
    throw std::runtime_error(command + "\n" + contents(log));
  }
}

/// Small enough for every sum to be exact in a float, and in a half.
std::vector<float> small_integers(std::int64_t count, unsigned seed) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) {
    seed = seed * 1664525U + 1013904223U;
    number = static_cast<float>(seed >> 24U & 7U) - 3.0F;
  }
  return numbers;
}

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, const Shape& shape) {
  const auto at = [](std::int64_t row, std::int64_t width, std::int64_t col) {
    return static_cast<std::size_t>(row * width + col);
  };
  std::vector<float> c(static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.k));
  for (int row = 0; row < shape.m; ++row) {
    for (int inner = 0; inner < shape.n; ++inner) {
      for (int col = 0; col < shape.k; ++col) {
        c[at(row, shape.k, col)] += a[at(row, shape.n, inner)] * b[at(inner, shape.k, col)];
      }
    }
  }
  return c;
}

sigjmp_buf before_the_fault;

/// Runs `work`; false where it ends by a segmentation fault, as code of the host does that touches device memory.
template <typename Work>
bool survived(const Work& work) {
  if (sigsetjmp(before_the_fault, 1) != 0) return false;
  auto* const before = std::signal(SIGSEGV, [](int) { siglongjmp(before_the_fault, 1); });
  work();
  std::signal(SIGSEGV, before);
  return true;
}

}  // namespace

EmulatedSubmission::EmulatedSubmission(const std::filesystem::path& source,
                                       const std::filesystem::path& folder)
    : source_(folder / source.filename()), library_(folder / "submission.so") {
  std::ofstream(source_) << rewrite(contents(source)).text;
  std::string command = "g++ -x c++";
  for (const std::string& flag : emulation_flags()) command += " " + flag;
  command += " -I" + quoted(GEMMLAB_EMULATION_INCLUDE) + " -c" + quoted(source_) + " -o" +
             quoted(folder / "object.o");
  execute(command, folder / "log");
  execute("g++ -shared -o" + quoted(library_) + quoted(folder / "object.o") + " -Wl,--whole-archive" +
              quoted(GEMMLAB_EMULATION_LIBRARY) + " -Wl,--no-whole-archive " + GEMMLAB_EMULATION_FIBERS,
          folder / "log");
  handle_ = std::shared_ptr<void>(dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL), [](void*) {});
  if (!handle_) throw std::runtime_error(dlerror());
}

template <typename Function>
Function* EmulatedSubmission::function(const char* name) const {
  void* found = dlsym(handle_.get(), name);
  if (found == nullptr) throw std::runtime_error(std::string("no function ") + name);
  return reinterpret_cast<Function*>(found);
}

Called EmulatedSubmission::call(const Shape& shape, const GemmlabEmulationLimits& limits) const {
  const auto count = [](int rows, int columns) { return std::int64_t{rows} * columns; };
  const std::vector<float> a = small_integers(count(shape.m, shape.n), 1);
  const std::vector<float> b = small_integers(count(shape.n, shape.k), 2);
  std::vector<float> c(static_cast<std::size_t>(count(shape.m, shape.k)));

  auto* const allocate = function<void*(std::size_t, const char*)>("gemmlab_emulation_allocate");
  auto* const copy = function<int(void*, const void*, std::size_t, int)>("cudaMemcpy");
  constexpr int kToDevice = 1;
  constexpr int kToHost = 2;
  function<void(const GemmlabEmulationLimits*)>("gemmlab_emulation_begin")(&limits);
  std::array<float*, 3> device = {};
  const std::array<const std::vector<float>*, 3> host = {&a, &b, &c};
  const std::array<const char*, 3> names = {"A", "B", "C"};
  for (std::size_t i = 0; i < host.size(); ++i) {
    device[i] = static_cast<float*>(allocate(host[i]->size() * sizeof(float), names[i]));
    if (i < 2 && copy(device[i], host[i]->data(), host[i]->size() * sizeof(float), kToDevice) != 0) {
      throw std::runtime_error("the operands could not be copied");
    }
  }
  auto* const solve = function<void(const float*, const float*, float*, int, int, int)>("solve");
  Called called;
  called.crashed = !survived([&] { solve(device[0], device[1], device[2], shape.m, shape.n, shape.k); });
  std::array<char, 256> text = {};
  called.error = function<int(char*, std::size_t)>("gemmlab_emulation_synchronize")(text.data(), text.size());
  called.error_text = text.data();
  const std::string report = function<const char*()>("gemmlab_emulation_report")();
  const auto told = nlohmann::json::parse(with_lines(report, library_.string(), source_.string()));
  called.findings = told.at("findings");
  called.launches = told.at("launches").size();
  called.launches_left_out = told.value("launches_left_out", 0U);
  const bool fetched = copy(c.data(), device[2], c.size() * sizeof(float), kToHost) == 0;
  const std::vector<float> expected = product(a, b, shape);
  for (std::size_t i = 0; i < c.size(); ++i) called.wrong += fetched && c[i] == expected[i] ? 0 : 1;
  for (float* each : device) function<void(void*)>("gemmlab_emulation_release")(each);
  return called;
}

}  // namespace gemmlab::emulation
