import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Engine } from '../../electron/engine/engine.ts'
import { createTokens } from '../../electron/host/initial-data/create-tokens.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import type { Token } from '../../shared/schemas/token.ts'

export const passphrase = 'a passphrase for measuring only'
export const owner = { kind: 'owner' } as const

export type BenchKeys = { readonly mask: string; readonly reveal: string }

/** A token that requests use: its id and other values that find it. */
export type TokenSample = {
  readonly id: string
  readonly number: string
  readonly order: string
  readonly fingerprint: string
}

/** A vault to measure; `coffer serve` opens it like any other. */
export type BenchVault = {
  readonly dataDir: string
  readonly keys: BenchKeys
  readonly samples: TokenSample[]
  tokens: number
}

/** Creates a vault in a folder, with an application that sees masks and one that sees plaintext. */
export async function makeVault(dataDir: string): Promise<BenchVault> {
  const { vault } = await createVault({ dataDir, name: 'default', protection: { passphrase } })
  try {
    const createKey = async (transform: 'mask' | 'reveal') => {
      const permissions = ['token:create', 'token:read', 'token:search', 'token:update', 'token:delete']
      if (transform === 'reveal') permissions.push('proxy:invoke')
      const input = {
        name: transform,
        type: 'private',
        rules: [{ priority: 1, container: '/', transform, permissions }],
      }
      const { output } = await vault.engine.call('applications.create', input, owner)
      return (output as { key: string }).key
    }
    return {
      dataDir,
      keys: { mask: await createKey('mask'), reveal: await createKey('reveal') },
      samples: [],
      tokens: 0,
    }
  } finally {
    vault.lock()
  }
}

/** Opens a vault as its owner, for the duration of a function. */
export async function changeVault(
  { dataDir }: BenchVault,
  change: (engine: Engine) => Promise<unknown>,
): Promise<void> {
  const opened = await openVault({ dataDir, name: 'default', with: { passphrase } })
  try {
    await change(opened.engine)
  } finally {
    opened.lock()
  }
}

/**
 * Creates card tokens up to a total number; a few hundred of the new ones become samples. Returns the seconds it took.
 */
export async function fillVault(vault: BenchVault, upTo: number): Promise<number> {
  const opened = await openVault({ dataDir: vault.dataDir, name: 'default', with: { passphrase } })
  try {
    const chosen: { id: string; number: string; order: string }[] = []
    const every = Math.max(1, Math.floor((upTo - vault.tokens) / 400))
    const started = performance.now()
    const refused = await createTokens(opened.engine, generateCards(vault.tokens, upTo, every, chosen))
    const seconds = (performance.now() - started) / 1000
    if (refused.length > 0) throw new Error(`A token was refused: ${refused[0]?.detail}`)
    vault.tokens = upTo
    for (const each of chosen)
      vault.samples.push({ ...each, fingerprint: await readFingerprint(opened.engine, each.id) })
    return seconds
  } finally {
    opened.lock()
  }
}

function* generateCards(
  from: number,
  to: number,
  every: number,
  chosen: { id: string; number: string; order: string }[],
) {
  for (let at = from; at < to; at++) {
    const number = toCardNumber(at)
    const card = { type: 'card', data: { number, expiration_month: 12, expiration_year: 2030 } }
    if (at % every !== 0) {
      yield card
      continue
    }
    const sample = { id: randomUUID(), number, order: `order-${at}` }
    chosen.push(sample)
    yield {
      ...card,
      id: sample.id,
      metadata: { order: sample.order },
      search_indexes: ['{{ data.number }}'],
    }
  }
}

async function readFingerprint(engine: Engine, id: string): Promise<string> {
  const { output } = await engine.call('tokens.get', { id }, owner)
  return (output as Token).fingerprint ?? ''
}

/** Returns a card number that passes the Luhn check, different for every index. */
export function toCardNumber(at: number): string {
  // Multiplied, so that successive card numbers differ in most digits.
  const digits = `4${String((at * 7_919_777) % 100_000_000_000_000).padStart(14, '0')}`
  const sum = [...digits].reduceRight((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

/** Returns the size of a closed vault's file in bytes. */
export function readDatabaseSize({ dataDir }: BenchVault): number {
  return fs.statSync(path.join(dataDir, 'default', 'vault.db')).size
}
