/** Returns the processor time of this thread in ms or, on Node 22, of the whole process. */
export function readProcessorTime(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)()
  return (user + system) / 1000
}
