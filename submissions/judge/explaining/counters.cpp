#include "submissions/judge/explaining/counters.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "submissions/judge/processes/tool.h"

namespace gemmlab::submissions {
namespace {

constexpr double kMostFlop = 2e10;  ///< 2048³: the slowest kernel takes milliseconds
constexpr const char* kTime = "gpu__time_duration.sum";
constexpr const char* kActive = ".avg.pct_of_peak_sustained_active";

enum class How { kSum, kShare, kRatio };

/// One counter: ncu's names for it, of which a card may know only the second, and for a ratio what it
/// is divided by.
struct Wanted {
  std::string name;
  std::string unit;
  How how;
  std::vector<std::string> names;
  std::string over;
};

const std::vector<Wanted>& wanted() {
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
  const std::string requests = "l1tex__t_requests_pipe_lsu_mem_global_op_";
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  const std::string active = kActive;
  static const std::vector<Wanted> all = {
      {"dram_read_bytes", "byte", How::kSum, {"dram__bytes_read.sum"}, ""},
      {"dram_write_bytes", "byte", How::kSum, {"dram__bytes_write.sum"}, ""},
      {"l2_bytes", "byte", How::kSum, {"lts__t_bytes.sum"}, ""},
      {"global_load_sectors_per_request", "sector", How::kRatio, {sectors + "ld.sum"}, requests + "ld.sum"},
      {"global_store_sectors_per_request", "sector", How::kRatio, {sectors + "st.sum"}, requests + "st.sum"},
      {"shared_load_bank_conflicts", "count", How::kSum, {conflicts + "ld.sum"}, ""},
      {"shared_store_bank_conflicts", "count", How::kSum, {conflicts + "st.sum"}, ""},
      {"occupancy", "share", How::kShare, {"sm__warps_active" + active}, ""},
      {"fma_pipe",
       "share",
       How::kShare,
       {"sm__pipe_fma_cycles_active" + active, "sm__inst_executed_pipe_fma" + active},
       ""},
      {"instructions", "count", How::kSum, {"smsp__inst_executed.sum"}, ""},
  };
  return all;
}

std::string names_for_ncu() {
  std::string names = kTime;
  for (const Wanted& one : wanted()) {
    for (const std::string& name : one.names) names += "," + name;
    if (!one.over.empty()) names += "," + one.over;
  }
  return names;
}

/// The fields of one line of CSV, all in quotes, "" for a quote.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      found.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      found.emplace_back();
    } else {
      found.back() += line[i];
    }
  }
  return found;
}

/// "1,234.5" -> 1234.5; nothing for "n/a".
std::optional<double> number(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

using Kernel = std::map<std::string, double>;

/// ncu's values, by its names; times in whatever unit, the same for all.
std::vector<Kernel> kernels_in(const std::string& csv) {
  std::vector<Kernel> kernels;
  std::vector<std::string> header;
  std::stringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != '"') continue;  // what ncu says besides begins with ==
    const std::vector<std::string> row = fields(line);
    if (header.empty()) {
      if (row.front() == "ID") header = row;
      continue;
    }
    if (row.size() != header.size() || row.front().empty()) continue;  // the row of units has no ID
    Kernel kernel;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (const auto value = number(row[i])) kernel[header[i]] = *value;
    }
    kernels.push_back(kernel);
  }
  return kernels;
}

std::optional<double> total(const std::vector<Kernel>& kernels, const std::string& name) {
  std::optional<double> sum;
  for (const Kernel& kernel : kernels) {
    if (const auto found = kernel.find(name); found != kernel.end()) sum = sum.value_or(0) + found->second;
  }
  return sum;
}

std::optional<double> share(const std::vector<Kernel>& kernels, const std::string& name) {
  double sum = 0;
  double weights = 0;
  for (const Kernel& kernel : kernels) {
    const auto found = kernel.find(name);
    const auto time = kernel.find(kTime);
    if (found == kernel.end() || time == kernel.end()) continue;
    sum += found->second / 100 * time->second;
    weights += time->second;
  }
  if (weights <= 0) return std::nullopt;
  return sum / weights;
}

std::optional<double> value_of(const Wanted& wish, const std::string& name,
                               const std::vector<Kernel>& kernels) {
  switch (wish.how) {
    case How::kSum:
      return total(kernels, name);
    case How::kShare:
      return share(kernels, name);
    case How::kRatio:
      break;
  }
  const auto above = total(kernels, name);
  const auto below = total(kernels, wish.over);
  if (!above || !below || *below <= 0) return std::nullopt;
  return *above / *below;
}

/// The largest that is no more than kMostFlop; the smallest where all are.
std::optional<Shape> shape_to_count(std::vector<Shape> shapes) {
  std::sort(shapes.begin(), shapes.end(),
            [](const Shape& one, const Shape& other) { return one.flop() < other.flop(); });
  std::optional<Shape> chosen;
  for (const Shape& shape : shapes) {
    if (!chosen || shape.flop() <= kMostFlop) chosen = shape;
  }
  return chosen;
}

std::string why_not(const std::string& log, const std::string& reason) {
  if (log.find("ERR_NVGPUCTRPERM") != std::string::npos)
    return "the driver lets only administrators read the GPU's counters, and a submission runs as nobody of "
           "note (https://developer.nvidia.com/ERR_NVGPUCTRPERM says how to allow it)";
  if (!reason.empty()) return reason;
  const std::size_t error = log.find("==ERROR==");
  if (error == std::string::npos) return "ncu counted nothing";
  return log.substr(error, log.find('\n', error) - error);
}

}  // namespace

std::map<std::string, Counter> counters_in(const std::string& csv) {
  const std::vector<Kernel> kernels = kernels_in(csv);
  std::map<std::string, Counter> found;
  for (const Wanted& wish : wanted()) {
    for (const std::string& name : wish.names) {
      const auto value = value_of(wish, name, kernels);
      if (!value) continue;
      found[wish.name] = {*value, wish.unit};
      break;
    }
  }
  return found;
}

Counters count(const CalleeSetup& setup, const Limits& limits, const std::vector<Shape>& shapes) {
  Counters counters;
  const auto shape = shape_to_count(shapes);
  const std::string ncu = find_tool("ncu");
  if (ncu.empty()) {
    counters.missing = "ncu, NVIDIA Nsight Compute, was not found: it comes with the CUDA toolkit";
    return counters;
  }
  if (!shape) {
    counters.missing = "the rule times no shape at which to count";
    return counters;
  }
  counters.shape = *shape;
  const std::string log = setup.confinement.scratch + "/counters.csv";
  const Request request = call_at(*shape);
  Request counted = request;
  counted.profiled = 1;  // the second call: the first loads code and takes memory
  const std::string reason =
      call_under({ncu, "--csv", "--page", "raw", "--print-units", "base", "--profile-from-start", "off",
                  "--clock-control", "none", "--target-processes", "all", "--log-file", log, "--metrics",
                  names_for_ncu()},
                 setup, {request, counted}, limits.call_s);
  const std::string text = text_of_log(log);
  counters.values = counters_in(text);
  if (counters.values.empty()) counters.missing = why_not(text, reason);
  return counters;
}

}  // namespace gemmlab::submissions
