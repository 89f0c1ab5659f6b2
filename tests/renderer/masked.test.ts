import { expect, test } from 'vitest'
import { splitMasked } from '../../renderer/ui/text/masked.tsx'

const hidden = (text: string) =>
  splitMasked(text)
    .filter(({ masked }) => masked)
    .map((part) => part.text)

test('masked and visible characters are distinguished', () => {
  expect(hidden('XXXXXXXXXXXX4242')).toEqual(['XXXXXXXXXXXX'])
  expect(hidden('XXX-XX-6789')).toEqual(['XXX-XX'])
  expect(hidden('3622-72##-####-5567')).toEqual(['##-####'])
  expect(hidden('42************42')).toEqual(['************'])
  expect(hidden('plain text, X once')).toEqual([])
})

test('splitting masked text into parts loses no character', () => {
  for (const text of ['', 'XX', 'a XX b ## c', 'XX#X', '••••']) {
    expect(
      splitMasked(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text)
  }
})
