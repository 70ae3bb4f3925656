#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <vector>
__global__ void fill(int* x, int n, int from)
{
    if (threadIdx.x < n)
        x[threadIdx.x] = from + threadIdx.x;
}
int* device(int n, int from)
{
    int* x;
    cudaMalloc(&x, n * sizeof(int));
    if (from >= 0)
        fill<<<1, 32>>>(x, n, from);
    cudaDeviceSynchronize();
    return x;
}
int sum(const int* x, int n)
{
    std::vector<int> host(n);
    cudaMemcpy(host.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
    int total = 0;
    for (int i = 0; i < n; ++i)
        total += (i + 1) * host[i];
    return total;
}
int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const MPI_Comm all = MPI_COMM_WORLD;
    const char* what = argc > 1 ? argv[1] : "";
    int* mine = device(4, 10 * rank);
    int* other = device(16, -1);
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    std::vector<int> said;
    if (strcmp(what, "short") == 0) {
        MPI_Allreduce(mine, other, 5, MPI_INT, MPI_SUM, all);
    } else if (strcmp(what, "put") == 0) {
        MPI_Win window;
        MPI_Win_create(mine, 16, 4, MPI_INFO_NULL, all, &window);
    } else if (strcmp(what, "unset") == 0) {
        MPI_Bcast(other, 4, MPI_INT, 0, all);
    } else {
        MPI_Sendrecv(mine, 4, MPI_INT, next, 1, other, 16, MPI_INT, last, 1, all, MPI_STATUS_IGNORE);
        said.push_back(sum(other, 4));
        MPI_Request requests[2];
        MPI_Irecv(other, 4, MPI_INT, last, 2, all, &requests[0]);
        MPI_Isend(mine, 4, MPI_INT, next, 2, all, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        said.push_back(sum(other, 4));
        MPI_Allreduce(mine, other, 4, MPI_INT, MPI_SUM, all);
        said.push_back(sum(other, 4));
        MPI_Allreduce(MPI_IN_PLACE, other, 4, MPI_INT, MPI_MAX, all);
        said.push_back(sum(other, 4));
        MPI_Allgather(mine, 4, MPI_INT, other, 4, MPI_INT, all);
        said.push_back(sum(other, 4 * size));
        int* parts = device(size, 100 * rank);
        MPI_Alltoall(parts, 1, MPI_INT, other, 1, MPI_INT, all);
        said.push_back(sum(other, size));
        std::vector<int> ones(size, 1), places(size);
        for (int i = 0; i < size; ++i)
            places[i] = size - 1 - i;
        MPI_Alltoallv(parts, ones.data(), places.data(), MPI_INT, other, ones.data(), places.data(), MPI_INT, all);
        said.push_back(sum(other, size));
        MPI_Reduce(mine, other, 4, MPI_INT, MPI_SUM, 0, all);
        MPI_Bcast(other, 4, MPI_INT, 0, all);
        said.push_back(sum(other, 4));
        MPI_Gather(mine, 1, MPI_INT, other, 1, MPI_INT, 0, all);
        MPI_Scatter(other, 1, MPI_INT, parts, 1, MPI_INT, 0, all);
        said.push_back(sum(parts, 1));
        cudaFree(parts);
    }
    std::vector<int> everybody(said.size() * size);
    MPI_Gather(said.data(), (int)said.size(), MPI_INT, everybody.data(), (int)said.size(), MPI_INT, 0, all);
    for (int i = 0; rank == 0 && i < (int)everybody.size(); ++i)
        printf("%d%c", everybody[i], (i + 1) % said.size() ? ' ' : '\n');
    cudaFree(mine);
    cudaFree(other);
    MPI_Finalize();
}
