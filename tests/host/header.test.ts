import { hash, randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Header, readHeader, writeHeader } from '../../electron/host/files/header.ts'
import {
  argon2idBounds,
  computeHeaderChecksum,
  readPassphraseSlot,
} from '../../electron/host/files/passphrase-slot.ts'
import { computeCheck, isMaster, unwrapMaster, wrapMaster } from '../../electron/host/keys/master.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  file = path.join(folder, 'vault.json')
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

const master = randomBytes(32)
const key = randomBytes(32)
const vault_id = randomUUID()
const header: Header = {
  format: 2,
  vault_id,
  name: 'work',
  created_at: '2026-11-21T00:00:00.000+00:00',
  protection: 'passphrase',
  check: computeCheck(master, vault_id),
  passphrase: {
    argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 },
    salt: randomBytes(16).toString('base64'),
    wrapped: wrapMaster(master, key, vault_id, 'passphrase'),
  },
  recovery: { wrapped: wrapMaster(master, randomBytes(32), vault_id, 'recovery') },
}

test('a header is read back as written, and its file is accessible to its owner only', () => {
  writeHeader(file, header)
  expect(readHeader(file)).toEqual(header)
  expect(fs.readdirSync(folder)).toEqual(['vault.json'])
  if (process.platform !== 'win32') expect(fs.statSync(file).mode & 0o777).toBe(0o600)
})

test('X-26 a header damaged anywhere is rejected with advice and not changed', () => {
  writeHeader(file, header)
  const good = fs.readFileSync(file)
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good)
    bad.writeUInt8(bad.readUInt8(at) ^ 0x04, at)
    fs.writeFileSync(file, bad)
    try {
      expect(readHeader(file)).toEqual(header)
    } catch (error) {
      expect(error).toMatchObject({ code: 'damaged', message: expect.stringMatching(/restore a backup/) })
    }
    expect(fs.readFileSync(file)).toEqual(bad)
  }
})

test.each([
  ['empty', ''],
  ['cut off', '{"format": 1, "vault_id"'],
  ['not an object', 'null'],
])('X-26 a header that is %s is rejected', (_name, content) => {
  fs.writeFileSync(file, content)
  expect(() => readHeader(file)).toThrow(/damaged/)
  expect(fs.readFileSync(file, 'utf8')).toBe(content)
})

test('X-26 a missing header is reported and not created', () => {
  expect(() => readHeader(file)).toThrow(/There is no .*vault\.json/)
  expect(fs.readdirSync(folder)).toEqual([])
})

test('X-29 a header of a newer format is rejected as newer', () => {
  const newer = { ...header, format: 3, protected_by: 'a passkey' }
  fs.writeFileSync(file, JSON.stringify({ ...newer, checksum: hash('sha256', JSON.stringify(newer)) }))
  expect(() => readHeader(file)).toThrow(/newer Coffer/)
})

test('an invalid header is not written', () => {
  writeHeader(file, header)
  const before = fs.readFileSync(file)
  expect(() => writeHeader(file, { ...header, protection: 'keychain' })).toThrow()
  expect(fs.readFileSync(file)).toEqual(before)
})

test('a wrapped master secret opens only with its own key, vault and slot', () => {
  const wrapped = wrapMaster(master, key, vault_id, 'passphrase')
  expect(unwrapMaster(wrapped, key, vault_id, 'passphrase')).toEqual(master)
  expect(unwrapMaster(wrapped, key, vault_id, 'recovery')).toBeUndefined()
  expect(unwrapMaster(wrapped, key, randomUUID(), 'passphrase')).toBeUndefined()
  expect(unwrapMaster(wrapped, randomBytes(32), vault_id, 'passphrase')).toBeUndefined()
  expect(isMaster(master, vault_id, header.check)).toBe(true)
  expect(isMaster(randomBytes(32), vault_id, header.check)).toBe(false)
  expect(isMaster(master, randomUUID(), header.check)).toBe(false)
})

test('the passphrase slot of a header is read only if checksum and costs are valid', () => {
  const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
  const salt = Buffer.alloc(16, 7)
  const readSlot = (changes: object, checksum?: string) => {
    const passphrase = { salt: salt.toString('base64'), argon2id }
    const content = { protection: 'passphrase', passphrase, ...changes }
    fs.writeFileSync(
      file,
      JSON.stringify({ ...content, checksum: checksum ?? computeHeaderChecksum(content) }),
    )
    return readPassphraseSlot(file)
  }
  expect(readSlot({})).toEqual({ salt, argon2id })
  expect(readSlot({ protection: 'keychain' })).toBeUndefined()
  expect(readSlot({}, 'of another')).toBeUndefined()
  for (const [name, [min, max]] of Object.entries(argon2idBounds)) {
    for (const cost of [min - 1, max + 1, min + 0.5, String(min)]) {
      const passphrase = { salt: salt.toString('base64'), argon2id: { ...argon2id, [name]: cost } }
      expect(readSlot({ passphrase })).toBeUndefined()
    }
  }
  fs.writeFileSync(file, '{')
  expect(readPassphraseSlot(file)).toBeUndefined()
  expect(readPassphraseSlot(`${file}-missing`)).toBeUndefined()
})
