// Runs every case of the op table on every split of its dimensions and compares
// with one device: even shards, uneven shards, fewer rows than devices, random
// layouts on two axes, and shards of partial sums. The table is made from the
// registry: an op that has a sharding rule and a local form, but no executed
// case, fails the run. With --gpu the kernels are those of the emulated GPU.

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Codegen/Codegen.h"
#include "partopt/Pipelines/Compile.h"
#include "partopt/Registration.h"
#include "runtime/run/RunCommand.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace mlir;
using namespace partopt;

namespace {

struct Axis {
  std::string name;
  int64_t size;
};

/// Axes (by index into the mesh) of every dimension of every argument.
using ArgumentAxes = std::vector<std::vector<std::vector<unsigned>>>;

struct Variant {
  std::string name;
  std::vector<Axis> mesh;
  ArgumentAxes axes;
  /// Arguments that arrive as two parts, to be summed.
  std::vector<bool> partial;
};

RankedTensorType typeOf(func::FuncOp func, unsigned i) {
  return cast<RankedTensorType>(func.getArgumentTypes()[i]);
}

/// Makes argument `i` the sum of two parts, so that the op under test sees a
/// partial value where the parts are split over an axis.
void makePartial(func::FuncOp main, unsigned i) {
  auto type = typeOf(main, i);
  Location loc = main.getLoc();
  Block &body = main.getBody().front();
  SmallVector<int64_t> shape{2};
  llvm::append_range(shape, type.getShape());
  auto parts = RankedTensorType::get(shape, type.getElementType());
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Type element = type.getElementType();
  Value zero = b.create<stablehlo::ConstantOp>(
      loc, DenseElementsAttr::get(RankedTensorType::get({}, element),
                                  combinerIdentity(element, Combiner::Sum)));
  BlockArgument argument = body.getArgument(i);
  argument.setType(parts);
  auto sum = b.create<stablehlo::ReduceOp>(
      loc, TypeRange(type), ValueRange(argument), ValueRange(zero),
      b.getDenseI64ArrayAttr({0}));
  OpBuilder inner = OpBuilder::atBlockBegin(&sum.getBody().emplaceBlock());
  Type scalar = zero.getType();
  Value x = inner.getBlock()->addArgument(scalar, loc);
  Value y = inner.getBlock()->addArgument(scalar, loc);
  inner.create<stablehlo::ReturnOp>(
      loc, inner.create<stablehlo::AddOp>(loc, scalar, x, y).getResult());
  argument.replaceAllUsesExcept(sum.getResult(0), sum);
  SmallVector<Type> inputs(main.getArgumentTypes());
  inputs[i] = parts;
  main.setFunctionType(
      FunctionType::get(main.getContext(), inputs, main.getResultTypes()));
}

/// The case alone in a module as @main, annotated as `variant` says.
OwningOpRef<ModuleOp> makeModule(func::FuncOp func, const Variant *variant) {
  MLIRContext *context = func.getContext();
  OpBuilder b(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(func.getLoc());
  b.setInsertionPointToStart(module->getBody());
  if (variant && !variant->mesh.empty()) {
    SmallVector<sdy::MeshAxisAttr> axes;
    for (const Axis &axis : variant->mesh)
      axes.push_back(sdy::MeshAxisAttr::get(context, axis.name, axis.size));
    b.create<sdy::MeshOp>(func.getLoc(), "mesh",
                          sdy::MeshAttr::get(context, axes));
  }
  auto main = cast<func::FuncOp>(b.clone(*func));
  main.setName("main");
  main->removeAttr("op");
  if (!variant)
    return module;
  for (unsigned i = 0; i < variant->partial.size(); ++i)
    if (variant->partial[i])
      makePartial(main, i);
  if (variant->mesh.empty())
    return module;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    SmallVector<sdy::DimensionShardingAttr> dims;
    if (i < variant->partial.size() && variant->partial[i])
      dims.push_back(sdy::DimensionShardingAttr::get(
          context, sdy::AxisRefAttr::get(context, variant->mesh.back().name),
          /*isClosed=*/true));
    for (const std::vector<unsigned> &list : variant->axes[i]) {
      SmallVector<sdy::AxisRefAttr> refs;
      for (unsigned axis : list)
        refs.push_back(
            sdy::AxisRefAttr::get(context, variant->mesh[axis].name));
      dims.push_back(
          sdy::DimensionShardingAttr::get(context, refs, /*isClosed=*/true));
    }
    sdy::setSharding(main.getArgument(i),
                     sdy::TensorShardingAttr::get(context, "mesh", dims));
  }
  return module;
}

/// The emulated GPU's kernels, which host code calls as its own.
void runOnHost(plan::PlanT &plan) {
  for (auto &rankClass : plan.classes)
    if (plan::KernelObjectT *kernels = rankClass->kernels.get()) {
      kernels->image = std::move(kernels->gpu_images.front()->image);
      kernels->hash = kernels->gpu_images.front()->hash;
      kernels->gpu_images.clear();
      kernels->gpu_kernels.clear();
    }
}

class Table {
public:
  Table(bool verbose, bool isGpu) : verbose(verbose), isGpu(isGpu) {}

  void run(func::FuncOp func) {
    auto op = func->getAttrOfType<StringAttr>("op");
    if (!op) {
      fail(func, "", "has no attribute 'op' that names the op under test");
      return;
    }
    runVariants(func, op.getValue(), variants(func), {});
    for (const std::vector<bool> &partial : partialSets(func, op.getValue())) {
      std::vector<Variant> all;
      single(func, all);
      llvm::erase_if(
          all, [](const Variant &v) { return v.name.substr(0, 3) == "few"; });
      for (Variant &variant : all) {
        variant.name = "partial " + variant.name;
        variant.partial = partial;
        variant.mesh.push_back({"parts", 2});
      }
      runVariants(func, op.getValue(), all, partial);
    }
  }

  void runVariants(func::FuncOp func, StringRef op,
                   const std::vector<Variant> &all,
                   const std::vector<bool> &partial) {
    Variant alone = empty(func);
    alone.partial = partial;
    OwningOpRef<ModuleOp> module = makeModule(func, &alone);
    rt::RunExtras extras;
    extras.reference = compile(*module, func, "alone", &extras.resultEpsilons);
    extras.longestReduction = 64;
    if (!extras.reference)
      return;
    for (const Variant &variant : all)
      runVariant(func, op, variant, extras);
  }

  /// Sets of arguments that the op under test is linear in.
  static std::vector<std::vector<bool>> partialSets(func::FuncOp func,
                                                    StringRef name) {
    std::vector<std::vector<bool>> sets;
    func.walk([&](Operation *op) {
      if (op->getName().getStringRef() != name)
        return;
      for (const LinearGroup &group : getLinearGroups(op, Combiner::Sum)) {
        std::vector<bool> set(func.getNumArguments());
        bool isWhole = true, any = false;
        for (unsigned operand : group) {
          auto argument = dyn_cast<BlockArgument>(op->getOperand(operand));
          if (!argument)
            continue; // a constant, which is laid out as the others are
          isWhole &= argument.getOwner() == &func.getBody().front() &&
                     !getElementTypeOrSelf(argument.getType()).isInteger(1);
          if (isWhole)
            any = set[argument.getArgNumber()] = true;
        }
        isWhole &= any;
        if (isWhole && !llvm::is_contained(sets, set))
          sets.push_back(set);
      }
    });
    return sets;
  }

  /// Ops that must have a kernel and cases but have not.
  unsigned checkCoverage(MLIRContext &context) {
    unsigned missing = 0;
    for (RegisteredOperationName name : context.getRegisteredOperations()) {
      bool dialect = name.getDialectNamespace() == "stablehlo" ||
                     name.getDialectNamespace() == "chlo";
      // With a rule an op is to run on shards; one that does not is gathered,
      // and has to be right all the same.
      if (!dialect || !name.hasInterface<ShardingRuleOpInterface>())
        continue;
      if (!hasKernel(name.getStringRef())) {
        llvm::errs() << "MISSING: " << name.getStringRef()
                     << " has a rule but no kernel\n";
        ++missing;
        continue;
      }
      auto it = executed.find(name.getStringRef().str());
      static const char *kinds[] = {"even", "uneven", "few"};
      for (const char *kind : kinds)
        if (it == executed.end() || !it->second.count(kind)) {
          llvm::errs() << "MISSING: " << name.getStringRef()
                       << " has a rule but no case with " << kind
                       << " shards\n";
          ++missing;
        }
    }
    return missing;
  }

  void print() {
    for (const auto &[op, kinds] : executed) {
      llvm::outs() << op << ":";
      for (const auto &[kind, count] : kinds)
        llvm::outs() << " " << kind << " " << count;
      llvm::outs() << "\n";
    }
  }

  unsigned passed = 0, failed = 0;

private:
  bool verbose, isGpu;
  std::map<std::string, std::map<std::string, unsigned>> executed;

  void fail(func::FuncOp func, const std::string &variant,
            const std::string &what) {
    llvm::errs() << "FAIL: " << func.getName() << " " << variant << ": " << what
                 << "\n";
    ++failed;
  }

  std::shared_ptr<plan::PlanT>
  compile(ModuleOp module, func::FuncOp func, const std::string &variant,
          std::vector<double> *epsilons = nullptr) {
    std::string messages;
    ScopedDiagnosticHandler handler(
        module.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            messages += diagnostic.str() + "\n";
          return success();
        });
    CompileRequest request;
    request.modelName = func.getName().str();
    // The reference ("alone") stays with the host.
    if (isGpu && variant != "alone")
      request.options.gpuArchs = {kEmulatedGpu};
    CompileOutcome outcome = compileModule(module, request);
    if (outcome.plan && !request.options.gpuArchs.empty())
      runOnHost(*outcome.plan);
    if (outcome.status != CompileStatus::Done || !outcome.plan) {
      fail(func, variant, "does not compile: " + outcome.problem + messages);
      return nullptr;
    }
    if (epsilons)
      *epsilons = outcome.resultEpsilons;
    return std::shared_ptr<plan::PlanT>(std::move(outcome.plan));
  }

  /// One dimension of one argument over one axis, in three kinds.
  static void single(func::FuncOp func, std::vector<Variant> &out) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      for (int64_t dim = 0; dim < typeOf(func, i).getRank(); ++dim) {
        int64_t size = typeOf(func, i).getDimSize(dim);
        if (size < 2)
          continue;
        int64_t even = size % 2 == 0 ? 2 : size % 3 == 0 ? 3 : size;
        int64_t uneven = size % 4 && size > 4 ? 4 : size - 1;
        auto add = [&](const char *kind, int64_t n) {
          if (n < 2)
            return;
          Variant v = empty(func);
          v.name = std::string(kind) + " arg" + std::to_string(i) + " dim" +
                   std::to_string(dim) + " over " + std::to_string(n);
          v.mesh = {{"x", n}};
          v.axes[i][dim] = {0};
          out.push_back(v);
        };
        add("even", even);
        add("uneven", uneven);
        add("few", size + 2);
      }
  }

  static Variant empty(func::FuncOp func) {
    Variant v;
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      v.axes.emplace_back(typeOf(func, i).getRank());
    return v;
  }

  static std::vector<Variant> variants(func::FuncOp func) {
    std::vector<Variant> all;
    single(func, all);
    std::mt19937 random(func.getName().size() * 31 + func.getName()[0]);
    for (int round = 0; round < 6; ++round) {
      Variant v = empty(func);
      v.name = "random " + std::to_string(round);
      v.mesh = {{"x", 2}, {"y", 3}};
      for (auto &argument : v.axes)
        for (unsigned axis = 0; axis < 2 && !argument.empty(); ++axis)
          if (unsigned where = random() % (argument.size() + 1);
              where < argument.size())
            argument[where].push_back(axis);
      all.push_back(v);
    }
    return all;
  }

  void runVariant(func::FuncOp func, StringRef op, const Variant &variant,
                  const rt::RunExtras &extras) {
    OwningOpRef<ModuleOp> module = makeModule(func, &variant);
    std::shared_ptr<plan::PlanT> plan = compile(*module, func, variant.name);
    if (!plan)
      return;
    rt::RunOptions options;
    options.inputs = "random:5";
    options.quiet = true;
    std::ostringstream out, err;
    int code = rt::runPlan(plan, options, out, err, extras);
    if (code != 0) {
      fail(func, variant.name, err.str() + out.str());
      return;
    }
    ++passed;
    std::string kind = variant.name.substr(0, variant.name.find(' '));
    ++executed[op.str()][kind];
    if (verbose)
      llvm::outs() << "pass: " << func.getName() << " " << variant.name << "\n";
  }
};

} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  bool verbose = false, coverage = false, isGpu = false;
  std::string filter;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--verbose")
      verbose = true;
    else if (arg == "--gpu")
      isGpu = true;
    else if (arg == "--coverage")
      coverage = true;
    else if (arg.rfind("--only=", 0) == 0)
      filter = arg.substr(7);
    else
      files.push_back(arg);
  }
  Table table(verbose, isGpu);
  for (const std::string &file : files) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
    if (!module)
      return 2;
    for (auto func : module->getOps<func::FuncOp>())
      if (filter.empty() || func.getName() == filter)
        table.run(func);
  }
  table.print();
  unsigned missing = coverage ? table.checkCoverage(context) : 0;
  llvm::outs() << table.passed << " passed, " << table.failed << " failed, "
               << missing << " missing\n";
  return table.failed || missing ? 1 : 0;
}
