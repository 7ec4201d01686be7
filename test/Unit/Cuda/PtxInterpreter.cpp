//===- PtxInterpreter.cpp - Runs a few instructions of PTX ----------------===//
//
// Registers are 64 bits whatever their class. Instructions are a table of what
// they compute from their sources.
//
//===----------------------------------------------------------------------===//

#include "PtxInterpreter.h"

#include "runtime/collectives/NarrowFloat.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <sstream>

namespace partopt::test {

namespace {

template <typename To, typename From> To as(From from) {
  To to{};
  std::memcpy(&to, &from, std::min(sizeof(to), sizeof(from)));
  return to;
}

using Compute = std::function<uint64_t(const std::vector<uint64_t> &)>;

template <typename T, typename Function> Compute of(Function function) {
  return [=](const std::vector<uint64_t> &v) {
    return as<uint64_t>(
        static_cast<T>(function(as<T>(v[0]), as<T>(v.size() > 1 ? v[1] : 0))));
  };
}

/// NaN where either is, -0 below +0; without .NaN the other one.
template <typename T, bool IsMax, bool KeepsNan> T extreme(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return KeepsNan        ? std::numeric_limits<T>::quiet_NaN()
           : std::isnan(a) ? b
                           : a;
  if (a == b)
    return std::signbit(a) == IsMax ? b : a;
  return (a < b) == IsMax ? b : a;
}

template <typename T>
void addWhole(std::map<std::string, Compute> &table, const std::string &u,
              const std::string &s, const std::string &b) {
  using S = std::make_signed_t<T>;
  table["add." + u] = of<T>([](T x, T y) { return x + y; });
  table["mul.lo." + u] =
      of<T>([](T x, T y) { return uint64_t(x) * uint64_t(y); });
  table["min." + u] = of<T>([](T x, T y) { return std::min(x, y); });
  table["max." + u] = of<T>([](T x, T y) { return std::max(x, y); });
  table["min." + s] = of<S>([](S x, S y) { return std::min(x, y); });
  table["max." + s] = of<S>([](S x, S y) { return std::max(x, y); });
  table["and." + b] = of<T>([](T x, T y) { return x & y; });
  table["or." + b] = of<T>([](T x, T y) { return x | y; });
}

template <typename T>
void addFloats(std::map<std::string, Compute> &table, const std::string &f) {
  table["add.rn." + f] = of<T>([](T x, T y) { return x + y; });
  table["sub.rn." + f] = of<T>([](T x, T y) { return x - y; });
  table["mul.rn." + f] = of<T>([](T x, T y) { return x * y; });
}

std::map<std::string, Compute> makeTable() {
  std::map<std::string, Compute> table;
  addWhole<uint16_t>(table, "u16", "s16", "b16");
  addWhole<uint32_t>(table, "u32", "s32", "b32");
  addWhole<uint64_t>(table, "u64", "s64", "b64");
  addFloats<float>(table, "f32");
  addFloats<double>(table, "f64");
  table["min.NaN.f32"] = of<float>(extreme<float, false, true>);
  table["max.NaN.f32"] = of<float>(extreme<float, true, true>);
  table["min.f64"] = of<double>(extreme<double, false, false>);
  table["max.f64"] = of<double>(extreme<double, true, false>);
  table["setp.ge.u64"] = of<uint64_t>([](auto x, auto y) { return x >= y; });
  table["setp.nan.f64"] = [](const std::vector<uint64_t> &v) {
    return uint64_t(std::isnan(as<double>(v[0])) ||
                    std::isnan(as<double>(v[1])));
  };
  table["selp.f64"] = [](const std::vector<uint64_t> &v) {
    return v[2] ? v[0] : v[1];
  };
  auto wide = [](const std::vector<uint64_t> &v) {
    return as<uint32_t>(v[0]) * uint64_t(as<uint32_t>(v[1])) +
           (v.size() > 2 ? v[2] : 0);
  };
  table["mad.wide.u32"] = table["mul.wide.u32"] = wide;
  table["mad.lo.u32"] = [](const std::vector<uint64_t> &v) {
    return uint64_t(uint32_t(v[0] * v[1] + v[2]));
  };
  table["shl.b32"] = [](const std::vector<uint64_t> &v) {
    return uint64_t(uint32_t(v[0] << v[1]));
  };
  for (const char *move :
       {"mov.u32", "mov.u64", "mov.b32", "cvt.u64.u32", "cvt.u32.u16"})
    table[move] = [](const std::vector<uint64_t> &v) { return v[0]; };
  table["cvt.f32.f16"] = [](const std::vector<uint64_t> &v) {
    return as<uint64_t>(rt::F16::decode(as<uint16_t>(v[0])));
  };
  table["cvt.rn.f16.f32"] = [](const std::vector<uint64_t> &v) {
    return uint64_t(rt::F16::encode(as<float>(v[0])));
  };
  table["cvt.rn.bf16.f32"] = [](const std::vector<uint64_t> &v) {
    return uint64_t(rt::BF16::encode(as<float>(v[0])));
  };
  return table;
}

} // namespace

/// One thread's registers.
class PtxModule::Thread {
public:
  Thread(const PtxModule &module, const Kernel &kernel,
         const std::vector<uint64_t> &parameters)
      : module(module), kernel(kernel), parameters(parameters) {}

  std::string run() {
    for (size_t at = 0; at < kernel.code.size();) {
      const Instruction &one = kernel.code[at++];
      if (!one.predicate.empty() && !registers[one.predicate])
        continue;
      if (one.operation == "ret")
        return "";
      if (one.operation == "bra")
        at = kernel.labels.at(one.operands[0]);
      else if (!execute(one))
        return "unknown instruction " + one.operation;
    }
    return "the kernel has no ret";
  }

  std::map<std::string, uint64_t> registers;

private:
  uint64_t value(const std::string &operand) {
    if (operand[0] == '%')
      return registers[operand];
    auto table = module.tables.find(operand);
    return table != module.tables.end()
               ? reinterpret_cast<uint64_t>(table->second.data())
               : std::stoull(operand);
  }
  /// "[%d3+4]"
  void *address(const std::string &operand) {
    size_t plus = operand.find('+');
    return reinterpret_cast<void *>(registers[operand.substr(1, plus - 1)] +
                                    std::stoull(operand.substr(plus + 1)));
  }

  bool execute(const Instruction &one) {
    const std::string &name = one.operation;
    size_t bytes = std::stoul("0" + name.substr(name.size() - 2)) / 8;
    if (name.rfind("ld.global.", 0) == 0) {
      uint64_t loaded = 0;
      std::memcpy(&loaded, address(one.operands[1]),
                  name == "ld.global.u8" ? 1 : bytes);
      registers[one.operands[0]] = loaded;
      return true;
    }
    if (name.rfind("st.global.", 0) == 0) {
      std::memcpy(address(one.operands[0]), &registers[one.operands[1]],
                  name == "st.global.u8" ? 1 : bytes);
      return true;
    }
    if (name == "ld.param.u64") {
      std::string wanted =
          one.operands[1].substr(1, one.operands[1].size() - 2);
      for (size_t i = 0; i < kernel.parameters.size(); ++i)
        if (kernel.parameters[i] == wanted)
          registers[one.operands[0]] = parameters[i];
      return true;
    }
    static const std::map<std::string, Compute> table = makeTable();
    auto known = table.find(name);
    if (known == table.end())
      return false;
    std::vector<uint64_t> values;
    for (size_t i = 1; i < one.operands.size(); ++i)
      values.push_back(value(one.operands[i]));
    registers[one.operands[0]] = known->second(values);
    return true;
  }

  const PtxModule &module;
  const Kernel &kernel;
  const std::vector<uint64_t> &parameters;
};

void PtxModule::readTable(const std::string &line) {
  size_t name = line.find("table_"), open = line.find('{');
  std::vector<uint8_t> &table =
      tables[line.substr(name, line.find('[') - name)];
  std::istringstream values(line.substr(open + 1));
  for (std::string value; std::getline(values, value, ',');)
    table.push_back(static_cast<uint8_t>(std::stoi(value)));
}

PtxModule::Instruction PtxModule::readInstruction(std::string line) {
  line = line.substr(0, line.find(';'));
  std::istringstream words(line);
  Instruction instruction;
  words >> instruction.operation;
  if (instruction.operation[0] == '@') {
    instruction.predicate = instruction.operation.substr(1);
    words >> instruction.operation;
  }
  for (std::string operand; words >> operand;) {
    if (operand.back() == ',')
      operand.pop_back();
    instruction.operands.push_back(operand);
  }
  return instruction;
}

PtxModule::PtxModule(const std::string &text) {
  std::istringstream lines(text);
  Kernel *kernel = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(".global", 0) == 0) {
      readTable(line);
    } else if (size_t at = line.find(".entry "); at != std::string::npos) {
      kernel = &kernels[line.substr(at + 7, line.find('(') - at - 7)];
    } else if (size_t parameter = line.find(".param .u64 ");
               parameter != std::string::npos && kernel) {
      kernel->parameters.push_back(
          line.substr(parameter + 12, line.find(',') - parameter - 12));
    } else if (kernel && line.back() == ':') {
      kernel->labels[line.substr(0, line.size() - 1)] = kernel->code.size();
    } else if (kernel && line.rfind("  ", 0) == 0 && line[2] != '.') {
      kernel->code.push_back(readInstruction(line));
    }
  }
}

std::string PtxModule::run(const std::string &name, unsigned blocks,
                           unsigned threads,
                           const std::vector<uint64_t> &parameters) const {
  auto kernel = kernels.find(name);
  if (kernel == kernels.end())
    return "no kernel " + name;
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned thread = 0; thread < threads; ++thread) {
      Thread one(*this, kernel->second, parameters);
      one.registers = {{"%ctaid.x", block},
                       {"%tid.x", thread},
                       {"%ntid.x", threads},
                       {"%nctaid.x", blocks}};
      if (std::string wrong = one.run(); !wrong.empty())
        return wrong;
    }
  return "";
}

} // namespace partopt::test
