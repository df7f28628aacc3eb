! The same calls as mpi_rows.c, by each of the three Fortran bindings.
program mpi_rows
#if defined(BINDING_MPIF)
  implicit none
  include 'mpif.h'
#elif defined(BINDING_MPI)
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
#if defined(BINDING_F08)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: half
#else
  integer :: requests(2), status(MPI_STATUS_SIZE), half
#endif
  integer :: rank, size_, error
  integer :: values(8), others(8)
  values = 0
  others = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size_, error)
  call MPI_Irecv(others, 8, MPI_INTEGER, mod(rank + size_ - 1, size_), 5, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(values, 8, MPI_INTEGER, mod(rank + 1, size_), 5, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call MPI_Send(values, 3, MPI_INTEGER, MPI_PROC_NULL, 6, MPI_COMM_WORLD, error)
  call MPI_Sendrecv(values, 2, MPI_INTEGER, mod(rank + 1, size_), 7, others, 4, MPI_INTEGER, &
                    MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
  call MPI_Allreduce(MPI_IN_PLACE, others, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Bcast(values, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, others, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  else
    call MPI_Gather(values, 1, MPI_INTEGER, others, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, error)
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  call MPI_Barrier(half, error)
  call MPI_Comm_free(half, error)
  call MPI_Finalize(error)
end program
