import { describe, expect, it } from 'vitest'
import { importBanks } from '../../electron/host/transfer/import-directories.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

const using = { permissions: ['token:use', 'token:create'] }
const checked = '021000021'

async function openVerifier() {
  const vault = openBriefVault()
  const { client } = await vault.application(using)
  const bank = await vault.owner.tokens.create({
    type: 'bank',
    data: { routing_number: checked, account_number: '00001' },
  })
  const createAccount = async (data: string) =>
    (await vault.owner.tokens.create({ type: 'us_bank_account_number', data })).id
  const { bankAccountVerify: verify } = client.enrichments
  return { vault, client, verify, bank: bank.id, account: createAccount }
}

describe('bank account verification', () => {
  it('B-01 verification accepts a bank token, or an account number token with routing number', async () => {
    const { verify, bank, account } = await openVerifier()
    expect(await verify({ token_id: bank })).toEqual({ status: 'enabled' })
    const number = await account('00002')
    expect(await verify({ token_id: number, routing_number: checked })).toEqual({ status: 'inconclusive' })
    expect((await catchProblem(verify({ token_id: number }))).errors).toEqual({
      routing_number: ['is required for a token of type us_bank_account_number'],
    })
    expect((await catchProblem(verify({ token_id: bank, routing_number: checked }))).errors).toEqual({
      routing_number: ['is only allowed with a token of type us_bank_account_number'],
    })
  })

  it('B-01 verification rejects other types, unknown tokens and invalid input', async () => {
    const { vault, verify, bank } = await openVerifier()
    const other = await vault.owner.tokens.create({ type: 'token', data: '00001' })
    expect(await catchProblem(verify({ token_id: other.id }))).toMatchObject({
      status: 400,
      errors: { token_id: ['must be the id of a token of type bank or us_bank_account_number'] },
    })
    expect((await catchProblem(verify({ token_id: 'none' }))).status).toBe(404)
    for (const country_code of ['U', 'USA', '1U', 'ÜS']) {
      const problem = await catchProblem(verify({ token_id: bank, country_code }))
      expect(problem.errors).toEqual({ country_code: ['must be two letters'] })
    }
    for (const routing_number of ['02100002', '0210000211', '02100002a']) {
      const problem = await catchProblem(verify({ token_id: bank, routing_number }))
      expect(problem.errors).toEqual({ routing_number: ['must be a string of 9 digits'] })
    }
  })

  it('B-01 verification needs token:use on a container of the token', async () => {
    const { vault, bank } = await openVerifier()
    const createGrants = (container: string) => ({
      rules: [{ priority: 1, container, transform: 'redact' as const, permissions: ['token:use' as const] }],
    })
    const near = await vault.application(createGrants('/bank/'))
    expect(await near.client.enrichments.bankAccountVerify({ token_id: bank })).toEqual({ status: 'enabled' })
    const far = await vault.application(createGrants('/pci/'))
    const problem = await catchProblem(far.client.enrichments.bankAccountVerify({ token_id: bank }))
    expect(problem.status).toBe(403)
    const reading = await vault.application({ permissions: ['token:read'] })
    expect(
      (await catchProblem(reading.client.enrichments.bankAccountVerify({ token_id: bank }))).status,
    ).toBe(403)
  })

  it('B-02 B-03 verification uses the directory, then built-in accounts, then checksum', async () => {
    const { vault, verify, bank, account } = await openVerifier()
    const verifyAccount = async (routing_number: string, number: string, country_code?: string) =>
      (await verify({ token_id: await account(number), routing_number, country_code })).status
    expect(await verifyAccount('021000020', '00000')).toBe('disabled')
    expect(await verifyAccount('021000020', '12345')).toBe('disabled')
    expect(await verifyAccount('011401533', '12345')).toBe('inconclusive')
    expect(await verifyAccount(checked, '00001', 'DE')).toBe('inconclusive')
    await vault.owner.banks.put({ routing_number: '011401533', account_number: '12345', status: 'enabled' })
    await vault.owner.banks.put({ routing_number: checked, account_number: '00001', status: 'disabled' })
    expect(await verifyAccount('011401533', '12345')).toBe('enabled')
    expect(await verify({ token_id: bank })).toEqual({ status: 'disabled' })
    await vault.owner.banks.remove({ routing_number: checked, account_number: '00001' })
    expect(await verify({ token_id: bank })).toEqual({ status: 'enabled' })
  })
})

describe('the bank directory', () => {
  it('B-02 only the owner lists, changes and clears the directory', async () => {
    const { vault, client } = await openVerifier()
    const entry = { routing_number: checked, account_number: '7', status: 'enabled' as const }
    const key = { routing_number: checked, account_number: '7' }
    await vault.owner.banks.put(entry)
    await vault.owner.banks.put({ ...entry, status: 'disabled' })
    expect(await vault.owner.banks.list({})).toMatchObject({
      pagination: { total_items: 1 },
      data: [{ ...entry, status: 'disabled' }],
    })
    const calls = [
      client.banks.list({}),
      client.banks.put(entry),
      client.banks.remove(key),
      client.banks.putMany({ entries: [], dry_run: false }),
      client.banks.exportCsv({}),
    ]
    const problems = await Promise.all(calls.map(catchProblem))
    expect(problems.map((problem) => problem.status)).toEqual(calls.map(() => 403))
    await vault.owner.banks.remove(key)
    expect((await catchProblem(vault.owner.banks.remove(key))).status).toBe(404)
    expect((await vault.owner.banks.list({})).data).toEqual([])
  })

  it('B-02 the directory is imported from CSV after a dry run', async () => {
    const { vault } = await openVerifier()
    await vault.owner.banks.put({ routing_number: checked, account_number: '1', status: 'enabled' })
    await vault.owner.banks.put({ routing_number: checked, account_number: '9', status: 'enabled' })
    const csv = `routing,account,status\n${checked},1,disabled\n${checked},2,enabled\n12,3,enabled\n${checked},2,disabled\n${checked},4,open\n`
    const report = {
      entries: 2,
      added: 1,
      changed: 1,
      refused_lines: 3,
      refused: [
        { line: 4, message: 'routing_number must be 9 digits.' },
        { line: 5, message: 'This account is already on an earlier line.' },
        { line: 6, message: 'status must be one of enabled, disabled, inconclusive.' },
      ],
    }
    expect(await importBanks(vault.engine, { csv, dry_run: true })).toEqual({ dry_run: true, ...report })
    expect((await vault.owner.banks.list({})).pagination.total_items).toBe(2)
    expect(await importBanks(vault.engine, { csv, dry_run: false })).toEqual({ dry_run: false, ...report })
    expect((await vault.owner.banks.list({})).data.map((each) => each.status)).toEqual([
      'disabled',
      'enabled',
      'enabled',
    ])
  })

  it('B-02 the directory is exported as CSV that imports again', async () => {
    const { vault } = await openVerifier()
    await vault.owner.banks.put({ routing_number: checked, account_number: '01', status: 'enabled' })
    await vault.owner.banks.put({ routing_number: '011401533', account_number: '2', status: 'inconclusive' })
    const { csv, next } = await vault.owner.banks.exportCsv({})
    expect(next).toBeNull()
    const other = openBriefVault()
    expect(await importBanks(other.engine, { csv, dry_run: false })).toMatchObject({ added: 2, refused: [] })
    expect(await other.owner.banks.list({})).toEqual(await vault.owner.banks.list({}))
  })
})
