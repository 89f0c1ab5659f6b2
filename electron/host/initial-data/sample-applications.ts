import type { NewApplication } from '../../../shared/schemas/application.ts'

/** Three applications with different access to the sample data. They are created without keys. */
export const sampleApplications: readonly NewApplication[] = [
  {
    name: 'Support desk',
    type: 'private',
    create_key: false,
    rules: [
      {
        description: 'Reads masked cards',
        priority: 1,
        container: '/pci/',
        transform: 'mask',
        permissions: ['token:read', 'token:search'],
      },
      {
        description: 'Sees which people are stored, but none of their data',
        priority: 2,
        container: '/pii/',
        transform: 'redact',
        permissions: ['token:read', 'token:search'],
      },
    ],
  },
  {
    name: 'Payments',
    type: 'private',
    create_key: false,
    rules: [
      {
        description: 'Reads cards as plaintext to charge them',
        priority: 1,
        container: '/pci/',
        transform: 'reveal',
        permissions: ['token:read', 'token:search', 'token:use'],
      },
      {
        description: 'Reads bank accounts as plaintext for payouts',
        priority: 2,
        container: '/bank/',
        transform: 'reveal',
        permissions: ['token:read', 'token:search', 'token:use'],
      },
      {
        description: 'Stores and changes cards; responses are masked',
        priority: 3,
        container: '/pci/',
        transform: 'mask',
        permissions: ['token:create', 'token:update'],
      },
    ],
  },
  { name: 'Browser checkout', type: 'public', create_key: false, permissions: ['token:create'] },
]
