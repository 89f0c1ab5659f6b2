import { expect, test } from 'vitest'
import {
  formatCheckoutEnv,
  getPort,
  programLanguages,
  programs,
} from '../../renderer/screens/applications/checkouts/programs.ts'
import { readFile } from '../repository.ts'

test('the variables of a checkout hold its keys once, and no text of the owner', () => {
  // PHP cannot read `.env` if a comment holds parentheses.
  const checkout = { name: 'Shop (Paul)\nCOFFER_API_KEY=stolen', origin: 'http://localhost:3000' }
  const text = { url: 'http://127.0.0.1:4747', proxyKey: '620bf224a200' }
  const shown = formatCheckoutEnv(checkout, { ...text, keys: { page: 'key_p', server: 'key_s' } })
  expect(shown.split('\n')).toEqual([
    'COFFER_BASE_URL=http://127.0.0.1:4747',
    'COFFER_PUBLIC_KEY=key_p',
    'COFFER_API_KEY=key_s',
    'COFFER_PROXY_KEY=620bf224a200',
    'PORT=3000',
  ])
  expect(formatCheckoutEnv(checkout, { ...text, keys: null })).toContain('\nCOFFER_API_KEY=\n')
  expect(getPort({ origin: 'https://shop.test' })).toBe('443')
})

test('every language has a server that reads each variable and verifies events', () => {
  expect(programLanguages).toEqual(['node', 'python', 'go', 'java', 'php', 'ruby', 'csharp'])
  for (const { file, text, run } of Object.values(programs)) {
    expect(text).toBe(readFile(`examples/first-checkout/${file}`))
    expect(run('3000')).toMatch(new RegExp(`${file.split('.')[0]}`))
    for (const name of [
      'COFFER_BASE_URL',
      'COFFER_PUBLIC_KEY',
      'COFFER_API_KEY',
      'COFFER_PROXY_KEY',
      'webhooks.v1.key',
    ])
      expect(text).toContain(name)
  }
})
