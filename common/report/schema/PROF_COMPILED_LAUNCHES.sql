CREATE TABLE PROF_COMPILED_LAUNCHES (
  -- {docs operators, shapes and traffic of the kernels that `torch.compile` made; prof's own}
  -- Lines of files that PyTorch's Inductor wrote, which launch kernels or call operators; prof's own.
  globalPid INTEGER NOT NULL,   -- the process in which a function of the file ran
  fileId INTEGER NOT NULL,      -- StringIds.id: path
  line INTEGER NOT NULL,        -- from 1
  definitionLine INTEGER,       -- where the file defines the kernel; NULL: the line calls an operator of PyTorch
  kernelId INTEGER NOT NULL,    -- StringIds.id: the kernel or the function, as "extern_kernels.mm"
  operatorsId INTEGER,          -- StringIds.id: "aten::add + aten::relu", in the order of the program; NULL: unknown
  graphId INTEGER,              -- StringIds.id: a line for each operator of the kernel, after what the compiler did to them: "aten::add, sizes = [[8, 512], []], arguments = [float32, 1] -> float32 [8, 512]"; NULL: unknown
  inputsId INTEGER,             -- StringIds.id: tensors that the kernel reads, "float32 [8, 512], int64 [8]", "?" for sizes that are unknown; NULL: unknown
  outputsId INTEGER,            -- StringIds.id: tensors that it writes
  bytesRead INTEGER,            -- of its inputs, each at most once; NULL: unknown
  bytesWritten INTEGER,         -- of its outputs
  elementCount INTEGER,         -- for how many elements the kernel runs; NULL: unknown
  isBackward INTEGER            -- 1: the file is a backward pass; 0: it is not; NULL: unknown
);
