//===- ReduceFormat.cpp - text of a reduction -----------------------------===//
//
// A reduction whose region is one binary op on its two arguments in order is
// printed `applies stablehlo.add`; any other shows its region, with the left
// and the right value of each input in one pair of parentheses.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/ControlFlowOps.h"
#include "dialects/StableHLO/ReductionOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::stablehlo;

/// The op of the region, if the short form says everything about it.
static Operation *getOnlyReducer(ReduceOp op) {
  if (op.getInputs().size() != 1 || !llvm::hasSingleElement(op.getBody()))
    return nullptr;
  Block &block = op.getBody().front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return nullptr;
  Operation &reducer = block.front();
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!terminator || reducer.getName().getDialectNamespace() != "stablehlo" ||
      reducer.getNumRegions() != 0 || reducer.getNumResults() != 1 ||
      !llvm::equal(reducer.getOperands(), block.getArguments()) ||
      !llvm::equal(terminator.getOperands(), reducer.getResults()) ||
      !reducer.getAttrs().empty() || !terminator->getAttrs().empty())
    return nullptr;
  Type type = reducer.getResult(0).getType();
  auto input = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  bool sameTypes = input &&
                   type == RankedTensorType::get({}, input.getElementType()) &&
                   llvm::all_equal(block.getArgumentTypes()) &&
                   block.getArgument(0).getType() == type;
  return sameTypes ? &reducer : nullptr;
}

/// ` reducer(%l0: t, %r0: t) (%l1: t, %r1: t) { ... }`: the region's arguments
/// are all left values, then all right values.
static ParseResult parseReducerRegion(OpAsmParser &parser,
                                      OperationState &state, size_t inputs) {
  SmallVector<OpAsmParser::Argument> lefts, rights;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < inputs; ++i) {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<OpAsmParser::Argument> pair;
    if (parser.parseArgumentList(pair, AsmParser::Delimiter::Paren,
                                 /*allowType=*/true))
      return failure();
    if (pair.size() != 2)
      return parser.emitError(loc)
             << "expected the left and the right value of input " << i
             << ", but got " << pair.size() << " arguments";
    lefts.push_back(pair[0]);
    rights.push_back(pair[1]);
  }
  llvm::append_range(lefts, rights);
  return parser.parseRegion(*state.addRegion(), lefts);
}

/// Builds the region of the short form, `reducer(left, right)`.
static void buildReducerRegion(OpAsmParser &parser, OperationState &state,
                               OperationName reducer, Type inputType,
                               Location loc) {
  Type type =
      RankedTensorType::get({}, cast<ShapedType>(inputType).getElementType());
  Block &block = state.addRegion()->emplaceBlock();
  block.addArguments({type, type}, {loc, loc});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  OperationState reducerState(loc, reducer);
  reducerState.addOperands(block.getArguments());
  reducerState.addTypes(type);
  Operation *value = builder.create(reducerState);
  builder.create<ReturnOp>(loc, value->getResults());
}

namespace {
/// What the text gives before types are known.
struct ReduceText {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  /// The op of the short form.
  std::optional<OperationName> reducer;
  SmallVector<int64_t> dimensions;
};
} // namespace

/// `(%a init: %x), (%b init: %y) applies OP across dimensions = [1]`.
static ParseResult parseReduceHead(OpAsmParser &parser, ReduceText &text) {
  auto parseInput = [&]() -> ParseResult {
    return failure(parser.parseLParen() ||
                   parser.parseOperand(text.inputs.emplace_back()) ||
                   parser.parseKeyword("init") || parser.parseColon() ||
                   parser.parseOperand(text.inits.emplace_back()) ||
                   parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parseInput))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    SMLoc loc = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    if (!name->isRegistered() || name->getDialectNamespace() != "stablehlo")
      return parser.emitError(loc)
             << "expected the name of a stablehlo op, but got '" << *name
             << "'";
    text.reducer = *name;
  }
  return failure(
      parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(text.dimensions.emplace_back());
      }));
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  ReduceText text;
  FunctionType type;
  if (parseReduceHead(parser, text) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon())
    return failure();
  SMLoc typeLoc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  auto operands =
      llvm::concat<OpAsmParser::UnresolvedOperand>(text.inputs, text.inits);
  if (type.getNumInputs() != 2 * text.inputs.size())
    return parser.emitError(typeLoc)
           << "expected the types of " << text.inputs.size()
           << " inputs and as many initial values, but got "
           << type.getNumInputs() << " types";
  if (parser.resolveOperands(operands, type.getInputs(), loc, state.operands))
    return failure();
  state.addTypes(type.getResults());
  state.getOrAddProperties<Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(text.dimensions);
  if (!text.reducer)
    return parseReducerRegion(parser, state, text.inputs.size());

  if (text.inputs.size() != 1 || !isTensor(type.getInput(0)))
    return parser.emitError(loc)
           << "'applies' needs one input that is a static tensor";
  // The region's ops share the location of the reduction itself.
  std::optional<Location> explicitLoc;
  if (parser.parseOptionalLocationSpecifier(explicitLoc))
    return failure();
  if (explicitLoc)
    state.location = *explicitLoc;
  buildReducerRegion(parser, state, *text.reducer, type.getInput(0),
                     state.location);
  return success();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  llvm::interleaveComma(llvm::zip(getInputs(), getInitValues()), printer,
                        [&](auto pair) {
                          auto [input, init] = pair;
                          printer << '(' << input << " init: " << init << ')';
                        });
  Operation *reducer = getOnlyReducer(*this);
  if (reducer)
    printer << " applies " << reducer->getName().getStringRef();
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (reducer)
    return;
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  unsigned count = block.getNumArguments() / 2;
  for (unsigned i = 0; i < count; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
