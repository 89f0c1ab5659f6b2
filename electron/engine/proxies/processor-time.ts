/** The processor time that this thread has taken, in ms. Node 22 knows only that of the whole process. */
export function readProcessorTime(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)()
  return (user + system) / 1000
}
