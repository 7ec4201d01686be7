//===- BenchCommand.cpp - partopt bench -----------------------------------===//
//
// `bench kernels` measures this machine by kind of work and writes the
// calibration that predictions are made with.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "Driver.h"

#include "runtime/base/OutputFile.h"

#include "llvm/Support/Format.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace partopt;
using namespace partopt::driver;
using Json = nlohmann::ordered_json;

namespace {

/// Everything that is measured, in the order in which it is needed.
class Calibrator {
public:
  llvm::Error run();
  Json json() const;
  void print(llvm::raw_ostream &out) const;

private:
  llvm::Error measureMemory();
  llvm::Error measureProducts();
  llvm::Error measureMessages();

  simulate::Calibration result;
  std::vector<MeasuredKernel> kernels;
};

} // namespace

/// A sum of so few elements is a call and nothing else.
llvm::Error Calibrator::measureMemory() {
  llvm::Expected<MeasuredKernel> smallest = measureKernels(sumProgram(16));
  if (!smallest)
    return smallest.takeError();
  result.launch = smallest->seconds;
  result.memory.clear();
  for (int64_t elements : {1500, 11000, 90000, 700000, 6000000}) {
    llvm::Expected<MeasuredKernel> sum = measureKernels(sumProgram(elements));
    if (!sum)
      return sum.takeError();
    double seconds = std::max(sum->seconds - result.launch, 1e-9);
    result.memory.push_back({sum->work.bytes, sum->work.bytes / seconds});
  }
  return llvm::Error::success();
}

llvm::Error Calibrator::measureProducts() {
  llvm::Expected<simulate::ProductRate> smallest = measureProduct({4, 4, 4});
  if (!smallest)
    return smallest.takeError();
  result.productCall = 2.0 * 4 * 4 * 4 / smallest->flopsPerSecond;
  result.products.clear();
  constexpr double extents[] = {24, 80, 210, 700};
  constexpr bool forms[][2] = {{false, false}, {false, true}, {true, false}};
  for (double m : extents)
    for (double n : extents)
      for (double k : extents)
        for (const bool *form : forms) {
          auto one = measureProduct({m, n, k, form[0], form[1]});
          if (!one)
            return one.takeError();
          // Without the call, which is counted apart.
          double flops = 2 * m * n * k, whole = flops / one->flopsPerSecond;
          one->flopsPerSecond =
              flops / std::max(whole - result.productCall, whole / 2);
          result.products.push_back(*one);
        }
  return llvm::Error::success();
}

/// A gather of two ranks is one message that is stored; an all_reduce one that
/// is combined and one that is stored, each of half the payload.
llvm::Error Calibrator::measureMessages() {
  constexpr int count = 8;
  constexpr int64_t small = 250, large = 900000;
  auto shortest = measureCollective(reduceProgram(small, 160, count), count);
  if (!shortest)
    return shortest.takeError();
  auto gathered = measureCollective(gatherProgram(large, count), count);
  if (!gathered)
    return gathered.takeError();
  auto reduced = measureCollective(reduceProgram(large, 1, count), count);
  if (!reduced)
    return reduced.takeError();
  result.messageSeconds = *shortest / 2;
  double bytes = large * 4;
  double stored = std::max(*gathered - result.messageSeconds, 1e-9) / bytes;
  double both = std::max(*reduced - *shortest, 1e-9) / (bytes / 2);
  result.storedBytesPerSecond = 1 / stored;
  result.combinedBytesPerSecond = 1 / std::max(both - stored, stored / 4);
  return llvm::Error::success();
}

llvm::Error Calibrator::run() {
  result.cores = coresOfMachine();
  if (llvm::Error error = measureMemory())
    return error;
  if (llvm::Error error = measureProducts())
    return error;
  if (llvm::Error error = measureMessages())
    return error;
  for (const BenchProgram &program : kernelPrograms()) {
    llvm::Expected<MeasuredKernel> one = measureKernels(program);
    if (!one)
      return one.takeError();
    kernels.push_back(std::move(*one));
  }
  fitRates(kernels, result);
  return llvm::Error::success();
}

void partopt::driver::fitRates(const std::vector<MeasuredKernel> &kernels,
                               simulate::Calibration &calibration) {
  auto distance = [&] {
    double sum = 0;
    for (const MeasuredKernel &kernel : kernels)
      sum +=
          std::abs(std::log(calibration.seconds(kernel.work) / kernel.seconds));
    return sum;
  };
  double *rates[] = {
      &calibration.flopsPerSecond, &calibration.functionsPerSecond,
      &calibration.contractionsPerSecond, &calibration.shuffledBytesPerSecond};
  double best = distance();
  for (double factor = 2; factor > 1.001; factor = std::sqrt(factor))
    for (int round = 0; round < 20; ++round)
      for (double *rate : rates)
        for (double change : {factor, 1 / factor}) {
          double before = *rate;
          *rate *= change;
          double now = distance();
          if (now < best)
            best = now;
          else
            *rate = before;
        }
}

Json Calibrator::json() const {
  Json memory = Json::array(), products = Json::array(),
       measured = Json::array();
  for (const simulate::SizedRate &one : result.memory)
    memory.push_back(
        {{"bytes", one.bytes}, {"bytes_per_s", one.bytesPerSecond}});
  for (const simulate::ProductRate &one : result.products)
    products.push_back({{"m", one.shape.m},
                        {"n", one.shape.n},
                        {"k", one.shape.k},
                        {"form", std::string(one.shape.transA ? "t" : "n") +
                                     (one.shape.transB ? "t" : "n")},
                        {"flops_per_s", one.flopsPerSecond}});
  for (const MeasuredKernel &kernel : kernels)
    measured.push_back({{"name", kernel.name},
                        {"s", kernel.seconds},
                        {"fitted_s", result.seconds(kernel.work)}});
  return {{"kind", "partopt-calibration"},
          {"cores", result.cores},
          {"launch_s", result.launch},
          {"product_call_s", result.productCall},
          {"flops_per_s", result.flopsPerSecond},
          {"functions_per_s", result.functionsPerSecond},
          {"contractions_per_s", result.contractionsPerSecond},
          {"shuffled_bytes_per_s", result.shuffledBytesPerSecond},
          {"message_s", result.messageSeconds},
          {"stored_bytes_per_s", result.storedBytesPerSecond},
          {"combined_bytes_per_s", result.combinedBytesPerSecond},
          {"memory", memory},
          {"products", products},
          {"measured", measured}};
}

void Calibrator::print(llvm::raw_ostream &out) const {
  out << "kernel                                   measured us   fitted us\n";
  for (const MeasuredKernel &kernel : kernels)
    out << llvm::format("%-40s %11.1f %11.1f\n", kernel.name.c_str(),
                        kernel.seconds * 1e6,
                        result.seconds(kernel.work) * 1e6);
  auto line = [&](const char *name, double value, const char *unit) {
    out << llvm::format("%-40s %11.2f %s\n", name, value, unit);
  };
  line("arithmetic", result.flopsPerSecond / 1e9, "GFLOP/s");
  line("functions", result.functionsPerSecond / 1e9, "G/s");
  line("contractions in kernels", result.contractionsPerSecond / 1e9,
       "GFLOP/s");
  line("out of order", result.shuffledBytesPerSecond / 1e9, "GB/s");
  line("a kernel's call", result.launch * 1e6, "us");
  line("a message", result.messageSeconds * 1e6, "us");
  line("bytes stored by the transport", result.storedBytesPerSecond / 1e9,
       "GB/s");
  line("bytes combined by the transport", result.combinedBytesPerSecond / 1e9,
       "GB/s");
}

int partopt::driver::benchKernels(const OptionSet &options) {
  if (options.has("json"))
    if (rt::Status status = rt::checkOutput(options.get("json")); !status.ok())
      return fail(userError(status.message()));
  Calibrator calibrator;
  if (llvm::Error error = calibrator.run())
    return fail(std::move(error));
  if (!messages().quiet())
    calibrator.print(llvm::outs());
  if (!options.has("json"))
    return Good;
  rt::Status status =
      rt::writeTextFile(options.get("json"), calibrator.json().dump(2) + "\n");
  return status.ok() ? Good : fail(userError(status.message()));
}

int partopt::driver::benchCommand(const OptionSet &options) {
  if (options.positionals[0] == "kernels")
    return benchKernels(options);
  const std::string &name = options.positionals[0];
  return fail(userError("no benchmark '" + llvm::Twine(name) + "'" +
                        didYouMean(name, {"kernels", "schedule"},
                                   "this version has kernels and schedule")));
}
