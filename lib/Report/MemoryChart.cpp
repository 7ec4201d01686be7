//===- MemoryChart.cpp - Memory over time ---------------------------------===//
//
// What each class of ranks holds along its predicted step, by what it is used
// for. A column of the drawing shows the most that is held in its time.
//
//===----------------------------------------------------------------------===//

#include "Html.h"
#include "Page.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/MemoryClasses.h"
#include "partopt/Plan/PlanText.h"

#include <algorithm>
#include <numeric>

namespace partopt::report {

using plan::ClassBytes;
using plan::MemoryClass;

static constexpr double chartHeight = 90, below = 14;
static constexpr size_t columns = 550;

static uint64_t sum(const ClassBytes &bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t(0));
}

/// By column of the drawing; what a rank holds at last it holds until the end.
static std::vector<ClassBytes> columnsOf(const Page &page, size_t classIndex) {
  std::vector<ClassBytes> along = plan::memoryAlong(page.program(classIndex));
  std::vector<ClassBytes> most(columns);
  if (along.empty())
    return most;
  auto columnAt = [&](double seconds) {
    double place = page.step > 0 ? seconds / page.step * columns : 0;
    return std::min(static_cast<size_t>(place), columns - 1);
  };
  size_t reached = 0;
  const ClassBytes *last = &along[0];
  for (const simulate::Interval &step : page.timelines[classIndex].steps) {
    last = &along[std::min<size_t>(step.instruction, along.size() - 1)];
    for (reached = columnAt(step.start); reached <= columnAt(step.end);
         ++reached)
      if (sum(*last) > sum(most[reached]))
        most[reached] = *last;
  }
  for (; reached < columns; ++reached)
    most[reached] = *last;
  return most;
}

/// The area below the sum of the classes up to `upTo`, all of it from `bottom`.
static std::string area(const std::vector<ClassBytes> &most, size_t upTo,
                        double bottom, double scale) {
  std::string path = "M" + numberText(nameWidth) + " " + numberText(bottom);
  double previous = bottom;
  for (size_t i = 0; i < columns; ++i) {
    uint64_t bytes = 0;
    for (size_t one = 0; one <= upTo; ++one)
      bytes += most[i][one];
    double y = bottom - static_cast<double>(bytes) * scale;
    if (y == previous)
      continue;
    path += "H" + numberText(nameWidth + chartWidth * double(i) / columns) +
            "V" + numberText(y);
    previous = y;
  }
  return path + "H" + numberText(nameWidth + chartWidth) + "V" +
         numberText(bottom) + "Z";
}

static std::string chart(const Page &page, size_t classIndex, double y,
                         double scale) {
  const plan::ProgramT &program = page.program(classIndex);
  plan::MemoryCount count = plan::countMemory(program);
  double bottom = y + chartHeight;
  std::string text = svgText(0, y + 12, "name", page.ranks(classIndex)) +
                     svgText(0, y + 26, "note", "peak") +
                     svgText(0, y + 40, "note", bytesText(program.peak_bytes));
  std::vector<ClassBytes> most = columnsOf(page, classIndex);
  // The last one first: each covers what lies below it of those before.
  for (size_t one = plan::numMemoryClasses; one-- > 0;) {
    if (count.peak[one] == 0)
      continue;
    std::string name = plan::memoryClassName(static_cast<MemoryClass>(one));
    text += "<path class=\"m" + std::to_string(one) + "\" d=\"" +
            area(most, one, bottom, scale) + "\"><title>" + name +
            ": at most " + bytesText(count.peak[one]) + "</title></path>\n";
  }
  double peak = bottom - static_cast<double>(program.peak_bytes) * scale;
  text += rectangle(nameWidth, peak, chartWidth, 1, "peak",
                    "allocated: " + bytesText(program.peak_bytes));
  return "<g class=\"memory\" data-class=\"" + std::to_string(classIndex) +
         "\" data-peak=\"" + std::to_string(program.peak_bytes) + "\">\n" +
         text + "</g>\n";
}

static std::string table(const Page &page, size_t shown) {
  HtmlTable table({"ranks", "used for", "own peak", "at the peak"}, {2, 3});
  for (size_t i = 0; i < shown; ++i) {
    const plan::ProgramT &program = page.program(i);
    plan::MemoryCount count = plan::countMemory(program);
    for (size_t one = 0; one < plan::numMemoryClasses; ++one)
      if (count.peak[one] > 0)
        table.add({page.ranks(i),
                   plan::memoryClassName(static_cast<MemoryClass>(one)),
                   bytesText(count.peak[one]), bytesText(count.atPeak[one])});
    table.add({page.ranks(i), "alignment", "",
               bytesText(program.peak_bytes - sum(count.atPeak))});
    table.add({page.ranks(i), "all", "", bytesText(program.peak_bytes)});
  }
  return table.text();
}

std::string memory(const Page &page) {
  size_t shown = std::min(page.plan.classes.size(), shownClasses);
  uint64_t largest = 1;
  for (size_t i = 0; i < shown; ++i)
    largest = std::max(largest, page.program(i).peak_bytes);
  double scale = chartHeight / static_cast<double>(largest), y = 24;
  std::string charts;
  for (size_t i = 0; i < shown; ++i, y += chartHeight + below)
    charts += chart(page, i, y, scale);
  std::string legend = "<p class=\"legend\">";
  for (size_t one = 0; one < plan::numMemoryClasses; ++one)
    legend += "<span class=\"key m" + std::to_string(one) + "\"></span>" +
              plan::memoryClassName(static_cast<MemoryClass>(one)) + " ";
  return legend + "</p>\n<svg viewBox=\"0 0 " +
         numberText(nameWidth + chartWidth + 10) + " " + numberText(y) +
         "\">\n" + timeAxis(page, y) + charts + "</svg>\n" +
         moreText(page.plan.classes.size(), shown, "classes of ranks") +
         table(page, shown);
}

} // namespace partopt::report
