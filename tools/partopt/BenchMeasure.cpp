//===- BenchMeasure.cpp - Timing kernels, products and collectives --------===//
//
// Kernels are the compiler's own, called as the executor calls them.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "ModelInput.h"

#include "partopt/Plan/ElementTypes.h"
#include "runtime/drivers/host/HostDriver.h"
#include "runtime/exec/RankProgram.h"

#include "partopt-rt/Session.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

using namespace partopt;
using namespace partopt::driver;

using Clock = std::chrono::steady_clock;

/// What is needed when nothing is taken away in between.
static double lowerQuartile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 4];
}

unsigned partopt::driver::coresOfMachine() {
  return std::max(1u, std::thread::hardware_concurrency());
}

static llvm::Error failed(const rt::Status &status) {
  return userError(status.message());
}

/// Of repetitions of `run`, some 60 ms of them.
template <typename Run> static double timeOf(Run run) {
  run();
  std::vector<double> seconds;
  Clock::time_point begin = Clock::now();
  do {
    Clock::time_point from = Clock::now();
    run();
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - from).count());
  } while (seconds.size() < 8 ||
           (seconds.size() < 1000 &&
            Clock::now() - begin < std::chrono::milliseconds(60)));
  return lowerQuartile(std::move(seconds));
}

/// Every core at once, each with a measurement of its own, as ranks use them:
/// they share memory's bandwidth and caches. Returns the mean.
static double onAllCores(llvm::function_ref<double(unsigned)> measure) {
  std::vector<double> seconds(coresOfMachine());
  std::vector<std::thread> threads;
  for (unsigned core = 0; core < seconds.size(); ++core)
    threads.emplace_back([&, core] { seconds[core] = measure(core); });
  for (std::thread &thread : threads)
    thread.join();
  double sum = 0;
  for (double one : seconds)
    sum += one;
  return sum / static_cast<double>(seconds.size());
}

namespace {

/// One rank's device with several copies of a program's memory, which are used
/// in turns: in a step, too, other kernels run in between.
class Bench {
public:
  llvm::Error open(const plan::PlanT &plan);
  /// Seconds of all instructions once.
  double seconds();

private:
  llvm::Error addCopy(const plan::PlanT &plan, const plan::ProgramT &program);
  void fill(const plan::ProgramT &program, const rt::RankMemory &memory);
  void run(const rt::RankProgram &program);

  std::unique_ptr<rt::Driver> driver = rt::createHostDriver();
  std::shared_ptr<rt::KernelLibrary> kernels;
  std::unique_ptr<rt::Device> device;
  std::vector<rt::RankProgram> copies;
};

} // namespace

/// Numbers between 0 and 1, and small indices.
void Bench::fill(const plan::ProgramT &program, const rt::RankMemory &memory) {
  uint32_t state = 1;
  for (const auto &argument : program.arguments) {
    const plan::BufferT &buffer = *program.buffers[argument->buffer];
    uint8_t *at = memory.at(buffer);
    bool isFloat = argument->tensor->type == plan::ElementType::F32;
    for (uint64_t i = 0; i + 4 <= buffer.bytes; i += 4) {
      state = state * 1664525u + 1013904223u;
      auto number = static_cast<int32_t>((state >> 8) % 900);
      auto value = 0.1f + static_cast<float>(number) * 1e-3f;
      std::memcpy(at + i, isFloat ? static_cast<void *>(&value) : &number, 4);
    }
  }
}

llvm::Error Bench::addCopy(const plan::PlanT &plan,
                           const plan::ProgramT &program) {
  rt::RankMemory memory;
  for (auto [bytes, target] :
       {std::pair{program.resident_bytes, &memory.resident},
        std::pair{program.arena_bytes, &memory.arena}}) {
    rt::StatusOr<uint8_t *> region = device->allocate(bytes);
    if (!region.ok())
      return failed(region.status());
    *target = *region;
  }
  fill(program, memory);
  copies.push_back(
      rt::resolveProgram(program, plan::MeshMath(plan), 0, memory));
  return llvm::Error::success();
}

llvm::Error Bench::open(const plan::PlanT &plan) {
  const plan::RankClassT &rankClass = *plan.classes[0];
  const plan::ProgramT &program = *rankClass.programs[0];
  if (rankClass.kernels) {
    auto loaded = driver->loadKernels(*rankClass.kernels);
    if (!loaded.ok())
      return failed(loaded.status());
    kernels = *loaded;
  }
  auto opened = driver->openDevice(0);
  if (!opened.ok())
    return failed(opened.status());
  device = std::move(*opened);
  constexpr uint64_t enough = 32 << 20;
  uint64_t bytes = program.resident_bytes + program.arena_bytes + 1;
  for (uint64_t i = 0; i < std::clamp<uint64_t>(enough / bytes, 1, 8); ++i)
    if (llvm::Error error = addCopy(plan, program))
      return error;
  return llvm::Error::success();
}

void Bench::run(const rt::RankProgram &program) {
  for (const rt::ResolvedInstruction &instruction : program.instructions) {
    const plan::OpUnion &op = instruction.source->op;
    if (const auto *launch = op.AsLaunch())
      (void)device
          ->launch(*kernels, launch->kernel,
                   const_cast<void **>(instruction.args.data()))
          .ok();
    else if (op.type == plan::Op::Gemm)
      (void)device->gemm(instruction.gemm).ok();
    else if (op.type == plan::Op::Copy)
      device->copy(instruction.copy.target, instruction.copy.source,
                   instruction.copy.bytes);
  }
}

double Bench::seconds() {
  size_t next = 0;
  return timeOf([&] {
    run(copies[next]);
    next = (next + 1) % copies.size();
  });
}

llvm::Expected<MeasuredKernel>
partopt::driver::measureKernels(const BenchProgram &program) {
  Compiled compiled = compileText(program.name, program.text, {});
  if (compiled.exitCode != Good)
    return userError("the program '" + program.name + "' does not compile");
  std::vector<Bench> benches(coresOfMachine());
  for (Bench &bench : benches)
    if (llvm::Error error = bench.open(*compiled.plan))
      return error;
  MeasuredKernel measured;
  measured.name = program.name;
  const plan::ProgramT &code = *compiled.plan->classes[0]->programs[0];
  for (const auto &instruction : code.instructions) {
    simulate::Work work = simulate::workOf(code, *instruction);
    measured.work.flops += work.flops;
    measured.work.bytes += work.bytes;
    measured.work.functions += work.functions;
    measured.work.contractions += work.contractions;
    measured.work.shuffled += work.shuffled;
  }
  measured.seconds =
      onAllCores([&](unsigned core) { return benches[core].seconds(); });
  return measured;
}

namespace {

/// A product with matrices of its own.
class Product {
public:
  llvm::Error open(const simulate::ProductShape &shape);
  double seconds() {
    return timeOf(
        [&] { (void)device->gemm({&gemm, data[0], data[1], data[2]}).ok(); });
  }

private:
  std::unique_ptr<rt::Driver> driver = rt::createHostDriver();
  std::unique_ptr<rt::Device> device;
  plan::GemmT gemm;
  std::vector<float *> data;
};

} // namespace

llvm::Error Product::open(const simulate::ProductShape &shape) {
  auto opened = driver->openDevice(0);
  if (!opened.ok())
    return failed(opened.status());
  device = std::move(*opened);
  gemm.type = plan::ElementType::F32;
  gemm.m = static_cast<uint64_t>(shape.m);
  gemm.n = static_cast<uint64_t>(shape.n);
  gemm.k = static_cast<uint64_t>(shape.k);
  gemm.trans_a = shape.transA;
  gemm.trans_b = shape.transB;
  gemm.lda = shape.transA ? gemm.m : gemm.k;
  gemm.ldb = shape.transB ? gemm.k : gemm.n;
  gemm.ldc = gemm.n;
  for (uint64_t count : {gemm.m * gemm.k, gemm.k * gemm.n, gemm.m * gemm.n}) {
    auto region = device->allocate(count * sizeof(float));
    if (!region.ok())
      return failed(region.status());
    data.push_back(reinterpret_cast<float *>(*region));
    std::fill_n(data.back(), count, 0.5f);
  }
  rt::Status status = device->gemm({&gemm, data[0], data[1], data[2]});
  return status.ok() ? llvm::Error::success() : failed(status);
}

llvm::Expected<simulate::ProductRate>
partopt::driver::measureProduct(const simulate::ProductShape &shape) {
  std::vector<Product> products(coresOfMachine());
  for (Product &product : products)
    if (llvm::Error error = product.open(shape))
      return error;
  double seconds =
      onAllCores([&](unsigned core) { return products[core].seconds(); });
  return simulate::ProductRate{shape,
                               2 * shape.m * shape.n * shape.k / seconds};
}

namespace {
class Halves : public rt::ArraySource {
public:
  void read(uint64_t, uint64_t count, uint8_t *out) const override {
    std::fill_n(reinterpret_cast<float *>(out), count, 0.5f);
  }
};
} // namespace

llvm::Expected<double>
partopt::driver::measureCollective(const BenchProgram &program, int count) {
  CompileOptions options;
  Compiled compiled = compileText(program.name, program.text, options);
  if (compiled.exitCode != Good)
    return userError("the program '" + program.name + "' does not compile");
  int found = 0;
  for (const auto &instruction :
       compiled.plan->classes[0]->programs[0]->instructions)
    found += instruction->op.type == plan::Op::CollectiveStart;
  if (found != count)
    return userError("the program '" + program.name + "' has " +
                     llvm::Twine(found) + " collectives, not " +
                     llvm::Twine(count));
  auto session = rt::Session::create(std::move(compiled.plan));
  if (!session.ok())
    return failed(session.status());
  rt::Status status = (*session)->setArgument(0, 0, Halves());
  for (int step = 0; step < 30 && status.ok(); ++step)
    status = (*session)->step(0);
  if (!status.ok())
    return failed(status);
  return lowerQuartile((*session)->stats().exposedSeconds) / count;
}
