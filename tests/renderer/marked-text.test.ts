import { expect, test } from 'vitest'
import { markText, splitDirectionMarks } from '../../renderer/ui/text/marked-text.tsx'

const listParts = (text: string) => splitDirectionMarks(text).map((part) => part.text)

test('characters that change the text direction are shown as codes', () => {
  expect(listParts('\u202eabc')).toEqual(['U+202E', 'abc'])
  expect(listParts('a\u2066\u200fb\u2069')).toEqual(['a', 'U+2066', 'U+200F', 'b', 'U+2069'])
  expect(markText('a\u061cb')).toBe('aU+061Cb')
  for (const text of ['', 'plain', 'שלום', 'é 😀']) expect(listParts(text).join('')).toBe(text)
})
