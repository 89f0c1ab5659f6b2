import { CofferError, invalid } from '../../../../shared/errors.ts'
import type { ApplicationType } from '../../../../shared/permissions.ts'
import type { createdClientKey } from '../../../../shared/schemas/client-key.ts'
import type { z } from '../../../../shared/zod.ts'
import { owner } from '../../../engine/door/call.ts'
import type { Engine } from '../../../engine/engine.ts'
import { allApplications } from '../../all-applications.ts'
import { type Locate, located, type Parsed } from '../../files/located.ts'
import { createTokens } from '../create-tokens.ts'
import { createWithKey, type StarterKeys, starterApplication } from '../starter-applications.ts'
import { createDocument } from './create-documents.ts'
import { generateTokens } from './generate-tokens.ts'
import { readCode } from './read-file.ts'
import type { Seed } from './seed.ts'

/** A client encryption key of a seed, with its public half. */
export type SeededClientKey = z.output<typeof createdClientKey>

type Applied = {
  /** Of the seed's first application of each type, or of a starter application where the seed has none with a key. */
  readonly keys: StarterKeys
  /** In the order of the seed. */
  readonly client_keys: readonly SeededClientKey[]
}

/** Fills a new vault from a seed, as the owner. Throws `invalid` with the place in the file. */
export async function applySeed(
  engine: Engine,
  { value: seed, at, folder }: Parsed<Seed>,
  progress: (done: number, total: number) => void = () => {},
): Promise<Applied> {
  await applyTenant(engine, seed, at)
  const keys = await applyApplications(engine, seed, at)
  await applyProxies(engine, seed, at)
  await applyReactors(engine, seed, at, folder)
  const client_keys = await applyClientKeys(engine, seed, at)
  await applyInvitations(engine, seed, at)
  await applyDocuments(engine, seed, at, folder)
  const total = seed.tokens.length + seed.generate.reduce((sum, { count }) => sum + count, 0)
  await makeTokens(
    engine,
    seed.tokens,
    (index) => `tokens[${index}]`,
    at,
    (done) => progress(done, total),
  )
  await makeTokens(
    engine,
    generateTokens(seed),
    (index) => entryOf(seed, index),
    at,
    (done) => progress(seed.tokens.length + done, total),
  )
  // Last, because they are told of what comes after them.
  await applyWebhooks(engine, seed, at)
  return { keys, client_keys }
}

async function applyTenant(engine: Engine, { tenant }: Seed, at: Locate): Promise<void> {
  if (!tenant) return
  const client = engine.as(owner)
  const name = tenant.name ?? (await client.tenants.get()).name
  await saying(at, 'tenant', () => client.tenants.update({ name, settings: tenant.settings }))
  const { security_contact: email } = tenant
  if (email !== undefined) await saying(at, 'tenant', () => client.tenants.setSecurityContact({ email }))
}

async function applyApplications(engine: Engine, { applications }: Seed, at: Locate): Promise<StarterKeys> {
  const client = engine.as(owner)
  const keys: Partial<Record<ApplicationType, string>> = {}
  for (const [index, { key, ...input }] of applications.entries()) {
    const made = await saying(at, `applications[${index}]`, async () => {
      if (key === undefined) return (await client.applications.create(input)).key
      const { id } = await client.applications.create({ ...input, create_key: false })
      await client.keys.fix({ id, key })
      return key
    })
    if (made !== undefined) keys[input.type] ??= made
  }
  const starter = (type: ApplicationType) => createWithKey(engine, starterApplication(type))
  return {
    management: keys.management ?? (await starter('management')),
    private: keys.private ?? (await starter('private')),
    public: keys.public ?? (await starter('public')),
  }
}

async function applyProxies(engine: Engine, { proxies }: Seed, at: Locate): Promise<void> {
  const client = engine.as(owner)
  const withId = await applicationsByName(engine, proxies)
  for (const [index, { application, ...input }] of proxies.entries()) {
    await saying(at, `proxies[${index}]`, async () =>
      client.proxies.create({ ...input, application: withId(application) }),
    )
  }
}

async function applyReactors(engine: Engine, { reactors }: Seed, at: Locate, folder: string): Promise<void> {
  const client = engine.as(owner)
  const withId = await applicationsByName(engine, reactors)
  for (const [index, { application, code = '', file, ...input }] of reactors.entries()) {
    await saying(at, `reactors[${index}]`, async () =>
      client.reactors.create({
        ...input,
        code: file === undefined ? code : readCode(file, folder),
        application: withId(application),
      }),
    )
  }
}

async function applyClientKeys(
  engine: Engine,
  { client_keys }: Seed,
  at: Locate,
): Promise<SeededClientKey[]> {
  const client = engine.as(owner)
  const made: SeededClientKey[] = []
  for (const [index, input] of client_keys.entries())
    made.push(await saying(at, `client_keys[${index}]`, async () => client.clientKeys.create(input)))
  return made
}

async function applyInvitations(engine: Engine, { invitations }: Seed, at: Locate): Promise<void> {
  const client = engine.as(owner)
  for (const [index, input] of invitations.entries())
    await saying(at, `invitations[${index}]`, async () => client.invitations.create(input))
}

async function applyDocuments(
  engine: Engine,
  { documents }: Seed,
  at: Locate,
  folder: string,
): Promise<void> {
  for (const [index, document] of documents.entries())
    await saying(at, `documents[${index}]`, () => createDocument(engine, folder, document))
}

async function applyWebhooks(engine: Engine, { webhooks }: Seed, at: Locate): Promise<void> {
  const client = engine.as(owner)
  for (const [index, input] of webhooks.entries())
    await saying(at, `webhooks[${index}]`, async () => client.webhooks.create(input))
}

type Named = { readonly name: string } | undefined

/** Returns the function that finds the application with a name, and throws `invalid` if there is none. */
async function applicationsByName(
  engine: Engine,
  entries: readonly { readonly application?: Named }[],
): Promise<(named: Named) => { id: string } | undefined> {
  const known = entries.some(({ application }) => application) ? await allApplications(engine) : []
  return (named) => {
    if (!named) return undefined
    const found = known.find(({ name }) => name === named.name)
    if (!found) throw invalid('application.name', 'names no application of the seed')
    return { id: found.id }
  }
}

async function makeTokens(
  engine: Engine,
  tokens: Parameters<typeof createTokens>[1],
  pathOf: (index: number) => string,
  at: Locate,
  progress: (done: number) => void,
): Promise<void> {
  const refused = await createTokens(engine, tokens, progress)
  if (refused.length === 0) return
  const lines = refused
    .slice(0, 20)
    .map(({ index, detail, errors }) =>
      located(new CofferError('invalid', detail, { errors }), at, pathOf(index)),
    )
  throw new CofferError('invalid', lines.map(({ message }) => message).join('\n'))
}

/** The entry of `generate` that produced this token. */
function entryOf({ generate }: Seed, index: number): string {
  let before = 0
  const entry = generate.findIndex(({ count }) => {
    before += count
    return index < before
  })
  return `generate[${entry}]`
}

async function saying<T>(at: Locate, path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof CofferError && error.status < 500) throw located(error, at, path)
    throw error
  }
}
