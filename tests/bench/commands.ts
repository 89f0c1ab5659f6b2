import { spawnSync } from 'node:child_process'
import { startCoffer } from '../../electron/testing/index.mjs'
import { computeMedian } from './measure.ts'
import { flags, getProgramFile, root } from './start-up.ts'

/**
 * The time of short commands in ms: the processor time of a whole process, or the wall-clock time of a call in this
 * one.
 */
export type Commands = {
  readonly bare_node: number
  readonly version: number
  readonly help: number
  readonly start_coffer: number
  readonly reset: number
}

/** A module that prints the processor time of its process to stderr on exit. */
export const cpuReporter = `data:text/javascript,${encodeURIComponent(
  "import fs from 'node:fs'; process.on('exit', () => { const { user, system } = process.cpuUsage(); fs.writeSync(2, 'cpu ' + (user + system)) })",
)}`

/**
 * Measures an empty program, `coffer --version` and `coffer --help` as processes in alternation, and `startCoffer()`
 * and `reset()` in this process.
 */
export async function measureCommands(runs: number): Promise<Commands> {
  const program = getProgramFile(root)
  const processes = { bare_node: ['-e', ''], version: [program, '--version'], help: [program, '--help'] }
  const times: Record<string, number[]> = {}
  const addTime = (name: string, time: number) => {
    times[name] = [...(times[name] ?? []), time]
  }
  for (let run = 0; run <= runs; run++) {
    for (const [name, args] of Object.entries(processes)) addTime(name, measureProcessorTime(args))
    const started = performance.now()
    const coffer = await startCoffer()
    const startedCoffer = performance.now()
    await coffer.reset()
    addTime('start_coffer', startedCoffer - started)
    addTime('reset', performance.now() - startedCoffer)
    await coffer.close()
  }
  // The first round fills the compile cache.
  const getMedian = (name: string) => computeMedian(times[name]?.slice(1) ?? [])
  return {
    bare_node: getMedian('bare_node'),
    version: getMedian('version'),
    help: getMedian('help'),
    start_coffer: getMedian('start_coffer'),
    reset: getMedian('reset'),
  }
}

function measureProcessorTime(args: readonly string[]): number {
  const { status, stderr } = spawnSync(process.execPath, [...flags, '--import', cpuReporter, ...args], {
    encoding: 'utf8',
  })
  const [, us] = /cpu (\d+)$/.exec(stderr) ?? []
  if (status !== 0 || us === undefined) throw new Error(`coffer ended with ${status}: ${stderr}`)
  return Number(us) / 1000
}
