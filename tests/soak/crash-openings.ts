import fs from 'node:fs'
import path from 'node:path'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import type { ChildOrder } from './crash-child.ts'

const owner = { kind: 'owner' } as const

/** Opens a vault, writes a token, and closes it cleanly, until the process is killed. */
export async function openRepeatedly(order: ChildOrder): Promise<never> {
  console.log('{}')
  for (;;) await openAndWrite(order.dataDir, order)
}

/**
 * Opens one copy after another of a vault of the first version until the process is killed. Each copy is migrated and
 * rewritten on its first opening.
 */
export async function openOlder(order: ChildOrder): Promise<never> {
  console.log('{}')
  for (let count = 0; ; count++) {
    const dataDir = path.join(order.out, `older-${count}`)
    fs.cpSync(order.older, `${dataDir}.part`, { recursive: true })
    fs.renameSync(`${dataDir}.part`, dataDir)
    await openAndWrite(dataDir, order)
    await openAndWrite(dataDir, order)
  }
}

/** Returns the path of the file with the ids of the acknowledged tokens, one per line. */
export function getAnsweredFile(dataDir: string): string {
  return `${dataDir}.answered`
}

async function openAndWrite(dataDir: string, { name, protection }: ChildOrder): Promise<void> {
  const vault = await openVault({ dataDir, name, with: protection })
  const { output } = await vault.engine.call('tokens.create', { type: 'token', data: 'opened' }, owner)
  fs.appendFileSync(getAnsweredFile(dataDir), `${(output as { id: string }).id}\n`)
  vault.lock()
}
