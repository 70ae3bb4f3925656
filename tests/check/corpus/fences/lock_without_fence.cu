// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock protects a counter, but it is given back before the counter is sure to have been written.
#include <cstdio>

struct Account {
    int lock;
    int money;
};

__global__ void deposit(Account* account)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(&account->lock, 0, 1) != 0) {
    }
    __threadfence();
    account->money += 10;  // expect: global-race
#ifdef FIXED
    __threadfence();
#endif
    atomicExch(&account->lock, 0);
}

int main()
{
    Account *account, r;
    cudaMalloc(&account, sizeof r);
    cudaMemset(account, 0, sizeof r);
    deposit<<<8, 32>>>(account);
    cudaMemcpy(&r, account, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(account);
    return r.money == 80 ? 0 : 1;
}
