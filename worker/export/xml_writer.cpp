// SPDX-License-Identifier: Apache-2.0
#include "worker/export/xml_writer.h"

#include "worker/export/text.h"

namespace pilotlight {

XmlWriter::XmlWriter() : bytes_(R"(<?xml version="1.0" encoding="UTF-8"?>)") { new_line(); }

XmlWriter& XmlWriter::begin(std::string_view name) {
  finish_start_tag();
  bytes_.append("<").append(name);
  open_.push_back(name);
  in_start_tag_ = true;
  return *this;
}

XmlWriter& XmlWriter::attribute(std::string_view name, std::string_view value) {
  bytes_.append(" ").append(name).append("=\"").append(escaped_for_xml(value)).append("\"");
  return *this;
}

XmlWriter& XmlWriter::text(std::string_view text) {
  finish_start_tag();
  bytes_ += escaped_for_xml(text);
  return *this;
}

XmlWriter& XmlWriter::cdata(std::string_view text) {
  finish_start_tag();
  bytes_.append("<![CDATA[").append(text).append("]]>");
  return *this;
}

XmlWriter& XmlWriter::end() {
  if (in_start_tag_)
    bytes_ += "/>";
  else
    bytes_.append("</").append(open_.back()).append(">");
  open_.pop_back();
  in_start_tag_ = false;
  return *this;
}

XmlWriter& XmlWriter::new_line() { return text("\n"); }

std::string XmlWriter::finish() && {
  while (!open_.empty()) end();
  new_line();
  return std::move(bytes_);
}

void XmlWriter::finish_start_tag() {
  if (in_start_tag_) bytes_ += '>';
  in_start_tag_ = false;
}

}  // namespace pilotlight
