// `npm run fuzz -- --steps 100000`: runs the random tests with more attempts and steps.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})

const root = path.join(import.meta.dirname, '..', '..')
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', 'fuzz', 'engine/model', 'engine/permissions', 'engine/schema-messages', 'http/busy'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      COFFER_FUZZ_STEPS: values.steps,
      ...(values.seed !== undefined && { COFFER_FUZZ_SEED: values.seed }),
    },
  },
)
process.exitCode = status ?? 1
