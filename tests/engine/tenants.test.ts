import { expect, test } from 'vitest'
import { openVaultWithChanges } from '../changes.ts'
import { toFirstFormat } from '../first-format.ts'
import { catchProblem, openVault } from '../vault.ts'

async function openManagedVault() {
  const vault = openVault()
  const manager = await vault.application({
    type: 'management',
    permissions: ['tenant:read', 'tenant:update', 'report:read'],
  })
  return { vault, manager, client: manager.client }
}

test('O-06 the tenant has every setting, as strings', async () => {
  const { vault, client } = await openManagedVault()
  expect(await client.tenants.get()).toEqual({
    id: vault.engine.tenant_id,
    owner_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    name: 'Test',
    type: 'test',
    settings: {
      deduplicate_tokens: 'false',
      token_deduplication_behavior: 'read_existing',
      disable_ephemeral_proxy: 'false',
      expose_raw_proxy_response: 'false',
      fingerprint_tokens: 'true',
      keep_exchanges: 'in_memory',
      deprecated_operations: 'serve',
      cvc_retention_seconds: '3600',
      token_intent_retention_seconds: '86400',
      log_retention_days: '90',
      log_retention_records: '1000000',
      tokens_per_tokenize: '5',
      expressions_per_detokenize: '5',
      rate_limits: 'off',
      rate_limit_requests: '1000',
    },
    created_by: (await client.tenants.get()).owner_id,
    created_at: '2030-01-01T00:00:00.000+00:00',
  })
})

test('O-06 an update replaces the name and the sent settings, and sets modified_by', async () => {
  const { vault, manager, client } = await openManagedVault()
  await client.tenants.update({ name: 'Test', settings: { tokens_per_tokenize: '9' } })
  vault.clock.advance(1000)
  const after = await client.tenants.update({ name: 'Shop', settings: { deduplicate_tokens: 'true' } })
  expect(after).toMatchObject({
    name: 'Shop',
    settings: { deduplicate_tokens: 'true', tokens_per_tokenize: '9' },
    modified_by: manager.id,
    modified_at: '2030-01-01T00:00:01.000+00:00',
  })
  expect(await client.tenants.get()).toEqual(after)
  const reset = await client.tenants.update({ name: 'Shop', settings: { tokens_per_tokenize: null } })
  expect(reset.settings).toMatchObject({ deduplicate_tokens: 'true', tokens_per_tokenize: '5' })
  vault.reopen()
  expect(await client.tenants.get()).toEqual(reset)
})

test.each([
  [{ name: '' }, ['name']],
  [{ name: 'x'.repeat(201) }, ['name']],
  [{ name: 'A', settings: { colour: 'red' } }, ['settings.colour']],
  [{ name: 'A', settings: { deduplicate_tokens: true } }, ['settings.deduplicate_tokens']],
  [{ name: 'A', settings: { deduplicate_tokens: 'yes' } }, ['settings.deduplicate_tokens']],
  [{ name: 'A', settings: { disable_ephemeral_proxy: 'no' } }, ['settings.disable_ephemeral_proxy']],
  [
    { name: 'A', settings: { token_deduplication_behavior: 'replace' } },
    ['settings.token_deduplication_behavior'],
  ],
  [{ name: 'A', settings: { tokens_per_tokenize: '1001' } }, ['settings.tokens_per_tokenize']],
  [{ name: 'A', settings: { tokens_per_tokenize: '0' } }, ['settings.tokens_per_tokenize']],
  [{ name: 'A', settings: { cvc_retention_seconds: '-1' } }, ['settings.cvc_retention_seconds']],
  [{ name: 'A', settings: { cvc_retention_seconds: '86401' } }, ['settings.cvc_retention_seconds']],
  [{ name: 'A', settings: { log_retention_days: '1e3' } }, ['settings.log_retention_days']],
  [{ name: 'A', type: 'other' }, ['type']],
  [{ settings: {} }, ['name']],
])('O-06 an invalid update is 400 and changes nothing: %j', async (input, members) => {
  const { client } = await openManagedVault()
  const before = await client.tenants.get()
  const problem = await catchProblem(client.tenants.update(input as never))
  expect([problem.status, Object.keys(problem.errors ?? {})]).toEqual([400, members])
  expect(await client.tenants.get()).toEqual(before)
})

test('O-06 the id of the owner survives a restart and differs between vaults', async () => {
  const { vault, client } = await openManagedVault()
  const { owner_id } = await client.tenants.get()
  vault.reopen()
  expect((await client.tenants.get()).owner_id).toBe(owner_id)
  expect((await openVault().owner.tenants.get()).owner_id).not.toBe(owner_id)
})

test('O-06 settings of the hosted service are returned as they were set', async () => {
  const { vault, client } = await openManagedVault()
  const hosted = { token_deduplication_behavior: 'update_existing', disable_ephemeral_proxy: 'true' }
  expect((await client.tenants.update({ name: 'Test', settings: hosted })).settings).toMatchObject(hosted)
  vault.reopen()
  const { name, settings } = await client.tenants.get()
  expect(settings).toMatchObject(hosted)
  expect((await client.tenants.update({ name, settings })).settings).toEqual(settings)
})

test('R-02 a changed quota applies immediately, also to cached callers', async () => {
  const { vault, client } = await openManagedVault()
  const { client: app } = await vault.application({ permissions: ['token:create'] })
  await app.tokens.tokenize({ payload: ['a', 'b'] })
  await client.tenants.update({ name: 'Test', settings: { tokens_per_tokenize: '1' } })
  expect((await catchProblem(app.tokens.tokenize({ payload: ['a', 'b'] }))).status).toBe(400)
})

test('O-06 the usage report counts tokens by type', async () => {
  const { vault, client } = await openManagedVault()
  expect(await client.tenants.getUsageReport()).toEqual({
    total_tokens: 0,
    token_report: { total_tokens: 0, metrics_by_type: {} },
  })
  const { owner, clock } = vault
  const first = await owner.tokens.create({ type: 'token', data: 1, containers: ['/a/'] })
  await owner.tokens.create({ type: 'token', data: 2, containers: ['/b/'] })
  await owner.tokens.create({
    type: 'card_number',
    data: '4242424242424242',
    expires_at: '2030-01-01T00:00:05Z',
  })
  clock.advance(1000)
  await owner.tokens.create({ type: 'token', data: 3, containers: ['/a/'] })
  await owner.tokens.update({ id: first.id, containers: ['/b/'] })
  const token = { count: 3, last_created_at: '2030-01-01T00:00:01.000+00:00' }
  expect(await client.tenants.getUsageReport()).toEqual({
    total_tokens: 4,
    token_report: {
      total_tokens: 4,
      metrics_by_type: { token, card_number: { count: 1, last_created_at: '2030-01-01T00:00:00.000+00:00' } },
    },
  })
  await owner.tokens.remove({ id: first.id })
  clock.advance(4000)
  expect(await client.tenants.getUsageReport()).toEqual({
    total_tokens: 2,
    token_report: { total_tokens: 2, metrics_by_type: { token: { ...token, count: 2 } } },
  })
})

test('O-06 P-01 reading and changing the tenant need their permissions', async () => {
  const { vault } = await openManagedVault()
  const { client: reader } = await vault.application({ type: 'management', permissions: ['tenant:read'] })
  expect((await catchProblem(reader.tenants.update({ name: 'B' }))).status).toBe(403)
  const { client: reports } = await vault.application({ type: 'management', permissions: ['report:read'] })
  expect((await reports.tenants.getUsageReport()).total_tokens).toBe(0)
  expect((await catchProblem(reports.tenants.get())).status).toBe(403)
  expect((await catchProblem(reader.tenants.getUsageReport())).status).toBe(403)
  const { client: other } = await vault.application({ type: 'management', permissions: ['log:read'] })
  expect((await catchProblem(other.tenants.get())).status).toBe(403)
  expect((await catchProblem(other.tenants.getUsageReport())).status).toBe(403)
})

test('O-06 T-14 R-03 the usage report omits expired tokens, and is 503 for too many', async () => {
  const { vault, db } = openVaultWithChanges()
  const { owner, clock } = vault
  const expires_at = '2030-01-01T00:00:05Z'
  await owner.tokens.create({ id: 'one', type: 'token', data: 'x', expires_at })
  const columns = `container, type, created_at, data, containers, expires_at, expires_text`
  db.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO token (id, ${columns}) SELECT 'n' || i, ${columns} FROM n, token WHERE token.id = 'one';
    UPDATE token_count SET tokens = tokens + 20000;
    UPDATE token_type_count SET tokens = tokens + 20000;`)
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(20_001)
  clock.advance(5000)
  expect(await catchProblem(owner.tenants.getUsageReport())).toMatchObject({ status: 503, retry_after: 60 })
  // The sweeper may not have deleted all of them.
  db.exec(`
    DELETE FROM token WHERE id LIKE 'n%' AND CAST(substr(id, 2) AS INTEGER) > 1000;
    UPDATE token_count SET tokens = tokens - 19000;
    UPDATE token_type_count SET tokens = tokens - 19000;`)
  await owner.tokens.create({ type: 'card_number', data: '4242424242424242' })
  await vault.engine.sweeper.sweep()
  expect(await owner.tenants.getUsageReport()).toMatchObject({
    total_tokens: 1,
    token_report: { metrics_by_type: { card_number: { count: 1 } } },
  })
})

test('O-06 a vault of an older format counts its tokens by type', async () => {
  const vault = openVault()
  const { owner, engine } = vault
  await owner.tokens.create({ type: 'token', data: 1, containers: ['/a/'] })
  await owner.tokens.create({ type: 'token', data: 2, containers: ['/b/'] })
  const deleted = await owner.tokens.create({ type: 'card_number', data: '4242424242424242' })
  await owner.tokens.remove({ id: deleted.id })
  const before = await owner.tenants.getUsageReport()
  engine.close()
  toFirstFormat(vault)
  vault.reopen()
  expect(await owner.tenants.getUsageReport()).toEqual(before)
  await owner.tokens.create({ type: 'card_number', data: '4242424242424242' })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(3)
  const invited = await owner.invitations.create({ email: 'a@example.com' })
  expect((await owner.invitations.list({})).data).toEqual([invited])
  expect(await owner.tenants.getSecurityContact()).toEqual({ email: null })
})
