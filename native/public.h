#define PUBLIC __attribute__((visibility("default")))

#if defined(__linux__) && defined(__x86_64__)
/* As Linux of ten years ago has them, too. */
__asm__(".symver exp, exp@GLIBC_2.2.5");
__asm__(".symver pow, pow@GLIBC_2.2.5");
#endif
