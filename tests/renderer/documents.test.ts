import * as jose from 'jose'
import { expect, test } from 'vitest'
import { formatEncryptSnippet } from '../../renderer/screens/applications/client-keys/encrypt-snippet.ts'
import { formatFileName } from '../../renderer/screens/documents/content/file-name.ts'
import { isDrawable, readImageSize } from '../../renderer/screens/documents/content/image-size.ts'
import { getPreviewKind } from '../../renderer/screens/documents/content/preview.ts'
import { mergePage } from '../../renderer/screens/documents/list/merge-page.ts'
import { formatSize } from '../../shared/format-size.ts'
import { openVault } from '../vault.ts'

test.each([
  ['image/png', 'image'],
  ['IMAGE/JPEG; q=1', 'image'],
  ['image/svg+xml', 'text'],
  ['text/html; charset=utf-8', 'text'],
  ['application/json', 'text'],
  ['application/problem+json', 'text'],
  ['application/javascript', 'text'],
  ['application/pdf', 'none'],
  ['application/jsonp-like', 'none'],
  ['image/tiff', 'none'],
  ['application/octet-stream', 'none'],
])('X-59 a document of type %s is displayed as %s', (type, kind) => {
  expect(getPreviewKind(type)).toBe(kind)
})

test.each([
  ['application/pdf', 'Contract, signed.pdf', 'Contract signed.pdf'],
  ['application/pdf', 'virus.exe', 'virus.pdf'],
  ['text/html', 'page.html', 'page.txt'],
  ['application/x-msdownload', 'setup.exe', 'setup.bin'],
  ['image/svg+xml', '../../a\u202egnp.svg', 'agnp.txt'],
  ['text/plain', '...', 'document-0f6f1c1e.txt'],
  ['text/csv', '', 'document-0f6f1c1e.csv'],
  ['toString/constructor', 'x', 'x.bin'],
])('X-59 a document of type %s with the name %j is saved as %j', (content_type, name, saved) => {
  const id = '0f6f1c1e-7a5b-4a51-9a44-0a8f4d4b7a10'
  expect(formatFileName({ id, content_type, metadata: name === '' ? {} : { name } })).toBe(saved)
})

const parseHex = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

test.each([
  ['89504e47 0d0a1a0a 0000000d 49484452 00000300 00000200', { width: 768, height: 512 }],
  ['474946383961 0a00 0500', { width: 10, height: 5 }],
  ['ffd8 ffe0 0004 4a46 ff ffc2 0011 08 0010 0020 00', { width: 32, height: 16 }],
  ['52494646 00000000 57454250 56503820 00000000 000000 9d012a 4001 f000', { width: 320, height: 240 }],
  ['52494646 00000000 57454250 5650384c 00000000 2f 3f c1 3b 00', { width: 320, height: 240 }],
  ['52494646 00000000 57454250 56503858 00000000 00000000 3f0100 ef0000', { width: 320, height: 240 }],
  ['3c737667 20786d6c 6e733d22 20202020 20202020', null],
  ['ffd8 ffe0 ffff', null],
  ['', null],
])('the size of an image is read from its header: %s', (hex, size) => {
  expect(readImageSize(parseHex(hex))).toEqual(size)
})

test('X-59 an image that needs gigabytes of memory is not rendered', () => {
  expect(isDrawable(parseHex('89504e47 0d0a1a0a 0000000d 49484452 0000ea60 0000ea60'))).toBe(false)
  expect(isDrawable(parseHex('474946383961 0a00 0500'))).toBe(true)
  expect(isDrawable(parseHex('00'))).toBe(null)
})

test('a reloaded first page is merged with the displayed rows, or replaces them after a gap', () => {
  const createRow = (seq: number) => ({ id: `d${seq}`, seq })
  const current = { rows: [5, 4, 3].map(createRow), next: 3 }
  expect(mergePage(current, { rows: [7, 6, 5].map(createRow), next: 5 })).toEqual({
    rows: [7, 6, 5, 4, 3].map(createRow),
    next: 3,
  })
  const far = { rows: [9, 8, 7].map(createRow), next: 7 }
  expect(mergePage(current, far)).toEqual(far)
  const short = { rows: [6, 5, 4, 3].map(createRow), next: null }
  expect(mergePage({ ...current, next: null }, short)).toEqual(short)
  expect(mergePage({ rows: [], next: null }, short)).toEqual(short)
})

test('a file size is never rounded up', () => {
  const sizes = [0, 1, 1023, 1024, 1536, 102_400, 50 * 1024 * 1024 - 1, 50 * 1024 * 1024].map(formatSize)
  expect(sizes).toEqual([
    '0 bytes',
    '1 byte',
    '1023 bytes',
    '1 KiB',
    '1.5 KiB',
    '100 KiB',
    '49.9 MiB',
    '50 MiB',
  ])
})

test('C-01 the sample code of a client key encrypts for the vault', async () => {
  const { owner } = openVault()
  const made = await owner.clientKeys.create({})
  const code = formatEncryptSnippet('jose', { url: 'http://127.0.0.1:4747', ...made })
  const body = code.replace(/^import (.*) from 'jose'$/m, 'const $1 = jose').split('const response')[0]
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  const encrypted = await new AsyncFunction('jose', `${body}\nreturn encrypted`)(jose)
  const { id } = await owner.tokens.create({ type: 'card', encrypted })
  expect((await owner.tokens.reveal({ id })).data).toMatchObject({ number: '4242424242424242' })
})
