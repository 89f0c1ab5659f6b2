import { expect, test } from 'vitest'
import { splitMasked } from '../../renderer/ui/text/masked.tsx'

const listMasked = (text: string) =>
  splitMasked(text)
    .filter(({ isMatch }) => isMatch)
    .map((part) => part.text)

test('masked and visible characters are distinguished', () => {
  expect(listMasked('XXXXXXXXXXXX4242')).toEqual(['XXXXXXXXXXXX'])
  expect(listMasked('XXX-XX-6789')).toEqual(['XXX-XX'])
  expect(listMasked('3622-72##-####-5567')).toEqual(['##-####'])
  expect(listMasked('42************42')).toEqual(['************'])
  expect(listMasked('•')).toEqual(['•'])
  expect(listMasked('• • and X')).toEqual(['• •'])
  expect(listMasked('plain text, X once')).toEqual([])
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
