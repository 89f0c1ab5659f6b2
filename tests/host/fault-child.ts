// Calls operations of a vault under limits that its parent set, and prints every response and error.
import fs from 'node:fs'
import { toCofferError } from '../../electron/engine/db/storage-error.ts'
import { makeVerifiedBackup } from '../../electron/host/backups/verified-backup.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'

type FaultJob = {
  readonly dataDir: string
  readonly name: string
  readonly passphrase: string
  readonly out: string
  /** The number of additional files that this process may open. */
  readonly files_left?: number
}

const { dataDir, name, passphrase, out, files_left } = JSON.parse(process.argv[2] ?? '{}') as FaultJob
const owner = { kind: 'owner' } as const
const printLine = (line: object) => fs.writeSync(1, `${JSON.stringify(line)}\n`)
const tryStep = async (what: string, act: () => unknown) => {
  try {
    const data = await act()
    printLine({ what, ...(typeof data === 'string' && { data }) })
  } catch (error) {
    const { code, message } = toCofferError(error)
    printLine({ what, code, message })
  }
}

const hogs: number[] = []
if (files_left !== undefined) {
  for (;;) {
    try {
      hogs.push(fs.openSync('/dev/null', 'r'))
    } catch {
      break
    }
  }
  for (const each of hogs.splice(0, files_left)) fs.closeSync(each)
}

await tryStep('open', async () => {
  const vault = await openVault({ dataDir, name, with: { passphrase } })
  const callOperation = (operation: string, input: object) => vault.engine.call(operation, input, owner)
  for (let index = 0; index < 40; index++) {
    const id = `token-${index}`
    const data = `${index} `.repeat(2000)
    await tryStep(`create ${id}`, async () => {
      await callOperation('tokens.create', { id, type: 'token', data })
      return data
    })
    if (index % 4 === 3)
      await tryStep(`delete token-${index - 1}`, () =>
        callOperation('tokens.remove', { id: `token-${index - 1}` }),
      )
  }
  await tryStep('rotate data', () =>
    vault.withMaster((master) => vault.engine.lifecycle.rotateDataKey(master)),
  )
  await tryStep('backup', () => {
    vault.withMaster((master) =>
      makeVerifiedBackup({ ...vault.files, master, out, reason: 'asked', now: Date.now() }),
    )
  })
  vault.lock()
})
