// An independent loop around MPI's blocking calls, to hold the mpi transport against: mpi-loop COLLECTIVE BYTES
// ITERATIONS Prints the median over iterations of the slowest rank's time, in µs.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const std::string collective = argv[1];
  const int elements = std::atoi(argv[2]) / 4, block = elements / ranks, iterations = std::atoi(argv[3]);
  constexpr int warmup = 5;
  std::vector<float> send(static_cast<std::size_t>(elements), 1), recv(send.size());
  std::vector<double> times_us;
  for (int i = 0; i < warmup + iterations; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (collective == "all_reduce") {
      MPI_Allreduce(send.data(), recv.data(), elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    } else if (collective == "reduce_scatter") {
      MPI_Reduce_scatter_block(send.data(), recv.data(), block, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Allgather(send.data(), block, MPI_FLOAT, recv.data(), block, MPI_FLOAT, MPI_COMM_WORLD);
    }
    double mine = (MPI_Wtime() - start) * 1e6, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i >= warmup) times_us.push_back(slowest);
  }
  std::sort(times_us.begin(), times_us.end());
  if (rank == 0) std::printf("%.2f\n", times_us[times_us.size() / 2]);
  std::fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  std::_Exit(0);  // MPI_Finalize of MPICH 4.0.2 may hang over TCP
}
