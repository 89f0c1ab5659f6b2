import { expect, test } from 'vitest'
import { formatCurl } from '../../renderer/parts/api/snippets.ts'
import { getConfirmationWord, isConfirmed } from '../../renderer/parts/forms/confirmation-word.ts'
import {
  describeError,
  getFieldErrors,
  getUnplacedError,
} from '../../renderer/parts/messages/describe-error.ts'
import { toData } from '../../renderer/parts/tokens/token-draft.ts'
import { getFileName, getFolderName } from '../../renderer/parts/vaults/backup-names.ts'
import { emptyOwner, isOwnerEntered, toOwnerCredential } from '../../renderer/parts/vaults/owner-fields.tsx'
import { listSteps, shouldShowSteps } from '../../renderer/parts/vaults/steps.ts'
import { createStepRequest, formatBackupCommand } from '../../renderer/screens/home/first-steps-text.ts'
import { validateListener } from '../../renderer/screens/settings/listener-errors.ts'
import { findChanges, formatSaved } from '../../renderer/screens/settings/saved-text.ts'
import { CofferError } from '../../shared/errors.ts'
import { hostSettings } from '../../shared/host/settings.ts'

const wrong = new CofferError('invalid', 'The request is not valid.', {
  errors: {
    'origins[1]': ['must be an origin'],
    'data.expiration_month': ['is required'],
    port: ['is taken'],
  },
})

test('an error names fields by label and omits messages that a field displays', () => {
  expect(describeError(wrong)).toBe(
    'Origins, entry 2 must be an origin. Expiration month is required. Port is taken.',
  )
  expect(getFieldErrors(wrong)).toEqual({
    'origins[1]': 'Must be an origin.',
    'data.expiration_month': 'Is required.',
    port: 'Is taken.',
  })
  expect(describeError(getUnplacedError(wrong, ['origins', 'data']))).toBe('Port is taken.')
  expect(getUnplacedError(wrong, ['origins', 'data', 'port'])).toBeNull()
  // A message is omitted only if the field of exactly that name displays it.
  expect(describeError(getUnplacedError(wrong, ['origin', 'data', 'port']))).toContain('Origins, entry 2')
  const other = new CofferError('conflict', 'Taken.', { errors: { port: ['is taken'] } })
  expect(getUnplacedError(other, [])).toBe(other)
  expect(getUnplacedError(other, ['port'])).toBeNull()
})

test('listener settings report all invalid entries together', () => {
  const errors = validateListener({
    isEmptied: true,
    origins: ['http://localhost:3000', 'shop.test', 'http://a.test/b'],
    hosts: ['vault.test:65535', 'no/host', 'vault.test:99999', 'vault.test:0'],
  })
  expect(Object.keys(errors)).toEqual(['port', 'origins', 'hosts'])
  expect(errors.origins).toMatch(/^shop\.test, http:\/\/a\.test\/b: /)
  expect(errors.hosts).toMatch(/^no\/host, vault\.test:99999, vault\.test:0: /)
  expect(validateListener({ isEmptied: false })).toEqual({})
})

test('the message of a save lists what changed, or says that nothing did', () => {
  const before = hostSettings.parse({})
  expect(findChanges({ port: before.port, origins: [] }, before)).toEqual({})
  expect(findChanges({ port: 1, origins: [] }, before)).toEqual({ port: 1 })
  expect(formatSaved(['port', 'hosts'])).toBe('Saved: port, additional host names')
  expect(formatSaved([])).toBe('Nothing was changed')
  for (const name of hostSettings.keyof().options) expect(formatSaved([name])).toMatch(/^Saved: \w/)
  expect(formatSaved(hostSettings.keyof().options)).not.toContain('undefined')
})

test('a confirmation accepts the displayed start of a long name or the full name', () => {
  const long = 'x'.repeat(110)
  expect(getConfirmationWord(long)).toHaveLength(24)
  expect(isConfirmed(long, 'x'.repeat(24))).toBe(true)
  expect(isConfirmed(long, long)).toBe(true)
  expect(isConfirmed(long, 'x'.repeat(23))).toBe(false)
  expect(isConfirmed('Shop', ' shop ')).toBe(true)
  expect(isConfirmed('Shop', '')).toBe(false)
  expect(getConfirmationWord('Shop \u202egnp')).toBe('Shop U+202Egnp')
  expect(isConfirmed('Shop \u202egnp', 'shop u+202egnp')).toBe(true)
  expect(isConfirmed('Shop \u202egnp', 'shop gnp')).toBe(false)
})

test('the owner confirms with passphrase or recovery key, or with the name of a keychain vault', () => {
  const shop = { name: 'shop', protection: 'passphrase' } as const
  expect(isOwnerEntered(shop, emptyOwner)).toBe(false)
  const typed = { owner: 'secret words', isRecovery: false }
  expect(isOwnerEntered(shop, typed)).toBe(true)
  expect(toOwnerCredential(shop, typed)).toEqual({ passphrase: 'secret words' })
  expect(toOwnerCredential(shop, { ...typed, isRecovery: true })).toEqual({ recovery_key: 'secret words' })
  const kept = { name: 'shop', protection: 'keychain' } as const
  expect(isOwnerEntered(kept, typed)).toBe(false)
  expect(isOwnerEntered(kept, { ...typed, owner: 'shop' })).toBe(true)
  expect(toOwnerCredential(kept, { ...typed, owner: 'shop' })).toEqual({ keychain: true })
})

test('first steps are displayed in a new vault until they are done or hidden', () => {
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
  expect(listSteps(steps)).toEqual(['token', 'application', 'proxied_call', 'webhook'])
  expect(shouldShowSteps({ steps, isRequested: false }, false, now)).toBe(true)
  expect(shouldShowSteps({ steps, isRequested: false }, true, now)).toBe(false)
  expect(shouldShowSteps({ steps: all, isRequested: false }, false, now)).toBe(false)
  expect(shouldShowSteps({ steps: old, isRequested: false }, false, now)).toBe(false)
  for (const each of [all, old])
    expect(shouldShowSteps({ steps: each, isRequested: true }, true, now)).toBe(true)
  expect(shouldShowSteps({ steps: null, isRequested: true }, false, now)).toBe(false)
})

test('the request of a first step reads its key from a variable', () => {
  const formatStep = (...step: Parameters<typeof createStepRequest>) =>
    formatCurl({ ...createStepRequest(...step), url: 'http://127.0.0.1:5180' })
  expect(formatStep('token')).toMatch(
    /^curl http:\/\/127\.0\.0\.1:5180 \\\n {2}-H "SVC-API-KEY: \$PRIVATE_KEY"/,
  )
  expect(formatStep('proxied_call', '6862f705')).toContain(
    `-H 'SVC-PROXY-URL: https://echo.coffer.test/charges' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"card":"{{ 6862f705 }}"}'`,
  )
  const vault = { name: 'shop', tenant_id: 't', protection: 'passphrase', now: '' } as const
  expect(formatBackupCommand({ vault })).toBe('coffer backup --vault shop')
})

test('a card is parsed from common forms of input', () => {
  const typed = { number: '4242 4242 4242 4242', expiration_month: '04', expiration_year: '30', cvc: ' 123 ' }
  expect(toData('card', typed)).toEqual({
    number: '4242424242424242',
    expiration_month: 4,
    expiration_year: 2030,
    cvc: '123',
  })
  expect(toData('card_number', { value: '5105-1051 0510 5100' })).toBe('5105105105105100')
  expect(toData('card', { expiration_year: '2030' })).toEqual({ expiration_year: 2030 })
  expect(toData('token', { value: 'a b-c' })).toBe('a b-c')
})

test('the names of a backup are read from Windows and POSIX paths', () => {
  for (const file of ['/data/backups/shop/a.coffer-backup', 'C:\\data\\backups\\shop\\a.coffer-backup']) {
    expect([getFileName(file), getFolderName(file)]).toEqual(['a.coffer-backup', 'shop'])
  }
})
