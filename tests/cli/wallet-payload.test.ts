import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { startServe } from './run-coffer.ts'

test('Z-02 coffer wallet-payload prints payment data that the vault decrypts', async () => {
  const coffer = startServe(createTempFolder(), {}, '--ephemeral')
  const { url, keys } = await coffer.json()
  const at = ['--url', url, '--key', keys.management, '--card', '4242424242424242']
  const sendPayload = async (path: string, ...options: string[]) => {
    const { code, out } = await runCommandLine('wallet-payload', ...options, ...at)
    expect(code).toBe(0)
    const headers = { 'BT-API-KEY': keys.public, 'Content-Type': 'application/json' }
    const response = await fetch(url + path, { method: 'POST', headers, body: out })
    return { status: response.status, body: await response.json() }
  }
  const card = { last4: '4242' }
  expect(await sendPayload('/apple-pay', '--apple')).toMatchObject({
    status: 201,
    body: { apple_pay: { type: 'dpan', card } },
  })
  expect(await sendPayload('/apple-pay', '--apple', '--mpan')).toMatchObject({
    body: { apple_pay: { type: 'mpan' } },
  })
  expect(
    await sendPayload('/apple-pay', '--apple', '--merchant', 'shop', '--merchant', 'delivery'),
  ).toMatchObject({
    status: 201,
  })
  expect(await sendPayload('/google-pay', '--google')).toMatchObject({
    status: 201,
    body: { google_pay: { card } },
  })
  expect(await sendPayload('/google-pay', '--google', '--pan-only')).toMatchObject({
    body: { token_intent: { card } },
  })

  const unknown = ['--registration', '4f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10']
  expect(await runCommandLine('wallet-payload', '--apple', ...unknown, ...at)).toMatchObject({ code: 1 })
  expect(await runCommandLine('wallet-payload', ...at)).toMatchObject({
    code: 2,
    error: 'Name the wallet with --apple or --google.',
  })
  for (const wrong of [
    ['--apple', '--google'],
    ['--apple', '--pan-only'],
    ['--google', '--mpan'],
    ['--google', '--merchant', 'shop'],
  ])
    expect((await runCommandLine('wallet-payload', ...wrong, ...at)).code).toBe(2)
  expect((await runCommandLine('wallet-payload', '--apple', ...at.slice(0, -1), '42')).code).toBe(2)
})
