/** Returns the processor time used by this thread, in ms. Node 22 only knows the time of the whole process. */
export function readProcessorTime(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)()
  return (user + system) / 1000
}
