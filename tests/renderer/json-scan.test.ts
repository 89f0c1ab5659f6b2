import { expect, test } from 'vitest'
import { scanJson } from '../../renderer/ui/text/editor/json-scan.ts'

test('the first error of JSON is at its place, and placeholders of the environment are values', () => {
  const readErrors = (...texts: string[]) => texts.map((text) => scanJson(text).errorAt)
  expect(readErrors('{"a": [1, -2.5e3, true, null, "x\\"y"], "b": {}}', '[]', ' "x" ', '')).toEqual(
    Array(4).fill(null),
  )
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder itself
  expect(readErrors('{"a": ${amount}, "b": [${b}]}')).toEqual([null])
  expect(
    readErrors('{"a": 1,}', '{a: 1}', '{"a": x}', '{"a" 1}', '[1 2]', '[1,]', '{"a": 01}', '{"a": \'x\'}'),
  ).toEqual([8, 1, 6, 5, 3, 3, 6, 6])
  expect(readErrors('{"a": 1', '{"a": "b', '[1]]', '{"a":1} x')).toEqual([7, 6, 3, 8])
})

test('values and names of JSON are found by the paths that the vault writes', () => {
  const text = '{"data": {"items": [1, {"sku": "x"}]}}'
  const { values, names } = scanJson(text)
  const readText = (path: string) => text.slice(values.get(path)?.from, values.get(path)?.to)
  expect(readText('data.items[1].sku')).toBe('"x"')
  expect(readText('data.items[0]')).toBe('1')
  expect(readText('body')).toBe(text)
  expect(names.get('data.items')).toEqual({ from: 10, to: 17 })
})

test('the end of incomplete JSON says what may come next', () => {
  expect(scanJson('{"type": "card", "da').end).toEqual({
    path: [],
    expects: 'name',
    present: ['type'],
    typed: '"da',
  })
  expect(scanJson('{"data": {"number": "42').end).toMatchObject({
    path: ['data', 'number'],
    expects: 'value',
    typed: '"42',
  })
  expect(scanJson('{"containers": ["/a/", ').end).toMatchObject({
    path: ['containers', '[1]'],
    expects: 'value',
  })
  expect(scanJson('{ty').end).toMatchObject({ path: [], expects: 'name', typed: 'ty' })
  expect(scanJson('{"a": 1 ').end.expects).toBe('nothing')
})
