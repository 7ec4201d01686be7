//===- Attributes.cpp - text of the structured attributes -----------------===//
//
// Every attribute is a list `field = value`. One parser reads the fields in
// any order, refuses unknown and repeated ones, and gives missing lists and
// numbers their empty value; printers leave empty fields out.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/AssemblyFormat.h"
#include "dialects/StableHLO/StableHLOBase.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partopt::stablehlo;

#include "dialects/StableHLO/StableHLOEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/StableHLOAttrs.cpp.inc"

void StableHLODialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/StableHLO/StableHLOAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {
/// One field of an attribute: its name and how its value is read.
struct Field {
  StringRef name;
  llvm::unique_function<ParseResult(AsmParser &)> parse;
  bool required = false;
};

/// Prints `field = value` lists; empty values leave no trace.
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer) : printer(printer) {
    printer << '<';
  }
  ~FieldPrinter() { printer << '>'; }

  void dims(StringRef name, ArrayRef<int64_t> value) {
    if (!value.empty())
      allDims(name, value);
  }
  void allDims(StringRef name, ArrayRef<int64_t> value) {
    begin(name) << '[';
    llvm::interleaveComma(value, printer);
    printer << ']';
  }
  void number(StringRef name, int64_t value) {
    if (value != 0)
      begin(name) << value;
  }
  AsmPrinter &begin(StringRef name) {
    if (!first)
      printer << ", ";
    first = false;
    return printer << name << " = ";
  }

private:
  AsmPrinter &printer;
  bool first = true;
};
} // namespace

static Field dimsField(StringRef name, SmallVectorImpl<int64_t> &value,
                       bool required = false) {
  return {name,
          [&value](AsmParser &parser) {
            return parser.parseCommaSeparatedList(
                AsmParser::Delimiter::Square,
                [&] { return parser.parseInteger(value.emplace_back()); });
          },
          required};
}

static Field numberField(StringRef name, int64_t &value,
                         bool required = false) {
  return {name,
          [&value](AsmParser &parser) { return parser.parseInteger(value); },
          required};
}

/// `<field = value, ...>`: \p fields in any order, each at most once.
static ParseResult parseFields(AsmParser &parser,
                               MutableArrayRef<Field> fields) {
  SmallVector<bool> seen(fields.size());
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    auto *field = llvm::find_if(
        fields, [&](const Field &each) { return each.name == name; });
    if (field == fields.end()) {
      InFlightDiagnostic diag = parser.emitError(loc)
                                << "unknown field '" << name << "'; one of ";
      llvm::interleaveComma(fields, diag, [&](const Field &each) {
        diag << "'" << each.name << "'";
      });
      return diag;
    }
    bool &already = seen[field - fields.begin()];
    if (already)
      return parser.emitError(loc) << "field '" << name << "' is given twice";
    already = true;
    return failure(parser.parseEqual() || field->parse(parser));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return failure();
  for (auto [field, given] : llvm::zip(fields, seen))
    if (field.required && !given)
      return parser.emitError(parser.getNameLoc())
             << "field '" << field.name << "' is missing";
  return success();
}

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  Field fields[] = {dimsField("lhs_batching_dimensions", lhsBatching),
                    dimsField("rhs_batching_dimensions", rhsBatching),
                    dimsField("lhs_contracting_dimensions", lhsContracting),
                    dimsField("rhs_contracting_dimensions", rhsContracting)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting,
             rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.dims("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.dims("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.dims("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.dims("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, map;
  int64_t indexVectorDim = 0;
  Field fields[] = {dimsField("offset_dims", offset),
                    dimsField("collapsed_slice_dims", collapsed),
                    dimsField("operand_batching_dims", operandBatching),
                    dimsField("start_indices_batching_dims", indicesBatching),
                    dimsField("start_index_map", map),
                    numberField("index_vector_dim", indexVectorDim)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching,
             indicesBatching, map, indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.dims("offset_dims", getOffsetDims());
  fields.dims("collapsed_slice_dims", getCollapsedSliceDims());
  fields.dims("operand_batching_dims", getOperandBatchingDims());
  fields.dims("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.dims("start_index_map", getStartIndexMap());
  fields.number("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, map;
  int64_t indexVectorDim = 0;
  Field fields[] = {dimsField("update_window_dims", window),
                    dimsField("inserted_window_dims", inserted),
                    dimsField("input_batching_dims", inputBatching),
                    dimsField("scatter_indices_batching_dims", indicesBatching),
                    dimsField("scatter_dims_to_operand_dims", map),
                    numberField("index_vector_dim", indexVectorDim)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching,
             indicesBatching, map, indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.dims("update_window_dims", getUpdateWindowDims());
  fields.dims("inserted_window_dims", getInsertedWindowDims());
  fields.dims("input_batching_dims", getInputBatchingDims());
  fields.dims("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.dims("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  fields.number("index_vector_dim", getIndexVectorDim());
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ConvDimensionNumbersAttr numbers;
  if (parser.parseLess() || parseConvolutionDimensions(parser, numbers) ||
      parser.parseGreater())
    return {};
  return numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printConvolutionDimensions(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Handles and recipes
//===----------------------------------------------------------------------===//

Attribute ChannelHandleAttr::parse(AsmParser &parser, Type) {
  int64_t handle = 0, type = 0;
  Field fields[] = {numberField("handle", handle, /*required=*/true),
                    numberField("type", type, /*required=*/true)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), handle, type);
}

void ChannelHandleAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.begin("handle") << getHandle();
  fields.begin("type") << getType();
}

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> outputIndices, operandIndices;
  int64_t operand = 0;
  Field fields[] = {dimsField("output_tuple_indices", outputIndices),
                    numberField("operand_index", operand, /*required=*/true),
                    dimsField("operand_tuple_indices", operandIndices)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), outputIndices, operand, operandIndices);
}

void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.allDims("output_tuple_indices", getOutputTupleIndices());
  fields.begin("operand_index") << getOperandIndex();
  fields.allDims("operand_tuple_indices", getOperandTupleIndices());
}

static Field typeField(StringRef name, Type &value) {
  return {name, [&value](AsmParser &parser) { return parser.parseType(value); },
          /*required=*/true};
}

Attribute DotAlgorithmAttr::parse(AsmParser &parser, Type) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount = 0, rhsCount = 0, operations = 0;
  bool imprecise = false;
  auto parseBool = [&imprecise](AsmParser &parser) -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("true"))) {
      imprecise = true;
      return success();
    }
    return parser.parseKeyword("false");
  };
  Field fields[] = {
      typeField("lhs_precision_type", lhs),
      typeField("rhs_precision_type", rhs),
      typeField("accumulation_type", accumulation),
      numberField("lhs_component_count", lhsCount, /*required=*/true),
      numberField("rhs_component_count", rhsCount, /*required=*/true),
      numberField("num_primitive_operations", operations, /*required=*/true),
      {"allow_imprecise_accumulation", parseBool, /*required=*/true}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), lhs, rhs, accumulation, lhsCount, rhsCount,
             operations, imprecise);
}

void DotAlgorithmAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.begin("lhs_precision_type") << getLhsPrecisionType();
  fields.begin("rhs_precision_type") << getRhsPrecisionType();
  fields.begin("accumulation_type") << getAccumulationType();
  fields.begin("lhs_component_count") << getLhsComponentCount();
  fields.begin("rhs_component_count") << getRhsComponentCount();
  fields.begin("num_primitive_operations") << getNumPrimitiveOperations();
  fields.begin("allow_imprecise_accumulation")
      << (getAllowImpreciseAccumulation() ? "true" : "false");
}

static Field toleranceField(StringRef name, APFloat &value) {
  return {name, [&value](AsmParser &parser) -> ParseResult {
            double number;
            if (parser.parseFloat(number))
              return failure();
            value = APFloat(number);
            return success();
          }};
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  APFloat atol(0.0), rtol(0.0);
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  auto parseMode = [&mode](AsmParser &parser) {
    return parser.parseAttribute(mode);
  };
  Field fields[] = {toleranceField("atol", atol),
                    toleranceField("rtol", rtol),
                    numberField("ulps", ulps),
                    {"mode", parseMode, /*required=*/true}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), atol, rtol, ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  if (!getAtol().isZero())
    fields.begin("atol") << getAtol();
  if (!getRtol().isZero())
    fields.begin("rtol") << getRtol();
  fields.number("ulps", getUlps());
  fields.begin("mode") << getMode();
}
