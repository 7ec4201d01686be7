//===- VerifyInstructions.cpp - References and operand sizes --------------===//
//
// Each instruction against the buffers, kernels, events and axes that it names.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/Peers.h"

#include <algorithm>

namespace partopt::plan {

namespace {

/// What an instruction's op says that it touches, to be compared with its
/// reads and writes.
struct Touched {
  std::vector<uint32_t> reads, writes;
};

std::vector<uint32_t> sorted(std::vector<uint32_t> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::vector<uint32_t> joined(const std::vector<uint32_t> &a,
                             const std::vector<uint32_t> &b) {
  std::vector<uint32_t> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return sorted(both);
}

class InstructionChecker {
public:
  InstructionChecker(const ProgramView &view, Problems &problems)
      : view(view), problems(problems) {}

  void references(size_t index);
  void operands(size_t index);

private:
  void fail(const std::string &why) {
    problems.add(view.at(current) + ": " + why);
  }
  bool inRange(const std::vector<uint32_t> &buffers, const char *what);
  void launch(const LaunchT &op);
  void gemm(const GemmT &op);
  void gemmOperand(const char *name, uint32_t buffer, uint64_t rows,
                   uint64_t columns, uint64_t leading, uint64_t stride,
                   const GemmT &op);
  void collective(const CollectiveStartT &op);
  void collectiveSizes(const CollectiveStartT &op, uint64_t n);
  void message(const CollectiveStartT &op, uint64_t n);
  void touches(const Touched &touched);
  void atLeast(uint32_t buffer, uint64_t bytes, const std::string &what);

  const ProgramView &view;
  Problems &problems;
  size_t current = 0;
};

bool InstructionChecker::inRange(const std::vector<uint32_t> &buffers,
                                 const char *what) {
  for (uint32_t buffer : buffers)
    if (buffer >= view.program.buffers.size()) {
      fail(std::string(what) + " buffer " + std::to_string(buffer) + " of " +
           std::to_string(view.program.buffers.size()));
      return false;
    }
  return true;
}

void InstructionChecker::references(size_t index) {
  current = index;
  const InstructionT &instruction = *view.program.instructions[index];
  inRange(instruction.reads, "reads");
  inRange(instruction.writes, "writes");
  if (instruction.loc != 0 && instruction.loc >= view.plan.locations.size())
    fail("names location " + std::to_string(instruction.loc) + " of " +
         std::to_string(view.plan.locations.size()));
  if (const auto *op = instruction.op.AsLaunch()) {
    inRange(op->args, "passes");
    size_t kernels = view.kernels() ? view.kernels()->symbols.size() : 0;
    if (op->kernel >= kernels)
      fail("launches kernel " + std::to_string(op->kernel) +
           ", the class has " + std::to_string(kernels));
  } else if (const auto *op = instruction.op.AsGemm()) {
    inRange({op->a, op->b, op->c}, "multiplies");
  } else if (const auto *op = instruction.op.AsCopy()) {
    inRange({op->source, op->target}, "copies");
  } else if (const auto *op = instruction.op.AsAxisIndex()) {
    inRange({op->target}, "writes");
  } else if (const auto *op = instruction.op.AsCollectiveStart()) {
    inRange(op->operands, "sends");
    inRange(op->results, "receives into");
    if (op->scratch >= 0)
      inRange({static_cast<uint32_t>(op->scratch)}, "packs into");
    if (op->event >= view.program.num_events)
      fail("uses event " + std::to_string(op->event) + " of " +
           std::to_string(view.program.num_events));
    if (op->stream >= view.program.num_streams)
      fail("uses stream " + std::to_string(op->stream) + " of " +
           std::to_string(view.program.num_streams));
  } else if (const auto *op = instruction.op.AsWait()) {
    if (op->event >= view.program.num_events)
      fail("waits for event " + std::to_string(op->event) + " of " +
           std::to_string(view.program.num_events));
  } else if (const auto *op = instruction.op.AsLoopBegin()) {
    inRange({op->index}, "counts in");
    inRange(op->inits, "starts from");
    inRange(op->carried, "carries");
  } else if (const auto *op = instruction.op.AsLoopEnd()) {
    inRange(op->nexts, "goes on with");
    inRange(op->carried, "carries");
  } else {
    fail("has no operation that this build knows");
  }
}

void InstructionChecker::atLeast(uint32_t buffer, uint64_t bytes,
                                 const std::string &what) {
  uint64_t have = view.program.buffers[buffer]->bytes;
  if (have < bytes)
    fail(what + " needs " + std::to_string(bytes) + " bytes, buffer " +
         std::to_string(buffer) + " has " + std::to_string(have));
}

void InstructionChecker::touches(const Touched &touched) {
  const InstructionT &instruction = *view.program.instructions[current];
  if (sorted(instruction.reads) != sorted(touched.reads) ||
      sorted(instruction.writes) != sorted(touched.writes))
    fail("its lists of reads and writes are not what the operation touches");
}

void InstructionChecker::launch(const LaunchT &op) {
  const InstructionT &instruction = *view.program.instructions[current];
  if (joined(instruction.reads, instruction.writes) != sorted(op.args))
    fail("its lists of reads and writes are not what the operation touches");
}

void InstructionChecker::gemmOperand(const char *name, uint32_t buffer,
                                     uint64_t rows, uint64_t columns,
                                     uint64_t leading, uint64_t stride,
                                     const GemmT &op) {
  if (op.batch == 0 || rows == 0 || columns == 0)
    return;
  if (leading < columns)
    return fail("matrix " + std::string(name) + " has " +
                std::to_string(columns) + " columns but a leading dimension " +
                "of " + std::to_string(leading));
  uint64_t elements =
      saturatingAdd(saturatingMul(op.batch - 1, stride),
                    saturatingAdd(saturatingMul(rows - 1, leading), columns));
  atLeast(buffer, saturatingMul(elements, elementSize(op.type)),
          "matrix " + std::string(name));
}

void InstructionChecker::gemm(const GemmT &op) {
  if (op.type != ElementType::F32 && op.type != ElementType::F64)
    fail("multiplies matrices of " + std::string(elementName(op.type)) +
         ", only f32 and f64 are supported");
  gemmOperand("A", op.a, op.trans_a ? op.k : op.m, op.trans_a ? op.m : op.k,
              op.lda, op.stride_a, op);
  gemmOperand("B", op.b, op.trans_b ? op.n : op.k, op.trans_b ? op.k : op.n,
              op.ldb, op.stride_b, op);
  gemmOperand("C", op.c, op.m, op.n, op.ldc, op.stride_c, op);
  if (op.c == op.a || op.c == op.b)
    fail("a matrix product cannot write its operand");
  // The products of a batch must not share elements.
  uint64_t span = op.m == 0 ? 0 : (op.m - 1) * op.ldc + op.n;
  if (op.batch > 1 && op.stride_c < span)
    fail("matrix C's batches overlap: stride " + std::to_string(op.stride_c) +
         ", extent " + std::to_string(span));
  std::vector<uint32_t> reads{op.a, op.b};
  if (op.accumulate)
    reads.push_back(op.c);
  touches({reads, {op.c}});
}

void InstructionChecker::collectiveSizes(const CollectiveStartT &op,
                                         uint64_t n) {
  uint64_t size = elementSize(op.type);
  for (size_t i = 0; i < op.counts.size(); ++i) {
    uint64_t operand = op.counts[i], result = operand;
    if (op.kind == CollectiveKind::AllGather)
      result = saturatingMul(result, n);
    if (op.kind == CollectiveKind::ReduceScatter)
      result /= n;
    if ((op.kind == CollectiveKind::ReduceScatter ||
         op.kind == CollectiveKind::AllToAll) &&
        operand % n != 0)
      fail("cuts " + std::to_string(operand) + " elements in " +
           std::to_string(n) + " equal blocks");
    std::string number = std::to_string(i);
    atLeast(op.operands[i], saturatingMul(operand, size), "operand " + number);
    atLeast(op.results[i], saturatingMul(result, size), "result " + number);
    bool inPlace = op.operands[i] == op.results[i];
    if (inPlace && op.kind != CollectiveKind::AllReduce)
      fail("result " + number +
           " is its operand's buffer, which only "
           "all_reduce allows");
  }
  for (size_t i = 0; i < op.results.size(); ++i)
    for (size_t j = 0; j < op.results.size(); ++j)
      if (i != j &&
          (op.results[i] == op.operands[j] || op.results[i] == op.results[j]))
        return fail("result " + std::to_string(i) +
                    " shares a buffer with another operand or result");
  if (op.scratch >= 0)
    atLeast(static_cast<uint32_t>(op.scratch), payloadBytes(op, n), "scratch");
}

/// A Send or a Recv, which has buffers at its own end alone.
void InstructionChecker::message(const CollectiveStartT &op, uint64_t n) {
  bool sends = op.kind == CollectiveKind::Send;
  const std::vector<uint32_t> &own = sends ? op.operands : op.results;
  const std::vector<uint32_t> &none = sends ? op.results : op.operands;
  if (own.size() != op.counts.size() || !none.empty() || op.counts.empty())
    return fail("has " + std::to_string(op.operands.size()) + " operands, " +
                std::to_string(op.results.size()) + " results and " +
                std::to_string(op.counts.size()) + " counts");
  if (op.root >= n)
    fail("its peer " + std::to_string(op.root) + " is not in the group of " +
         std::to_string(n));
  if (op.combiner != Combiner::None)
    fail(std::string(collectiveName(op.kind)) + " with the combiner " +
         combinerName(op.combiner));
  if (sorted(own).size() != own.size())
    fail("has a buffer twice");
  if (op.scratch >= 0)
    fail("has a scratch buffer, which it does not use");
  for (size_t i = 0; i < own.size(); ++i)
    atLeast(own[i], saturatingMul(op.counts[i], elementSize(op.type)),
            (sends ? "operand " : "result ") + std::to_string(i));
  touches({op.operands, op.results});
}

static bool isPermutation(const std::vector<uint32_t> &list, uint64_t n) {
  std::vector<bool> seen(n);
  for (uint32_t item : list) {
    if (item >= n || seen[item])
      return false;
    seen[item] = true;
  }
  return list.size() == n;
}

void InstructionChecker::collective(const CollectiveStartT &op) {
  std::string bad = view.mesh.checkAxes(op.axes);
  if (!bad.empty())
    return fail(bad);
  if (elementSize(op.type) == 0)
    return fail("has no element type");
  if (isMessage(op))
    return message(op, view.mesh.groupSize(op.axes));
  if (op.operands.size() != op.counts.size() ||
      op.results.size() != op.counts.size())
    return fail("has " + std::to_string(op.operands.size()) + " operands, " +
                std::to_string(op.results.size()) + " results and " +
                std::to_string(op.counts.size()) + " counts");
  uint64_t n = view.mesh.groupSize(op.axes);
  collectiveSizes(op, n);
  bool reduces = op.kind == CollectiveKind::AllReduce ||
                 op.kind == CollectiveKind::ReduceScatter;
  bool ordered = op.combiner == Combiner::Min || op.combiner == Combiner::Max;
  bool bitwise = op.combiner == Combiner::And || op.combiner == Combiner::Or;
  bool isNumber = isFloatType(op.type) || isComplexType(op.type);
  if (reduces != (op.combiner != Combiner::None))
    fail(std::string(collectiveName(op.kind)) + " with the combiner " +
         combinerName(op.combiner));
  if ((ordered && isComplexType(op.type)) || (bitwise && isNumber))
    fail("cannot combine " + std::string(elementName(op.type)) + " by " +
         combinerName(op.combiner));
  if (op.kind == CollectiveKind::Permute && !isPermutation(op.permutation, n))
    fail("its permutation is not one of the group's " + std::to_string(n) +
         " members");
  if (op.kind == CollectiveKind::Broadcast && op.root >= n)
    fail("its root " + std::to_string(op.root) + " is not in the group of " +
         std::to_string(n));
  Touched touched{op.operands, op.results};
  if (op.scratch >= 0)
    touched.writes.push_back(static_cast<uint32_t>(op.scratch));
  touches(touched);
}

void InstructionChecker::operands(size_t index) {
  current = index;
  const OpUnion &op = view.program.instructions[index]->op;
  if (const auto *launchOp = op.AsLaunch())
    return launch(*launchOp);
  if (const auto *gemmOp = op.AsGemm())
    return gemm(*gemmOp);
  if (const auto *start = op.AsCollectiveStart())
    return collective(*start);
  if (const auto *copy = op.AsCopy()) {
    // A copy moves the whole of its target.
    atLeast(copy->source, view.program.buffers[copy->target]->bytes, "source");
    return touches({{copy->source}, {copy->target}});
  }
  if (const auto *axisIndex = op.AsAxisIndex()) {
    std::string bad = view.mesh.checkAxes(axisIndex->axes);
    if (!bad.empty())
      fail(bad);
    atLeast(axisIndex->target, sizeof(int32_t), "axis index");
    return touches({{}, {axisIndex->target}});
  }
  if (const auto *begin = op.AsLoopBegin()) {
    std::vector<uint32_t> writes = begin->carried;
    writes.push_back(begin->index);
    atLeast(begin->index, sizeof(int32_t), "iteration");
    return touches({begin->inits, writes});
  }
  if (const auto *end = op.AsLoopEnd())
    return touches({end->nexts, end->carried});
}

} // namespace

void verifyReferences(const ProgramView &view, Problems &problems) {
  const ProgramT &program = view.program;
  auto check = [&](const std::string &name, uint32_t buffer) {
    if (buffer >= program.buffers.size())
      problems.add(view.where() + ": " + name + " is in buffer " +
                   std::to_string(buffer) + " of " +
                   std::to_string(program.buffers.size()));
  };
  for (const auto &argument : program.arguments)
    check(argument->tensor->index_name, argument->buffer);
  for (const auto &result : program.results) {
    check(result->tensor->index_name, result->buffer);
    if (result->alias >= static_cast<int64_t>(program.arguments.size()))
      problems.add(view.where() + ": " + result->tensor->index_name +
                   " takes argument " + std::to_string(result->alias) + " of " +
                   std::to_string(program.arguments.size()));
  }
  InstructionChecker checker(view, problems);
  for (size_t i = 0; i < program.instructions.size(); ++i)
    checker.references(i);
}

void verifyOperands(const ProgramView &view, Problems &problems) {
  InstructionChecker checker(view, problems);
  for (size_t i = 0; i < view.program.instructions.size(); ++i)
    checker.operands(i);
}

} // namespace partopt::plan
