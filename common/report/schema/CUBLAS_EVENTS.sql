CREATE TABLE CUBLAS_EVENTS (
  -- {row CublasRow : LibraryCall nullable}
  -- {docs calls of these libraries, with `-t cublas` and so on}
  -- Calls of cuBLAS, cuBLASLt and cuBLASXt that came through the dynamic linker.
  start INTEGER NOT NULL,                                               -- {- .start} ns
  end INTEGER NOT NULL,                                                 -- {- .end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),     -- {- const EventClass::kCublas} 29
  globalTid INTEGER,                                                    -- {- .global_tid} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,                                              -- {- .name_id} StringIds.id: function
  productId INTEGER                                                     -- {- product?} PROF_MATRIX_PRODUCTS.id; NULL: no product of matrices, or unknown; prof's own
);
