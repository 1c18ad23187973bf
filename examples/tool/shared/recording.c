/* recording.c - reads recordings: the file, its parser, what is looked at ahead, and where its addresses are */
#include "recording.h"

/* ----- the file --------------------------------------------------------------------------------------------------- */

/* 1 if a directory has the file of perf record --threads of a number; -1: the one with all but the samples. */
static int thread_file(const char *directory, int number)
{
    char path[4096];
    struct stat st;
    const int n = number < 0 ? snprintf(path, sizeof path, "%s/data", directory)
                             : snprintf(path, sizeof path, "%s/data.%d", directory, number);
    return n > 0 && (size_t)n < sizeof path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Says what to do with a directory of perf record --threads, if that is what it is. Returns 1 if so. */
static int is_thread_directory(const reader *r, const char *directory)
{
    char last[24] = "";
    int n = 0;
    if (!thread_file(directory, -1) || !thread_file(directory, 0)) return 0;
    while (n < 100000 && thread_file(directory, n + 1)) n++;
    if (n != 0) sprintf(last, " to data.%d", n);
    fail(r->tool, "%s: a directory of perf record --threads, with a recording in its files data and data.0%s: record "
         "without --threads, or give what perf script -i %s prints as --perfscript", directory, last, directory);
    return 1;
}

int reader_has_nothing(const reader *r)
{
    const char *const slash = strrchr(r->path, '/'), *const name = slash != NULL ? slash + 1 : r->path;
    char directory[4096] = ".";
    const size_t n = slash != NULL ? (size_t)(slash - r->path) : 0;
    if (r->data == NULL || reader_samples(r) != 0) return 0;
    if (strcmp(name, "data") != 0 || n >= sizeof directory) return 0;
    if (slash != NULL) memcpy(directory, n != 0 ? r->path : "/", n != 0 ? n : 1);
    if (n != 0) directory[n] = '\0';
    return is_thread_directory(r, directory);
}

/* Puts a profile of pprof in place of one of gperftools. Returns 0 after saying what is wrong. */
static int gperftools_convert(reader *r, const file_bytes *f)
{
    csspgo_error e;
    size_t size;
    csspgo_status s = csspgo_gperftools_convert(f->data, f->size, NULL, NULL, 0, &size, &e);
    if (s == CSSPGO_OK && (r->converted = (unsigned char *)malloc(size + 1)) == NULL)
        return fail(r->tool, "out of memory"), 0;
    if (s == CSSPGO_OK) s = csspgo_gperftools_convert(f->data, f->size, NULL, r->converted, size, &size, &e);
    if (s != CSSPGO_OK) return fail_at(r->tool, r->path, &e), 0;
    if (r->file != stdin) fclose(r->file);
    r->file = fmemopen(r->converted, size, "rb");
    r->total = size;
    r->twice = 1;
    return r->file != NULL || (fail(r->tool, "out of memory"), 0);
}

/* A profile of gperftools, which is a regular file, or the profile of pprof that it is. Returns 0 after an error. */
static int gperftools_open(reader *r)
{
    file_bytes f;
    const int first = getc(r->file);
    int ok = 1;
    if (first == EOF) return clearerr(r->file), 1;
    ungetc(first, r->file);
    if (first != 0 || strcmp(r->path, "-") == 0 || !file_open_named(r->path, &f)) return 1;    /* no message begins so */
    if (csspgo_is_gperftools(f.data, f.size)) ok = gperftools_convert(r, &f);
    file_close(&f);
    return ok;
}

int reader_open(reader *r, const char *path, const file_bytes *text)
{
    const int is_stdin = strcmp(path, "-") == 0;
    struct stat st;
    r->path = path;
    r->total = r->bytes = r->samples = r->sampled = 0;
    r->began = r->fed = r->ended = r->twice = 0;
    errno = ENOMEM;                                        /* unless a system call fails */
    if (text != NULL) r->file = fmemopen((void *)(uintptr_t)text->data, text->size, "rb");
    else r->file = is_stdin ? stdin : fopen(path, "rb");
    if (r->file == NULL) return fail(r->tool, "%s: %s", path, file_why()), 0;
    setvbuf(r->file, NULL, _IONBF, 0);
    if (text != NULL) r->total = text->size;
    else if (!is_stdin && fstat(fileno(r->file), &st) == 0) {
        if (S_ISDIR(st.st_mode) && is_thread_directory(r, path)) return 0;
        if (S_ISDIR(st.st_mode) && !r->tool->compat) return fail(r->tool, "%s: %s", path, strerror(EISDIR)), 0;
        if (S_ISREG(st.st_mode)) r->total = (unsigned long long)st.st_size;
    }
    r->twice = r->total != 0;
    if (r->tool->compat) return 1;
    if (r->how.pprof) return text != NULL && csspgo_is_gperftools(text->data, text->size) ? gperftools_convert(r, text)
                                                                                           : gperftools_open(r);
    r->file = packed_open(r->tool, path, r->file, r->twice, &r->unpacks);
    if (r->unpacks != NULL) r->total = 0;
    if (r->file != NULL && r->how.text) r->file = trace_open(r->tool, r->file, r->twice);
    return r->file != NULL;
}

const char *reader_why(const reader *r)
{
    const char *const why = packed_why(r->unpacks);
    return why != NULL ? why : file_why();
}

void reader_close(reader *r)
{
    parsing_end(r->parsing);
    r->parsing = NULL;
    csspgo_script_free(r->script);
    csspgo_perfdata_free(r->data);
    csspgo_pprof_free(r->pprof);
    csspgo_preagg_free(r->preagg);
    csspgo_perfdata_free(r->tail);
    csspgo_perfdata_free(r->kernel);
    if (r->file != NULL && r->file != stdin) fclose(r->file);
    free(r->converted);
    r->converted = NULL;
    r->unpacks = NULL;
    r->script = NULL;
    r->data = r->tail = r->kernel = NULL;
    r->pprof = NULL;
    r->preagg = NULL;
    r->file = NULL;
}

void reader_free(reader *r)
{
    reader_close(r);
    mapped_forget(r);
    renamed_free(r->renamed);
    inlined_free(r->inlined);
}

/* ----- the parser ------------------------------------------------------------------------------------------------- */

static csspgo_script *script_new(const reader *r)
{
    const int any = !r->how.as_llvm;
    csspgo_script_options how;
    memset(&how, 0, sizeof how);
    how.code = any || r->tool->compat ? r->programs->v->loaded.code : NULL;     /* compat: broken stacks as LLVM's */
    how.llvm = any ? 0 : r->tool->compat >= 22 ? 22 : 19;
    how.memory_bytes = r->how.memory_bytes;
    return csspgo_script_new(&how, seeded(), NULL);
}

static csspgo_preagg *preagg_new(const reader *r)
{
    csspgo_preagg_options how;
    memset(&how, 0, sizeof how);
    how.code = r->programs->v->loaded.code;
    how.module = r->programs->v->loaded.module;
    how.llvm = r->tool->compat ? 19 : 0;
    return csspgo_preagg_new(&how, seeded(), NULL);
}

int reader_parse(reader *r, recording_kind kind)
{
    if (kind == RECORDING_SCRIPT) r->script = script_new(r);
    else if (kind == RECORDING_PPROF) r->pprof = programs_pprof(r->programs, r->how.pprof_type);
    else if (kind == RECORDING_PREAGG) r->preagg = preagg_new(r);
    else r->data = csspgo_perfdata_new(seeded(), NULL);
    if (r->script == NULL && r->data == NULL && r->pprof == NULL && r->preagg == NULL)
        return fail(r->tool, "out of memory"), 0;
    if (r->data != NULL && r->how.kernel) csspgo_perfdata_take_kernel(r->data);
    memset(&r->in_kernel, 0, sizeof r->in_kernel);
    filter_next(r->how.filter);
    if (r->data == NULL || (!r->how.both && !filter_asks_kernel(r->how.filter))) return 1;
    r->kernel = csspgo_perfdata_new(seeded(), NULL);
    if (r->kernel == NULL) return fail(r->tool, "out of memory"), 0;
    csspgo_perfdata_take_kernel(r->kernel);
    return 1;
}

unsigned long long reader_samples(const reader *r)
{
    if (r->preagg != NULL) return csspgo_preagg_get_stats(r->preagg).line_count;
    if (r->pprof != NULL) return csspgo_pprof_get_stats(r->pprof).samples;
    return r->script != NULL ? csspgo_script_get_stats(r->script).samples : csspgo_perfdata_get_stats(r->data).samples;
}

void reader_feed(reader *r, const void *piece, size_t size)
{
    if (r->preagg != NULL && size != 0) csspgo_preagg_feed(r->preagg, piece, size, NULL);
    else if (r->preagg != NULL) csspgo_preagg_end(r->preagg);
    else if (r->pprof != NULL && size != 0) csspgo_pprof_feed(r->pprof, piece, size, NULL);
    else if (r->pprof != NULL) csspgo_pprof_end(r->pprof);
    else if (r->script != NULL && size != 0) csspgo_script_feed(r->script, piece, size, NULL);  /* the last piece was */
    else if (r->script != NULL) csspgo_script_end(r->script);                              /* read up: cannot fail */
    else if (size != 0) csspgo_perfdata_feed(r->data, piece, size, NULL);
    else csspgo_perfdata_end(r->data);
    if (r->kernel != NULL && size != 0) csspgo_perfdata_feed(r->kernel, piece, size, NULL);
    else if (r->kernel != NULL) csspgo_perfdata_end(r->kernel);
}

/* The next item, whatever the filter says of it. */
static int item_of(reader *r, csspgo_item *item, csspgo_sample *sample, csspgo_mmap *map)
{
    csspgo_error e;
    csspgo_mmap other;
    *item = r->script != NULL  ? csspgo_script_next(r->script, sample, map, &e)
          : r->pprof != NULL ? csspgo_pprof_next(r->pprof, sample, map, &e)
                             : csspgo_perfdata_next(r->data, sample, map, &e);
    if (r->kernel != NULL) csspgo_perfdata_next(r->kernel, &r->in_kernel, &other, NULL);
    if (*item != CSSPGO_ITEM_NONE) return 1;
    if (e.status == CSSPGO_E_TRUNCATED && r->data != NULL && reader_samples(r) != 0) {
        warn(r->tool, "%s: byte %llu: %s: the profile is of the %llu samples before", r->path,
             (unsigned long long)e.offset, plain(&e), reader_samples(r));
        return 0;
    }
    if (e.status == CSSPGO_OK) return 0;
    kind_fail_at(r->tool, r->path, r->script != NULL ? KIND_SCRIPT : r->pprof != NULL ? KIND_GZIP | KIND_PPROF
                                                                              : KIND_PERFDATA, &e);
    return -1;
}

const uint64_t *reader_kernel(const reader *r, uint32_t *frames)
{
    const csspgo_sample *const s = &r->in_kernel;
    *frames = r->kernel != NULL && s->stack_count != 0 && s->stack[0] >> 63 != 0 ? s->stack_count : 0;
    return s->stack;
}

/* 1 if the last sample was taken in the kernel. */
static int is_in_kernel(const reader *r, const csspgo_sample *s)
{
    uint32_t frames;
    if (r->kernel != NULL) return reader_kernel(r, &frames), frames != 0;
    if (s->stack_count != 0) return s->stack[0] >> 63 != 0;
    return s->branch_count != 0 && s->branches[0].to >> 63 != 0;
}

/* The filter learns what the event of a sample is called, as it is called until its name comes. */
static void event_learn(const reader *r, const csspgo_sample *s)
{
    csspgo_event_info event;
    if (!filter_lacks_event(r->how.filter, s->event)) return;
    if (r->script != NULL ? csspgo_script_event(r->script, s->event, &event)
                          : r->data != NULL && csspgo_perfdata_event(r->data, s->event, &event))
        filter_knows_event(r->how.filter, s->event, event.name, event.name_size);
}

int reader_item(reader *r, csspgo_item *item, csspgo_sample *sample, csspgo_mmap *map)
{
    int got;
    while ((got = item_of(r, item, sample, map)) > 0 && r->how.filter != NULL) {
        if (*item != CSSPGO_ITEM_SAMPLE) return filter_event(r->how.filter, *item, sample, map) ? 1 : -1;
        event_learn(r, sample);
        if (filter_takes(r->how.filter, sample, is_in_kernel(r, sample), r->data)) return 1;
    }
    return got;
}

/* ----- looking ahead ---------------------------------------------------------------------------------------------- */

/* Reads what stands behind the data of a perf.data file: build ids, and events' names. */
static int read_tail(reader *r)
{
    static char chunk[1 << 16];
    csspgo_perfdata *const d = r->tail = csspgo_perfdata_new(seeded(), NULL);
    csspgo_item item;
    csspgo_sample sample;
    csspgo_mmap map, meant;
    uint64_t at = 0, bytes = 0;
    size_t n;
    int ok = d != NULL || (fail(r->tool, "out of memory"), 0), was_mapped;
    while (ok && (at != 0 || bytes < 1 << 20) && (n = fread(chunk, 1, sizeof chunk, r->file)) != 0) {
        csspgo_perfdata_feed(d, chunk, n, NULL);
        while (ok && (item = csspgo_perfdata_next(d, &sample, &map, NULL)) != CSSPGO_ITEM_NONE) {
            if (item != CSSPGO_ITEM_BUILD_ID) continue;
            renamed_see(r, item, &sample, &map);
            if (r->programs->spaces != NULL) ok = reader_event(r, item, &sample, &map, &was_mapped, &meant);
        }
        bytes += n;
        if (at == 0) at = csspgo_perfdata_skip_data(d);
        if (at == 0 || at == UINT64_MAX) continue;
        ok = ok && (fseeko(r->file, (off_t)at, SEEK_SET) == 0 || (fail(r->tool, "%s: %s", r->path, reader_why(r)), 0));
        at = UINT64_MAX;
    }
    r->ids_read = ok && at != 0;
    if (!ok) return 0;
    return (!ferror(r->file) && fseeko(r->file, 0, SEEK_SET) == 0) ||
           (fail(r->tool, "%s: %s", r->path, reader_why(r)), 0);
}

int reader_names(reader *r)
{
    csspgo_event_info event;
    uint32_t i;
    if (r->tail == NULL && r->data != NULL && r->twice && !read_tail(r)) return 0;
    for (i = 1; r->tail != NULL && filter_asks_event(r->how.filter) && csspgo_perfdata_event(r->tail, i, &event); i++)
        filter_knows_event(r->how.filter, i, event.name, event.name_size);
    return 1;
}

int reader_begin(reader *r, recording_kind kind)
{
    mapped_forget(r);
    r->mapped = r->ids_read = r->pidless = 0;
    if (!reader_parse(r, kind) || !renamed_begin(r)) return 0;
    if (r->data != NULL && r->twice && !read_tail(r)) return 0;
    if (!reader_names(r)) return 0;
    return !r->twice || renamed_ahead(r, "", 0, r->file);
}

/* ----- reading ---------------------------------------------------------------------------------------------------- */

/* The next bytes; none at the end, or if SIGINT came. */
static void next_chunk(reader *r)
{
    static char chunk[READING_CHUNK];
    r->chunk = chunk;
    r->size = interrupted() ? 0 : fread(chunk, 1, READING_CHUNK, r->file);
}

void reader_first(reader *r)
{
    csspgo_perfdata_free(r->tail);
    r->tail = NULL;
    r->shown = progress_begin(r->tool);
    r->shown.total = r->total;
    r->began = 1;
    next_chunk(r);
}

void reader_stopped(reader *r, unsigned long long bytes)
{
    r->partial = 1;
    warn(r->tool, "%s: interrupted after %llu bytes: the profile is of what came before", r->path, bytes);
}

/* A chunk was taken; from a pipe or a device at most 1 GiB without a sample. Returns 0 after saying what is wrong. */
static int chunk_is_over(reader *r)
{
    const unsigned long long samples = reader_samples(r);
    r->bytes += r->size;
    progress_show(&r->shown, r->bytes, samples);
    if (samples != r->samples) {
        r->samples = samples;
        r->sampled = r->bytes;
    } else if (r->total == 0 && r->pprof == NULL && r->bytes - r->sampled > 1 << 30)
        return fail(r->tool, "%s: 1 GiB without a sample: this is no recording", r->path), 0;
    return 1;
}

/* From the first piece on another thread parses, if that is wanted. Returns 0 if not. */
static int parsing_starts(reader *r)
{
    csspgo_script *follows;
    if (r->script == NULL || !r->twice || threads_asked(r->tool, r->how.threads, r->total) < 2) return 0;
    if (r->how.as_llvm || r->programs->spaces == NULL) return 0;                        /* the code moves meanwhile */
    follows = script_new(r);
    if (follows == NULL) return 0;
    reader_feed(r, r->chunk, r->size);
    r->parsing = parsing_begin(r->script, r->file, r->size, r->total);
    if (r->parsing != NULL) {
        r->script = follows;
        r->size = 0;
        return 1;
    }
    csspgo_script_free(follows);
    return 1;
}

/* reader_more where another thread parses. */
static int parsing_more(reader *r, int first)
{
    const csspgo_script_batch *b;
    unsigned long long bytes;
    reading_end end;
    if (!first) parsing_taken(r->parsing);
    b = parsing_next(r->parsing, &bytes, &end);
    r->size = (size_t)(bytes - r->bytes);
    if (!chunk_is_over(r)) return -1;
    r->ended = end != READING_ON;
    if (r->ended) progress_end(&r->shown);
    if (end == READING_FAILED) return fail(r->tool, "%s: %s", r->path, reader_why(r)), -1;
    if (end == READING_STOPPED) reader_stopped(r, r->bytes);
    csspgo_script_follow(r->script, b, NULL);              /* the last one was read up: cannot fail */
    return 1;
}

int reader_more(reader *r)
{
    if (r->ended) return 0;
    if (r->parsing != NULL) return parsing_more(r, 0);
    if (!r->began) reader_first(r);
    else if (r->fed) {
        if (!chunk_is_over(r)) return -1;
        next_chunk(r);
    }
    if (r->size != 0) {
        if (!r->fed && !r->twice && !renamed_ahead(r, r->chunk, r->size, NULL)) return -1;
        if (!r->fed && parsing_starts(r)) {
            r->fed = 1;
            return r->parsing != NULL ? parsing_more(r, 1) : 1;
        }
        r->fed = 1;
        reader_feed(r, r->chunk, r->size);
        return 1;
    }
    progress_end(&r->shown);
    r->ended = 1;
    if (interrupted() && !feof(r->file) && (r->total == 0 || r->bytes < r->total)) {
        reader_stopped(r, r->bytes);
        if (r->script != NULL) csspgo_script_feed(r->script, "", 0, NULL);      /* samples that it holds back */
        return r->script != NULL;
    }
    if (ferror(r->file)) return fail(r->tool, "%s: %s", r->path, reader_why(r)), -1;
    reader_feed(r, NULL, 0);
    return 1;
}

/* ----- items ------------------------------------------------------------------------------------------------------ */

int reader_event(reader *r, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int *was_mapped,
                 csspgo_mmap *meant)
{
    csspgo_processes *const spaces = r->programs->spaces;
    const uint64_t known = csspgo_processes_get_stats(spaces).mappings;
    csspgo_status s;
    if (item == CSSPGO_ITEM_MMAP || item == CSSPGO_ITEM_BUILD_ID) mapped_add(r, item, map);
    *meant = r->tool->compat ? *map : windows_map(r->programs, item, map);
    *meant = renamed_map(r, item, meant, r->id);
    s = csspgo_processes_event(spaces, item, sample, meant, NULL);
    *was_mapped = csspgo_processes_get_stats(spaces).mappings != known;
    r->mapped = csspgo_processes_get_stats(spaces).mappings != 0;
    return s == CSSPGO_OK || (fail(r->tool, "%s", csspgo_status_text(s)), 0);
}

csspgo_status reader_place(reader *r, csspgo_sample *sample, const uint32_t *files)
{
    csspgo_processes_frame_files(r->programs->spaces, files);
    return csspgo_processes_sample(r->programs->spaces, sample, NULL);
}

/* ----- what is said at the end ------------------------------------------------------------------------------------ */

/* Of perf.data. */
static void data_warnings(reader *r)
{
    const csspgo_perfdata_stats s = csspgo_perfdata_get_stats(r->data);
    if (s.bad_records != 0)
        warn(r->tool, "%s: byte %llu: and %llu more records make no sense", r->path,
             (unsigned long long)s.first_bad_offset, (unsigned long long)s.bad_records - 1);
    if (s.unknown_events != 0)
        warn(r->tool, "%s: %llu samples are of events that it does not describe: they do not count", r->path,
             (unsigned long long)s.unknown_events);
    if (s.guests != 0)
        warn(r->tool, "%s: %llu samples are of guests (virtual machines): they do not count; record inside the guest",
             r->path, (unsigned long long)s.guests);
    r->guests = sum_of(r->guests, s.guests);
    r->lost = sum_of(r->lost, s.lost);
    r->user_stacks |= s.has_stack_copies != 0;
    if (s.lost != 0) warn(r->tool, "%s: the kernel lost %llu samples", r->path, (unsigned long long)s.lost);
}

static void script_warnings(const reader *r)
{
    const csspgo_script_stats s = csspgo_script_get_stats(r->script);
    const unsigned long long bad = s.bad_frame_lines + s.bad_records + s.bad_mmaps;
    if (bad != 0)
        warn(r->tool, "%s:%llu: and %llu more lines make no sense", r->path, (unsigned long long)s.first_bad_line,
             bad - 1);
}

static void pprof_warnings(const reader *r)
{
    const csspgo_pprof_stats s = csspgo_pprof_get_stats(r->pprof);
    if (s.not_positive != 0)
        warn(r->tool, "%s: %" PRIu64 " samples have no %.*s", r->path, s.not_positive, (int)s.type_size, s.type);
    if (s.no_address != 0)
        warn(r->tool, "%s: %" PRIu64 " samples have no address, only names: they do not count", r->path, s.no_address);
    if (s.cut_stacks != 0)
        warn(r->tool, "%s: %" PRIu64 " stacks are cut at callers without address, or to 512 frames", r->path,
             s.cut_stacks);
}

void reader_warnings(reader *r)
{
    if (r->pprof != NULL) pprof_warnings(r);
    else if (r->script != NULL) script_warnings(r);
    else data_warnings(r);
}

/* Of build ids. Returns 0 after saying that the recording is of another program. */
static int builds_agree(const reader *r, const csspgo_processes_stats *s)
{
    const program_image *const m = r->programs->v;
    char recorded[41], given[41];
    size_t size;
    const unsigned char *const id = elf_build_id(&m->loaded.elf, &size);
    if (s->other_builds == 0) return 1;
    build_text(s->other_build, s->other_build_size, recorded);
    build_text(id, size, given);
    if (s->builds == 0)
        return fail(r->tool, "%s: the recorded program has build id %s, %s has %s: give the program that was recorded",
                    r->path, recorded, m->path, given),
               0;
    warn(r->tool, "%s: samples of a program of the same name with build id %s do not count: %s has %s", r->path,
         recorded, m->path, given);
    return 1;
}

int reader_fits(const reader *r)
{
    const csspgo_processes_stats s = csspgo_processes_get_stats(r->programs->spaces);
    const char *const program = r->programs->v->path;
    const size_t more = r->programs->count - 1;
    if (!builds_agree(r, &s)) return 0;
    if (s.unfit_mappings != 0)
        warn(r->tool, "%s: %llu mappings of %s fit none of its segments", r->path, (unsigned long long)s.unfit_mappings,
             program);
    if (s.offset_stacks != 0)
        warn(r->tool,
             "%s: %llu call stacks are of offsets in files, as perf 5.16 to 6.3 prints them: %llu of their frames are "
             "in %s%s; perf.data itself is surer",
             r->path, (unsigned long long)s.offset_stacks, (unsigned long long)s.offset_frames, program,
             more != 0 ? " and the other files given" : "");
    if (s.places > 1 + more && r->pidless)
        warn(r->tool,
             "%s: %s is mapped at %llu addresses, and samples do not say of which process they are: print them with "
             "-F +pid",
             r->path, program, (unsigned long long)s.places);
    if (s.offset_records > reader_samples(r) / 2)
        return fail(r->tool, "%s: branch records are offsets in files (brstackoff): use -F brstack", r->path), 0;
    if (s.guessed != 0)
        warn(r->tool, "%s: %llu samples are of processes without mapping events: they are looked up among all mappings",
             r->path, (unsigned long long)s.guessed);
    return 1;
}

int reader_without_mapping(const reader *r)
{
    const program_image *const m = r->programs->v;
    if (r->programs->spaces == NULL) return 1;
    if (csspgo_code_base(m->loaded.code, m->loaded.module) >> 63 != 0)
        return fail(r->tool, "%s: %s has the addresses of a kernel: give --kernel", r->path, m->path), 0;
    return r->how.has_base || !mapped_complain(r);
}

void reader_no_mapping(const reader *r)
{
    const program_image *const m = r->programs->v;
    warn(r->tool, "no mapping event is for %s: its preferred address 0x%llx is taken", m->path,
         (unsigned long long)csspgo_code_base(m->loaded.code, m->loaded.module));
}
