import { catalogue } from '../../electron/engine/operations.ts'
import type { Json } from '../../shared/json.ts'
import type { TestServer } from './test-server.ts'

const fullProxy: { [member: string]: Json } = {
  name: 'p',
  destination_url: 'https://echo.coffer.test',
  request_transform: { type: 'append_text', options: { value: 'x' } },
  response_transforms: [{ type: 'mask', matcher: 'regex', expression: '(a)', replacement: '*' }],
  configuration: { a: 'b' },
  require_auth: false,
  disable_detokenization: false,
}

/** Valid bodies with more members than those in test-server.ts, so that more members can be mutated. */
export const fullInputs: Record<string, { [member: string]: Json }> = {
  'applications.create': {
    name: 'New',
    type: 'private',
    permissions: ['token:read'],
    rules: [
      { description: 'd', priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] },
    ],
    expires_at: '2031-01-01',
    create_key: true,
  },
  'applications.update': {
    name: 'Renamed',
    permissions: ['token:read'],
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] }],
  },
  'proxies.create': fullProxy,
  'proxies.update': fullProxy,
  'reactors.create': { name: 'r', code: 'x', configuration: { a: 'b' }, runtime: { image: 'node22' } },
  'reactors.update': { name: 'r', code: 'x', configuration: { a: 'b' }, runtime: { image: 'node22' } },
  'reactors.patch': { name: 'r', code: 'x', configuration: { a: 'b' } },
  'proxies.patch': { name: 'p', configuration: { a: 'b' }, require_auth: false },
  'tokens.create': {
    id: 'chosen',
    type: 'token',
    data: { a: 1 },
    mask: { a: '{{ data.a }}' },
    containers: ['/a/'],
    metadata: { a: 'b' },
    search_indexes: ['{{ data.a }}'],
    fingerprint_expression: '{{ data.a }}',
    deduplicate_token: false,
    expires_at: '2031-01-01',
  },
  'tokens.update': {
    metadata: { a: 'b' },
    containers: ['/a/'],
    search_indexes: [],
    fingerprint_expression: '{{ data }}',
    deduplicate_token: false,
    expires_at: '2031-01-01',
  },
}

/** Returns the key of an application that may call an operation. */
export function getKeyFor(world: TestServer, name: string): string {
  const permission = [catalogue.get(name)?.permission ?? ''].flat()[0] ?? ''
  if (name === 'sessions.create') return world.keys.public
  return /^(application|tenant|log|report|proxy|reactor|webhooks|keys):(?!invoke)/.test(permission) ||
    name === 'applications.getByKey'
    ? world.keys.management
    : world.keys.private
}
