import { CofferError } from '../../shared/errors.ts'
import { isOrigin } from '../../shared/host.ts'
import { faultRules } from '../../shared/schemas/fault.ts'
import { parseYaml, readYaml } from '../host/files/yaml-file.ts'
import { applySeed } from '../host/first-data/seed/apply-seed.ts'
import { seed } from '../host/first-data/seed/seed.ts'
import { createStarterApplications } from '../host/first-data/starter-applications.ts'
import { createEphemeral } from '../host/vault/ephemeral.ts'
import type { OpenVault } from '../host/vault/vault.ts'
import { Faults } from '../http/faults.ts'
import { openListener } from '../http/listener.ts'
import type { Sandbox, SandboxVault } from '../http/sandbox.ts'
import type { CofferOptions, RunningCoffer } from './index.mjs'
import { sandboxOf } from './sandbox.ts'

/** Starts a vault in this process. */
export async function startHere(options: CofferOptions): Promise<RunningCoffer> {
  const { port = 0, origins = [] } = options
  if (!origins.every(isOrigin)) {
    throw new CofferError(
      'invalid',
      'An origin is scheme, host and port without a path, such as http://localhost:3000.',
    )
  }
  const faults = new Faults(parsedFaults(options.faults ?? []))
  const vault = createEphemeral()
  try {
    const keys = await fill(vault, options.seed)
    const inMemory = memorySandboxOf(vault)
    vault.engine.startSweeping()
    const sandbox: Sandbox = { faults, vault: () => vault.sandbox, faultsAllowed: () => true }
    const listener = await openListener({ engine: () => engineOf(vault), sandbox, port, origins, hosts: [] })
    const remote = {
      async reset() {
        inMemory.reset()
        faults.reset()
      },
      now: async () => inMemory.now(),
      setNow: (ms: number) => inMemory.setNow(ms),
      saveSnapshot: async (name: string) => inMemory.saveSnapshot(name),
      restoreSnapshot: async (name: string) => inMemory.restoreSnapshot(name),
      addFault: async (rule: unknown) => faults.add(parsedFaults([rule])),
      async removeFault(name: string) {
        faults.remove(name)
      },
      async close() {
        await listener.close()
        vault.lock()
      },
    }
    return { url: listener.url, tenant_id: vault.engine.tenant_id, keys, ...sandboxOf(remote) }
  } catch (error) {
    vault.lock()
    throw error
  }
}

async function fill(vault: OpenVault, given: CofferOptions['seed']) {
  const keys = await (given === undefined
    ? createStarterApplications(vault.engine)
    : applySeed(
        vault.engine,
        typeof given === 'string'
          ? readYaml(given, seed)
          : parseYaml(JSON.stringify(given, null, 2), 'seed', seed),
      ))
  vault.sandbox?.begin()
  return keys
}

function engineOf(vault: OpenVault) {
  return vault.isLocked ? null : vault.engine
}

function memorySandboxOf({ sandbox }: OpenVault): SandboxVault {
  if (!sandbox) throw new CofferError('internal', 'This vault does not live in memory.')
  return sandbox
}

function parsedFaults(rules: readonly unknown[]) {
  return parseYaml(JSON.stringify({ rules }, null, 2), 'faults', faultRules).value.rules
}
