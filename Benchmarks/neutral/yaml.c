/* The least that reading YAML files can cost: libyaml's own event loop over them, from memory.
 *   yaml N FILE...   reads all of them N times; prints milliseconds of CPU time a file */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <yaml.h>

static double cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

struct text {
    unsigned char *bytes;
    size_t size;
};

static int read_file(const char *path, struct text *text) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    text->bytes = malloc(1 << 18);
    text->size = fread(text->bytes, 1, 1 << 18, file);
    fclose(file);
    text->bytes = realloc(text->bytes, text->size);
    return text->size > 0;
}

static int parse(const struct text *text) {
    yaml_parser_t parser;
    yaml_event_t event;
    int done = 0;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, text->bytes, text->size);
    while (!done) {
        if (!yaml_parser_parse(&parser, &event)) return 0;
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return 1;
}

int main(int argc, char **argv) {
    long count = argc > 2 ? atol(argv[1]) : 0, files = argc - 2;
    struct text *texts = calloc(argc, sizeof *texts);
    if (count < 1) return 1;
    for (long i = 0; i < files; i++)
        if (!read_file(argv[i + 2], &texts[i])) return 1;
    double begin = cpu();
    for (long round = 0; round < count; round++)
        for (long i = 0; i < files; i++)
            if (!parse(&texts[i])) return 1;
    printf("%.4f\n", (cpu() - begin) * 1e3 / (count * files));
}
