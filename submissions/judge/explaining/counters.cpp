#include "submissions/judge/explaining/counters.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "submissions/judge/processes/tool.h"

namespace gemmlab::submissions {
namespace {

constexpr double kMostFlop = 2e10;  ///< 2048³: the slowest kernel takes milliseconds

std::string names_for_ncu(const Metrics& metrics) {
  std::string names = metrics.time;
  for (const Metric& one : metrics.rows) {
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

std::optional<double> share(const std::vector<Kernel>& kernels, const std::string& name,
                            const std::string& weight) {
  double sum = 0;
  double weights = 0;
  for (const Kernel& kernel : kernels) {
    const auto found = kernel.find(name);
    const auto time = kernel.find(weight);
    if (found == kernel.end() || time == kernel.end()) continue;
    sum += found->second / 100 * time->second;
    weights += time->second;
  }
  if (weights <= 0) return std::nullopt;
  return sum / weights;
}

std::optional<double> value_of(const Metric& metric, const std::string& name, const std::string& time,
                               const std::vector<Kernel>& kernels) {
  if (metric.how == "sum") return total(kernels, name);
  if (metric.how == "share") return share(kernels, name, time);
  const auto above = total(kernels, name);
  const auto below = total(kernels, metric.over);
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

std::map<std::string, Counter> counters_in(const std::string& csv, const Metrics& metrics) {
  const std::vector<Kernel> kernels = kernels_in(csv);
  std::map<std::string, Counter> found;
  for (const Metric& metric : metrics.rows) {
    for (const std::string& name : metric.names) {
      const auto value = value_of(metric, name, metrics.time, kernels);
      if (!value) continue;
      found[metric.name] = {*value, metric.unit};
      break;
    }
  }
  return found;
}

Counters count(const CalleeSetup& setup, const Limits& limits, const std::vector<Shape>& shapes,
               const Metrics& metrics) {
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
                  names_for_ncu(metrics)},
                 setup, {request, counted}, limits.call_s);
  const std::string text = text_of_log(log);
  counters.values = counters_in(text, metrics);
  if (counters.values.empty()) counters.missing = why_not(text, reason);
  return counters;
}

}  // namespace gemmlab::submissions
