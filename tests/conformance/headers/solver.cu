// cuSOLVER's dense factorisations, solutions, eigenvalues and singular values, and cuBLAS's triangles and batches: what
// is left in place of the matrices, and that the products give the matrices back.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T>
struct Device {
    T* at = nullptr;
    size_t count;
    explicit Device(size_t n) : count(n) { cudaMalloc(&at, n * sizeof(T)); cudaMemset(at, 0, n * sizeof(T)); }
    explicit Device(const std::vector<T>& values) : Device(values.size())
    {
        cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Device() { cudaFree(at); }
    std::vector<T> host() const
    {
        std::vector<T> values(count);
        cudaMemcpy(values.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
        return values;
    }
};

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const int status = (int)(call);                                                                                \
        if (status != 0) {                                                                                             \
            printf("line %d: status %d\n", __LINE__, status);                                                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

using C = std::complex<double>;

double rounded(double x) { return fabs(x) < 5e-6 ? 0.0 : x; }

template <class T>
void print(const char* what, const std::vector<T>& values)
{
    printf("%s:", what);
    for (const T& value : values)
        printf(" %.4f", rounded((double)value));
    printf("\n");
}

void print(const char* what, const std::vector<int>& values)
{
    printf("%s:", what);
    for (int value : values)
        printf(" %d", value);
    printf("\n");
}

/// Columns first.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, int m, int k, int n)
{
    std::vector<double> c(m * n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            for (int l = 0; l < k; ++l)
                c[i + j * m] += a[i + l * m] * b[l + j * k];
    return c;
}

void cholesky(cusolverDnHandle_t handle)
{
    const std::vector<double> a{4, 2, 2, 2, 5, 3, 2, 3, 6};
    for (cublasFillMode_t fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        Device<double> matrix(a), side(std::vector<double>{8, 10, 11, 2, 1, 0});
        Device<int> info(1);
        int size = 0;
        CHECK(cusolverDnDpotrf_bufferSize(handle, fill, 3, matrix.at, 3, &size));
        Device<double> work(size);
        CHECK(cusolverDnDpotrf(handle, fill, 3, matrix.at, 3, work.at, size, info.at));
        print("cholesky", matrix.host());
        CHECK(cusolverDnDpotrs(handle, fill, 3, 2, matrix.at, 3, side.at, 3, info.at));
        print("solution", side.host());
        CHECK(cusolverDnDpotri_bufferSize(handle, fill, 3, matrix.at, 3, &size));
        Device<double> more(size);
        CHECK(cusolverDnDpotri(handle, fill, 3, matrix.at, 3, more.at, size, info.at));
        print("inverse", matrix.host());
    }
    Device<float> wrong(std::vector<float>{1, 2, 2, 1});
    Device<int> info(1);
    int size = 0;
    CHECK(cusolverDnSpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, 2, wrong.at, 2, &size));
    Device<float> work(size);
    CHECK(cusolverDnSpotrf(handle, CUBLAS_FILL_MODE_LOWER, 2, wrong.at, 2, work.at, size, info.at));
    print("not positive", info.host());
}

void lu(cusolverDnHandle_t handle)
{
    Device<double> matrix(std::vector<double>{1, 4, 7, 2, 5, 8, 3, 6, 10});
    Device<int> pivots(3), info(1);
    int size = 0;
    CHECK(cusolverDnDgetrf_bufferSize(handle, 3, 3, matrix.at, 3, &size));
    Device<double> work(size);
    CHECK(cusolverDnDgetrf(handle, 3, 3, matrix.at, 3, work.at, pivots.at, info.at));
    print("lu", matrix.host());
    print("pivots", pivots.host());
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        Device<double> side(std::vector<double>{6, 15, 25});
        CHECK(cusolverDnDgetrs(handle, op, 3, 1, matrix.at, 3, pivots.at, side.at, 3, info.at));
        print("solution", side.host());
    }
    Device<cuDoubleComplex> complex(std::vector<cuDoubleComplex>{{1, 1}, {0, 2}, {2, 0}, {1, -1}});
    CHECK(cusolverDnZgetrf_bufferSize(handle, 2, 2, complex.at, 2, &size));
    Device<cuDoubleComplex> zwork(size), zside(std::vector<cuDoubleComplex>{{3, 1}, {1, 1}});
    CHECK(cusolverDnZgetrf(handle, 2, 2, complex.at, 2, zwork.at, pivots.at, info.at));
    CHECK(cusolverDnZgetrs(handle, CUBLAS_OP_N, 2, 1, complex.at, 2, pivots.at, zside.at, 2, info.at));
    for (cuDoubleComplex x : zside.host())
        printf("complex solution: %.4f %.4f\n", rounded(x.x), rounded(x.y));
    Device<double> singular(std::vector<double>{1, 2, 2, 4});
    CHECK(cusolverDnDgetrf(handle, 2, 2, singular.at, 2, work.at, pivots.at, info.at));
    print("singular", info.host());
}

void qr(cusolverDnHandle_t handle)
{
    const std::vector<double> a{3, 4, 0, 1, 2, 5, 1, 0};  // 4 x 2
    Device<double> matrix(a), tau(2);
    Device<int> info(1);
    int size = 0, more = 0;
    CHECK(cusolverDnDgeqrf_bufferSize(handle, 4, 2, matrix.at, 4, &size));
    CHECK(cusolverDnDormqr_bufferSize(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, 4, 2, 2, matrix.at, 4, tau.at, matrix.at, 4, &more));
    size = more > size ? more : size;
    CHECK(cusolverDnDorgqr_bufferSize(handle, 4, 2, 2, matrix.at, 4, tau.at, &more));
    size = more > size ? more : size;
    Device<double> work(size);
    CHECK(cusolverDnDgeqrf(handle, 4, 2, matrix.at, 4, tau.at, work.at, size, info.at));
    print("qr", matrix.host());
    print("tau", tau.host());
    Device<double> copy(a);
    CHECK(cusolverDnDormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, 4, 2, 2, matrix.at, 4, tau.at, copy.at, 4, work.at, size, info.at));
    print("Q^T A", copy.host());
    CHECK(cusolverDnDormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, 4, 2, 2, matrix.at, 4, tau.at, copy.at, 4, work.at, size, info.at));
    print("Q Q^T A", copy.host());
    Device<double> wide(std::vector<double>{1, 0, 2, 1, 1, 1, 0, 3});  // 2 x 4
    CHECK(cusolverDnDormqr_bufferSize(handle, CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, 2, 4, 2, matrix.at, 4, tau.at, wide.at, 2, &more));
    Device<double> moreWork(more);
    CHECK(cusolverDnDormqr(handle, CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, 2, 4, 2, matrix.at, 4, tau.at, wide.at, 2, moreWork.at, more, info.at));
    print("C Q", wide.host());
    CHECK(cusolverDnDorgqr(handle, 4, 2, 2, matrix.at, 4, tau.at, work.at, size, info.at));
    print("Q", matrix.host());
}

void eigen(cusolverDnHandle_t handle)
{
    const int n = 3;
    const std::vector<double> a{2, -1, 0, -1, 2, -1, 0, -1, 2};
    Device<double> matrix(a), values(n);
    Device<int> info(1);
    int size = 0;
    CHECK(cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, matrix.at, n, values.at, &size));
    Device<double> work(size);
    CHECK(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, matrix.at, n, values.at, work.at, size, info.at));
    const std::vector<double> w = values.host(), v = matrix.host(), av = product(a, v, n, n, n);
    print("eigenvalues", w);
    double worst = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            worst = fmax(worst, fabs(av[i + j * n] - w[j] * v[i + j * n]));
    printf("A V = V W: %d\n", worst < 1e-12);

    Device<cuDoubleComplex> hermitian(std::vector<cuDoubleComplex>{{2, 0}, {0, 1}, {9, 9}, {2, 0}});  // lower: 2, i, 2
    Device<double> two(2);
    CHECK(cusolverDnZheevd_bufferSize(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, 2, hermitian.at, 2, two.at, &size));
    Device<cuDoubleComplex> zwork(size);
    CHECK(cusolverDnZheevd(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, 2, hermitian.at, 2, two.at, zwork.at, size, info.at));
    print("hermitian", two.host());

    Device<double> left(a), right(std::vector<double>{2, 0, 0, 0, 1, 0, 0, 0, 4});
    CHECK(cusolverDnDsygvd_bufferSize(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, left.at, n, right.at, n, values.at, &size));
    Device<double> gwork(size);
    CHECK(cusolverDnDsygvd(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, left.at, n, right.at, n, values.at, gwork.at, size, info.at));
    print("generalized", values.host());

    syevjInfo_t jacobi;
    CHECK(cusolverDnCreateSyevjInfo(&jacobi));
    Device<float> single(std::vector<float>{2, 1, 1, 2}), svalues(2);
    CHECK(cusolverDnSsyevj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, 2, single.at, 2, svalues.at, &size, jacobi));
    Device<float> swork(size);
    CHECK(cusolverDnSsyevj(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, 2, single.at, 2, svalues.at, swork.at, size, info.at, jacobi));
    print("jacobi", svalues.host());
    Device<double> leftAgain(a), rightAgain(std::vector<double>{2, 0, 0, 0, 1, 0, 0, 0, 4});
    CHECK(cusolverDnDsygvj_bufferSize(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, leftAgain.at, n, rightAgain.at, n, values.at, &size, jacobi));
    Device<double> jwork(size);
    CHECK(cusolverDnDsygvj(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, leftAgain.at, n, rightAgain.at, n, values.at, jwork.at, size, info.at, jacobi));
    print("generalized jacobi", values.host());
    CHECK(cusolverDnDestroySyevjInfo(jacobi));
}

void singular(cusolverDnHandle_t handle)
{
    const int m = 3, n = 2;
    const std::vector<double> a{1, 4, 2, 2, 5, 1};
    Device<double> matrix(a), s(n), u(m * m), vt(n * n);
    Device<int> info(1);
    int size = 0;
    CHECK(cusolverDnDgesvd_bufferSize(handle, m, n, &size));
    Device<double> work(size);
    CHECK(cusolverDnDgesvd(handle, 'A', 'A', m, n, matrix.at, m, s.at, u.at, m, vt.at, n, work.at, size, nullptr, info.at));
    print("singular values", s.host());
    std::vector<double> scaled = u.host();
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            scaled[i + j * m] *= s.host()[j];
    print("U S V^T", product(scaled, vt.host(), m, n, n));
    gesvdjInfo_t jacobi;
    CHECK(cusolverDnCreateGesvdjInfo(&jacobi));
    Device<double> again(a), thin(m * n), v(n * n);
    CHECK(cusolverDnDgesvdj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, again.at, m, s.at, thin.at, m, v.at, n, &size, jacobi));
    Device<double> jwork(size);
    CHECK(cusolverDnDgesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, again.at, m, s.at, thin.at, m, v.at, n, jwork.at, size, info.at, jacobi));
    scaled = thin.host();
    const std::vector<double> right = v.host();
    std::vector<double> turned(n * n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            turned[j + i * n] = right[i + j * n];
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            scaled[i + j * m] *= s.host()[j];
    print("by Jacobi", product(scaled, turned, m, n, n));
    CHECK(cusolverDnDestroyGesvdjInfo(jacobi));
}

void anyFormat(cusolverDnHandle_t handle)
{
    cusolverDnParams_t params;
    CHECK(cusolverDnCreateParams(&params));
    Device<float> matrix(std::vector<float>{4, 2, 2, 3}), side(std::vector<float>{10, 8});
    Device<int64_t> pivots(2);
    Device<int> info(1);
    size_t device = 0, host = 0;
    CHECK(cusolverDnXgetrf_bufferSize(handle, params, 2, 2, CUDA_R_32F, matrix.at, 2, CUDA_R_32F, &device, &host));
    Device<char> work(device + 1);
    std::vector<char> hostWork(host + 1);
    CHECK(cusolverDnXgetrf(handle, params, 2, 2, CUDA_R_32F, matrix.at, 2, pivots.at, CUDA_R_32F, work.at, device, hostWork.data(), host, info.at));
    CHECK(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, 2, 1, CUDA_R_32F, matrix.at, 2, pivots.at, CUDA_R_32F, side.at, 2, info.at));
    print("of 64 bits", side.host());
    CHECK(cusolverDnDestroyParams(params));
}

void batches(cublasHandle_t handle)
{
    const int n = 2, count = 2;
    Device<double> matrices(std::vector<double>{1, 3, 2, 4, 2, 1, 1, 2}), inverses(n * n * count), sides(std::vector<double>{5, 11, 4, 5});
    Device<double*> as(std::vector<double*>{matrices.at, matrices.at + 4}), cs(std::vector<double*>{inverses.at, inverses.at + 4}),
        bs(std::vector<double*>{sides.at, sides.at + 2});
    Device<int> pivots(n * count), infos(count);
    CHECK(cublasDgetrfBatched(handle, n, as.at, n, pivots.at, infos.at, count));
    print("batched lu", matrices.host());
    print("pivots", pivots.host());
    CHECK(cublasDgetriBatched(handle, n, as.at, n, pivots.at, cs.at, n, infos.at, count));
    print("batched inverses", inverses.host());
    int info = 7;
    CHECK(cublasDgetrsBatched(handle, CUBLAS_OP_N, n, 1, as.at, n, pivots.at, bs.at, n, &info, count));
    print("batched solutions", sides.host());
    Device<float> singles(std::vector<float>{2, 0, 0, 4}), inverse(4);
    Device<float*> from(std::vector<float*>{singles.at}), to(std::vector<float*>{inverse.at});
    CHECK(cublasSmatinvBatched(handle, n, from.at, n, to.at, n, infos.at, 1));
    print("inverse", inverse.host());
}

void triangles(cublasHandle_t handle)
{
    const double one = 1, two = 2, zero = 0;
    Device<double> triangle(std::vector<double>{2, 1, 3, 99, 4, 5, 99, 99, 6});  // lower, 3 x 3
    for (cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
        for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T})
            for (cublasDiagType_t diagonal : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
                Device<double> b(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 10}), c(9);
                CHECK(cublasDtrsm(handle, side, CUBLAS_FILL_MODE_LOWER, op, diagonal, 3, 3, &two, triangle.at, 3, b.at, 3));
                CHECK(cublasDtrmm(handle, side, CUBLAS_FILL_MODE_LOWER, op, diagonal, 3, 3, &one, triangle.at, 3, b.at, 3, c.at, 3));
                print("trmm of trsm", c.host());
            }
    Device<double> x(std::vector<double>{2, 0, 9, 0, 32, 0});
    CHECK(cublasDtrsv(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, triangle.at, 3, x.at, 2));
    print("trsv", x.host());
    Device<double> a(std::vector<double>{1, 2, 3, 4, 5, 6}), c(std::vector<double>{7, 7, 7, 7});  // 2 x 3
    CHECK(cublasDsyrk(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, 2, 3, &one, a.at, 2, &zero, c.at, 2));
    print("syrk", c.host());
    Device<double> symmetric(std::vector<double>{1, 2, 99, 3}), out(6);
    CHECK(cublasDsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 2, 3, &one, symmetric.at, 2, a.at, 2, &zero, out.at, 2));
    print("symm", out.host());
    Device<double> y(2), v(std::vector<double>{1, -1});
    CHECK(cublasDsymv(handle, CUBLAS_FILL_MODE_LOWER, 2, &one, symmetric.at, 2, v.at, 1, &zero, y.at, 1));
    print("symv", y.host());
    CHECK(cublasDdgmm(handle, CUBLAS_SIDE_RIGHT, 2, 2, a.at, 2, v.at, 1, out.at, 2));
    print("dgmm", out.host());
}

void complexNumbers(cublasHandle_t handle)
{
    const cuComplex one{1, 0}, i{0, 1}, zero{0, 0};
    Device<cuComplex> a(std::vector<cuComplex>{{1, 1}, {2, 0}, {0, 1}, {1, -1}}), b(std::vector<cuComplex>{{1, 0}, {0, 1}, {2, 2}, {1, 0}}), c(4);
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        CHECK(cublasCgemm(handle, op, CUBLAS_OP_N, 2, 2, 2, &i, a.at, 2, b.at, 2, &zero, c.at, 2));
        for (cuComplex x : c.host())
            printf("(%g %g) ", x.x + 0.0f, x.y + 0.0f);
        printf("\n");
    }
    cuComplex dot;
    CHECK(cublasCdotc(handle, 2, a.at, 1, b.at, 1, &dot));
    float norm = 0, sum = 0;
    int index = 0;
    CHECK(cublasScnrm2(handle, 4, a.at, 1, &norm));
    CHECK(cublasScasum(handle, 4, a.at, 1, &sum));
    CHECK(cublasIcamax(handle, 4, b.at, 1, &index));
    printf("dot %g %g norm %g sum %g largest %d\n", dot.x, dot.y, norm, sum, index);
    CHECK(cublasCaxpy(handle, 4, &i, a.at, 1, b.at, 1));
    CHECK(cublasCgemv(handle, CUBLAS_OP_C, 2, 2, &one, a.at, 2, b.at, 1, &zero, c.at, 1));
    for (int k = 0; k < 2; ++k)
        printf("(%g %g) ", c.host()[k].x, c.host()[k].y);
    printf("\n");
}

void norms(cublasHandle_t handle)
{
    std::vector<float> values(100000, 0.1f);
    values[7] = 3e20f;
    Device<float> small(std::vector<float>(100000, 0.1f)), large(values);
    Device<double> huge(std::vector<double>{3e200, 4e200});
    float single = 0;
    double twice = 0;
    CHECK(cublasSnrm2(handle, 100000, small.at, 1, &single));
    printf("norm %.5f\n", single);
    CHECK(cublasSnrm2(handle, 100000, large.at, 1, &single));
    printf("norm %.5e\n", single);
    CHECK(cublasDnrm2(handle, 2, huge.at, 1, &twice));
    printf("norm %.5e\n", twice);
}

int main()
{
    cusolverDnHandle_t handle;
    CHECK(cusolverDnCreate(&handle));
    cholesky(handle);
    lu(handle);
    qr(handle);
    eigen(handle);
    singular(handle);
    anyFormat(handle);
    CHECK(cusolverDnDestroy(handle));
    cublasHandle_t blas;
    CHECK(cublasCreate(&blas));
    batches(blas);
    triangles(blas);
    complexNumbers(blas);
    norms(blas);
    CHECK(cublasDestroy(blas));
}
