import { expect, test } from 'vitest'
import { confirmationWord, isConfirmed } from '../../renderer/parts/forms/confirmation-word.ts'
import { besides, fieldErrorsOf, sentenceOf } from '../../renderer/parts/messages/sentence.ts'
import { dataOf } from '../../renderer/parts/tokens/token-draft.ts'
import { fileNameOf, folderNameOf } from '../../renderer/parts/vaults/backup-names.ts'
import { isOwnerTyped, noOwner, ownerOf } from '../../renderer/parts/vaults/owner-fields.tsx'
import { showsSteps, stepsOf } from '../../renderer/parts/vaults/steps.ts'
import { commandOf } from '../../renderer/screens/home/first-steps-text.ts'
import { listenerErrors } from '../../renderer/screens/settings/listener-errors.ts'
import { changesIn, savedText } from '../../renderer/screens/settings/saved-text.ts'
import { CofferError } from '../../shared/errors.ts'
import { hostSettings } from '../../shared/host.ts'

const wrong = new CofferError('invalid', 'The request is not valid.', {
  errors: {
    'origins[1]': ['must be an origin'],
    'data.expiration_month': ['is required'],
    port: ['is taken'],
  },
})

test('a refusal names members in words, and says at the end only what no field says', () => {
  expect(sentenceOf(wrong)).toBe(
    'Origins, entry 2 must be an origin. Expiration month is required. Port is taken.',
  )
  expect(fieldErrorsOf(wrong)).toEqual({
    'origins[1]': 'Must be an origin.',
    'data.expiration_month': 'Is required.',
    port: 'Is taken.',
  })
  expect(sentenceOf(besides(wrong, ['origins', 'data']))).toBe('Port is taken.')
  expect(besides(wrong, ['origins', 'data', 'port'])).toBeNull()
  // A field of another name does not hide a message.
  expect(sentenceOf(besides(wrong, ['origin', 'data', 'port']))).toContain('Origins, entry 2')
  const other = new CofferError('conflict', 'Taken.', { errors: { port: ['is taken'] } })
  expect(besides(other, [])).toBe(other)
  expect(besides(other, ['port'])).toBeNull()
})

test('settings of the listener are refused all at once, each naming its entries', () => {
  const errors = listenerErrors({
    isEmptied: true,
    origins: ['http://localhost:3000', 'shop.test', 'http://a.test/b'],
    hosts: ['vault.test:65535', 'no/host', 'vault.test:99999', 'vault.test:0'],
  })
  expect(Object.keys(errors)).toEqual(['port', 'origins', 'hosts'])
  expect(errors.origins).toMatch(/^shop\.test, http:\/\/a\.test\/b: /)
  expect(errors.hosts).toMatch(/^no\/host, vault\.test:99999, vault\.test:0: /)
  expect(listenerErrors({ isEmptied: false })).toEqual({})
})

test('what was saved is named; a save that changes nothing says so', () => {
  const before = hostSettings.parse({})
  expect(changesIn({ port: before.port, origins: [] }, before)).toEqual({})
  expect(changesIn({ port: 1, origins: [] }, before)).toEqual({ port: 1 })
  expect(savedText(['port', 'hosts'])).toBe('Saved: port, additional host names')
  expect(savedText([])).toBe('Nothing was changed')
})

test('a long name is confirmed by its beginning, and only by that or the whole', () => {
  const long = 'x'.repeat(110)
  expect(confirmationWord(long)).toHaveLength(24)
  expect(isConfirmed(long, 'x'.repeat(24))).toBe(true)
  expect(isConfirmed(long, long)).toBe(true)
  expect(isConfirmed(long, 'x'.repeat(23))).toBe(false)
  expect(isConfirmed('Shop', ' shop ')).toBe(true)
  expect(isConfirmed('Shop', '')).toBe(false)
  expect(confirmationWord('Shop \u202egnp')).toBe('Shop U+202Egnp')
  expect(isConfirmed('Shop \u202egnp', 'shop u+202egnp')).toBe(true)
  expect(isConfirmed('Shop \u202egnp', 'shop gnp')).toBe(false)
})

test('the owner confirms with the passphrase, the recovery key or, with a keychain, the name', () => {
  const shop = { name: 'shop', protection: 'passphrase' } as const
  expect(isOwnerTyped(shop, noOwner)).toBe(false)
  const typed = { owner: 'secret words', isRecovery: false }
  expect(isOwnerTyped(shop, typed)).toBe(true)
  expect(ownerOf(shop, typed)).toEqual({ passphrase: 'secret words' })
  expect(ownerOf(shop, { ...typed, isRecovery: true })).toEqual({ recovery_key: 'secret words' })
  const kept = { name: 'shop', protection: 'keychain' } as const
  expect(isOwnerTyped(kept, typed)).toBe(false)
  expect(isOwnerTyped(kept, { ...typed, owner: 'shop' })).toBe(true)
  expect(ownerOf(kept, { ...typed, owner: 'shop' })).toEqual({ keychain: true })
})

test('first steps show in a young vault until they are taken or put away, and whenever they are asked for', () => {
  const now = Date.parse('2026-05-01T00:00:00Z')
  const steps = {
    created_at: '2026-04-20T00:00:00Z',
    token: true,
    token_id: null,
    application: false,
    proxied_call: true,
    webhook: true,
    backup: null,
  }
  const all = { ...steps, application: true }
  const old = { ...steps, created_at: '2026-01-01T00:00:00Z' }
  expect(stepsOf(steps)).toEqual(['token', 'application', 'proxied_call', 'webhook'])
  expect(showsSteps({ steps, asked: false }, false, now)).toBe(true)
  expect(showsSteps({ steps, asked: false }, true, now)).toBe(false)
  expect(showsSteps({ steps: all, asked: false }, false, now)).toBe(false)
  expect(showsSteps({ steps: old, asked: false }, false, now)).toBe(false)
  for (const each of [all, old]) expect(showsSteps({ steps: each, asked: true }, true, now)).toBe(true)
  expect(showsSteps({ steps: null, asked: true }, false, now)).toBe(false)
})

test('the command of a step reaches the listener, and takes the key from the shell', () => {
  const place = {
    listener: { state: 'on', url: 'http://127.0.0.1:5180', port: 5180 },
    settings: hostSettings.parse({}),
    vault: { name: 'shop', tenant_id: 't', protection: 'passphrase', now: '' },
  } as const
  expect(commandOf('token', place)).toMatch(
    /^curl http:\/\/127\.0\.0\.1:5180\/tokens \\\n {2}-H "SVC-API-KEY: \$PRIVATE_KEY"/,
  )
  expect(commandOf('webhook', { ...place, listener: { state: 'off' } })).toContain('127.0.0.1:4747/webhooks')
  expect(commandOf('proxied_call', place, '6862f705')).toContain(
    `-H 'SVC-PROXY-URL: https://echo.coffer.test/charges' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"card":"{{ 6862f705 }}"}'`,
  )
  expect(commandOf('backup', place)).toBe('coffer backup --vault shop')
})

test('a card is taken as people write it', () => {
  const typed = { number: '4242 4242 4242 4242', expiration_month: '04', expiration_year: '30', cvc: ' 123 ' }
  expect(dataOf('card', typed)).toEqual({
    number: '4242424242424242',
    expiration_month: 4,
    expiration_year: 2030,
    cvc: '123',
  })
  expect(dataOf('card_number', { value: '5105-1051 0510 5100' })).toBe('5105105105105100')
  expect(dataOf('card', { expiration_year: '2030' })).toEqual({ expiration_year: 2030 })
  expect(dataOf('token', { value: 'a b-c' })).toBe('a b-c')
})

test('a backup is named by its file and its folder, on any system', () => {
  for (const file of ['/data/backups/shop/a.coffer-backup', 'C:\\data\\backups\\shop\\a.coffer-backup']) {
    expect([fileNameOf(file), folderNameOf(file)]).toEqual(['a.coffer-backup', 'shop'])
  }
})
