// Parsers and printers of the mesh and sharding attributes, byte for byte
// Shardy's text.

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partopt::sdy {
namespace {

using Delimiter = AsmParser::Delimiter;

// Parses `T, T, ...` within `delimiter`, each T without its `#sdy.` prefix.
template <typename T>
ParseResult parseList(AsmParser &parser, Delimiter delimiter,
                      SmallVectorImpl<T> &list, StringRef where) {
  return parser.parseCommaSeparatedList(
      delimiter,
      [&]() -> ParseResult {
        auto item = llvm::dyn_cast_or_null<T>(T::parse(parser, Type()));
        if (!item)
          return failure();
        list.push_back(item);
        return success();
      },
      where);
}

template <typename T>
void printList(AsmPrinter &printer, StringRef open, ArrayRef<T> list,
               StringRef close) {
  printer << open;
  llvm::interleaveComma(list, printer, [&](T item) { item.print(printer); });
  printer << close;
}

ParseResult parseAxes(AsmParser &parser, SmallVectorImpl<AxisRefAttr> &axes) {
  return parseList(parser, Delimiter::Braces, axes, " in axis list");
}

// `"name"` without interpreting it further.
ParseResult parseName(AsmParser &parser, std::string &name, StringRef what) {
  if (succeeded(parser.parseOptionalString(&name)))
    return success();
  return parser.emitError(parser.getCurrentLocation(), "expected ")
         << what << " as a string";
}

void printName(AsmPrinter &printer, StringRef name) {
  printer.printString(name);
}

} // namespace

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  int64_t size;
  if (parseName(parser, name, "axis name") || parser.parseEqual() ||
      parser.parseInteger(size))
    return {};
  if (failed(verify([&] { return parser.emitError(loc); }, name, size)))
    return {};
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printName(printer, getName());
  printer << '=' << getSize();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> ids;
  if (parser.parseLess() ||
      parseList(parser, Delimiter::Square, axes, " in mesh"))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    auto parseId = [&] { return parser.parseInteger(ids.emplace_back()); };
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(Delimiter::Square, parseId,
                                       " in device_ids"))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (failed(verify([&] { return parser.emitError(loc); }, axes, ids)))
    return {};
  // The order 0, 1, 2, ... says nothing; only a maximal mesh keeps its id.
  if (!axes.empty() && llvm::is_sorted(ids))
    ids.clear();
  return get(parser.getContext(), axes, ids);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printList(printer, "[", getAxes(), "]");
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t preSize, size;
  if (parser.parseLParen() || parser.parseInteger(preSize) ||
      parser.parseRParen() || parser.parseInteger(size))
    return {};
  return get(parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << '(' << getPreSize() << ')' << getSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  if (parseName(parser, name, "axis name"))
    return {};
  SubAxisInfoAttr sub;
  if (succeeded(parser.parseOptionalColon())) {
    sub = llvm::dyn_cast_or_null<SubAxisInfoAttr>(
        SubAxisInfoAttr::parse(parser, Type()));
    if (!sub)
      return {};
  }
  return get(parser.getContext(), name, sub);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printName(printer, getName());
  if (SubAxisInfoAttr sub = getSubAxisInfo()) {
    printer << ':';
    sub.print(printer);
  }
}

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseAxes(parser, axes))
    return {};
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printList(printer, "{", getValue(), "}");
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (parseList(parser, Delimiter::Square, lists, " in axes per dimension"))
    return {};
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printList(printer, "[", getValue(), "]");
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    if (parseName(parser, name, "axis name"))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseOne,
                                     " in manual_axes"))
    return {};
  return get(parser.getContext(), names);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << '{';
  llvm::interleaveComma(getValue(), printer, [&](StringAttr name) {
    printName(printer, name.getValue());
  });
  printer << '}';
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source, target;
  if (parseAxes(parser, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() ||
      parser.parseInteger(target))
    return {};
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printList(printer, "{", getAxes(), "}");
  printer << ": " << getSrcDim() << "->" << getTgtDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parseList(parser, Delimiter::Square, params, " in all-to-all moves"))
    return {};
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printList(printer, "[", getValue(), "]");
}

// `p0`, `p12`: no sign, no leading zero.
static ParseResult parsePriority(AsmParser &parser,
                                 std::optional<int64_t> &priority) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  int64_t value;
  StringRef digits = word.drop_front();
  if (word.front() != 'p' || digits.empty() ||
      !llvm::all_of(digits, [](char c) { return llvm::isDigit(c); }) ||
      digits.getAsInteger(10, value) ||
      (digits.size() > 1 && digits.front() == '0'))
    return parser.emitError(loc, "expected a priority such as p1, without "
                                 "leading zeros, got '")
           << word << "'";
  priority = value;
  return success();
}

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  std::optional<int64_t> priority;
  auto parseItem = [&]() -> ParseResult {
    if (!isClosed)
      return parser.emitError(parser.getCurrentLocation(),
                              "'?' must come last in a dimension sharding");
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      return success();
    }
    auto axis =
        llvm::dyn_cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, Type()));
    if (!axis)
      return failure();
    axes.push_back(axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseItem,
                                     " in dimension sharding") ||
      parsePriority(parser, priority))
    return {};
  return get(parser.getContext(), axes, isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printList(printer, "{", getAxes(), "");
  if (!getIsClosed())
    printer << (emptyAxes() ? "?" : ", ?");
  printer << '}';
  if (getPriority())
    printer << 'p' << *getPriority();
}

// `replicated={...}` and `unreduced=[kind]{...}`, each at most once, in either
// order; `=` may be missing after `unreduced`.
static ParseResult parseAxisClauses(AsmParser &parser,
                                    SmallVectorImpl<AxisRefAttr> &replicated,
                                    SmallVectorImpl<AxisRefAttr> &unreduced,
                                    ReductionKind &kind) {
  bool seen[2] = {false, false};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    bool isUnreduced = word == "unreduced";
    if (!isUnreduced && word != "replicated")
      return parser.emitError(loc,
                              "expected 'replicated' or 'unreduced', got '")
             << word << "'";
    if (seen[isUnreduced])
      return parser.emitError(loc, "'") << word << "' is given twice";
    seen[isUnreduced] = true;
    if (!isUnreduced) {
      if (parser.parseEqual() || parseAxes(parser, replicated))
        return failure();
      continue;
    }
    (void)parser.parseOptionalEqual();
    SMLoc kindLoc = parser.getCurrentLocation();
    StringRef combiner;
    if (succeeded(parser.parseOptionalKeyword(&combiner))) {
      std::optional<ReductionKind> parsed = symbolizeReductionKind(combiner);
      if (!parsed)
        return parser.emitError(kindLoc, "unknown combiner '")
               << combiner << "' of unreduced axes, expected sum, max or min";
      kind = *parsed;
    }
    if (parseAxes(parser, unreduced))
      return failure();
  }
  if (unreduced.empty())
    kind = ReductionKind::SUM;
  return success();
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  Attribute meshOrRef;
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    meshOrRef = MeshAttr::parse(parser, Type());
    if (!meshOrRef)
      return {};
  } else {
    StringAttr name;
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalSymbolName(name))) {
      parser.emitError(loc, "expected a mesh: '@name' or 'mesh<...>'");
      return {};
    }
    meshOrRef = FlatSymbolRefAttr::get(name);
  }
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionKind kind = ReductionKind::SUM;
  if (parser.parseComma() ||
      parseList(parser, Delimiter::Square, dims, " in sharding") ||
      parseAxisClauses(parser, replicated, unreduced, kind) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), meshOrRef, dims, replicated, unreduced, kind);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (auto mesh = llvm::dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer.printSymbolName(getMeshName());
  }
  printer << ", ";
  printList(printer, "[", getDimShardings(), "]");
  if (!getReplicatedAxes().empty())
    printList(printer, ", replicated={", getReplicatedAxes(), "}");
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getReductionKind() != ReductionKind::SUM)
      printer << stringifyReductionKind(getReductionKind());
    printList(printer, "{", getUnreducedAxes(), "}");
  }
  printer << '>';
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseLess() ||
      parseList(parser, Delimiter::Square, shardings, " in shardings") ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printList(printer, "<[", getShardings(), "]>");
}

} // namespace partopt::sdy
