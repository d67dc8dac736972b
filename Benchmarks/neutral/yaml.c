/* The least that reading a YAML file can cost: libyaml's own event loop over it.
 *   yaml FILE N   prints milliseconds of CPU time a file */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <yaml.h>

static double cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv) {
    static unsigned char text[1 << 20];
    FILE *file = fopen(argv[1], "rb");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    long count = argc > 2 ? atol(argv[2]) : 1000;
    if (!size) return 1;
    double begin = cpu();
    for (long i = 0; i < count; i++) {
        yaml_parser_t parser;
        yaml_event_t event;
        int done = 0;
        yaml_parser_initialize(&parser);
        yaml_parser_set_input_string(&parser, text, size);
        while (!done) {
            if (!yaml_parser_parse(&parser, &event)) return 1;
            done = event.type == YAML_STREAM_END_EVENT;
            yaml_event_delete(&event);
        }
        yaml_parser_delete(&parser);
    }
    printf("%.4f\n", (cpu() - begin) * 1e3 / count);
}
