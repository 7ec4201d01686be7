// Text of the parts of sdy ops that assembly formats cannot say: shardings per
// value without angle brackets, a region whose arguments carry types, and a
// combiner that is left out for sum.

#include "dialects/Sdy/Sdy.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt::sdy {
namespace {

// `[<@mesh, [{"x"}]>, ...]`
ParseResult parseBareShardings(OpAsmParser &parser,
                               TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> list;
  auto parseOne = [&]() -> ParseResult {
    auto sharding = llvm::dyn_cast_or_null<TensorShardingAttr>(
        TensorShardingAttr::parse(parser, Type()));
    if (!sharding)
      return failure();
    list.push_back(sharding);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne,
                                     " in shardings"))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), list);
  return success();
}

void printBareShardings(OpAsmPrinter &printer, Operation *,
                        TensorShardingPerValueAttr shardings) {
  printer << '[';
  llvm::interleaveComma(shardings.getShardings(), printer,
                        [&](TensorShardingAttr s) { s.print(printer); });
  printer << ']';
}

// `(%arg0: tensor<4xf32>) { ... }`
ParseResult parseBodyWithArgs(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> args;
  if (parser.parseArgumentList(args, AsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseRegion(body, args))
    return failure();
  ManualComputationOp::ensureTerminator(
      body, parser.getBuilder(),
      parser.getEncodedSourceLoc(parser.getCurrentLocation()));
  return success();
}

void printBodyWithArgs(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << '(';
  if (!body.empty())
    llvm::interleaveComma(body.getArguments(), printer, [&](BlockArgument arg) {
      printer.printRegionArgument(arg);
    });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

// `max` before the axes; nothing for sum.
OptionalParseResult parseKind(OpAsmParser &parser, ReductionKindAttr &kind) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return std::nullopt;
  std::optional<ReductionKind> parsed = symbolizeReductionKind(word);
  if (!parsed)
    return parser.emitError(loc, "unknown combiner '")
           << word << "', expected sum, max or min";
  if (*parsed != ReductionKind::SUM)
    kind = ReductionKindAttr::get(parser.getContext(), *parsed);
  return success();
}

void printKind(OpAsmPrinter &printer, Operation *, ReductionKindAttr kind) {
  printer << stringifyReductionKind(kind.getValue());
}

} // namespace

bool AllSliceOp::allowMissingInputSharding() { return true; }
bool AllReduceOp::allowMissingInputSharding() { return true; }
bool ReduceScatterOp::allowMissingInputSharding() { return true; }
bool ReplicatedToUnreducedOp::allowMissingInputSharding() { return true; }
bool CollectivePermuteOp::allowDifferentMeshes() { return true; }

} // namespace partopt::sdy

#include "dialects/Sdy/SdyInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Sdy/SdyOps.cpp.inc"
