// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSOLVER for sparse matrices: each solver with each order against the residual, singular systems, least squares,
// eigenvalues, orders, batches; of the device and of the host, with indices from 0 and from 1.
#include <cusolverSp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(#call, static_cast<int>(call))

static void check(const char* text, int status)
{
    if (status == 0)
        return;
    std::printf("%s: %d\n", text, status);
    std::exit(1);
}

template <class T>
struct OnDevice {
    T* values = nullptr;
    explicit OnDevice(const std::vector<T>& from)
    {
        CHECK(cudaMalloc(&values, from.size() * sizeof(T)));
        CHECK(cudaMemcpy(values, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~OnDevice() { CHECK(cudaFree(values)); }
    std::vector<T> fetched(size_t count) const
    {
        std::vector<T> to(count);
        CHECK(cudaMemcpy(to.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }
};

template <class T>
struct Matrix {
    int rows = 0, columns = 0;
    std::vector<int> offsets, places;
    std::vector<T> values;

    int count() const { return static_cast<int>(values.size()); }
};

static cuDoubleComplex numberOf(cuDoubleComplex, double re, double im)
{
    return {re, im};
}
static cuComplex numberOf(cuComplex, double re, double im)
{
    return {static_cast<float>(re), static_cast<float>(im)};
}
static double numberOf(double, double re, double)
{
    return re;
}
static float numberOf(float, double re, double)
{
    return static_cast<float>(re);
}
static std::complex<double> valueOf(cuDoubleComplex x)
{
    return {x.x, x.y};
}
static std::complex<double> valueOf(cuComplex x)
{
    return {x.x, x.y};
}
static std::complex<double> valueOf(double x)
{
    return x;
}

/// A grid's points and their neighbours, Hermitian and positive.
template <class T>
static Matrix<T> grid(int side, int base)
{
    Matrix<T> m{side * side, side * side, {base}, {}, {}};
    for (int row = 0; row < m.rows; ++row) {
        const int i = row / side, j = row % side;
        const auto add = [&](bool isThere, int column, double re, double im) {
            if (!isThere)
                return;
            m.places.push_back(column + base);
            m.values.push_back(numberOf(T(), re, im));
        };
        add(i > 0, row - side, -1, -0.25);
        add(j > 0, row - 1, -1, 0.5);
        add(true, row, 5 + row % 3, 0);
        add(j + 1 < side, row + 1, -1, -0.5);
        add(i + 1 < side, row + side, -1, 0.25);
        m.offsets.push_back(m.count() + base);
    }
    return m;
}

template <class T>
static double errorOf(const Matrix<T>& a, const std::vector<T>& x, const std::vector<T>& b, int base)
{
    double largest = 0;
    for (int row = 0; row < a.rows; ++row) {
        std::complex<double> sum = -valueOf(b[row]);
        for (int i = a.offsets[row] - base; i < a.offsets[row + 1] - base; ++i)
            sum += valueOf(a.values[i]) * valueOf(x[a.places[i] - base]);
        largest = std::max(largest, std::abs(sum));
    }
    return largest;
}

static cusolverSpHandle_t g_handle;
static cusparseMatDescr_t g_descriptions[2];  ///< [base]

template <class T, class Real, class Solver>
static void solve(const char* name, Solver solver, bool isOnDevice, Real tolerance)
{
    int good = 0;
    for (int base = 0; base < 2; ++base)
        for (int order = 0; order < 4; ++order) {
            const Matrix<T> a = grid<T>(9, base);
            std::vector<T> b(a.rows, numberOf(T(), 1, 2)), x(a.rows, numberOf(T(), 0, 0));
            int singularity = -7;
            if (isOnDevice) {
                const OnDevice<T> values(a.values), right(b), solution(x);
                const OnDevice<int> offsets(a.offsets), places(a.places);
                CHECK(solver(g_handle, a.rows, a.count(), g_descriptions[base], values.values, offsets.values,
                             places.values, right.values, 0, order, solution.values, &singularity));
                x = solution.fetched(x.size());
            } else {
                CHECK(solver(g_handle, a.rows, a.count(), g_descriptions[base], a.values.data(), a.offsets.data(),
                             a.places.data(), b.data(), 0, order, x.data(), &singularity));
            }
            good += singularity == -1 && errorOf(a, x, b, base) < tolerance;
        }
    std::printf("%s: %d of 8\n", name, good);
}

#define SOLVE(T, Real, name, isOnDevice, tolerance) solve<T, Real>(#name, name, isOnDevice, tolerance)

static void solvesSystems()
{
    SOLVE(double, double, cusolverSpDcsrlsvluHost, false, 1e-12);
    SOLVE(double, double, cusolverSpDcsrlsvqrHost, false, 1e-12);
    SOLVE(double, double, cusolverSpDcsrlsvcholHost, false, 1e-12);
    SOLVE(double, double, cusolverSpDcsrlsvqr, true, 1e-12);
    SOLVE(double, double, cusolverSpDcsrlsvchol, true, 1e-12);
    SOLVE(float, float, cusolverSpScsrlsvqr, true, 1e-5f);
    SOLVE(float, float, cusolverSpScsrlsvluHost, false, 1e-5f);
    SOLVE(cuComplex, float, cusolverSpCcsrlsvchol, true, 1e-5f);
    SOLVE(cuDoubleComplex, double, cusolverSpZcsrlsvchol, true, 1e-12);
    SOLVE(cuDoubleComplex, double, cusolverSpZcsrlsvqr, true, 1e-12);
    SOLVE(cuDoubleComplex, double, cusolverSpZcsrlsvluHost, false, 1e-12);
}

/// A column that is a sum of others, and a pivot that only a larger tolerance calls 0.
static void tellsSingularity()
{
    const std::vector<int> offsets{0, 2, 4, 8}, places{0, 2, 1, 2, 0, 1, 2, 2};
    const std::vector<double> values{1, 1, 1, 1, 2, 3, 4, 1}, b{1, 1, 1};
    std::vector<double> x(3);
    int singularity = 0;
    CHECK(cusolverSpDcsrlsvluHost(g_handle, 3, 8, g_descriptions[0], values.data(), offsets.data(), places.data(),
                                  b.data(), 1e-12, 0, x.data(), &singularity));
    std::printf("LU: singular at %d\n", singularity);
    CHECK(cusolverSpDcsrlsvqrHost(g_handle, 3, 8, g_descriptions[0], values.data(), offsets.data(), places.data(),
                                  b.data(), 1e-12, 0, x.data(), &singularity));
    std::printf("QR: singular at %d\n", singularity);
    const std::vector<int> diagonalOffsets{0, 1, 2, 3}, diagonalPlaces{0, 1, 2};
    const std::vector<double> diagonal{1000, 1e-3, -5};
    for (const double tolerance : {1e-5, 1e-2}) {
        CHECK(cusolverSpDcsrlsvqrHost(g_handle, 3, 3, g_descriptions[0], diagonal.data(), diagonalOffsets.data(),
                                      diagonalPlaces.data(), b.data(), tolerance, 0, x.data(), &singularity));
        std::printf("tolerance %g: singular at %d", tolerance, singularity);
        CHECK(cusolverSpDcsrlsvcholHost(g_handle, 3, 3, g_descriptions[0], diagonal.data(), diagonalOffsets.data(),
                                        diagonalPlaces.data(), b.data(), tolerance, 0, x.data(), &singularity));
        std::printf(", not positive at %d\n", singularity);
    }
    std::printf("%d %d\n",
                cusolverSpDcsrlsvluHost(g_handle, 3, 8, g_descriptions[0], values.data(), offsets.data(), places.data(),
                                        b.data(), 0, 4, x.data(), &singularity),
                cusolverSpDcsrlsvluHost(nullptr, 3, 8, g_descriptions[0], values.data(), offsets.data(), places.data(),
                                        b.data(), 0, 0, x.data(), &singularity));
}

static void leastSquares()
{
    const std::vector<int> offsets{0, 2, 4, 6, 8}, places{0, 1, 0, 1, 0, 2, 1, 2};
    const std::vector<double> b{1, 2, 3, 4};
    for (const std::vector<double>& values :
         {std::vector<double>{1, 2, 2, 4, 3, 1, 6, 1}, std::vector<double>{2, 4, 1, 2, 0, 3, 0, 1}}) {
        std::vector<double> x(3);
        std::vector<int> p(3);
        int rank = 0;
        double norm = 0;
        CHECK(cusolverSpDcsrlsqvqrHost(g_handle, 4, 3, 8, g_descriptions[0], values.data(), offsets.data(),
                                       places.data(), b.data(), 1e-12, &rank, x.data(), p.data(), &norm));
        std::printf("rank %d, columns %d %d %d, x %.6f %.6f %.6f, off by %.6f\n", rank, p[0], p[1], p[2], x[0], x[1],
                    x[2], norm);
    }
}

static void eigenvalues()
{
    const std::vector<int> offsets{0, 2, 5, 8, 10}, places{0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    const std::vector<double> values{2, -1, -1, 2, -1, -1, 2, -1, -1, 2}, start{1, 0.5, 0.2, 0.1};
    double mu = 0;
    std::vector<double> x(4);
    CHECK(cusolverSpDcsreigvsiHost(g_handle, 4, 10, g_descriptions[0], values.data(), offsets.data(), places.data(),
                                   0.3, start.data(), 100, 1e-10, &mu, x.data()));
    std::printf("%.10f: %.6f %.6f %.6f %.6f\n", mu, x[0], x[1], x[2], x[3]);
    const OnDevice<double> a(values), from(start), found(std::vector<double>(1)), to(x);
    const OnDevice<int> rows(offsets), columns(places);
    CHECK(cusolverSpDcsreigvsi(g_handle, 4, 10, g_descriptions[0], a.values, rows.values, columns.values, 3.5,
                               from.values, 100, 1e-10, found.values, to.values));
    std::printf("%.10f\n", found.fetched(1)[0]);
    int count = 0;
    CHECK(cusolverSpDcsreigsHost(g_handle, 4, 10, g_descriptions[0], values.data(), offsets.data(), places.data(),
                                 {0, -1}, {2, 1}, &count));
    std::printf("%d from 0 to 2\n", count);
}

/// How far from the diagonal entries are, with rows and columns in an order.
static int bandwidth(const Matrix<double>& a, const std::vector<int>& order)
{
    std::vector<int> place(order.size(), -1);
    for (size_t i = 0; i < order.size(); ++i)
        place[order[i]] = static_cast<int>(i);
    if (std::count(place.begin(), place.end(), -1) > 0)
        return -1;
    int widest = 0;
    for (int row = 0; row < a.rows; ++row)
        for (int i = a.offsets[row]; i < a.offsets[row + 1]; ++i)
            widest = std::max(widest, std::abs(place[row] - place[a.places[i]]));
    return widest;
}

static void orders()
{
    const Matrix<double> plain = grid<double>(6, 0);
    // The grid with its points shuffled.
    std::vector<int> shuffle(36), map(plain.values.size());
    for (int i = 0; i < 36; ++i)
        shuffle[i] = i * 7 % 36 * 5 % 36;
    for (size_t i = 0; i < map.size(); ++i)
        map[i] = static_cast<int>(i);
    Matrix<double> a = plain;
    size_t bytes = 0;
    CHECK(cusolverSpXcsrperm_bufferSizeHost(g_handle, 36, 36, a.count(), g_descriptions[0], a.offsets.data(),
                                            a.places.data(), shuffle.data(), shuffle.data(), &bytes));
    std::vector<char> buffer(bytes);
    CHECK(cusolverSpXcsrpermHost(g_handle, 36, 36, a.count(), g_descriptions[0], a.offsets.data(), a.places.data(),
                                 shuffle.data(), shuffle.data(), map.data(), buffer.data()));
    for (size_t i = 0; i < map.size(); ++i)
        a.values[i] = plain.values[map[i]];
    int isSymmetric = 0;
    CHECK(cusolverSpXcsrissymHost(g_handle, 36, a.count(), g_descriptions[0], a.offsets.data(), a.offsets.data() + 1,
                                  a.places.data(), &isSymmetric));
    std::vector<int> p(36);
    for (int i = 0; i < 36; ++i)
        p[i] = i;
    std::printf("symmetric %d, bands: shuffled %d", isSymmetric, bandwidth(a, p));
    CHECK(cusolverSpXcsrsymrcmHost(g_handle, 36, a.count(), g_descriptions[0], a.offsets.data(), a.places.data(),
                                   p.data()));
    std::printf(", symrcm %d", bandwidth(a, p));
    CHECK(cusolverSpXcsrsymamdHost(g_handle, 36, a.count(), g_descriptions[0], a.offsets.data(), a.places.data(),
                                   p.data()));
    std::printf(", symamd is one: %d", bandwidth(a, p) > 0);
    CHECK(cusolverSpXcsrsymmdqHost(g_handle, 36, a.count(), g_descriptions[0], a.offsets.data(), a.places.data(),
                                   p.data()));
    std::printf(", symmdq %d", bandwidth(a, p) > 0);
    CHECK(cusolverSpXcsrmetisndHost(g_handle, 36, a.count(), g_descriptions[0], a.offsets.data(), a.places.data(),
                                    nullptr, p.data()));
    std::printf(", metisnd %d\n", bandwidth(a, p) > 0);
    const std::vector<int> offsets{0, 1, 3, 5, 6}, places{2, 0, 3, 1, 2, 0};
    const std::vector<double> values{1, 2, 3, 4, 5, 6};
    int found = 0;
    p.resize(4);
    CHECK(cusolverSpDcsrzfdHost(g_handle, 4, 6, g_descriptions[0], values.data(), offsets.data(), places.data(),
                                p.data(), &found));
    std::printf("%d on the diagonal by rows %d %d %d %d\n", found, p[0], p[1], p[2], p[3]);
}

static void batches()
{
    constexpr int count = 3;
    const Matrix<double> a = grid<double>(4, 1);
    std::vector<double> all, right;
    for (int batch = 0; batch < count; ++batch)
        for (const double value : a.values)
            all.push_back(value * (1 + batch));
    for (int i = 0; i < 16 * count; ++i)
        right.push_back(i % 5 - 2);
    const OnDevice<double> values(all), b(right), x(std::vector<double>(right.size()));
    const OnDevice<int> offsets(a.offsets), places(a.places);
    csrqrInfo_t info = nullptr;
    CHECK(cusolverSpCreateCsrqrInfo(&info));
    CHECK(cusolverSpXcsrqrAnalysisBatched(g_handle, 16, 16, a.count(), g_descriptions[1], offsets.values, places.values,
                                          info));
    size_t internal = 0, work = 0;
    CHECK(cusolverSpDcsrqrBufferInfoBatched(g_handle, 16, 16, a.count(), g_descriptions[1], values.values,
                                            offsets.values, places.values, count, info, &internal, &work));
    void* buffer = nullptr;
    CHECK(cudaMalloc(&buffer, work));
    CHECK(cusolverSpDcsrqrsvBatched(g_handle, 16, 16, a.count(), g_descriptions[1], values.values, offsets.values,
                                    places.values, b.values, x.values, count, info, buffer));
    CHECK(cudaFree(buffer));
    CHECK(cusolverSpDestroyCsrqrInfo(info));
    const std::vector<double> solutions = x.fetched(right.size());
    int good = 0;
    for (int batch = 0; batch < count; ++batch) {
        Matrix<double> own = a;
        own.values.assign(all.begin() + batch * a.count(), all.begin() + (batch + 1) * a.count());
        good += errorOf(own, {solutions.begin() + batch * 16, solutions.begin() + (batch + 1) * 16},
                        {right.begin() + batch * 16, right.begin() + (batch + 1) * 16}, 1) < 1e-12;
    }
    std::printf("batches: %d of %d\n", good, count);
}

int main()
{
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cusolverSpCreate(&g_handle));
    CHECK(cusolverSpSetStream(g_handle, stream));
    for (int base = 0; base < 2; ++base) {
        CHECK(cusparseCreateMatDescr(&g_descriptions[base]));
        CHECK(cusparseSetMatIndexBase(g_descriptions[base], base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO));
    }
    solvesSystems();
    tellsSingularity();
    leastSquares();
    eigenvalues();
    orders();
    batches();
    for (const cusparseMatDescr_t description : g_descriptions)
        CHECK(cusparseDestroyMatDescr(description));
    CHECK(cusolverSpDestroy(g_handle));
    CHECK(cudaStreamDestroy(stream));
}
