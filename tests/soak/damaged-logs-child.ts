// A program that a test kills. It creates, changes and deletes tokens, and prints each write once it is acknowledged.
import fs from 'node:fs'
import type { Protection } from '../../electron/host/keys/protection.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'

export type WriterOrder = {
  readonly dataDir: string
  readonly name: string
  readonly protection: Extract<Protection, { passphrase: string }>
}

const { dataDir, name, protection } = JSON.parse(process.argv[2] ?? '{}') as WriterOrder
const owner = { kind: 'owner' } as const
const vault = await openVault({ dataDir, name, with: protection })
const printAnswered = (id: string, data: string | null) => fs.writeSync(1, `${JSON.stringify([id, data])}\n`)

for (let count = 0; ; count++) {
  const data = `value ${count}`
  const { output } = await vault.engine.call('tokens.create', { type: 'token', data }, owner)
  const { id } = output as { id: string }
  printAnswered(id, data)
  if (count % 3 === 0) {
    // Until the deletion is acknowledged, the token may or may not exist.
    fs.writeSync(1, `${JSON.stringify([id])}\n`)
    await vault.engine.call('tokens.remove', { id }, owner)
    printAnswered(id, null)
  }
  await new Promise((resolve) => setTimeout(resolve, 3))
}
