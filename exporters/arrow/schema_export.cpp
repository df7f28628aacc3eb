#include <memory>

#include "common/base/utf8.hpp"
#include "exporters/arrow/batch.hpp"

namespace prof::arrow {

namespace {

struct OwnedSchema {
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  std::unique_ptr<ArrowSchema> dictionary;
};

void append_number(std::string& out, std::size_t number) {
  const auto value = static_cast<std::int32_t>(number);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string encoded(const Metadata& metadata) {
  std::string out;
  if (metadata.empty()) return out;
  append_number(out, metadata.size());
  for (const auto& [key, value] : metadata)
    for (const std::string* text : {&key, &value}) {
      append_number(out, text->size());
      out += *text;
    }
  return out;
}

void release_schema(ArrowSchema* schema) {
  auto* owned = static_cast<OwnedSchema*>(schema->private_data);
  for (ArrowSchema& child : owned->children)
    if (child.release != nullptr) child.release(&child);
  if (owned->dictionary && owned->dictionary->release != nullptr)
    owned->dictionary->release(owned->dictionary.get());
  delete owned;
  schema->release = nullptr;
}

void fill(ArrowSchema& out, const char* format, std::unique_ptr<OwnedSchema> owned) {
  out = {};
  out.format = format;
  out.name = owned->name.c_str();
  out.metadata = owned->metadata.empty() ? nullptr : owned->metadata.data();
  out.n_children = static_cast<std::int64_t>(owned->children.size());
  out.children = owned->pointers.data();
  out.dictionary = owned->dictionary.get();
  out.release = release_schema;
  out.private_data = owned.release();
}

}  // namespace

void export_schema(const Schema& schema, ArrowSchema& out) {
  auto parent = std::make_unique<OwnedSchema>();
  parent->metadata = encoded(schema.metadata);
  parent->children.resize(schema.columns.size());
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    const Column& column = schema.columns[i];
    auto child = std::make_unique<OwnedSchema>();
    child->name = base::is_utf8(column.name) ? column.name : base::escaped_to_utf8(column.name);
    child->metadata = encoded(column.metadata);
    if (column.type == ColumnType::kName) {
      child->dictionary = std::make_unique<ArrowSchema>();
      fill(*child->dictionary, format_of(ColumnType::kText), std::make_unique<OwnedSchema>());
      child->dictionary->flags = ARROW_FLAG_NULLABLE;
    }
    fill(parent->children[i], format_of(column.type), std::move(child));
    parent->children[i].flags = column.nullable ? ARROW_FLAG_NULLABLE : 0;
    parent->pointers.push_back(&parent->children[i]);
  }
  fill(out, "+s", std::move(parent));
}

}  // namespace prof::arrow
