//===- Dataflow.cpp - What each result of a plan is computed from ---------===//
//
// XXH64 over an operation's own text and the numbers of its operands.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/Dataflow.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/Peers.h"
#include "partopt/Plan/PlanFile.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

namespace partopt::plan {

namespace {

/// The bytes that stand for one computation; every field has a fixed size or
/// its length before it, so that no two computations have the same bytes.
class Words {
public:
  explicit Words(const char *kind) { text(kind); }
  Words &add(uint64_t word) {
    words.push_back(word);
    return *this;
  }
  Words &text(const std::string &text) {
    add(text.size());
    return add(hashBytes(text.data(), text.size()));
  }
  template <typename List> Words &list(const List &list) {
    add(list.size());
    for (const auto &item : list)
      add(static_cast<uint64_t>(item));
    return *this;
  }
  Words &axes(const std::vector<AxisRef> &axes) {
    add(axes.size());
    for (const AxisRef &axis : axes)
      add(axis.axis()).add(axis.pre_size()).add(axis.size());
    return *this;
  }
  ValueNumber number() const {
    uint64_t hash = hashBytes(words.data(), words.size() * sizeof(uint64_t));
    return hash ? hash : 1;
  }

private:
  std::vector<uint64_t> words;
};

ValueNumber gemmNumber(const GemmT &op, const std::vector<ValueNumber> &read) {
  Words words("gemm");
  words.add(static_cast<uint64_t>(op.type))
      .add(op.batch)
      .add(op.m)
      .add(op.n)
      .add(op.k)
      .add(op.trans_a)
      .add(op.trans_b)
      .add(op.lda)
      .add(op.ldb)
      .add(op.ldc)
      .add(op.stride_a)
      .add(op.stride_b)
      .add(op.stride_c)
      .add(op.accumulate);
  return words.list(read).number();
}

ValueNumber startNumber(const CollectiveStartT &op,
                        const std::vector<ValueNumber> &read) {
  Words words("collective");
  words.add(static_cast<uint64_t>(op.kind))
      .add(static_cast<uint64_t>(op.combiner))
      .add(static_cast<uint64_t>(op.type))
      .axes(op.axes)
      .list(op.counts)
      .list(op.permutation)
      .add(op.root)
      .add(op.trip_count);
  return words.list(read).number();
}

} // namespace

Operands operandsOf(const InstructionT &instruction) {
  if (const auto *op = instruction.op.AsLaunch()) {
    size_t outputs = std::min(instruction.writes.size(), op->args.size());
    auto split = op->args.end() - static_cast<std::ptrdiff_t>(outputs);
    return {{op->args.begin(), split}, {split, op->args.end()}};
  }
  if (const auto *op = instruction.op.AsGemm())
    return op->accumulate ? Operands{{op->a, op->b, op->c}, {op->c}}
                          : Operands{{op->a, op->b}, {op->c}};
  if (const auto *op = instruction.op.AsCopy())
    return {{op->source}, {op->target}};
  if (const auto *op = instruction.op.AsAxisIndex())
    return {{}, {op->target}};
  if (const auto *op = instruction.op.AsCollectiveStart())
    return {op->operands, op->results};
  if (const auto *op = instruction.op.AsLoopBegin()) {
    Operands operands{op->inits, {op->index}};
    operands.outputs.insert(operands.outputs.end(), op->carried.begin(),
                            op->carried.end());
    return operands;
  }
  if (const auto *op = instruction.op.AsLoopEnd())
    return {op->nexts, op->carried};
  return {};
}

ValueNumber argumentNumber(const TensorT &tensor) {
  Words words("argument");
  words.text(tensor.index_name);
  if (tensor.rows > 0)
    words.add(tensor.first_row).add(tensor.rows);
  return words.number();
}

ValueNumber argumentNumber(size_t index) {
  TensorT whole;
  whole.index_name = "arg" + std::to_string(index);
  return argumentNumber(whole);
}

ValueNumber resultNumber(ValueNumber value, int alias) {
  return Words("result").add(value).add(static_cast<uint64_t>(alias)).number();
}

namespace {

/// The iteration, and what some iteration finds as carried: a symbol for each,
/// given by the loop and its initial value.
std::vector<ValueNumber> beginNumbers(const LoopBeginT &op,
                                      const std::vector<ValueNumber> &inits) {
  std::vector<ValueNumber> written = {
      Words("iteration").add(op.id).add(op.axis).add(op.trips).number()};
  for (size_t i = 0; i < inits.size(); ++i)
    written.push_back(Words("carried")
                          .add(op.id)
                          .add(op.axis)
                          .add(op.trips)
                          .add(i)
                          .add(inits[i])
                          .number());
  return written;
}

/// What the last iteration leaves follows from what one makes of the symbols.
std::vector<ValueNumber> endNumbers(const std::vector<ValueNumber> &nexts) {
  std::vector<ValueNumber> written;
  for (size_t i = 0; i < nexts.size(); ++i)
    written.push_back(Words("loop").add(i).list(nexts).number());
  return written;
}

} // namespace

std::vector<ValueNumber>
writtenNumbers(const InstructionT &instruction, const KernelObjectT *kernels,
               const std::vector<ValueNumber> &inputs) {
  if (instruction.op.AsWait())
    return {};
  if (instruction.op.AsCopy())
    return {inputs.front()};
  if (const auto *op = instruction.op.AsLoopBegin())
    return beginNumbers(*op, inputs);
  if (instruction.op.AsLoopEnd())
    return endNumbers(inputs);
  ValueNumber operation = 0;
  if (const auto *op = instruction.op.AsLaunch())
    operation = Words("kernel")
                    .text(kernels ? kernels->symbols[op->kernel] : "")
                    .list(inputs)
                    .number();
  else if (const auto *op = instruction.op.AsGemm())
    operation = gemmNumber(*op, inputs);
  else if (const auto *op = instruction.op.AsAxisIndex())
    operation = Words("axis_index").axes(op->axes).number();
  else if (const auto *op = instruction.op.AsCollectiveStart())
    operation = startNumber(*op, inputs);
  std::vector<ValueNumber> written;
  size_t outputs = operandsOf(instruction).outputs.size();
  for (size_t i = 0; i < outputs; ++i)
    written.push_back(Words("written").add(operation).add(i).number());
  return written;
}

namespace {

using SentNumbers = std::map<Channel, std::vector<ValueNumber>>;

/// What one class's buffers hold as it runs, instruction by instruction. Loops
/// that take turns are run one after the other: what an iteration reads of
/// another loop was made in the iteration of the same number, so one stands for
/// all.
class ClassNumbers {
public:
  ClassNumbers(const ProgramT &program, const KernelObjectT *kernels)
      : program(program), kernels(kernels), held(program.buffers.size()) {
    for (const auto &argument : program.arguments)
      held[argument->buffer] = argumentNumber(*argument->tensor);
  }

  /// Goes on to the end, or to a receive of what is not sent yet.
  bool run(size_t classIndex, Peers &peers, SentNumbers &sent);
  std::vector<ValueNumber> results() const;
  /// The receive that it waits for; the end when there is none.
  size_t place() const { return next; }

private:
  const ProgramT &program;
  const KernelObjectT *kernels;
  std::vector<ValueNumber> held; // by buffer
  size_t next = 0;
};

bool ClassNumbers::run(size_t classIndex, Peers &peers, SentNumbers &sent) {
  size_t before = next;
  for (; next < program.instructions.size(); ++next) {
    const InstructionT &instruction = *program.instructions[next];
    Operands operands = operandsOf(instruction);
    std::vector<ValueNumber> inputs;
    for (uint32_t buffer : operands.inputs)
      inputs.push_back(held[buffer]);
    std::vector<ValueNumber> written;
    const auto *start = instruction.op.AsCollectiveStart();
    if (start && start->kind == CollectiveKind::Send) {
      sent[peers.channel(classIndex, *start)] = inputs;
    } else if (start && start->kind == CollectiveKind::Recv) {
      auto message = sent.find(peers.channel(classIndex, *start));
      if (message == sent.end())
        break;
      written = message->second;
    } else {
      written = writtenNumbers(instruction, kernels, inputs);
    }
    for (size_t i = 0; i < written.size() && i < operands.outputs.size(); ++i)
      held[operands.outputs[i]] = written[i];
  }
  return next != before;
}

std::vector<ValueNumber> ClassNumbers::results() const {
  std::vector<ValueNumber> numbers;
  for (const auto &result : program.results)
    numbers.push_back(resultNumber(held[result->buffer], result->alias));
  return numbers;
}

} // namespace

std::vector<ClassResults> resultNumbers(const PlanT &plan, size_t entry) {
  std::vector<ClassNumbers> classes;
  for (const auto &rankClass : plan.classes)
    classes.emplace_back(*programOf(*rankClass, entry),
                         kernelsOf(plan, *rankClass));
  Peers peers(plan);
  SentNumbers sent;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < classes.size(); ++i)
      moved |= classes[i].run(i, peers, sent);
  }
  std::vector<ClassResults> results;
  for (const ClassNumbers &one : classes)
    results.push_back({one.results(), one.place()});
  return results;
}

} // namespace partopt::plan
