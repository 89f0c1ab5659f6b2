import { absent, isoDate, type Statement, someMessages, uuid } from '../statement.ts'

export const tokens: readonly Statement[] = [
  {
    rule: 'T-04',
    says: 'A token created without an id gets a UUID',
    source: 'interface.md, Create Token',
    needs: ['token:create', 'token:delete'],
    steps: [
      {
        send: { method: 'POST', path: '/tokens', body: { type: 'token', data: '${prefix} value' } },
        expect: { status: 201, body: { id: uuid, type: 'token', created_at: isoDate } },
        save: { token: '/id' },
        remove: '/tokens/${token}',
      },
    ],
  },
  {
    rule: 'T-08',
    says: 'A token created without a mask is read back without one',
    source: 'interface.md, Token',
    needs: ['token:create', 'token:read', 'token:delete'],
    steps: [
      {
        send: { method: 'POST', path: '/tokens', body: { type: 'token', data: '${prefix} value' } },
        expect: { status: 201 },
        save: { token: '/id' },
        remove: '/tokens/${token}',
      },
      {
        send: { method: 'GET', path: '/tokens/${token}' },
        expect: { status: 200, body: { id: '${token}', mask: absent, _extras: absent } },
      },
    ],
  },
  {
    rule: 'T-02',
    says: 'A card number that fails the Luhn check is refused, and the error names it',
    source: 'interface.md, Token types',
    needs: ['token:create'],
    steps: [
      {
        send: { method: 'POST', path: '/tokens', body: { type: 'card_number', data: '4242424242424241' } },
        expect: { status: 400, body: { status: 400, errors: { data: someMessages } } },
      },
    ],
  },
]
