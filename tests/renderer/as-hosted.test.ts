import { expect, test } from 'vitest'
import {
  findAllowable,
  findMappedLater,
  groupNames,
  quoteArguments,
} from '../../renderer/screens/settings/as-hosted/hosted-facts.ts'
import type { HostedConnection } from '../../shared/host/as-hosted.ts'

const refused: HostedConnection = {
  route: 'proxy',
  host: 'api.stripe.com',
  outcome: 'refused',
  program: 'curl/8.5.0',
  count: 1,
  last_at: '2026-01-01T00:00:00.000+00:00',
}

test('H-06 answered names are grouped by what they stand for', () => {
  expect(
    groupNames([
      { origin: 'https://api.basistheory.com', role: 'api' },
      { origin: 'https://js.basistheory.com', role: 'scripts' },
      { origin: 'https://api.btsandbox.com', role: 'api' },
      { origin: 'https://api.stripe.com:8443', role: 'mapped' },
    ]),
  ).toEqual([
    ['api', ['api.basistheory.com', 'api.btsandbox.com']],
    ['scripts', ['js.basistheory.com']],
    ['mapped', ['api.stripe.com:8443']],
  ])
})

test('H-06 a destination can be allowed only where that would change the outcome', () => {
  const none = { allow: [], map: {} }
  expect(findAllowable(refused, none)).toBe('api.stripe.com')
  expect(findAllowable({ ...refused, host: 'db.example.com:5432' }, none)).toBe('db.example.com:5432')
  expect(findAllowable({ ...refused, host: '10.0.0.7' }, none)).toBe('10.0.0.7')
  expect(findAllowable(refused, { ...none, allow: ['api.stripe.com'] })).toBeNull()
  const map = { 'https://api.stripe.com': 'http://127.0.0.1:12111' }
  expect(findAllowable(refused, { ...none, map })).toBeNull()
  for (const host of ['localhost:3000', 'app.localhost', '[::1]:8443'])
    expect(findAllowable({ ...refused, host }, none), host).toBeNull()
  for (const outcome of ['plain', 'without_password', 'failed', 'unknown_name', 'answered'] as const)
    expect(findAllowable({ ...refused, outcome }, none), outcome).toBeNull()
})

test('H-04 an origin mapped after the start is named, unless it is never answered', () => {
  const map = {
    'https://api.stripe.com': 'http://127.0.0.1:12111',
    'https://api.adyen.com': 'http://127.0.0.1:12112',
    'http://plain.example.com': 'http://127.0.0.1:12113',
    'https://10.0.0.7': 'http://127.0.0.1:12114',
    'https://app.localhost': 'http://127.0.0.1:12115',
  }
  const names = [{ origin: 'https://api.stripe.com', role: 'mapped' as const }]
  expect(findMappedLater(names, { allow: [], map })).toEqual(['https://api.adyen.com'])
})

test('H-03 arguments are quoted for a shell', () => {
  expect(quoteArguments(['--rules=MAP a b', "it's"])).toBe(`'--rules=MAP a b' 'it'\\''s'`)
})
