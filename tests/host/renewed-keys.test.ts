import { randomBytes } from 'node:crypto'
import { CompactEncrypt, importJWK } from 'jose'
import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openReadOnly } from '../../electron/engine/db/open.ts'
import { inspectFile } from '../../electron/engine/files/inspect-file.ts'
import { rotateDataKey } from '../../electron/host/maintenance/rotate-data-key.ts'
import { rotateMaster } from '../../electron/host/maintenance/rotate-master.ts'
import { CHUNK_BYTES } from '../../shared/schemas/document.ts'
import { toFirstFormat } from '../first-format.ts'
import { makeDocument } from '../make-document.ts'
import { createThreeDsClient, payment } from '../three-ds.ts'
import {
  argon2id,
  copyMaster,
  createOwnerClient,
  createStoredVault,
  name,
  openStoredVault,
  passphrase,
} from './stored-vault.ts'

const protection = { passphrase, argon2id }
type LookupVault = Awaited<ReturnType<typeof createStoredVault>>['vault']

/** Returns all stored values by which tokens are found. */
function readLookups(vault: LookupVault) {
  const db = vault.withMaster((master) => openReadOnly(vault.files.database, deriveDatabaseKey(master)))
  const readColumn = (sql: string) => db.prepare(sql).pluck().all() as string[]
  try {
    return {
      indexes: readColumn('SELECT hex(digest) FROM token_index'),
      columns: readColumn('SELECT hex(index_digests) FROM token WHERE index_digests IS NOT NULL'),
      pairs: readColumn('SELECT hex(exact) FROM token_pair'),
      fingerprints: readColumn('SELECT hex(fingerprint) FROM token WHERE fingerprint IS NOT NULL'),
    }
  } finally {
    db.close()
  }
}

const findShared = <T>(one: readonly T[], other: readonly T[]) => one.filter((each) => other.includes(each))

async function createFilled() {
  const kept = await createStoredVault()
  const { owner } = kept
  for (let at = 0; at < 30; at++) {
    await owner.tokens.create({
      type: 'token',
      data: { name: `name ${at}` },
      search_indexes: ['{{ data.name }}'],
      metadata: { at: String(at), Group: 'One' },
    })
  }
  return kept
}

/** Expects that every kind of lookup finds the token. */
async function expectFound({ owner }: Awaited<ReturnType<typeof createStoredVault>>) {
  for (const at of [0, 17, 29]) {
    const [byIndex] = (await owner.tokens.search({ query: `data:"name ${at}"` } as never)).data
    const [byPair] = (await owner.tokens.search({ query: `metadata.at:"${at}"` } as never)).data
    expect(byIndex?.id).toBeDefined()
    expect(byPair?.id).toBe(byIndex?.id)
    const again = await owner.tokens.create({
      type: 'token',
      data: { name: `name ${at}` },
      deduplicate_token: true,
    })
    expect(again.id).toBe(byIndex?.id)
  }
  const group = await owner.tokens.listV1({ metadata: [['group', 'one']], size: 100 } as never)
  expect(group.pagination.total_items).toBe(30)
}

test('a new master secret renews index keys, without breaking lookups or fingerprints', async () => {
  const kept = await createFilled()
  const { vault, owner } = kept
  await expectFound(kept)
  const before = readLookups(vault)
  const page = await owner.tokens.list({ size: 3 })
  const steps: number[] = []
  await rotateMaster(vault, protection, { onProgress: (done, total) => steps.push(done / total) })
  const after = readLookups(vault)
  expect(after.indexes).toHaveLength(before.indexes.length)
  expect(after.pairs).toHaveLength(before.pairs.length)
  expect(findShared(before.indexes, after.indexes)).toEqual([])
  expect(findShared(before.columns, after.columns)).toEqual([])
  expect(findShared(before.pairs, after.pairs)).toEqual([])
  expect(after.fingerprints.toSorted()).toEqual(before.fingerprints.toSorted())
  expect(steps).toEqual(steps.toSorted((a, b) => a - b))
  expect(steps.at(-1)).toBe(1)
  await expectFound(kept)
  const stale = owner.tokens.list({ size: 3, start: page.pagination.next } as never)
  await expect(stale).rejects.toMatchObject({ code: 'invalid' })
})

test('fingerprints are renewed on request, and duplicates are still found', {
  tags: 'thorough',
}, async () => {
  const kept = await createFilled()
  const { vault, owner } = kept
  const before = readLookups(vault)
  await rotateMaster(vault, protection, {}, undefined, { fingerprints: true })
  const after = readLookups(vault)
  expect(after.fingerprints).toHaveLength(before.fingerprints.length)
  expect(findShared(before.fingerprints, after.fingerprints)).toEqual([])
  await expectFound(kept)
  const [first] = (await owner.tokens.list({ size: 1 })).data
  const found = await owner.tokens.list({ fingerprint: first?.fingerprint } as never)
  expect(found.data.map(({ id }) => id)).toContain(first?.id)
})

test('tokens of an older vault are found before and after its master secret changes', {
  tags: 'thorough',
}, async () => {
  const kept = await createFilled()
  const master = copyMaster(kept.vault)
  kept.vault.lock()
  toFirstFormat({ file: kept.vault.files.database, master })
  const vault = await openStoredVault({ dataDir: kept.dataDir, name, with: { passphrase } })
  const owner = createOwnerClient(vault)
  await expectFound({ ...kept, vault, owner })
  await rotateMaster(vault, protection)
  await expectFound({ ...kept, vault, owner })
  expect(readLookups(vault).pairs).toHaveLength(60)
})

test('O-05 under a new master secret the log is intact and can be searched by masked id', async () => {
  const kept = await createFilled()
  const { vault, owner } = kept
  const id = `order-${'4242'.repeat(4)}`
  await owner.tokens.create({ type: 'token', id, data: 'x' })
  vault.engine.outcomes.flushLog()
  const before = await owner.logs.list({ entity_id: id })
  expect(before.data).toHaveLength(1)
  await rotateMaster(vault, protection)
  expect((await owner.logs.list({ entity_id: id })).data).toEqual(before.data)
  const log = vault.withMaster((master) => inspectFile({ database: vault.files.database, master }).log)
  expect(log).toMatchObject({ unchecked: 0, broken: null })
})

test('C-01 D-02 S-01 encrypted data of every kind is readable after the keys change', async () => {
  const { vault, owner, dataDir } = await createStoredVault()
  const content = randomBytes(2 * CHUNK_BYTES + 1)
  const document = await makeDocument(owner, content)
  const { key_id, public_key_pem } = await owner.clientKeys.create({})
  const x = public_key_pem.split('\n')[1] ?? ''
  const encrypted = await new CompactEncrypt(Buffer.from('"from a client"'))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key_id })
    .encrypt(
      await importJWK(
        { kty: 'OKP', crv: 'X25519', x: Buffer.from(x, 'base64').toString('base64url') },
        'ECDH-ES',
      ),
    )
  const configuration = { secret: 'shh' }
  const destination_url = 'https://echo.coffer.test'
  const proxy = await owner.proxies.create({ name: 'p', destination_url, configuration })
  const reactor = await owner.reactors.create({
    name: 'r',
    code: 'module.exports = () => ({})',
    configuration,
  })
  const session = await createThreeDsClient(owner)
  await owner.threeDs.authenticate({ id: session, ...payment })
  const expectRead = async (open: typeof vault) => {
    const client = createOwnerClient(open)
    expect((await client.threeDs.get({ id: session })).authentication?.authentication_status).toBe(
      'challenge',
    )
    const chunks = [0, 1, 2].map(
      (number) => open.engine.documents.readChunk(document, number) ?? Buffer.alloc(0),
    )
    expect(Buffer.concat(chunks).equals(content)).toBe(true)
    const { id } = await client.tokens.create({ type: 'token', encrypted } as never)
    expect((await client.tokens.reveal({ id })).data).toBe('from a client')
    expect((await client.proxies.get({ id: proxy.id })).configuration).toEqual(configuration)
    expect((await client.reactors.get({ id: reactor.id })).configuration).toEqual(configuration)
  }
  await rotateDataKey(vault)
  const versions = vault.withMaster((master) => {
    const db = openReadOnly(vault.files.database, deriveDatabaseKey(master))
    try {
      return [
        'private FROM client_key',
        'configuration FROM proxy',
        'configuration FROM reactor',
        'data FROM document_chunk',
        'content FROM three_ds_session',
      ].map((column) =>
        db
          .prepare(`SELECT DISTINCT hex(substr(${column.replace(' ', ', 1, 4)) ')}`)
          .pluck()
          .all(),
      )
    } finally {
      db.close()
    }
  })
  expect(versions).toEqual(Array(5).fill(['00000002']))
  await expectRead(vault)
  await rotateMaster(vault, protection)
  await expectRead(vault)
  vault.lock()
  await expectRead(await openStoredVault({ dataDir, name, with: { passphrase } }))
})
