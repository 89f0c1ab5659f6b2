import { createPublicKey, diffieHellman, hkdfSync, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wrapMaster } from '../../electron/host/keys/master.ts'
import { isRecoveryKey, newRecoveryKey, parseRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import { newRecoverySlot, openRecoverySlot } from '../../electron/host/keys/recovery-slot.ts'
import { createX25519Key, lowOrderPoints } from '../engine/agreed-keys.ts'

test('X-30 a recovery key is unique: ten groups of four unambiguous characters', () => {
  const keys = Array.from({ length: 50 }, newRecoveryKey)
  for (const key of keys) expect(key).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){9}[0-9A-HJKMNP-TV-Z]{4}$/)
  expect(new Set(keys).size).toBe(50)
  expect(parseRecoveryKey(keys[0] as string)).toHaveLength(20)
})

test('X-30 a recovery key is accepted in any case and spacing, with O for 0 and I or L for 1', () => {
  const sloppy = fc.array(fc.constantFrom('', ' ', '-', ' - ', '\t'), { minLength: 40, maxLength: 40 })
  fc.assert(
    fc.property(sloppy, fc.infiniteStream(fc.nat(3)), (gaps, choices) => {
      const key = newRecoveryKey()
      const alike: Record<string, string> = { 0: '0Oo0', 1: '1IlL' }
      const typed = [...key.replaceAll('-', '')].map((character, index) => {
        const choice = choices.next().value
        const shown = alike[character]?.charAt(choice) ?? character
        return (choice % 2 ? shown.toLowerCase() : shown) + gaps[index]
      })
      expect(parseRecoveryKey(typed.join(''))).toEqual(parseRecoveryKey(key))
    }),
  )
})

test('X-30 any single mistyped character is detected, and the error quotes nothing', () => {
  const key = newRecoveryKey()
  fc.assert(
    fc.property(
      fc.nat(key.length - 1),
      fc.constantFrom(...'023456789ABCDEFGHJKMNPQRSTVWXYZ!U'),
      (at, other) => {
        fc.pre(key[at] !== '-' && key[at] !== other)
        const typed = key.slice(0, at) + other + key.slice(at + 1)
        expect(isRecoveryKey(typed)).toBe(false)
        expect(() => parseRecoveryKey(typed)).toThrow(/^recovery_key has a mistyped character/)
      },
    ),
  )
})

test('X-30 a partial key or a passphrase is not accepted as a recovery key', () => {
  expect(() => parseRecoveryKey(newRecoveryKey().slice(0, -1))).toThrow(/must have 40 letters and digits/)
  expect(isRecoveryKey('correct horse battery staple')).toBe(false)
  expect(isRecoveryKey('')).toBe(false)
})

test('X-78 a recovery key never opens a slot that is sealed with a point of low order', () => {
  const [master, vault_id, recovery_key] = [randomBytes(32), 'vault', newRecoveryKey()]
  const slot = newRecoverySlot(master, vault_id, recovery_key)
  const openSlot = (changed: typeof slot) =>
    openRecoverySlot(changed, parseRecoveryKey(recovery_key), vault_id)
  expect(openSlot(slot)).toEqual(master)
  const secret = parseRecoveryKey(recovery_key)
  const seed = Buffer.from(hkdfSync('sha256', secret, vault_id, 'coffer recovery pair v1', 32))
  const key = createPublicKey(createX25519Key(seed.toString('hex')))
  const half = key.export({ format: 'der', type: 'spki' }).subarray(-32)
  const openSealedWith = (point: Buffer, shared: Buffer) => {
    const salt = Buffer.concat([point, half])
    const agreed = hkdfSync('sha256', shared, salt, `coffer recovery seal v1|${vault_id}`, 32)
    const wrapped = wrapMaster(master, Buffer.from(agreed), vault_id, 'recovery')
    return openSlot({ ...slot, wrapped, ephemeral: point.toString('base64') })
  }
  const sender = createX25519Key('07'.repeat(32))
  const point = createPublicKey(sender).export({ format: 'der', type: 'spki' }).subarray(-32)
  expect(openSealedWith(point, diffieHellman({ privateKey: sender, publicKey: key }))).toEqual(master)
  // With such a point, the secret is zero for every private key.
  for (const hex of lowOrderPoints)
    expect(openSealedWith(Buffer.from(hex, 'hex'), Buffer.alloc(32)), hex).toBeUndefined()
})
