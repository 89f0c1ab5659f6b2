import './busy-probe.ts'
import { Engine } from '../../electron/engine/engine.ts'
import { readHeader } from '../../electron/host/files/header.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { createTokens } from '../../electron/host/initial-data/create-tokens.ts'
import { unlockMaster } from '../../electron/host/keys/credential.ts'
import { openListener } from '../../electron/http/listener.ts'
import { measureFindCpu } from './finds.ts'
import { passphrase, toCardNumber } from './vault.ts'

export type CofferQuestion =
  | { readonly ask: 'commits' | 'find' }
  | { readonly ask: 'create' | 'rotate'; readonly tokens: number }

/** The number of successful creates, and of the commits that contained them. */
export type Commits = { readonly creates: number; readonly commits: number }

/** Opens a listener like that of `coffer serve`, counts commits, and creates or re-encrypts many tokens on request. */
const files = getVaultFiles(process.argv[2] as string, 'default')
const master = await unlockMaster(readHeader(files.header), { passphrase })
let count: Commits = { creates: 0, commits: 0 }
const started = performance.now()
const engine = Engine.open(files.database, Buffer.from(master), {
  onLog(records) {
    const creates = records.filter((record) => record.operation === 'tokens.create').length
    if (creates > 0) count = { creates: count.creates + creates, commits: count.commits + 1 }
  },
})
const listener = await openListener({ engine: () => engine, port: 0, origins: [], hosts: [] })
await (await fetch(`${listener.url}/_coffer/health`)).text()
const opened_ms = performance.now() - started

process.on('message', async (question: CofferQuestion | 'busy') => {
  // busy-probe.ts responds to this message.
  if (question === 'busy') return
  if (question.ask === 'commits') {
    process.send?.(count)
    count = { creates: 0, commits: 0 }
    return
  }
  if (question.ask === 'find') return void process.send?.(await measureFindCpu(engine))
  const startedAt = performance.now()
  if (question.ask === 'create') await createTokens(engine, createCards(question.tokens))
  else await engine.lifecycle.rotateDataKey(master)
  process.send?.((performance.now() - startedAt) / 1000)
})

function* createCards(tokens: number) {
  for (let at = 0; at < tokens; at++) {
    yield {
      type: 'card',
      data: { number: toCardNumber(10_000_000 + at), expiration_month: 12, expiration_year: 2030 },
    }
  }
}

process.on('SIGTERM', async () => {
  await listener.close()
  engine.close()
  process.exit(0)
})
process.send?.({ port: listener.port, opened_ms })
