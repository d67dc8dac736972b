/* The least that a ring of twelve steps can cost: rows in memory, a guard at every second one, one budget.
 *   ring N        prints nanoseconds of CPU time a transition */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct edge { int target, maximum, guarded; };
struct step { int first, count, visits; };

static double cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 10000000, done = 0;
    struct step steps[12];
    struct edge edges[24];
    int used[24] = {0}, visits[12] = {0}, edge_count = 0;
    volatile long slots[2] = {1, 3};
    for (int i = 0; i < 12; i++) {
        steps[i].first = edge_count;
        steps[i].visits = 10000;
        if (i % 2 == 0 || i == 11) {
            edges[edge_count++] = (struct edge){(i + 1) % 12, i == 11 ? 8000 : 1 << 30, i != 11};
            edges[edge_count++] = (struct edge){-1, 1 << 30, 0};
        } else
            edges[edge_count++] = (struct edge){i + 1, 1 << 30, 0};
        steps[i].count = edge_count - steps[i].first;
    }
    double begin = cpu();
    while (done < count) {
        int at = 0;
        for (int i = 0; i < 24; i++) used[i] = 0;
        for (int i = 0; i < 12; i++) visits[i] = 0;
        while (at >= 0) {
            struct step *s = &steps[at];
            if (++visits[at] > s->visits) abort();
            int e = s->first, last = s->first + s->count - 1;
            while (e < last && !(used[e] < edges[e].maximum && (!edges[e].guarded || (slots[0] && slots[1] < 60)))) e++;
            used[e]++;
            at = edges[e].target;
            done++;
        }
    }
    printf("%.2f\n", (cpu() - begin) * 1e9 / done);
}
