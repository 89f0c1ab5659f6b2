import { allowsNothing, mayHold, permissionNames } from '../../../../../shared/permissions.ts'
import type { ApplicationTemplate } from '../../../../../shared/schemas/application-template.ts'

const starter = { template_type: 'starters', is_starter: true, permissions: [], rules: [] }

/**
 * Payments of wallets, network tokens, updates of cards and agentic payments: like tokens, they are not for the
 * application that manages the vault.
 */
const cardData =
  /^(apple-pay|google-pay):(?!manage)|^network[-_]token:|^account-updater:|^(agent|enrollment):/

/** The templates of the applications that a new vault starts with, by type. Their ids never change. */
export const starters = {
  management: {
    ...starter,
    id: '5d1f0c0e-8f0b-4c0a-9d55-0a3c6a1d7b01',
    name: 'Management',
    description: 'Manages everything but tokens',
    application_type: 'management',
    permissions: permissionNames.filter(
      (name) => mayHold('management', name) && !allowsNothing(name) && !cardData.test(name),
    ),
  },
  private: {
    ...starter,
    id: '5d1f0c0e-8f0b-4c0a-9d55-0a3c6a1d7b02',
    name: 'Backend',
    description:
      'Creates, reads, searches, uses and deletes tokens, token intents, documents, payments of wallets and network tokens, updates cards, and runs 3D Secure and agentic payments',
    application_type: 'private',
    rules: [
      {
        description: 'Writes return masked data',
        priority: 1,
        container: '/',
        transform: 'mask',
        permissions: ['token:create', 'token:update'],
      },
      {
        description: 'Reads return plaintext',
        priority: 2,
        container: '/',
        transform: 'reveal',
        permissions: [
          'token:read',
          'token:search',
          'token:delete',
          'token:use',
          'token-intent:create',
          'token-intent:read',
          'token-intent:delete',
          'documents:create',
          'documents:read',
          'documents:reveal',
          'documents:delete',
          '3ds:session:create',
          '3ds:session:read',
          '3ds:session:authenticate',
          'apple-pay:create',
          'apple-pay:read',
          'apple-pay:reveal',
          'apple-pay:delete',
          'apple-pay:session',
          'google-pay:create',
          'google-pay:read',
          'google-pay:reveal',
          'google-pay:delete',
          'network-token:create',
          'network-token:read',
          'network-token:reveal',
          'network-token:delete',
          'network-token:cryptogram',
          'network-token:suspend',
          'network-token:resume',
          'account-updater:job:create',
          'account-updater:job:read',
          'account-updater:real-time:invoke',
          ...permissionNames.filter((name) => /^(agent|enrollment):/.test(name)),
        ],
      },
    ],
  },
  public: {
    ...starter,
    id: '5d1f0c0e-8f0b-4c0a-9d55-0a3c6a1d7b03',
    name: 'Browser',
    description:
      'Creates tokens, token intents, payments of wallets and 3D Secure sessions from a page, and reads nothing',
    application_type: 'public',
    permissions: [
      'token:create',
      'token-intent:create',
      '3ds:session:create',
      'apple-pay:create',
      'apple-pay:session',
      'google-pay:create',
    ],
  },
} satisfies Record<string, ApplicationTemplate>
