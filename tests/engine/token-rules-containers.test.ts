import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  getContainerRange,
  includesContainer,
  listScopes,
  normalizeContainer,
  normalizeContainers,
} from '../../shared/containers.ts'
import { CofferError } from '../../shared/errors.ts'

// Few letters, so that scopes often match. '-' and '0' sort just before and after '/'.
const segment = fc.stringMatching(/^[ab0_-]{1,2}$/)
const container = fc
  .array(segment, { maxLength: 4 })
  .map((segments) => `/${segments.map((s) => `${s}/`).join('')}`)

const splitSegments = (value: string) => value.split('/').slice(1, -1)

describe('containers', () => {
  test.each([
    ['/', '/'],
    ['/pci/high/', '/pci/high/'],
    ['/PCI/High/', '/pci/high/'],
    ['/a-b_c/0/', '/a-b_c/0/'],
  ])('P-10 %s is stored as %s', (value, stored) => {
    expect(normalizeContainer(value, 'containers[0]')).toBe(stored)
  })

  test.each([
    '',
    'pci',
    '/pci',
    'pci/',
    '//',
    '/a//b/',
    '/a b/',
    '/../',
    '/./',
    '/a%2f/',
    '/ä/',
    '/\u212a/',
    '/a/\n',
    '/a/*/',
    `/${'a'.repeat(400)}/`,
  ])('X-09 %j is not a valid container', (value) => {
    expect(() => normalizeContainer(value, 'containers[0]')).toThrow(CofferError)
  })

  test('P-10 a token has 1 to 10 ordered containers, and errors name all invalid ones', () => {
    const path = 'containers'
    expect(normalizeContainers(['/b/', '/A/', '/B/', '/a/b/'], path)).toEqual(['/b/', '/a/', '/a/b/'])
    expect(() => normalizeContainers([], path)).toThrow(CofferError)
    const eleven = Array.from({ length: 11 }, (_, at) => `/c${at}/`)
    expect(normalizeContainers(eleven.slice(1), path)).toHaveLength(10)
    expect(() => normalizeContainers(eleven, path)).toThrow(CofferError)
    expect(() => normalizeContainers(['a', '/b/', '//'], path)).toThrow(
      expect.objectContaining({
        errors: { 'containers[0]': [expect.any(String)], 'containers[2]': [expect.any(String)] },
      }),
    )
  })

  test('X-09 /a/ does not include /ab/', () => {
    expect(includesContainer('/a/', '/ab/')).toBe(false)
    expect(includesContainer('/a/', '/a/')).toBe(true)
    expect(includesContainer('/a/', '/a/b/')).toBe(true)
    expect(includesContainer('/a/b/', '/a/')).toBe(false)
    expect(includesContainer('/', '/a/b/')).toBe(true)
  })

  test('P-05 a scope includes the containers that begin with all of its segments', () => {
    fc.assert(
      fc.property(container, container, (scope, inner) => {
        const expected = splitSegments(scope)
        const model = expected.every((each, at) => splitSegments(inner)[at] === each)
        expect(includesContainer(scope, inner)).toBe(model)
      }),
    )
  })

  test('P-05 the range of a scope contains exactly its containers in binary order', () => {
    fc.assert(
      fc.property(container, container, (scope, inner) => {
        const [from, to] = getContainerRange(scope).map((text) => Buffer.from(text)) as [Buffer, Buffer]
        const value = Buffer.from(inner)
        const inRange = Buffer.compare(value, from) >= 0 && Buffer.compare(value, to) < 0
        expect(inRange).toBe(includesContainer(scope, inner))
      }),
    )
  })

  test('P-05 the ancestors of a container are the scopes that include it', () => {
    expect(listScopes('/a/b/')).toEqual(['/', '/a/', '/a/b/'])
    expect(listScopes('/')).toEqual(['/'])
    fc.assert(
      fc.property(container, container, (scope, inner) => {
        expect(listScopes(inner).includes(scope)).toBe(includesContainer(scope, inner))
      }),
    )
  })
})
