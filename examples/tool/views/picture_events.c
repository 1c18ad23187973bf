/* picture_events.c - a picture of any recording: which events its samples are of
 *
 * Samples of unlike events do not measure the same: so it is said that they are added up. --event chooses.
 */
#include "picture.h"

void picture_events_add(picture_events *e, const char *name, size_t size, uint64_t count)
{
    size_t i;
    if (size > PICTURE_EVENT_NAME) size = PICTURE_EVENT_NAME;
    for (i = 0; i < e->count; i++)
        if (e->name_size[i] == size && (size == 0 || memcmp(e->name[i], name, size) == 0)) break;
    if (i == PICTURE_EVENTS) {
        e->others = sum_of(e->others, count);
        return;
    }
    if (i == e->count) {
        if (size != 0) memcpy(e->name[i], name, size);
        e->name[i][size] = '\0';
        e->name_size[i] = size;
        e->samples[i] = 0;
        e->count++;
    }
    e->samples[i] = sum_of(e->samples[i], count);
}

void picture_events_tell(const tool_context *tool, const picture_events *e, const char *path)
{
    char line[PICTURE_EVENTS * (PICTURE_EVENT_NAME + 32)];
    size_t n = 0, i;
    if (e->count < 2) return;
    for (i = 0; i < e->count; i++) {
        n += (size_t)snprintf(line + n, sizeof line - n, "%s", i != 0 ? ", " : "");
        n += mapped_name(line + n, *e->name[i] != '\0' ? e->name[i] : "?", PICTURE_EVENT_NAME);
        n += (size_t)snprintf(line + n, sizeof line - n, " (%" PRIu64 ")", e->samples[i]);
    }
    warn(tool, "%s: samples of several events add up: %s%s; --event=NAME chooses", path, line,
         e->others != 0 ? " and others" : "");
}
