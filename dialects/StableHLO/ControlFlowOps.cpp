//===- ControlFlowOps.cpp - loops, branches, barriers and calls ---------===//
//
// The text of a loop, effects of custom calls, targets of composites.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/ControlFlowOps.h"
#include "dialects/StableHLO/AssemblyFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace partopt::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/ControlFlowOps.cpp.inc"

void StableHLODialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/ControlFlowOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// WhileOp
//===----------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

/// `(%iterArg = %a, ...) : t, ... attributes {...} cond {...} do {...}`.
ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parseBinding = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseBinding))
    return failure();
  SmallVector<Type> types;
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, loc, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseKeyword("cond"))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  if (parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseKeyword("do") ||
      parser.parseRegion(*state.addRegion(), arguments))
    return failure();
  state.addTypes(types);
  return success();
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperands()),
                        printer, [&](auto binding) {
                          auto [argument, operand] = binding;
                          printer << argument << " = " << operand;
                        });
  printer << ')';
  if (getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.shadowRegionArgs(getBody(), getCond().getArguments());
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getDecompositionAttr());
  if (!function)
    return emitOpError() << "decomposition @" << getDecomposition()
                         << " is not a function of this module";
  auto type = dyn_cast<FunctionType>(function.getFunctionType());
  auto here =
      FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  if (type != here) {
    InFlightDiagnostic diag =
        emitOpError() << "has type " << here << ", but its decomposition @"
                      << getDecomposition() << " has type "
                      << function.getFunctionType();
    diag.attachNote(function.getLoc()) << "the decomposition is here";
    return diag;
  }
  return success();
}
