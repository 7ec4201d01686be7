//===- ReductionPtx.cpp - Reductions as PTX text --------------------------===//
//
// A codec says how an element is loaded, combined and stored. Types of one byte
// (f8, i8, i4, i1) are a table of all pairs, made by the host's combiner; the
// others are a few instructions, those of 16 bits by way of f32 where they are
// floats. Each thread takes every n-th element.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/ReductionPtx.h"

#include "runtime/collectives/Combine.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"

#include <map>
#include <sstream>

namespace partopt::rt {

using plan::Combiner;
using plan::ElementType;

/// "f8E4M3FN", "complex64": what an identifier may hold.
static std::string typeText(ElementType type) {
  return type == ElementType::C64    ? "c64"
         : type == ElementType::C128 ? "c128"
                                     : plan::elementName(type);
}

std::string Reduction::name() const {
  return std::string("reduce_") + plan::combinerName(combiner) + "_" +
         typeText(type) + (order == CombineOrder::Ring ? "_ring" : "_tree") +
         std::to_string(sources) + "_to" + std::to_string(targets);
}

namespace {

/// The registers of one element; several for complex numbers.
using Value = std::vector<std::string>;

class KernelWriter {
public:
  explicit KernelWriter(const Reduction &reduction)
      : reduction(reduction), size(plan::elementSize(reduction.type)) {}

  std::string write();

private:
  std::string parameter(uint32_t index) const {
    return reduction.name() + "_" + std::to_string(index);
  }
  /// A new register of the class: h, r, d for 16, 32, 64 bits; f, g; p.
  std::string fresh(char kind) {
    return std::string("%") + kind + std::to_string(used[kind]++);
  }
  template <typename... Parts> void line(const Parts &...parts) {
    body << "  ";
    (body << ... << parts) << ";\n";
  }
  std::string addressOf(uint32_t parameterIndex);
  Value load(uint32_t source);
  void store(uint32_t target, const Value &value);
  Value combine(const Value &own, const Value &incoming);
  Value combineBytes(const Value &own, const Value &incoming);
  std::string combineFloats(const std::string &a, const std::string &b,
                            bool isDouble);
  Value combineComplex(const Value &a, const Value &b, bool isDouble);
  std::string combineWhole(const std::string &a, const std::string &b);
  Value tree(uint32_t first, uint32_t count);
  Value reduceAll();
  void writeLoop();

  const Reduction &reduction;
  uint64_t size;
  std::ostringstream body;
  std::map<char, int> used;
  std::string offset; ///< of the element, in bytes
};

bool isHalf(ElementType type) {
  return type == ElementType::BF16 || type == ElementType::F16;
}
bool isSigned(ElementType type) {
  return type == ElementType::I16 || type == ElementType::I32 ||
         type == ElementType::I64;
}

/// The table of a type of one byte.
std::string tableName(Combiner combiner, ElementType type) {
  return std::string("table_") + plan::combinerName(combiner) + "_" +
         typeText(type);
}

std::string KernelWriter::addressOf(uint32_t parameterIndex) {
  std::string base = fresh('d'), address = fresh('d');
  line("ld.param.u64 ", base, ", [", parameter(parameterIndex), "]");
  line("add.u64 ", address, ", ", base, ", ", offset);
  return address;
}

Value KernelWriter::load(uint32_t source) {
  std::string from = addressOf(reduction.targets + source);
  auto plain = [&](char kind, const char *type, int at) {
    std::string loaded = fresh(kind);
    line("ld.global.", type, " ", loaded, ", [", from, "+", at, "]");
    return loaded;
  };
  switch (reduction.type) {
  case ElementType::F32:
    return {plain('f', "f32", 0)};
  case ElementType::F64:
    return {plain('g', "f64", 0)};
  case ElementType::C64:
    return {plain('f', "f32", 0), plain('f', "f32", 4)};
  case ElementType::C128:
    return {plain('g', "f64", 0), plain('g', "f64", 8)};
  default:
    return {size == 1   ? plain('h', "u8", 0)
            : size == 2 ? plain('h', "u16", 0)
            : size == 4 ? plain('r', "u32", 0)
                        : plain('d', "u64", 0)};
  }
}

void KernelWriter::store(uint32_t target, const Value &value) {
  std::string to = addressOf(target);
  bool isDouble =
      reduction.type == ElementType::F64 || reduction.type == ElementType::C128;
  bool isFloat =
      reduction.type == ElementType::F32 || reduction.type == ElementType::C64;
  std::string type = isDouble  ? "f64"
                     : isFloat ? "f32"
                               : "u" + std::to_string(8 * size);
  for (size_t i = 0; i < value.size(); ++i)
    line("st.global.", type, " [", to, "+", i * size / value.size(), "], ",
         value[i]);
}

/// NaN where either is NaN, and -0 below +0, which is what .NaN means; there is
/// none for f64.
std::string KernelWriter::combineFloats(const std::string &a,
                                        const std::string &b, bool isDouble) {
  std::string type = isDouble ? ".f64 " : ".f32 ";
  std::string out = fresh(isDouble ? 'g' : 'f');
  bool isMax = reduction.combiner == Combiner::Max;
  if (reduction.combiner == Combiner::Sum ||
      reduction.combiner == Combiner::Product) {
    line(reduction.combiner == Combiner::Sum ? "add.rn" : "mul.rn", type, out,
         ", ", a, ", ", b);
    return out;
  }
  std::string name = isMax ? "max" : "min";
  if (!isDouble) {
    line(name, ".NaN.f32 ", out, ", ", a, ", ", b);
    return out;
  }
  std::string isNan = fresh('p'), sum = fresh('g'), chosen = fresh('g');
  line(name, ".f64 ", out, ", ", a, ", ", b);
  line("setp.nan.f64 ", isNan, ", ", a, ", ", b);
  line("add.rn.f64 ", sum, ", ", a, ", ", b);
  line("selp.f64 ", chosen, ", ", sum, ", ", out, ", ", isNan);
  return chosen;
}

Value KernelWriter::combineComplex(const Value &a, const Value &b,
                                   bool isDouble) {
  if (reduction.combiner == Combiner::Sum)
    return {combineFloats(a[0], b[0], isDouble),
            combineFloats(a[1], b[1], isDouble)};
  std::string type = isDouble ? ".rn.f64 " : ".rn.f32 ";
  auto make = [&](const char *operation, const std::string &x,
                  const std::string &y) {
    std::string out = fresh(isDouble ? 'g' : 'f');
    line(operation, type, out, ", ", x, ", ", y);
    return out;
  };
  return {make("sub", make("mul", a[0], b[0]), make("mul", a[1], b[1])),
          make("add", make("mul", a[0], b[1]), make("mul", a[1], b[0]))};
}

std::string KernelWriter::combineWhole(const std::string &a,
                                       const std::string &b) {
  std::string bits = std::to_string(8 * size);
  std::string ordered = (isSigned(reduction.type) ? ".s" : ".u") + bits;
  std::string operation;
  switch (reduction.combiner) {
  case Combiner::Product:
    operation = "mul.lo.u" + bits;
    break;
  case Combiner::Min:
    operation = "min" + ordered;
    break;
  case Combiner::Max:
    operation = "max" + ordered;
    break;
  case Combiner::And:
    operation = "and.b" + bits;
    break;
  case Combiner::Or:
    operation = "or.b" + bits;
    break;
  default:
    operation = "add.u" + bits;
  }
  std::string out = fresh(size == 2 ? 'h' : size == 4 ? 'r' : 'd');
  line(operation, " ", out, ", ", a, ", ", b);
  return out;
}

Value KernelWriter::combineBytes(const Value &own, const Value &incoming) {
  std::string row = fresh('r'), column = fresh('r'), index = fresh('r');
  std::string wide = fresh('d'), table = fresh('d'), entry = fresh('d');
  std::string out = fresh('h');
  line("cvt.u32.u16 ", row, ", ", own[0]);
  line("cvt.u32.u16 ", column, ", ", incoming[0]);
  line("mad.lo.u32 ", index, ", ", row, ", 256, ", column);
  line("cvt.u64.u32 ", wide, ", ", index);
  line("mov.u64 ", table, ", ", tableName(reduction.combiner, reduction.type));
  line("add.u64 ", entry, ", ", table, ", ", wide);
  line("ld.global.u8 ", out, ", [", entry, "+0]");
  return {out};
}

Value KernelWriter::combine(const Value &own, const Value &incoming) {
  ElementType type = reduction.type;
  if (size == 1)
    return combineBytes(own, incoming);
  if (plan::isComplexType(type))
    return combineComplex(own, incoming, type == ElementType::C128);
  if (!isHalf(type))
    return {plan::isFloatType(type)
                ? combineFloats(own[0], incoming[0], type == ElementType::F64)
                : combineWhole(own[0], incoming[0])};
  auto widen = [&](const std::string &bits) {
    std::string out = fresh('f');
    if (type == ElementType::F16) {
      line("cvt.f32.f16 ", out, ", ", bits);
      return out;
    }
    std::string low = fresh('r'), high = fresh('r'); // the upper half of an f32
    line("cvt.u32.u16 ", low, ", ", bits);
    line("shl.b32 ", high, ", ", low, ", 16");
    line("mov.b32 ", out, ", ", high);
    return out;
  };
  std::string left = widen(own[0]), right = widen(incoming[0]);
  std::string wide = combineFloats(left, right, false), out = fresh('h');
  line(type == ElementType::F16 ? "cvt.rn.f16.f32 " : "cvt.rn.bf16.f32 ", out,
       ", ", wide);
  return {out};
}

Value KernelWriter::tree(uint32_t first, uint32_t count) {
  if (count == 1)
    return load(first);
  Value own = tree(first, count / 2);
  return combine(own, tree(first + count / 2, count / 2));
}

Value KernelWriter::reduceAll() {
  if (reduction.order == CombineOrder::Tree)
    return tree(0, reduction.sources);
  Value sum = load(0);
  for (uint32_t source = 1; source < reduction.sources; ++source)
    sum = combine(load(source), sum);
  return sum;
}

void KernelWriter::writeLoop() {
  std::string block = fresh('r'), threads = fresh('r'), thread = fresh('r');
  std::string blocks = fresh('r'), first = fresh('d'), at = fresh('d');
  std::string stride = fresh('d'), count = fresh('d'), isOver = fresh('p');
  line("mov.u32 ", block, ", %ctaid.x");
  line("mov.u32 ", threads, ", %ntid.x");
  line("mov.u32 ", thread, ", %tid.x");
  line("mov.u32 ", blocks, ", %nctaid.x");
  line("cvt.u64.u32 ", first, ", ", thread);
  line("mad.wide.u32 ", at, ", ", block, ", ", threads, ", ", first);
  line("mul.wide.u32 ", stride, ", ", blocks, ", ", threads);
  line("ld.param.u64 ", count, ", [",
       parameter(reduction.targets + reduction.sources), "]");
  body << "next:\n";
  line("setp.ge.u64 ", isOver, ", ", at, ", ", count);
  line("@", isOver, " bra done");
  offset = fresh('d');
  line("mul.lo.u64 ", offset, ", ", at, ", ", size);
  Value sum = reduceAll();
  for (uint32_t target = 0; target < reduction.targets; ++target)
    store(target, sum);
  line("add.u64 ", at, ", ", at, ", ", stride);
  line("bra next");
  body << "done:\n";
  line("ret");
}

std::string KernelWriter::write() {
  writeLoop();
  std::string text = ".visible .entry " + reduction.name() + "(\n";
  uint32_t parameters = reduction.targets + reduction.sources + 1;
  for (uint32_t i = 0; i < parameters; ++i)
    text +=
        "  .param .u64 " + parameter(i) + (i + 1 < parameters ? ",\n" : "\n");
  text += ")\n{\n";
  const std::map<char, std::string> types = {{'p', ".pred"}, {'h', ".b16"},
                                             {'r', ".b32"},  {'d', ".b64"},
                                             {'f', ".f32"},  {'g', ".f64"}};
  for (const auto &[kind, count] : used)
    text += "  .reg " + types.at(kind) + " %" + kind + "<" +
            std::to_string(count) + ">;\n";
  return text + body.str() + "}\n";
}

/// All pairs, the accumulator's byte first.
std::string tableText(Combiner combiner, ElementType type) {
  CombineFunction function = combineFunction(type, combiner);
  std::string text =
      ".global .align 16 .b8 " + tableName(combiner, type) + "[65536] = {";
  for (unsigned pair = 0; pair < 65536; ++pair) {
    auto own = static_cast<uint8_t>(pair >> 8);
    auto incoming = static_cast<uint8_t>(pair);
    function(&own, &incoming, 1);
    text += (pair ? "," : "") + std::to_string(own);
  }
  return text + "};\n";
}

} // namespace

std::string reductionPtx(const std::set<Reduction> &reductions) {
  std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n";
  std::set<std::pair<Combiner, ElementType>> tables;
  for (const Reduction &reduction : reductions)
    if (plan::elementSize(reduction.type) == 1 &&
        tables.emplace(reduction.combiner, reduction.type).second)
      text += tableText(reduction.combiner, reduction.type);
  for (const Reduction &reduction : reductions)
    text += KernelWriter(reduction).write();
  return text;
}

} // namespace partopt::rt
