/** The runtimes that code can run in (rule F-03); `node-bt` is the default. */
export const runtimeImages = ['node-bt', 'node22'] as const
export type RuntimeImage = (typeof runtimeImages)[number]
