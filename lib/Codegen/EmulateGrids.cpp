// Grids as functions of the host: what is special to a GPU becomes fields and
// calls of the emulator's thread (runtime/drivers/cuda/emulator/EmulatedGpu.h).
#include "GpuBackend.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace partopt::codegen {
namespace {

using namespace llvm;

/// Fields of PartoptEmulatedThread.
enum Field { Thread, Block, Shared, Barrier, ShuffleDown };

class GridEmulation {
public:
  explicit GridEmulation(Module &code)
      : code(code), pointer(PointerType::getUnqual(code.getContext())),
        word(Type::getInt32Ty(code.getContext())),
        size(Type::getInt64Ty(code.getContext())),
        threadType(
            StructType::get(word, word, pointer, pointer, pointer, pointer)) {}

  GlobalVariable *convert(const GpuGrid &grid);

private:
  Function *cloneWithThread(Function *from);
  void replaceIntrinsic(CallInst *call);
  uint64_t replaceShared(Function *function);
  Value *field(IRBuilder<> &b, Field number, Type *type) {
    Value *self = b.GetInsertBlock()->getParent()->getArg(0);
    return b.CreateLoad(type, b.CreateStructGEP(threadType, self, number));
  }

  Module &code;
  PointerType *pointer;
  Type *word, *size;
  StructType *threadType;
  bool waits = false;
};

/// `void run(thread, parameters)` with the body of a grid.
Function *GridEmulation::cloneWithThread(Function *from) {
  auto *type = FunctionType::get(Type::getVoidTy(code.getContext()),
                                 {pointer, pointer}, false);
  auto *to = Function::Create(type, GlobalValue::InternalLinkage,
                              from->getName() + ".run", &code);
  IRBuilder<> b(BasicBlock::Create(code.getContext(), "", to));
  ValueToValueMapTy values;
  for (Argument &argument : from->args()) {
    Value *slot =
        b.CreateConstGEP1_64(pointer, to->getArg(1), argument.getArgNo());
    values[&argument] = b.CreateLoad(pointer, b.CreateLoad(pointer, slot));
  }
  SmallVector<ReturnInst *> returns;
  CloneFunctionInto(to, from, values, CloneFunctionChangeType::LocalChangesOnly,
                    returns);
  b.CreateBr(cast<BasicBlock>(values[&from->getEntryBlock()]));
  to->setAttributes(AttributeList());
  return to;
}

void GridEmulation::replaceIntrinsic(CallInst *call) {
  IRBuilder<> b(call);
  Value *self = call->getFunction()->getArg(0), *result = nullptr;
  auto *barrierType = FunctionType::get(b.getVoidTy(), {pointer}, false);
  auto *shuffleType = FunctionType::get(word, {pointer, word, word}, false);
  auto shuffle = [&](Value *value, Value *offset) {
    waits = true;
    return b.CreateCall(shuffleType, field(b, ShuffleDown, pointer),
                        {self, value, offset});
  };
  switch (call->getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    result = field(b, Thread, word);
    break;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    result = field(b, Block, word);
    break;
  case Intrinsic::nvvm_barrier0:
    waits = true;
    b.CreateCall(barrierType, field(b, Barrier, pointer), {self});
    break;
  case Intrinsic::nvvm_bar_warp_sync:
    shuffle(b.getInt32(0), b.getInt32(0));
    break;
  case Intrinsic::nvvm_shfl_sync_down_i32:
    result = shuffle(call->getArgOperand(1), call->getArgOperand(2));
    break;
  default:
    return;
  }
  if (result)
    call->replaceAllUsesWith(result);
  call->eraseFromParent();
}

/// Variables of the shared memory get their places in the block's; how much
/// that is.
uint64_t GridEmulation::replaceShared(Function *function) {
  SmallVector<Constant *> variables;
  for (GlobalVariable &variable : code.globals())
    if (variable.getAddressSpace() != 0)
      variables.push_back(&variable);
  convertUsersOfConstantsToInstructions(variables);
  uint64_t bytes = 0;
  IRBuilder<> b(&*function->getEntryBlock().getFirstInsertionPt());
  Value *memory = field(b, Shared, pointer);
  for (Constant *constant : variables) {
    auto *variable = cast<GlobalVariable>(constant);
    Value *place = nullptr;
    for (Use &use : make_early_inc_range(variable->uses())) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user || user->getFunction() != function)
        continue;
      if (!place) {
        place = b.CreateAddrSpaceCast(
            b.CreateConstGEP1_64(b.getInt8Ty(), memory, bytes),
            variable->getType());
        uint64_t own =
            code.getDataLayout().getTypeAllocSize(variable->getValueType());
        bytes += (own + 15) / 16 * 16;
      }
      use.set(place);
    }
  }
  return bytes;
}

GlobalVariable *GridEmulation::convert(const GpuGrid &grid) {
  Function *from = code.getFunction(grid.symbol);
  waits = false;
  Function *run = cloneWithThread(from);
  from->eraseFromParent();
  SmallVector<CallInst *> calls;
  for (BasicBlock &block : *run)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallInst>(&instruction))
        calls.push_back(call);
  for (CallInst *call : calls)
    replaceIntrinsic(call);
  uint64_t shared = replaceShared(run);
  auto number = [&](uint64_t value) { return ConstantInt::get(size, value); };
  auto *table =
      ConstantStruct::getAnon({run, number(grid.grid), number(grid.block),
                               number(shared), number(waits)});
  return new GlobalVariable(code, table->getType(), /*isConstant=*/true,
                            GlobalValue::ExternalLinkage, table, grid.symbol);
}

} // namespace

/// `void program(void **args)`, which has the emulator run the grids.
static void addProgram(Module &code, const GpuProgram &program,
                       ArrayRef<Constant *> grids) {
  LLVMContext &context = code.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *size = Type::getInt64Ty(context);
  auto *arrayType = ArrayType::get(pointer, grids.size());
  auto *array =
      new GlobalVariable(code, arrayType, true, GlobalValue::InternalLinkage,
                         ConstantArray::get(arrayType, grids));
  auto number = [&](uint64_t value) { return ConstantInt::get(size, value); };
  auto *table = ConstantStruct::getAnon({number(program.numArguments),
                                         number(program.scratchBytes),
                                         number(grids.size()), array});
  auto *kernel = new GlobalVariable(code, table->getType(), true,
                                    GlobalValue::InternalLinkage, table);
  auto *nothing = Type::getVoidTy(context);
  FunctionCallee entry = code.getOrInsertFunction(
      kEmulatorSymbol, FunctionType::get(nothing, {pointer, pointer}, false));
  auto *function =
      Function::Create(FunctionType::get(nothing, {pointer}, false),
                       GlobalValue::ExternalLinkage, program.name, &code);
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  b.CreateCall(entry, {kernel, function->getArg(0)});
  b.CreateRetVoid();
}

void emulateGrids(Module &code, ArrayRef<GpuProgram> programs) {
  if (NamedMDNode *annotations = code.getNamedMetadata("nvvm.annotations"))
    annotations->eraseFromParent();
  GridEmulation emulation(code);
  for (const GpuProgram &program : programs) {
    SmallVector<Constant *> grids;
    for (const GpuGrid &grid : program.grids)
      grids.push_back(emulation.convert(grid));
    addProgram(code, program, grids);
  }
  for (GlobalVariable &variable : make_early_inc_range(code.globals()))
    if (variable.getAddressSpace() != 0 && variable.use_empty())
      variable.eraseFromParent();
}

} // namespace partopt::codegen
