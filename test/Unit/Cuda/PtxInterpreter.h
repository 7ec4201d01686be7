//===- PtxInterpreter.h - Runs a few instructions of PTX ------------------===//
//
// Just what reductionPtx writes, one thread after the other, so that its text
// is tested where there is no GPU. An instruction that it does not know fails
// the test.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_CUDA_PTXINTERPRETER_H
#define PARTOPT_TEST_UNIT_CUDA_PTXINTERPRETER_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace partopt::test {

class PtxModule {
public:
  explicit PtxModule(const std::string &text);

  /// Runs every thread of a one-dimensional grid. Empty, or what went wrong.
  std::string run(const std::string &kernel, unsigned blocks, unsigned threads,
                  const std::vector<uint64_t> &parameters) const;

private:
  struct Instruction {
    std::string predicate, operation;
    std::vector<std::string> operands;
  };
  struct Kernel {
    std::vector<std::string> parameters;
    std::vector<Instruction> code;
    std::map<std::string, size_t> labels;
  };
  class Thread;

  void readTable(const std::string &line);
  static Instruction readInstruction(std::string line);

  std::map<std::string, std::vector<uint8_t>> tables;
  std::map<std::string, Kernel> kernels;
};

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_CUDA_PTXINTERPRETER_H
