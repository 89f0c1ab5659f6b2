/*
 * Preloaded into a program, it appends every change to files below $RECORDED_FOLDER to the file $RECORDING, in the order
 * in which the changes took effect: a header of 24 bytes, then its data. recorded-change.ts reads it.
 *
 * A sync takes $SYNC_US microseconds and never reaches a disk: only its begin and end are recorded.
 *
 * If $FAULTS names a file, the program writes there which calls fail from then on: faulty-disk.ts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, SYNCED, RENAME, LINK, UNLINK, MKDIR };

struct header {
  uint32_t kind, length;
  uint64_t inode, at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static int recording = -1;
static useconds_t sync_us;
static uint64_t syncs;

/* The error of each kind of call, or 0; how many writes still succeed; whether a read returns half of what it could. */
struct faults {
  uint32_t write_error, writes_left, sync_error, read_error, has_short_reads;
};
static struct faults no_faults;
static volatile struct faults *faults = &no_faults;

static void record(uint32_t kind, uint64_t inode, uint64_t at, const void *data, size_t length) {
  struct header header = {kind, (uint32_t)length, inode, at};
  struct iovec parts[2] = {{&header, sizeof header}, {(void *)data, length}};
  if (syscall(SYS_writev, recording, parts, 2) != (long)(sizeof header + length)) abort();
}

static uint64_t get_inode(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 ? status.st_ino : 0;
}

static void record_paths(uint32_t kind, const char *path, const char *other) {
  char both[2 * PATH_MAX];
  int length = snprintf(both, sizeof both, "%s%c%s", path, 0, other);
  record(kind, get_inode(*other ? other : path), 0, both, length);
}

static int is_inside(const char *path) {
  return root_length > 0 && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* Returns the inode of a descriptor of a file or folder below the root; 0 for any other. */
static uint64_t find_inode(int fd) {
  char link[40], path[PATH_MAX];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = root_length > 0 ? readlink(link, path, sizeof path - 1) : -1;
  if (length < 0) return 0;
  path[length] = 0;
  return is_inside(path) && fstat(fd, &status) == 0 ? status.st_ino : 0;
}

__attribute__((constructor)) static void start(void) {
  const char *folder = getenv("RECORDED_FOLDER"), *file = getenv("RECORDING"), *us = getenv("SYNC_US");
  if (!folder || !file) return;
  recording = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (recording < 0) abort();
  sync_us = us ? atoi(us) : 0;
  const char *orders = getenv("FAULTS");
  int fd = orders ? syscall(SYS_openat, AT_FDCWD, orders, O_RDWR | O_CLOEXEC) : -1;
  void *mapped = fd < 0 ? MAP_FAILED : mmap(0, sizeof no_faults, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) faults = mapped;
  snprintf(root, sizeof root, "%s", folder);
  root_length = strlen(root);
  record_paths(MKDIR, root, "");
}

static int do_open(int folder, const char *path, int flags, mode_t mode) {
  if (!is_inside(path)) return syscall(SYS_openat, folder, path, flags, mode);
  pthread_mutex_lock(&lock);
  int is_new = get_inode(path) == 0;
  int fd = syscall(SYS_openat, folder, path, flags, mode);
  if (fd >= 0 && is_new) record_paths(CREATE, path, "");
  else if (fd >= 0 && (flags & O_TRUNC)) record(TRUNCATE, get_inode(path), 0, "", 0);
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(name, parameters, folder)                    \
  int name parameters {                                   \
    va_list rest;                                         \
    va_start(rest, flags);                                \
    mode_t mode = flags & O_CREAT ? va_arg(rest, int) : 0; \
    va_end(rest);                                         \
    return do_open(folder, path, flags, mode);            \
  }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, (int folder, const char *path, int flags, ...), folder)
OPEN(openat64, (int folder, const char *path, int flags, ...), folder)

/* Writes and records what was written. `at` is -1 for the current position. */
static ssize_t do_write(int fd, const struct iovec *parts, int count, off64_t at) {
  uint64_t inode = find_inode(fd);
  if (inode && faults->write_error) {
    if (faults->writes_left == 0) {
      errno = faults->write_error;
      return -1;
    }
    faults->writes_left--;
  }
  if (inode) pthread_mutex_lock(&lock);
  off64_t start = at >= 0 || !inode ? at : lseek64(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
  ssize_t written = at < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, at, 0);
  int error = errno;
  if (inode) {
    ssize_t left = written;
    for (int each = 0; each < count && left > 0; each++) {
      size_t length = parts[each].iov_len < (size_t)left ? parts[each].iov_len : (size_t)left;
      record(WRITE, inode, start, parts[each].iov_base, length);
      start += length;
      left -= length;
    }
    pthread_mutex_unlock(&lock);
  }
  errno = error;
  return written;
}

ssize_t write(int fd, const void *data, size_t length) {
  return do_write(fd, &(struct iovec){(void *)data, length}, 1, -1);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t at) {
  return do_write(fd, &(struct iovec){(void *)data, length}, 1, at);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
  return do_write(fd, &(struct iovec){(void *)data, length}, 1, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return do_write(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return do_write(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { return do_write(fd, parts, count, at); }

static ssize_t do_read(int fd, void *data, size_t length, off64_t at) {
  if ((faults->read_error || faults->has_short_reads) && find_inode(fd)) {
    if (faults->read_error) {
      errno = faults->read_error;
      return -1;
    }
    if (length > 1) length /= 2;
  }
  return at < 0 ? syscall(SYS_read, fd, data, length) : syscall(SYS_pread64, fd, data, length, at);
}
ssize_t read(int fd, void *data, size_t length) { return do_read(fd, data, length, -1); }
ssize_t pread(int fd, void *data, size_t length, off_t at) { return do_read(fd, data, length, at); }
ssize_t pread64(int fd, void *data, size_t length, off64_t at) { return do_read(fd, data, length, at); }

int ftruncate64(int fd, off64_t size) {
  uint64_t inode = find_inode(fd);
  if (inode) pthread_mutex_lock(&lock);
  int result = syscall(SYS_ftruncate, fd, size), error = errno;
  if (inode && result == 0) record(TRUNCATE, inode, size, "", 0);
  if (inode) pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int do_sync(int fd, int call) {
  uint64_t inode = find_inode(fd);
  if (!inode) return syscall(call, fd);
  if (faults->sync_error) {
    errno = faults->sync_error;
    return -1;
  }
  pthread_mutex_lock(&lock);
  uint64_t number = ++syncs;
  record(SYNC, inode, number, "", 0);
  pthread_mutex_unlock(&lock);
  if (sync_us > 0) usleep(sync_us);
  pthread_mutex_lock(&lock);
  record(SYNCED, inode, number, "", 0);
  pthread_mutex_unlock(&lock);
  return 0;
}
int fsync(int fd) { return do_sync(fd, SYS_fsync); }
int fdatasync(int fd) { return do_sync(fd, SYS_fdatasync); }

/* Makes a change to names and records it. */
#define NAMES(kind, path, other, call)            \
  int inside = is_inside(path);                   \
  if (inside) pthread_mutex_lock(&lock);          \
  int result = call, error = errno;               \
  if (inside) {                                   \
    if (result == 0) record_paths(kind, path, other); \
    pthread_mutex_unlock(&lock);                  \
  }                                               \
  errno = error;                                  \
  return result

int rename(const char *from, const char *to) {
  NAMES(RENAME, from, to, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int link(const char *from, const char *to) {
  NAMES(LINK, from, to, syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int unlink(const char *path) { NAMES(UNLINK, path, "", syscall(SYS_unlinkat, AT_FDCWD, path, 0)); }
int rmdir(const char *path) { NAMES(UNLINK, path, "", syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR)); }
int mkdir(const char *path, mode_t mode) { NAMES(MKDIR, path, "", syscall(SYS_mkdirat, AT_FDCWD, path, mode)); }
/* Deleting a folder deletes its members by their names in it. */
int unlinkat(int folder, const char *name, int flags) {
  char link[40], path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = *name == '/' ? 0 : readlink(link, path, sizeof path - 1);
  if (length < 0) length = 0;
  snprintf(path + length, sizeof path - length, length > 0 ? "/%s" : "%s", name);
  NAMES(UNLINK, path, "", syscall(SYS_unlinkat, folder, name, flags));
}
int remove(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path);
}
