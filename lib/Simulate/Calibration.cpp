//===- Calibration.cpp - What kernels and messages cost -------------------===//
//
// See Calibration.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Calibration.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace partopt::simulate {

double Calibration::memoryRate(double bytes) const {
  auto above =
      std::find_if(memory.begin(), memory.end(),
                   [&](const SizedRate &one) { return one.bytes >= bytes; });
  if (above == memory.begin())
    return memory.front().bytesPerSecond;
  if (above == memory.end())
    return memory.back().bytesPerSecond;
  const SizedRate &low = *(above - 1), &high = *above;
  double part = std::log(bytes / low.bytes) / std::log(high.bytes / low.bytes);
  return std::exp((1 - part) * std::log(low.bytesPerSecond) +
                  part * std::log(high.bytesPerSecond));
}

double Calibration::productRate(const ProductShape &shape) const {
  double weights = 0, sum = 0;
  for (const ProductRate &one : products) {
    double m = std::log2(shape.m / one.shape.m),
           n = std::log2(shape.n / one.shape.n),
           k = std::log2(shape.k / one.shape.k);
    // Another form counts as a factor of two in one extent.
    double form =
        (shape.transA != one.shape.transA) + (shape.transB != one.shape.transB);
    double distance = m * m + n * n + k * k + form;
    double weight = 1 / (1e-6 + distance * distance);
    weights += weight;
    sum += weight * std::log(one.flopsPerSecond);
  }
  return std::exp(sum / weights);
}

double Calibration::seconds(const Work &work) const {
  if (work.empty())
    return 0;
  if (const plan::GemmT *gemm = work.product) {
    ProductShape shape{
        static_cast<double>(gemm->m), static_cast<double>(gemm->n),
        static_cast<double>(gemm->k), gemm->trans_a, gemm->trans_b};
    return productCall * static_cast<double>(gemm->batch) +
           work.flops / productRate(shape);
  }
  double arithmetic =
      std::max(0.0, work.flops - work.contractions - work.functions) /
          flopsPerSecond +
      work.functions / functionsPerSecond +
      work.contractions / contractionsPerSecond;
  double traffic =
      std::max(0.0, work.bytes - work.shuffled) / memoryRate(work.bytes);
  return launch + std::max(arithmetic, traffic) +
         work.shuffled / shuffledBytesPerSecond;
}

using Json = nlohmann::json;

/// A number above 0 (or from 0) at `name`; else `wrong` is set.
static void readNumber(const Json &json, const char *name, double least,
                       double &value, std::string &wrong) {
  auto found = json.find(name);
  if (found == json.end() || !wrong.empty())
    return;
  bool isGood = found->is_number() && std::isfinite(found->get<double>()) &&
                found->get<double>() >= least;
  if (isGood)
    value = found->get<double>();
  else
    wrong = "'" + std::string(name) + "' is " + found->dump() +
            ", not a number of at least " + (least > 0 ? "1" : "0");
}

static std::string readProducts(const Json &json,
                                std::vector<ProductRate> &products) {
  std::string wrong;
  if (!json.is_array() || json.empty())
    return "'products' is no list of measured products";
  products.clear();
  for (const Json &one : json) {
    if (!one.is_object())
      return "'products' holds " + one.dump() + ", which is no product";
    ProductRate rate;
    for (auto [name, target] : {std::pair{"m", &rate.shape.m},
                                {"n", &rate.shape.n},
                                {"k", &rate.shape.k},
                                {"flops_per_s", &rate.flopsPerSecond}}) {
      readNumber(one, name, 1, *target, wrong);
      if (*target == 0 && wrong.empty())
        wrong = "a product has no '" + std::string(name) + "'";
    }
    std::string form = one.value("form", "nn");
    rate.shape.transA = form.substr(0, 1) == "t";
    rate.shape.transB = form.size() > 1 && form[1] == 't';
    products.push_back(rate);
  }
  return wrong;
}

static std::string readMemory(const Json &json,
                              std::vector<SizedRate> &memory) {
  std::string wrong;
  if (!json.is_array() || json.empty())
    return "'memory' is no list of measured rates";
  memory.clear();
  for (const Json &one : json) {
    SizedRate rate;
    if (!one.is_object())
      return "'memory' holds " + one.dump() + ", which is no rate";
    readNumber(one, "bytes", 1, rate.bytes, wrong);
    readNumber(one, "bytes_per_s", 1, rate.bytesPerSecond, wrong);
    if (wrong.empty() &&
        (rate.bytes == 0 || rate.bytesPerSecond == 0 ||
         (!memory.empty() && rate.bytes <= memory.back().bytes)))
      wrong = "'memory' needs bytes, which rise, and bytes_per_s";
    memory.push_back(rate);
  }
  return wrong;
}

std::string Calibration::parse(const std::string &text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return "is no JSON object";
  if (json.value("kind", Json()) != "partopt-calibration")
    return "has no \"kind\": \"partopt-calibration\"; write one with partopt "
           "bench kernels --json FILE";
  std::string wrong;
  double machineCores = cores;
  readNumber(json, "launch_s", 0, launch, wrong);
  readNumber(json, "product_call_s", 0, productCall, wrong);
  readNumber(json, "flops_per_s", 1, flopsPerSecond, wrong);
  readNumber(json, "functions_per_s", 1, functionsPerSecond, wrong);
  readNumber(json, "contractions_per_s", 1, contractionsPerSecond, wrong);
  readNumber(json, "shuffled_bytes_per_s", 1, shuffledBytesPerSecond, wrong);
  readNumber(json, "message_s", 0, messageSeconds, wrong);
  readNumber(json, "stored_bytes_per_s", 1, storedBytesPerSecond, wrong);
  readNumber(json, "combined_bytes_per_s", 1, combinedBytesPerSecond, wrong);
  readNumber(json, "cores", 0, machineCores, wrong);
  cores = static_cast<unsigned>(std::min(machineCores, 1e6));
  if (wrong.empty() && json.contains("products"))
    wrong = readProducts(json["products"], products);
  if (wrong.empty() && json.contains("memory"))
    wrong = readMemory(json["memory"], memory);
  isMeasured = wrong.empty();
  return wrong;
}

std::string Calibration::read(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    return "cannot read '" + path + "'";
  std::string wrong = parse(text.str());
  return wrong.empty() ? "" : "'" + path + "': " + wrong;
}

} // namespace partopt::simulate
