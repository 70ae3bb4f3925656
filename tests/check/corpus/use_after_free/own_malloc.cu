// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list node is read after it was deleted.
#include <cstdio>

struct Node {
    int value;
    Node* next;
};

__global__ void sum(int* out)
{
    Node* head = nullptr;
    for (int i = 0; i < 4; ++i)
        head = new Node{i, head};
    int total = 0;
    while (head) {
        total += head->value;
#ifdef FIXED
        Node* next = head->next;
        delete head;
        head = next;
#else
        delete head;
        head = head->next;  // expect: use-after-free
#endif
    }
    out[threadIdx.x] = total;
}

int main()
{
    int h[2], *out;
    cudaMalloc(&out, sizeof h);
    sum<<<1, 2>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[1]);
    cudaFree(out);
}
