import { expect, test } from 'vitest'
import { decideDestination } from '../../electron/outbound/decide-destination.ts'
import { destinations, noDestinations } from '../../shared/destinations.ts'

const allowDestinations = (...allow: string[]) => destinations.parse({ allow })

function getDecision(address: string, chosen = noDestinations): string {
  try {
    decideDestination(address, chosen)
    return 'allowed'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test.each([
  'http://localhost:3000/a',
  'http://127.0.0.1:3000',
  'http://127.1:3000',
  'http://2130706433/',
  'http://[::1]:3000/',
  'http://[::ffff:127.0.0.1]/',
  'https://shop.localhost/',
])('G-02 %s is this machine, so it is always allowed', (address) => {
  expect(getDecision(address)).toBe('allowed')
})

test.each([
  'https://api.example.com/v1',
  'https://10.0.0.7/',
  'https://169.254.169.254/latest/meta-data',
  'https://[fd00:ec2::254]/',
  'http://0.0.0.0:4747/',
  'https://localhost.example.com/',
  'https://notlocalhost/',
])('G-02 %s is rejected until the owner allows it', (address) => {
  expect(getDecision(address)).toBe('forbidden')
})

test('G-02 the error contains only the host of the URL and how to allow it', () => {
  const decideForbidden = () =>
    decideDestination('https://api.example.com/secret/path?key=secret', noDestinations)
  expect(decideForbidden).toThrow('api.example.com is not an allowed destination.')
  expect(decideForbidden).toThrow('--allow-destination api.example.com')
  expect(decideForbidden).not.toThrow('secret')
})

test.each([
  ['api.example.com', 'https://api.example.com/', 'allowed'],
  ['api.example.com', 'https://API.Example.com/', 'allowed'],
  ['api.example.com', 'https://api.example.com./', 'allowed'],
  ['api.example.com', 'https://api.example.com.evil.test/', 'forbidden'],
  ['api.example.com', 'https://xapi.example.com/', 'forbidden'],
  ['api.example.com', 'http://api.example.com/', 'forbidden'],
  ['api.example.com:8443', 'https://api.example.com:8443/', 'allowed'],
  ['api.example.com:8443', 'https://api.example.com/', 'forbidden'],
  ['*.example.com', 'https://a.b.example.com/', 'allowed'],
  ['*.example.com', 'https://example.com/', 'forbidden'],
  ['*.example.com', 'https://evilexample.com/', 'forbidden'],
  ['*', 'https://anything.test/', 'allowed'],
  ['*', 'https://8.8.8.8/', 'allowed'],
  ['*', 'https://10.0.0.7/', 'forbidden'],
  ['10.0.0.0/8', 'https://10.0.0.7/', 'allowed'],
  ['10.0.0.7', 'https://10.0.0.8/', 'forbidden'],
])('G-02 with the entry %s, %s is %s', (entry, address, decision) => {
  expect(getDecision(address, allowDestinations(entry))).toBe(decision)
})

test.each([
  '',
  'not an address',
  'data:text/plain,x',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'ftp://h/',
])('X-52 X-59 "%s" is rejected as a destination', (address) =>
  expect(getDecision(address, allowDestinations('*'))).toBe('invalid'),
)

test('X-52 a URL with a user or password is rejected', () => {
  expect(getDecision('https://localhost@evil.test/', allowDestinations('*'))).toBe('invalid')
  expect(getDecision('https://user:secret@api.example.com/', allowDestinations('*'))).toBe('invalid')
})

test('G-03 a map replaces only the origin of a URL', () => {
  const chosen = destinations.parse({ map: { 'https://api.example.com': 'http://127.0.0.1:12111' } })
  const { url, host, isMapped } = decideDestination('https://api.example.com/v1/charges?expand=a', chosen)
  expect(url.href).toBe('http://127.0.0.1:12111/v1/charges?expand=a')
  expect({ host, isMapped }).toEqual({ host: 'api.example.com', isMapped: true })
})

test('G-03 a trailing dot does not bypass a map', () => {
  const chosen = destinations.parse({
    map: { 'https://api.example.com': 'http://127.0.0.1:12111' },
    allow: ['*'],
  })
  expect(decideDestination('https://api.example.com./v1', chosen).url.href).toBe('http://127.0.0.1:12111/v1')
  expect(decideDestination('https://API.example.com:443/v1', chosen).url.href).toBe(
    'http://127.0.0.1:12111/v1',
  )
})

test.each([
  ['https://[::ffff:10.0.0.7]/', 'forbidden'],
  ['https://167772167/', 'forbidden'],
  ['https://0xa9fea9fe/', 'forbidden'],
  ['https://0/', 'forbidden'],
  ['https://[::]/', 'forbidden'],
  ['https://[fe80::1%25lo]/', 'invalid'],
  ['https://①⑥⑨.254.169.254/', 'forbidden'],
  ['https://169.254.169.254./', 'forbidden'],
])('X-52 %s is %s even if every destination is allowed', (address, decision) => {
  expect(getDecision(address, allowDestinations('*'))).toBe(decision)
})

test('X-52 a lookalike host name in another script does not match an allowed one', () => {
  const allowed = allowDestinations('api.example.com')
  expect(getDecision('https://ａｐｉ.example.com/', allowed)).toBe('allowed')
  expect(getDecision('https://аpi.example.com/', allowed)).toBe('forbidden')
})

test('G-03 a map applies only to its scheme and port', () => {
  const chosen = destinations.parse({ map: { 'https://api.example.com': 'https://localhost' } })
  expect(getDecision('https://api.example.com:8443/', chosen)).toBe('forbidden')
  expect(getDecision('http://api.example.com/', chosen)).toBe('forbidden')
  expect(decideDestination('https://api.example.com/', chosen).url.href).toBe('https://localhost/')
})

test.each([
  '999.1.1.1.',
  'a b',
  'https://api.example.com',
  'api.example.com/path',
  '*.*',
  'exa*mple.com',
  '10.0.0.0/99',
  '',
])('G-02 "%s" is not a valid allowed destination', (entry) =>
  expect(destinations.safeParse({ allow: [entry] }).success).toBe(false),
)

test.each([
  'https://api.example.com/v1',
  'api.example.com',
  'https://u:p@api.example.com',
  'https://a.test?',
  'ftp://a.test',
])('G-03 "%s" is not a valid origin in a map', (side) =>
  expect(destinations.safeParse({ map: { [side]: 'http://localhost' } }).success).toBe(false),
)
