CREATE TABLE PROF_CUBINS (
  -- {row CubinRow nullable}
  -- {docs the GPU code of which there are PC samples (`--pc-sampling`) or SASS metrics (`prof kernel`); prof's own}
  -- Cubins, which are ELF files with code of GPUs, each content once; prof's own.
  crc INTEGER NOT NULL,   -- {- crc} of the cubin, as CUPTI computes it; PROF_PC_SAMPLES.cubinCrc, PROF_SASS_COUNTS.cubinCrc
  size INTEGER NOT NULL,  -- {- size} bytes of the ELF file
  content BLOB            -- {- content?} the ELF file, compressed (zlib format); NULL: it was not kept
);
