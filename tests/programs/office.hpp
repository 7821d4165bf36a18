// LibreOffice as another reader of spreadsheets.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

/// Empty if it is installed.
inline std::string why_no_office() {
  return run("command -v soffice").status == 0 ? "" : "soffice (LibreOffice) is not installed";
}

/// Computes every formula of the files again and writes FILE-SHEET.csv beside each: of one sheet, counted from 1, or of
/// all with -1.
inline void recalculate(const ResultFolder& folder, const std::string& files, int sheet) {
  std::filesystem::create_directories(folder.file("office/user"));
  std::ofstream(folder.file("office/user/registrymodifications.xcu")) << R"(<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>)";
  const auto converted =
      run(fmt::format("cd {} && soffice -env:UserInstallation=file://$PWD/office --headless --convert-to "
                      "'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,{}' {}",
                      folder.path(), sheet, files),
          600);
  ASSERT_EQ(converted.status, 0) << converted.output;
}

}  // namespace ringmark::testing_support
