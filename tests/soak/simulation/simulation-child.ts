// The process that is simulated: it loads Coffer after everything that could differ between two runs was replaced.

import { registerMistakes } from './mistakes.ts'
import { SimulatedProcess } from './simulated-process.ts'
import type { SimulationOrder } from './simulation.ts'

const { seeds, steps, operations, mistakes, ...folders } = JSON.parse(
  process.argv[2] ?? '{}',
) as SimulationOrder
const simulated = new SimulatedProcess()
simulated.replaceMachine()
const makeMistake = mistakes.length > 0 ? registerMistakes() : () => {}
const { FaultyDisk } = await import('./faulty-disk.ts')
const { runSeed } = await import('./run-seed.ts')
const { installThreads } = await import('./simulated-threads.ts')
installThreads(simulated)
const disk = new FaultyDisk(folders)
for (const mistake of mistakes.length > 0 ? mistakes : [null]) {
  makeMistake(mistake)
  for (const seed of seeds) {
    const result = await runSeed({ process: simulated, disk, seed, steps, operations })
    process.stdout.write(`${JSON.stringify({ mistake, ...result })}\n`)
    if (mistake !== null && result.problems.length > 0) break
  }
}
process.exit()
