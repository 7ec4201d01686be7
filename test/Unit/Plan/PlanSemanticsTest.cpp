//===- PlanSemanticsTest.cpp - Plans compute what programs say ------------===//
//
// Random programs in kernel form are scheduled, lowered and serialised, and the
// plan is run on symbols: each byte range holds a number that stands for its
// contents. A range that is reused too early shows as a wrong number.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/Passes.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/SerializePlan.h"
#include "partopt/Plan/VerifyPlan.h"
#include "partopt/Registration.h"
#include "partopt/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

using namespace mlir;
using namespace partopt;

namespace {

using Symbol = uint64_t;

/// A number for the value that `what` makes of `inputs`.
Symbol combine(const std::string &what, const std::vector<Symbol> &inputs) {
  std::vector<uint64_t> bytes{std::hash<std::string>()(what)};
  bytes.insert(bytes.end(), inputs.begin(), inputs.end());
  return plan::hashBytes(bytes.data(), bytes.size() * sizeof(uint64_t));
}

/// A program's text and the symbols that its results must have.
struct Program {
  std::string text;
  std::vector<Symbol> results;
  std::vector<int> aliases; // by result
  unsigned numArguments = 0;
};

/// Kernels and collectives on tensors of 16 elements, views between.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}
  Program make();

private:
  unsigned any() { return random() % values.size(); }
  void addStep();
  void addKernel();
  void addCollective();

  std::mt19937 random;
  std::ostringstream body;
  struct Value {
    std::string name;
    Symbol symbol;
  };
  std::vector<Value> values;
  unsigned counter = 0;
};

void Generator::addKernel() {
  // k1 and k2 may write over their first input; k2 has two results.
  unsigned kind = random() % 3;
  Value a = values[any()], b = values[any()];
  std::string name = "%v" + std::to_string(counter++);
  std::string types = "(tensor<16xf32>, tensor<16xf32>) -> ";
  body << "    " << name << (kind == 2 ? ":2" : "") << " = func.call @k" << kind
       << "(" << a.name << ", " << b.name << ") : " << types
       << (kind == 2 ? "(tensor<16xf32>, tensor<16xf32>)" : "tensor<16xf32>")
       << "\n";
  for (unsigned r = 0; r < (kind == 2 ? 2 : 1); ++r)
    values.push_back(
        {kind == 2 ? name + "#" + std::to_string(r) : name,
         combine("k" + std::to_string(kind) + "." + std::to_string(r),
                 {a.symbol, b.symbol})});
}

void Generator::addCollective() {
  bool two = random() % 2;
  std::string axis = random() % 2 ? "data" : "model";
  Value a = values[any()], b = values[any()];
  std::string name = "%v" + std::to_string(counter++);
  std::string one = "tensor<16xf32>";
  if (random() % 3 == 0) {
    body << "    " << name << " = comm.permute {\"" << axis
         << "\"=2} to = [1, 0] " << a.name << " : (" << one << ") -> " << one
         << "\n";
    values.push_back({name, combine("permute" + axis, {a.symbol})});
    return;
  }
  std::string types = two ? one + ", " + one : one;
  body << "    " << name << (two ? ":2" : "") << " = comm.all_reduce {\""
       << axis << "\"=2} sum " << a.name << (two ? ", " + b.name : "") << " : ("
       << types << ") -> (" << types << ")\n";
  values.push_back(
      {two ? name + "#0" : name, combine("all_reduce" + axis, {a.symbol})});
  if (two)
    values.push_back({name + "#1", combine("all_reduce" + axis, {b.symbol})});
}

void Generator::addStep() {
  unsigned kind = random() % 8;
  if (kind < 5)
    return addKernel();
  if (kind < 7)
    return addCollective();
  Value a = values[any()];
  std::string name = "%v" + std::to_string(counter++);
  body << "    " << name << "a = stablehlo.reshape " << a.name
       << " : (tensor<16xf32>) -> tensor<4x4xf32>\n    " << name
       << " = stablehlo.reshape " << name
       << "a : (tensor<4x4xf32>) -> tensor<16xf32>\n";
  values.push_back({name, a.symbol});
}

Program Generator::make() {
  Program program;
  program.numArguments = 1 + random() % 5;
  for (unsigned i = 0; i < program.numArguments; ++i)
    values.push_back(
        {"%a" + std::to_string(i), combine("arg" + std::to_string(i), {})});
  for (unsigned steps = random() % 30; steps > 0; --steps)
    addStep();
  std::vector<unsigned> takers(program.numArguments);
  for (unsigned i = 0; i < takers.size(); ++i)
    takers[i] = i;
  std::shuffle(takers.begin(), takers.end(), random);
  unsigned numResults = 1 + random() % 6;
  std::string names, types;
  for (unsigned r = 0; r < numResults; ++r) {
    const Value &value = values[any()];
    names += (r ? ", " : "") + value.name;
    types += r ? ", tensor<16xf32>" : "tensor<16xf32>";
    program.results.push_back(value.symbol);
    program.aliases.push_back(r < takers.size() && random() % 4 ? takers[r]
                                                                : -1);
  }
  std::ostringstream text;
  text << "sdy.mesh @mesh = <[\"data\"=2, \"model\"=2]>\n";
  for (unsigned k = 0; k < 3; ++k) {
    std::string mark =
        k ? " {partopt.may_be_overwritten_by = array<i64: 0>}" : "";
    std::string one = "tensor<16xf32>";
    text << "func.func private @k" << k << "(%a: " << one << mark
         << ", %b: " << one << ") -> "
         << (k == 2 ? "(" + one + ", " + one + ")" : one)
         << " attributes {partopt.kernel} { return %a"
         << (k == 2 ? ", %b : " + one + ", " + one : " : " + one) << " }\n";
  }
  text << "func.func @main(";
  for (unsigned i = 0; i < program.numArguments; ++i) {
    text << (i ? ", " : "") << "%a" << i << ": tensor<16xf32>";
    for (unsigned r = 0; r < numResults; ++r)
      if (program.aliases[r] == int(i))
        text << " {tf.aliasing_output = " << r << " : i32}";
  }
  text << ") -> (" << types << ") {\n"
       << body.str() << "    return " << names << " : " << types << "\n}\n";
  program.text = text.str();
  return program;
}

/// Memory of one rank as symbols by (region, offset). A range that overlaps a
/// written one loses its contents.
class SymbolicMemory {
public:
  explicit SymbolicMemory(const plan::ProgramT &program) : program(program) {}

  Symbol read(uint32_t buffer) const {
    auto at = contents.find(buffer);
    return at == contents.end() ? 0 : at->second;
  }
  void write(uint32_t buffer, Symbol symbol) {
    const plan::BufferT &range = *program.buffers[buffer];
    for (uint32_t other = 0; other < program.buffers.size(); ++other) {
      const plan::BufferT &o = *program.buffers[other];
      if (o.space == range.space && o.offset < range.offset + range.bytes &&
          range.offset < o.offset + o.bytes)
        contents.erase(other);
    }
    contents[buffer] = symbol;
  }

private:
  const plan::ProgramT &program;
  std::map<uint32_t, Symbol> contents;
};

/// Runs the program on symbols. A collective's results appear at its wait; its
/// operands must still be there.
class SymbolicExecutor {
public:
  explicit SymbolicExecutor(const plan::PlanT &plan)
      : program(*plan.classes[0]->programs[0]), mesh(plan.mesh),
        symbols(plan.classes[0]->kernels->symbols), memory(program) {}

  SymbolicMemory run() {
    for (size_t i = 0; i < program.arguments.size(); ++i)
      memory.write(program.arguments[i]->buffer,
                   combine("arg" + std::to_string(i), {}));
    for (const auto &instruction : program.instructions)
      step(*instruction);
    return memory;
  }

private:
  void step(const plan::InstructionT &instruction) {
    if (const auto *launch = instruction.op.AsLaunch()) {
      Symbol a = memory.read(launch->args[0]), b = memory.read(launch->args[1]);
      for (size_t out = 2; out < launch->args.size(); ++out)
        memory.write(launch->args[out],
                     combine(symbols[launch->kernel].substr(0, 2) + "." +
                                 std::to_string(out - 2),
                             {a, b}));
    } else if (const auto *copy = instruction.op.AsCopy()) {
      memory.write(copy->target, memory.read(copy->source));
    } else if (const auto *start = instruction.op.AsCollectiveStart()) {
      inFlight[start->event] = {start, reads(*start)};
      for (uint32_t result : start->results)
        if (std::count(start->operands.begin(), start->operands.end(),
                       result) == 0)
          memory.write(result, 1); // half received
    } else if (const auto *wait = instruction.op.AsWait()) {
      auto [begun, sent] = inFlight[wait->event];
      EXPECT_EQ(reads(*begun), sent) << "an operand changed on its way";
      for (size_t i = 0; i < sent.size(); ++i) {
        std::string kind = begun->kind == plan::CollectiveKind::Permute
                               ? "permute"
                               : "all_reduce";
        memory.write(
            begun->results[i],
            combine(kind + mesh[begun->axes[0].axis()]->name, {sent[i]}));
      }
    }
  }

  std::vector<Symbol> reads(const plan::CollectiveStartT &start) {
    std::vector<Symbol> symbols;
    for (uint32_t operand : start.operands)
      symbols.push_back(memory.read(operand));
    return symbols;
  }

  const plan::ProgramT &program;
  const std::vector<std::unique_ptr<plan::AxisT>> &mesh;
  const std::vector<std::string> &symbols;
  SymbolicMemory memory;
  std::map<uint32_t,
           std::pair<const plan::CollectiveStartT *, std::vector<Symbol>>>
      inFlight;
};

std::unique_ptr<plan::PlanT> compile(MLIRContext &context,
                                     const std::string &text) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return nullptr;
  PassManager manager(&context);
  manager.addNestedPass<func::FuncOp>(createScheduleCollectives());
  manager.addPass(createLowerToPlan());
  if (failed(manager.run(*module)))
    return nullptr;
  auto result = serializePlan(*module, {});
  if (failed(result))
    return nullptr;
  plan::KernelObjectT &kernels = *(*result)->classes[0]->kernels;
  kernels.image = {1};
  kernels.hash = plan::hashBytes("\1", 1);
  kernels.abi_version = plan::kernelAbiVersion;
  return std::move(*result);
}

TEST(PlanSemantics, RandomProgramsComputeWhatTheySay) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  unsigned inPlace = 0, shared = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Program program = Generator(seed).make();
    auto plan = compile(context, program.text);
    ASSERT_TRUE(plan) << program.text;
    ASSERT_EQ(plan::verifyPlan(*plan), std::vector<std::string>())
        << program.text;
    const plan::ProgramT &code = *plan->classes[0]->programs[0];
    SymbolicMemory memory = SymbolicExecutor(*plan).run();
    for (size_t r = 0; r < program.results.size(); ++r)
      ASSERT_EQ(memory.read(code.results[r]->buffer), program.results[r])
          << "seed " << seed << ", result " << r << "\n"
          << program.text;
    // Chaining steps: the executor copies results into their arguments.
    for (const auto &result : code.results) {
      if (result->alias < 0)
        continue;
      uint32_t target = code.arguments[result->alias]->buffer;
      inPlace += result->buffer == target;
      if (result->buffer != target)
        memory.write(target, memory.read(result->buffer));
    }
    for (size_t r = 0; r < program.results.size(); ++r)
      if (program.aliases[r] >= 0)
        ASSERT_EQ(memory.read(code.arguments[program.aliases[r]]->buffer),
                  program.results[r])
            << "seed " << seed << ", chained result " << r << "\n"
            << program.text;
    for (const auto &instruction : code.instructions)
      for (uint32_t read : instruction->reads)
        shared += std::count(instruction->writes.begin(),
                             instruction->writes.end(), read);
  }
  // The cases that the test is about do occur.
  EXPECT_GT(inPlace, 50u);
  EXPECT_GT(shared, 50u);
}

} // namespace
