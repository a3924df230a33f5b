#include "runner/definition/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "core/records/read_json.h"
#include "core/records/record.h"
#include "operations/gemm/implementation.h"
#include "runner/definition/toml_reader.h"
#include "runner/message_text.h"
#include "runner/regular_file.h"
#include "runner/usage_error.h"

namespace fs = std::filesystem;

namespace gemmlab::runner {
namespace {

constexpr std::size_t kMostTraceBytes = 64 << 20;

/// A line of the file, or several of one product.
struct Traced {
  Shape shape;
  GemmForm form;
  GemmTypes types;
  std::int64_t batch = 1;
  std::int64_t calls = 0;
  double seconds = 0;
  Device device = Device::kCpu;
  std::vector<std::string> by;
  std::size_t line = 0;  ///< the first of it

  bool same_product(const Traced& other) const {
    return shape == other.shape && types == other.types && batch == other.batch && device == other.device &&
           describe(shape, form) == describe(other.shape, other.form);
  }
};

/// One line, whose mistakes are told with its number.
class Line {
 public:
  Line(const std::string& text, const std::string& place) : place_(place) {
    if (nested_too_deep(text))
      throw UsageError(
          fmt::format("{}: lists or objects within one another, more than {} deep", place, kMostJsonNesting));
    json_ = read_json(text);
    if (!json_.is_object())
      throw UsageError(one_line(fmt::format(
          "{}: '{}' is not a line of a trace: a JSON object as GEMMLAB_TRACE=FILE writes it is expected",
          place, clipped(text))));
  }

  std::int64_t whole(const char* key, std::int64_t least) const {
    const Json& value = at(key);
    if (!value.is_number_integer() || value.get<std::int64_t>() < least)
      fail(key, value, fmt::format("a whole number from {}", least));
    return value;
  }
  double number(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number()) fail(key, value, "a number");
    return value;
  }
  bool yes(const char* key) const {
    const Json& value = at(key);
    if (!value.is_boolean()) fail(key, value, "true or false");
    return value;
  }
  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) fail(key, value, "a text");
    return value;
  }
  /// Float32 in the lines of versions that knew no other.
  ElementType type(const char* key) const {
    if (json_.find(key) == json_.end()) return ElementType::kFloat32;
    const std::string name = text(key);
    try {
      return element_type_from(name);
    } catch (const std::invalid_argument&) {
      fail(key, name, "a type of gemm's elements, as \"float32\" or \"bfloat16\"");
    }
  }
  [[noreturn]] void fail(const char* key, const Json& value, const std::string& allowed) const {
    throw UsageError(
        one_line(fmt::format("{}: '{}' is {}; allowed: {}", place_, key, clipped(value.dump()), allowed)));
  }

 private:
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) throw UsageError(fmt::format("{}: the key '{}' is missing", place_, key));
    return *found;
  }

  Json json_;
  std::string place_;
};

Traced read_line(const Line& line, const Catalogue& catalogue) {
  Traced traced;
  traced.shape = {line.whole("m", -1), line.whole("n", -1), line.whole("k", -1)};
  traced.form.transpose_a = line.yes("transpose_a");
  traced.form.transpose_b = line.yes("transpose_b");
  traced.form.alpha = static_cast<float>(line.number("alpha"));
  traced.form.beta = static_cast<float>(line.number("beta"));
  traced.form.lda = line.whole("lda", 0);
  traced.form.ldb = line.whole("ldb", 0);
  traced.form.ldc = line.whole("ldc", 0);
  traced.types = {line.type("type"), line.type("result")};
  traced.batch = line.whole("batch", 0);
  traced.calls = line.whole("calls", 1);
  traced.seconds = line.number("seconds");
  const std::string operands = line.text("operands");
  if (operands != "host" && operands != "device") line.fail("operands", operands, "\"host\", \"device\"");
  traced.device = operands == "host" ? Device::kCpu : Device::kGpu;
  if (const Implementation* by = catalogue.find(line.text("by"))) {
    traced.device = by->description().device;
    traced.by.push_back(by->description().id);
  }
  return traced;
}

bool has_elements(const Traced& traced) {
  const Shape& shape = traced.shape;
  return shape.m > 0 && shape.n > 0 && shape.k > 0 && traced.batch > 0 &&
         wrong_form(shape, traced.form).empty();
}

std::vector<Traced> read_trace(const std::string& file, const Catalogue& catalogue) {
  std::istringstream lines(read_regular_file(file, kMostTraceBytes));
  std::vector<Traced> all;
  std::size_t number = 0;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    Traced traced = read_line(Line(text, fmt::format("{}:{}", file, number)), catalogue);
    traced.line = number;
    if (!has_elements(traced)) continue;
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Traced& other) { return other.same_product(traced); });
    if (known == all.end()) {
      all.push_back(traced);
      continue;
    }
    known->calls += traced.calls;
    known->seconds += traced.seconds;
    for (const std::string& by : traced.by) {
      if (std::find(known->by.begin(), known->by.end(), by) == known->by.end()) known->by.push_back(by);
    }
  }
  if (all.empty())
    throw UsageError(
        fmt::format("{}: no product is in it; GEMMLAB_TRACE={} writes it for a program that "
                    "runs under LD_PRELOAD=libgemmlab_blas.so",
                    file, file));
  std::stable_sort(all.begin(), all.end(),
                   [](const Traced& x, const Traced& y) { return x.seconds > y.seconds; });
  return all;
}

bool takes_every_form(const Implementation& row) {
  Instance instance = gemm_at({2, 3, 4});
  instance.options["transpose_a"] = std::string("yes");
  instance.options["alpha"] = 0.5;
  instance.options["beta"] = 2.0;
  instance.options["ldc_extra"] = std::int64_t{1};
  return row.why_not(instance, complete(row.description(), {})).empty();
}

/// As definitions have it.
std::string result_option(const GemmTypes& types) {
  return types.result == types.type ? kSame : to_string(types.result);
}

/// Is it what is set beside a product of other types than float32: a library, or the last of our own?
bool stands_beside(const Implementation& row, const Traced& traced, const Catalogue& catalogue) {
  Instance instance = gemm_at(traced.shape);
  instance.options["type"] = std::string(to_string(traced.types.type));
  instance.options["result"] = result_option(traced.types);
  const Implementation* last = nullptr;
  for (const Implementation* one : catalogue.of(gemm().name())) {
    const Description& description = one->description();
    if (description.device == traced.device && !description.reference && one->meant_for(instance)) last = one;
  }
  return &row == last || (row.description().reference && row.meant_for(instance));
}

/// What is measured of a product, in the tables' order.
std::vector<std::string> compared(const Traced& traced, const Catalogue& catalogue) {
  std::vector<std::string> ids;
  for (const Implementation* row : catalogue.of(gemm().name())) {
    const Description& description = row->description();
    const bool answered = std::find(traced.by.begin(), traced.by.end(), description.id) != traced.by.end();
    const bool fits = traced.types.plain() ? as_accurate_as_fp32(description.precision) &&
                                                 (description.reference || takes_every_form(*row))
                                           : stands_beside(*row, traced, catalogue);
    if (answered || (description.device == traced.device && fits)) ids.push_back(description.id);
  }
  if (ids.empty()) ids.push_back(std::string(traced.device.name) + ".*");  // told of as left out
  return ids;
}

std::string name_of(const Traced& traced) {
  const Shape& shape = traced.shape;
  std::string name = fmt::format("{} {}x{}x{}", traced.device.title, shape.m, shape.n, shape.k);
  if (const std::string form = describe(shape, traced.form); !form.empty()) name += ", " + form;
  if (!traced.types.plain()) name += ", " + describe(traced.types);
  if (traced.batch != 1) name += fmt::format(", one of {}", traced.batch);
  return fmt::format("{} ({} {})", name, traced.calls, traced.calls == 1 ? "call" : "calls");
}

std::string group_text(const Traced& traced, const Catalogue& catalogue) {
  const Shape& shape = traced.shape;
  const GemmForm& form = traced.form;
  const GemmForm least = form_of(shape, form.transpose_a, form.transpose_b);
  std::string text = fmt::format("[[group]]\nname = \"{}\"\nm = {}\nn = {}\nk = {}\n", name_of(traced),
                                 shape.m, shape.n, shape.k);
  if (!traced.types.plain())
    text += fmt::format("type = \"{}\"\nresult = \"{}\"\n", to_string(traced.types.type),
                        result_option(traced.types));
  if (form.transpose_a) text += "transpose_a = \"yes\"\n";
  if (form.transpose_b) text += "transpose_b = \"yes\"\n";
  const auto factor = [&](const char* key, float value, float plain) {
    if (value != plain)
      text += fmt::format("{} = {:.9g}{}\n", key, value, value == std::int64_t(value) ? ".0" : "");
  };
  factor("alpha", form.alpha, 1);
  factor("beta", form.beta, 0);
  const auto extra = [&](const char* key, std::int64_t stride, std::int64_t shortest) {
    if (stride != shortest) text += fmt::format("{} = {}\n", key, stride - shortest);
  };
  extra("lda_extra", form.lda, least.lda);
  extra("ldb_extra", form.ldb, least.ldb);
  extra("ldc_extra", form.ldc, least.ldc);
  for (const std::string& id : compared(traced, catalogue))
    text += fmt::format("  [[group.run]]\n  implementation = \"{}\"\n", id);
  return text;
}

/// As TOML writes it: JSON's escapes are TOML's, too. A file's name may hold any byte.
std::string quoted(const std::string& text) {
  return to_text(Json(one_line(text)));
}

/// The experiment: before the groups, the groups, and after them.
std::string whole_text(const std::string& stem, const std::string& groups) {
  return fmt::format(
             "title = {}\nquestion = {}\nsource = \"a trace by libgemmlab_blas.so\"\n"
             "[settings]\nscope = \"kernel\"\ncache = \"cold\"\nprecision = 0.01\nmin_time_s = 0.05\n"
             "max_time_s = 1\n",
             quoted("The products of " + stem),
             quoted(fmt::format("How fast is each product that {} asked for, by what answered and by others?",
                                stem))) +
         groups + "[[table]]\nkind = \"rates\"\n[[figure]]\nkind = \"ratio_to_library\"\n";
}

/// Why this product alone makes no experiment, as one beyond what a size may be; empty where it makes one.
std::string why_not(const Traced& traced, const Catalogue& catalogue) {
  const std::string nowhere = "trace";  // the line that the message names is of a text that nobody has seen
  try {
    make_definition(parse_toml(whole_text(nowhere, group_text(traced, catalogue)), nowhere), nowhere, nowhere,
                    catalogue);
    return {};
  } catch (const UsageError& error) {
    const std::string message = error.what();
    return message.substr(message.find(": ") + 2);
  }
}

}  // namespace

Definition load_trace(const std::string& file, const Catalogue& catalogue) {
  const std::string stem = fs::path(file).stem().string();
  std::string groups;
  std::vector<std::string> skipped;
  for (const Traced& traced : read_trace(file, catalogue)) {
    const std::string reason = why_not(traced, catalogue);
    if (reason.empty())
      groups += group_text(traced, catalogue);
    else
      skipped.push_back(one_line(fmt::format("{}:{}: skipped: {}", file, traced.line, reason)));
  }
  if (groups.empty()) throw UsageError(skipped.front());
  Definition made =
      make_definition(parse_toml(whole_text(stem, groups), file), file, "trace_" + stem, catalogue);
  made.notes.insert(made.notes.end(), skipped.begin(), skipped.end());
  return made;
}

}  // namespace gemmlab::runner
